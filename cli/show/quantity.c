/* Labels of inputs and outputs. */
#include "show/quantity.h"

#include <stdio.h>

#include "options/model_parts.h"

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
