/* Values of kernels. What a parameter is follows from the end of its name: "force1.term2.period". */
#include "show/kernel_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/quantity.h"

cli_kernel cli_force_kernel(const lf_model *model, int force)
{
    cli_kernel kernel = {.model = model};
    kernel.count = lf_model_force_parameters(model, force, &kernel.first);
    return kernel;
}

cli_kernel cli_private_kernel(const lf_model *model, int output)
{
    cli_kernel kernel = {.model = model};
    kernel.count = lf_model_private_parameters(model, output, &kernel.first);
    return kernel;
}

/* "period" of "force1.term2.period"; *term is 2 there, and 0 where the kernel is no sum. */
static const char *split_name(const char *name, int *term)
{
    const char *end = strrchr(name, '.'), *start = end;
    *term = 0;
    if (!end) {
        return name;
    }
    while (start > name && start[-1] != '.') {
        start--;
    }
    if (strncmp(start, "term", 4) == 0 && start[4] >= '1' && start[4] <= '9') {
        *term = atoi(start + 4);
    }
    return end + 1;
}

void cli_kernel_text(cli_kernel kernel, size_t size, char *text)
{
    size_t used = 0;
    int before = 0, term;
    snprintf(text, size, "-");
    for (size_t i = 0; i < kernel.count && used < size; i++) {
        lf_parameter parameter = lf_parameter_get(kernel.model, kernel.first + i);
        const char *what = split_name(parameter.name, &term);
        char heading[24] = "", number[CLI_QUANTITY_SIZE], unit[LF_UNIT_SIZE];
        if (term != before) {
            snprintf(heading, sizeof heading, "term%d: ", term);
        }
        lf_parameter_unit(kernel.model, kernel.first + i, unit);
        lf_format_quantity(parameter.value, parameter.standard_error, unit, sizeof number, number);
        const char *separator = i == 0 ? "" : term != before ? "; " : ", ";
        int written = snprintf(text + used, size - used, "%s%s%s %s", separator, heading, what, number);
        used += written > 0 ? (size_t)written : 0;
        before = term;
    }
}
