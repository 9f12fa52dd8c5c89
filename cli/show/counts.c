/* How many outputs and forces a model has, in words. */
#include "show/counts.h"

#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "options/model_parts.h"

static void add(char *text, int count, const char *noun)
{
    size_t used = strlen(text);
    snprintf(text + used, CLI_COUNTS_SIZE - used, "%s%d %s%s", used ? ", " : "", count, noun, lf_plural((size_t)count));
}

const char *cli_counts(const lf_model *model, char text[CLI_COUNTS_SIZE])
{
    int forces = cli_count(model, LF_KIND_FORCE), white = cli_count(model, LF_KIND_WHITE),
        known = cli_count(model, LF_KIND_KNOWN);
    text[0] = '\0';
    add(text, cli_count(model, LF_KIND_OUTPUT), "output");
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
