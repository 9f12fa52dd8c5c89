/* Options of a fit: lines "name=value" or "name"; each is set or refused with a sentence. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    lf_context *ctx = fuzz_context();
    lf_fit_options *options = NULL;
    char *text = fuzz_text(bytes, size), *next;
    if (lf_fit_options_create(ctx, &options) != LF_OK) {
        abort();
    }
    for (char *line = text; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) {
            *next++ = '\0';
        }
        char *value = strchr(line, '=');
        if (value) {
            *value++ = '\0';
        }
        fuzz_check(ctx, lf_fit_options_set(ctx, options, line, value));
    }
    fuzz_check(ctx, lf_fit_options_check(ctx, options));
    lf_fit_options_free(options);
    free(text);
    lf_context_free(ctx);
    fuzz_end(size);
    return 0;
}
