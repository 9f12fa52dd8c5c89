/* How many outputs and forces a model has, in words. */
#ifndef CLI_COUNTS_H
#define CLI_COUNTS_H

#include "latentforce.h"

enum { CLI_COUNTS_SIZE = 160 };

/* "4 outputs, 2 forces" or "1 output, 1 force, 1 white force, 2 known inputs"; returns the text. */
const char *cli_counts(const lf_model *model, char text[CLI_COUNTS_SIZE]);

#endif
