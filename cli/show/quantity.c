/* Labels of inputs and outputs, and parameters by the names of their owners. */
#include "show/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/model_parts.h"
#include "options/session.h"

int cli_find_parameter(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number,
                       size_t *index)
{
    char name[1024];
    int length = number > 0 ? snprintf(name, sizeof name, "%s.%s%d", owner, what, number)
                            : snprintf(name, sizeof name, "%s.%s", owner, what);
    return length > 0 && (size_t)length < sizeof name &&
           lf_model_find(ctx, model, LF_KIND_PARAMETER, name, index) == LF_OK;
}

double cli_parameter_error(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number)
{
    size_t index;
    return cli_find_parameter(ctx, model, owner, what, number, &index) ? cli_parameter(model, index).standard_error
                                                                       : (double)NAN;
}

void cli_parameter_unit(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number,
                        char unit[LF_UNIT_SIZE])
{
    size_t index;
    unit[0] = '\0';
    if (cli_find_parameter(ctx, model, owner, what, number, &index)) {
        snprintf(unit, LF_UNIT_SIZE, "%s", cli_parameter(model, index).unit);
    }
}

void cli_label(const char *name, const char *unit, char text[CLI_LABEL_SIZE])
{
    const char *open = *unit ? " (" : "", *close = *unit ? ")" : "";
    snprintf(text, CLI_LABEL_SIZE, "%.400s%s%.80s%s", name, open, unit, close);
}

void cli_input_name(const lf_model *model, int input, char text[CLI_LABEL_SIZE])
{
    lf_label info = cli_input(model, input);
    if (*info.name) {
        snprintf(text, CLI_LABEL_SIZE, "%.400s", info.name);
    } else if (cli_count(model, LF_KIND_INPUT) > 1) {
        snprintf(text, CLI_LABEL_SIZE, "x%d", input + 1);
    } else {
        snprintf(text, CLI_LABEL_SIZE, "x");
    }
}

void cli_input_label(const lf_model *model, int input, char text[CLI_LABEL_SIZE])
{
    lf_label info = cli_input(model, input);
    char name[CLI_LABEL_SIZE];
    cli_input_name(model, input, name);
    cli_label(name, info.dated ? "" : info.unit, text);
}
