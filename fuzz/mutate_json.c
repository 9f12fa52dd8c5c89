/* Mutations of model files that keep them JSON: libFuzzer's own change bytes, which seldom gets past the parser and hardly ever
 * changes a number of a stored posterior, whose arrays are base64. Here a value is changed, removed, repeated or moved, and numbers
 * are changed within base64. What follows the first 0 byte of an input is a request and changed as bytes. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "fuzz.h"
#include "model/model.h"
#include "model/posterior_io.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
                                 uint8_t *bytes, size_t most, unsigned seed);

enum { MOST_PLACES = 4000 };

static uint64_t state;

static size_t below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

/* ---- one value ---- */

static double strange_number(double old)
{
    static const double numbers[] = {0,      -1,    0.5,          1,      2,     3,     7,      1e3,
                                     1e5,    1e6,   1e7,          1e9,    1e15,  1e300, -1e300, 1e-300,
                                     4e-324, 1e308, 4294967296.0, -0.001, 1.7e9, -1e9};
    switch (below(6)) {
    case 0:
        return old + (below(2) ? 1 : -1);
    case 1:
        return old * pow(10, (double)below(25) - 12);
    case 2:
        return -old;
    case 3:
        LLVMFuzzerMutate((uint8_t *)&old, sizeof old, sizeof old);
        return old;
    default:
        return numbers[below(sizeof numbers / sizeof *numbers)];
    }
}

/* Other numbers in the base64 of an array; NULL when the text is none. */
static char *change_array(const char *text)
{
    size_t length = strlen(text), n = length / 4 * 3 / 8;
    double *values = calloc(n + 2, sizeof *values);
    char *changed = NULL;
    if (values && n && (lf_base64_decode(text, n, values) || (n > 1 && lf_base64_decode(text, --n, values)))) {
        for (size_t times = 1 + below(3); times > 0; times--) {
            double *value = &values[below(n)];
            *value = below(8) ? strange_number(*value) : values[below(n)];
        }
        changed = lf_base64_encode(below(6) ? n : n + 1 - 2 * below(2), values);
    }
    free(values);
    return changed;
}

static json_t *change_text(const char *text)
{
    static const char *const words[] = {"eq",          "matern12",
                                        "matern32",    "matern52",
                                        "zero",        "free",
                                        "stationary",  "ode1",
                                        "ode2",        "ode",
                                        "gaussian",    "dense",
                                        "kalman",      "fourier",
                                        "lowrank",     "dtc",
                                        "fitc",        "pitc",
                                        "variational", "log",
                                        "identity",    "",
                                        "s",           "h",
                                        "2020-02-30",  "2020-01-01T00:00"};
    char *changed = below(5) ? change_array(text) : NULL;
    if (!changed && below(3)) {
        return json_string(words[below(sizeof words / sizeof *words)]);
    }
    if (!changed) {
        size_t length = strlen(text);
        changed = calloc(length + 65, 1);
        if (changed) {
            memcpy(changed, text, length);
            changed[LLVMFuzzerMutate((uint8_t *)changed, length, length + 64)] = '\0';
        }
    }
    json_t *result = changed ? json_string(changed) : NULL; /* NULL: it is not UTF-8 */
    free(changed);
    return result;
}

static json_t *other_type(void)
{
    switch (below(6)) {
    case 0:
        return json_null();
    case 1:
        return json_array();
    case 2:
        return json_object();
    case 3:
        return json_real(strange_number(1));
    case 4:
        return json_string("AAAA");
    default:
        return json_true();
    }
}

static json_t *change_list(const json_t *old)
{
    json_t *copy = json_deep_copy(old);
    size_t size = json_array_size(copy);
    if (size && below(2)) {
        json_array_remove(copy, below(size));
    } else if (size) {
        for (size_t times = below(4) ? 1 : below(20); times > 0; times--) {
            json_array_append_new(copy, json_deep_copy(json_array_get(copy, below(size))));
        }
    }
    return copy;
}

static json_t *change_value(const json_t *old)
{
    if (below(16) == 0) {
        return other_type();
    }
    if (json_is_integer(old) && below(2)) {
        return json_integer(json_integer_value(old) + (json_int_t)below(5) - 2);
    }
    return json_is_number(old)   ? json_real(strange_number(json_number_value(old)))
           : json_is_string(old) ? change_text(json_string_value(old))
                                 : change_list(old);
}

/* ---- the file ---- */

typedef struct place {
    json_t *parent;
    const char *key; /* of an object */
    size_t index;    /* of a list */
} place;

static size_t list_places(json_t *value, place *places, size_t count)
{
    const char *key;
    json_t *child;
    size_t i;
    json_object_foreach(value, key, child)
    {
        if (count < MOST_PLACES) {
            places[count++] = (place){value, key, 0};
            count = list_places(child, places, count);
        }
    }
    json_array_foreach(value, i, child)
    {
        if (count < MOST_PLACES) {
            places[count++] = (place){value, NULL, i};
            count = list_places(child, places, count);
        }
    }
    return count;
}

static json_t *get(place at)
{
    return at.key ? json_object_get(at.parent, at.key) : json_array_get(at.parent, at.index);
}

static void set(place at, json_t *value)
{
    if (value && at.key) {
        json_object_set_new(at.parent, at.key, value);
    } else if (value) {
        json_array_set_new(at.parent, at.index, value);
    }
}

/* A place in the posterior or anywhere; 0 when there is none. */
static int choose_place(json_t *file, place *chosen)
{
    static place places[MOST_PLACES];
    json_t *posterior = json_object_get(file, "posterior");
    size_t count = list_places(posterior && below(3) ? posterior : file, places, 0);
    if (count) {
        *chosen = places[below(count)];
    }
    return count > 0;
}

static void change(json_t *file)
{
    static const char *const keys[] = {"offset", "scale", "private", "initial", "origin", "inputs", "input_dim",
                                       "unit",   "fixed", "tied",    "lower",   "upper",  "name",   "sensitivity_sd"};
    place at, other;
    if (!choose_place(file, &at) || !choose_place(file, &other)) {
        return;
    }
    switch (below(24)) {
    case 0:
        at.key ? json_object_del(at.parent, at.key) : json_array_remove(at.parent, at.index);
        break;
    case 1: /* one value stands for another */
        set(at, json_deep_copy(get(other)));
        break;
    case 2:
        if (json_is_object(get(at))) {
            json_object_set_new(get(at), keys[below(sizeof keys / sizeof *keys)], json_deep_copy(get(other)));
        }
        break;
    default:
        set(at, change_value(get(at)));
    }
}

/* A posterior belongs to a model with the same parameters: what it states about them is made true, or every change of a parameter would
 * end in the same refusal. */
static void agree(json_t *file)
{
    json_t *posterior = json_object_get(file, "posterior");
    char *text = json_is_object(posterior) ? json_dumps(file, JSON_COMPACT) : NULL;
    lf_context *ctx = fuzz_context();
    lf_model *model = NULL;
    if (text && lf_model_parse(ctx, text, "mutation", &model) == LF_OK) {
        size_t n = model->parameter_count, p = model->inputs ? (size_t)model->input_dim : 0;
        double *values = calloc(n + 2 * p + 1, sizeof *values);
        for (size_t i = 0; values && i < n; i++) {
            values[i] = *model->parameters[i].value;
        }
        for (size_t k = 0; values && k < p; k++) {
            values[n + 2 * k] = model->inputs[k].offset;
            values[n + 2 * k + 1] = model->inputs[k].scale;
        }
        if (values) {
            lf_put_array(posterior, "parameters", n + 2 * p, values);
        }
        free(values);
    }
    lf_model_free(model);
    lf_context_free(ctx);
    free(text);
}

/* Writes the file and the request that followed it; 0 when there is no room. */
static size_t write_input(const json_t *file, const uint8_t *request, size_t request_size, uint8_t *bytes, size_t most)
{
    char *text = json_dumps(file, JSON_COMPACT);
    size_t length = text ? strlen(text) : 0, size = length + (request_size ? 1 + request_size : 0);
    int fits = text && size <= most;
    if (fits) {
        if (request_size) {
            memmove(bytes + length + 1, request, request_size);
            bytes[length] = '\0';
        }
        memcpy(bytes, text, length);
    }
    free(text);
    return fits ? size : 0;
}

static size_t mutate_request(uint8_t *bytes, size_t length, size_t size, size_t most)
{
    if (length + 2 > most) {
        return LLVMFuzzerMutate(bytes, size, most);
    }
    size_t request = size > length ? size - length - 1 : 0, room = most - length - 1;
    bytes[length] = '\0';
    return length + 1 + LLVMFuzzerMutate(bytes + length + 1, request, room < 256 ? room : 256);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    size_t length = strnlen((const char *)bytes, size);
    state = seed;
    size_t kind = below(16);
    if (kind == 0) {
        return LLVMFuzzerMutate(bytes, size, most);
    }
    if (kind <= 3) {
        return mutate_request(bytes, length, size, most);
    }
    json_t *file = json_loadb((const char *)bytes, length, 0, NULL);
    if (!file) {
        return LLVMFuzzerMutate(bytes, size, most);
    }
    for (size_t times = 1 + below(3); times > 0; times--) {
        change(file);
    }
    if (below(4)) {
        agree(file);
    }
    const uint8_t *request = bytes + length + 1;
    size_t request_size = size > length ? size - length - 1 : 0,
           written = write_input(file, request, request_size, bytes, most);
    json_decref(file);
    return written ? written : LLVMFuzzerMutate(bytes, size, most);
}

/* The first file with a value of the second, most often one of the same name. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
                                 uint8_t *bytes, size_t most, unsigned seed)
{
    size_t first_length = strnlen((const char *)first, first_size),
           second_length = strnlen((const char *)second, second_size), written = 0;
    state = seed;
    json_t *to = json_loadb((const char *)first, first_length, 0, NULL),
           *from = json_loadb((const char *)second, second_length, 0, NULL);
    place at, other;
    if (to && from && choose_place(to, &at) && choose_place(from, &other)) {
        for (int tries = 0; tries < 50 && (!at.key || !other.key || strcmp(at.key, other.key) != 0); tries++) {
            choose_place(from, &other);
        }
        set(at, json_deep_copy(get(other)));
        agree(to);
        size_t request = first_size > first_length ? first_size - first_length - 1 : 0;
        written = write_input(to, first + first_length + 1, request, bytes, most);
    }
    json_decref(to);
    json_decref(from);
    return written;
}
