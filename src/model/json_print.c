/* Prints JSON in a layout that is easy to read and to edit. */
#include "model/json_print.h"

#include <stdlib.h>

#define SHORT_LIST 12 /* most items on one line */

/* The fewest of 15 to 17 digits that read back as the same double. snprintf and strtod use the same locale, so the test
 * holds in every locale; jansson always writes a decimal point. */
static int print_real(FILE *stream, json_t *value)
{
    double number = json_real_value(value);
    size_t digits = 15;
    for (; digits < 17; digits++) {
        char text[40];
        snprintf(text, sizeof text, "%.*g", (int)digits, number);
        if (strtod(text, NULL) == number) {
            break;
        }
    }
    return json_dumpf(value, stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
}

static int is_scalar(json_t *value) { return !json_is_array(value) && !json_is_object(value); }

static int is_list_of_scalars(json_t *value)
{
    size_t i = 0;
    while (i < json_array_size(value) && is_scalar(json_array_get(value, i))) {
        i++;
    }
    return json_is_array(value) && i == json_array_size(value);
}

/* Whether an object is printed on one line: few members, none of them nested. */
static int is_short_object(json_t *value)
{
    const char *key;
    json_t *member;
    size_t items = 0;
    json_object_foreach(value, key, member)
    {
        if (!is_scalar(member) && !is_list_of_scalars(member)) {
            return 0;
        }
        items += 1 + json_array_size(member);
    }
    return items <= SHORT_LIST;
}

static int print(FILE *stream, json_t *value, int depth);

static int print_separator(FILE *stream, size_t i, int one_line, int depth)
{
    if (one_line) {
        return i ? fprintf(stream, ", ") : 0;
    }
    return fprintf(stream, "%s\n%*s", i ? "," : "", 2 * depth, "");
}

static int print_list(FILE *stream, json_t *list, int depth)
{
    int flat = is_list_of_scalars(list), bad = fputc('[', stream) == EOF;
    size_t count = json_array_size(list);
    for (size_t i = 0; !bad && i < count; i++) {
        /* Long lists of scalars continue on the next line. */
        int one_line = flat && (count <= SHORT_LIST || i % SHORT_LIST != 0);
        bad = print_separator(stream, i, one_line, depth + 1) < 0 ||
              print(stream, json_array_get(list, i), depth + 1) < 0;
    }
    if (!bad && count && !(flat && count <= SHORT_LIST)) {
        bad = print_separator(stream, 0, 0, depth) < 0;
    }
    return bad || fputc(']', stream) == EOF ? -1 : 0;
}

static int print_key(FILE *stream, const char *key)
{
    json_t *text = json_string(key);
    int bad = !text || json_dumpf(text, stream, JSON_ENCODE_ANY) || fprintf(stream, ": ") < 0;
    json_decref(text);
    return bad ? -1 : 0;
}

static int print_object(FILE *stream, json_t *object, int depth)
{
    const char *key;
    json_t *member;
    size_t i = 0;
    int one_line = depth > 0 && is_short_object(object), bad = fputc('{', stream) == EOF;
    json_object_foreach(object, key, member)
    {
        bad = bad || print_separator(stream, i++, one_line, depth + 1) < 0 || print_key(stream, key) ||
              print(stream, member, depth + 1);
    }
    if (!bad && i && !one_line) {
        bad = print_separator(stream, 0, 0, depth) < 0;
    }
    return bad || fputc('}', stream) == EOF ? -1 : 0;
}

static int print(FILE *stream, json_t *value, int depth)
{
    if (json_is_array(value)) {
        return print_list(stream, value, depth);
    }
    if (json_is_object(value)) {
        return print_object(stream, value, depth);
    }
    return json_is_real(value) ? print_real(stream, value) : json_dumpf(value, stream, JSON_ENCODE_ANY);
}

int lf_json_print(FILE *stream, json_t *value)
{
    return print(stream, value, 0) || fputc('\n', stream) == EOF ? -1 : 0;
}
