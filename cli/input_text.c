/* Inputs in results: the headings of their columns, and their values as files show them. */
#include "input_text.h"

#include <string.h>

#include "formats.h"

/* Headings that columns of results have; an input of such a name is called x there. */
static int is_taken(const char *name)
{
    static const char *const taken[] = {"output", "force", "replicate", "y",    "mean",   "sd",
                                        "sd_f",   "sd_y",  "z",         "flag", "samples"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(name, taken[i]) == 0) {
            return 1;
        }
    }
    return strncmp(name, "sample", 6) == 0;
}

const char *cli_input_name(const lf_model *model, int input, char *text)
{
    int p = lf_model_input_dim(model);
    const char *name = lf_model_input(model, input).name;
    int plain = !*name || is_taken(name);
    for (int k = 0; k < p && !plain; k++) {
        plain = k != input && strcmp(lf_model_input(model, k).name, name) == 0;
    }
    if (!plain) {
        return name;
    }
    if (p == 1) {
        snprintf(text, CLI_INPUT_SIZE, "x");
    } else {
        snprintf(text, CLI_INPUT_SIZE, "x%d", input + 1);
    }
    return text;
}

void cli_csv_inputs_heading(FILE *stream, const lf_model *model)
{
    char text[CLI_INPUT_SIZE];
    for (int k = 0; k < lf_model_input_dim(model); k++) {
        fputs(k ? "," : "", stream);
        cli_csv_name(stream, cli_input_name(model, k, text));
    }
}

void cli_csv_inputs(FILE *stream, const lf_model *model, const double *x)
{
    char text[CLI_INPUT_SIZE];
    for (int k = 0; k < lf_model_input_dim(model); k++) {
        lf_model_format_input(model, k, x[k], sizeof text, text);
        fprintf(stream, "%s%s", k ? "," : "", text);
    }
}

void cli_json_input(FILE *stream, const lf_model *model, int input, double x)
{
    char text[CLI_INPUT_SIZE];
    lf_model_format_input(model, input, x, sizeof text, text);
    if (lf_model_input(model, input).dated) {
        cli_json_string(stream, text);
    } else {
        fputs(text, stream);
    }
}
