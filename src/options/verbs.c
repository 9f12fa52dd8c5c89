/* The verbs, whose tables are written once and read by lf_options_set(), the command line, its manual page and bindings: one file each. */
#include <string.h>

#include "base/context.h"
#include "options/options.h"

static const lf_verb *const verbs[] = {&lf_fit_verb,     &lf_engine_verb,   &lf_report_verb,
                                       &lf_request_verb, &lf_validate_verb, &lf_read_verb};

const lf_verb *lf_verb_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i]->name, name) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}

size_t lf_verb_index(const lf_verb *verb, const char *name)
{
    size_t i = 0;
    while (i < verb->count && strcmp(verb->option(i)->name, name) != 0) {
        i++;
    }
    return i;
}

size_t lf_option_count(const char *verb)
{
    const lf_verb *found = lf_verb_find(verb);
    return found ? found->count : 0;
}

lf_status lf_option_get(lf_context *ctx, const char *verb, size_t index, lf_option *option)
{
    const lf_verb *found = lf_verb_find(verb);
    if (!found || index >= found->count) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no option %zu of '%s'", index, verb ? verb : "");
    }
    return lf_give_struct(ctx, "lf_option", found->option(index), sizeof *option, option);
}
