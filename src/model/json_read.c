/* jansson loses characters of strings and numbers, and goes on, when it has no memory for them. Its number parser resets errno, so
 * errno is looked at before each character that it reads. */
#include "model/json_read.h"

#include <errno.h>

typedef struct source {
    FILE *stream;
    const char *text; /* without a stream */
    int no_memory;
} source;

static size_t next_character(void *buffer, size_t size, void *data)
{
    source *s = data;
    (void)size; /* one at a time */
    s->no_memory |= errno == ENOMEM;
    int c = s->stream ? getc(s->stream) : *s->text ? (unsigned char)*s->text++ : EOF;
    errno = 0;
    *(char *)buffer = (char)c;
    return c != EOF && !s->no_memory;
}

json_t *lf_json_read(FILE *stream, const char *text, size_t flags, json_error_t *error, int *no_memory)
{
    source s = {.stream = stream, .text = text};
    errno = 0;
    json_t *value = json_load_callback(next_character, &s, JSON_REJECT_DUPLICATES | flags, error);
    *no_memory = s.no_memory || errno == ENOMEM ||
                 (!value && (json_error_code(error) == json_error_out_of_memory || error->line < 0));
    if (*no_memory) {
        json_decref(value);
        return NULL;
    }
    return value;
}
