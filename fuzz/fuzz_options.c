/* Options of a fit and of an engine: lines "name=value" or "name"; each is set or refused with a sentence. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    lf_context *ctx = fuzz_context();
    lf_options *options = NULL, *engine = NULL;
    char *text = fuzz_text(bytes, size), *next;
    if (lf_options_create(ctx, "fit", &options) != LF_OK || lf_options_create(ctx, "engine", &engine) != LF_OK) {
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
        fuzz_check(ctx, lf_options_set(ctx, options, line, value));
        fuzz_check(ctx, lf_options_set(ctx, engine, line, value));
    }
    fuzz_check(ctx, lf_options_check(ctx, options));
    fuzz_check(ctx, lf_options_check(ctx, engine));
    lf_options_free(options);
    lf_options_free(engine);
    free(text);
    lf_context_free(ctx);
    fuzz_end(size);
    return 0;
}
