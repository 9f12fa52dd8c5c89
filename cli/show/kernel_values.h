/* The values of the kernel of a force, by name: "lengthscale 90 h, period 24 h"; of a sum, term by term. */
#ifndef CLI_KERNEL_VALUES_H
#define CLI_KERNEL_VALUES_H

#include <stddef.h>

#include "latentforce.h"

/* The parameters of one kernel, from the first on. */
typedef struct cli_kernel {
    const lf_model *model;
    size_t first, count;
} cli_kernel;

cli_kernel cli_force_kernel(const lf_model *model, int force);
cli_kernel cli_private_kernel(const lf_model *model, int output);

/* "lengthscale 90 +- 4 h, period 24 h", "term1: lengthscale 3 h, weight 1; term2: …", cut to the size; "-" where there are none. */
void cli_kernel_text(cli_kernel kernel, size_t size, char *text);

#endif
