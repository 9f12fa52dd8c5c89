/* How many outputs and forces a model has, in words. */
#include "show/counts.h"

#include <stdio.h>
#include <string.h>

#include "base/plural.h"

static void add(char *text, int count, const char *noun)
{
    size_t used = strlen(text);
    snprintf(text + used, CLI_COUNTS_SIZE - used, "%s%d %s%s", used ? ", " : "", count, noun, lf_plural((size_t)count));
}

const char *cli_counts(const lf_model *model, char text[CLI_COUNTS_SIZE])
{
    int forces = lf_model_force_count(model), white = lf_model_white_count(model), known = lf_model_known_count(model);
    text[0] = '\0';
    add(text, lf_model_output_count(model), "output");
    if (forces || !(white || known)) {
        add(text, forces, "force");
    }
    if (white) {
        add(text, white, "white force");
    }
    if (known) {
        add(text, known, "known input");
    }
    return text;
}
