/* Values of kernels. What a parameter is follows from the end of its name: "force1.term2.period". */
#include "show/kernel_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/model_parts.h"
#include "show/quantity.h"

/* The parameters of an owner that are those of its kernel. */
static cli_kernel kernel_of(const lf_model *model, lf_kind owner, int index)
{
    cli_kernel kernel = {.model = model};
    for (size_t i = 0; i < lf_model_count(model, LF_KIND_PARAMETER); i++) {
        lf_parameter parameter = cli_parameter(model, i);
        if (parameter.owner == owner && (int)parameter.owner_index == index &&
            strcmp(parameter.short_name, "amplitude") != 0 && strncmp(parameter.short_name, "inducing", 8) != 0) {
            kernel.first = kernel.count++ ? kernel.first : i;
        }
    }
    return kernel;
}

cli_kernel cli_force_kernel(const lf_model *model, int force) { return kernel_of(model, LF_KIND_FORCE, force); }

cli_kernel cli_private_kernel(const lf_model *model, int output)
{
    return kernel_of(model, LF_KIND_PRIVATE, cli_find(model, LF_KIND_PRIVATE, cli_output(model, output).name));
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
        lf_parameter parameter = cli_parameter(kernel.model, kernel.first + i);
        const char *what = split_name(parameter.name, &term);
        char heading[24] = "", number[CLI_QUANTITY_SIZE];
        if (term != before) {
            snprintf(heading, sizeof heading, "term%d: ", term);
        }
        lf_format_quantity(parameter.value, parameter.standard_error, parameter.unit, sizeof number, number);
        const char *separator = i == 0 ? "" : term != before ? "; " : ", ";
        int written = snprintf(text + used, size - used, "%s%s%s %s", separator, heading, what, number);
        used += written > 0 ? (size_t)written : 0;
        before = term;
    }
}
