/* Shows tables of results of the library. */
#ifndef CLI_RESULT_TABLE_H
#define CLI_RESULT_TABLE_H

#include <stdio.h>

#include "latentforce.h"

/* With aligned columns; returns an exit status. */
int cli_result_table_print(lf_context *ctx, FILE *stream, const lf_table *table);

#endif
