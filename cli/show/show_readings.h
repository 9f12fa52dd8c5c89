/* Physical readings of the equations of a model. */
#ifndef CLI_SHOW_READINGS_H
#define CLI_SHOW_READINGS_H

#include <stdio.h>

#include "latentforce.h"

/* Prints the table of time constants, frequencies, periods and damping ratios of the outputs that follow an ODE; nothing if
 * there are none. Returns an exit status. */
int cli_show_readings(FILE *stream, const lf_model *model);

#endif
