/* Reading and writing the fields of a stored posterior. */
#include "model/posterior_io.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/context.h"
#include "base/memory.h"

int lf_put_array(json_t *object, const char *key, size_t n, const double *values)
{
    char *text = lf_base64_encode(n, values);
    int done = text && json_object_set_new(object, key, json_string(text)) == 0;
    free(text);
    return done;
}

int lf_put_number(json_t *object, const char *key, double value)
{
    return json_object_set_new(object, key, json_real(value)) == 0;
}

lf_status lf_get_fail(lf_context *ctx, const char *key, const char *what)
{
    return lf_fail(ctx, LF_ERROR_MODEL, "posterior: %s %s; create it again with 'latentforce condition'", key, what);
}

lf_status lf_check_array(lf_context *ctx, const json_t *object, const char *key, size_t n)
{
    const json_t *text = json_object_get(object, key);
    if (!json_is_string(text)) {
        return lf_get_fail(ctx, key, "is missing or not a string");
    }
    return json_string_length(text) == lf_base64_length(n)
               ? LF_OK
               : lf_get_fail(ctx, key, "is damaged or belongs to another model");
}

lf_status lf_check_triangle(lf_context *ctx, const json_t *object, const char *key, size_t n)
{
    size_t most = (size_t)1 << 31; /* n (n + 1) / 2 must not overflow */
    return lf_check_array(ctx, object, key, n < most ? n * (n + 1) / 2 : SIZE_MAX);
}

lf_status lf_get_array(lf_context *ctx, const json_t *object, const char *key, size_t n, double *values)
{
    lf_status status = lf_check_array(ctx, object, key, n);
    if (status) {
        return status;
    }
    if (!lf_base64_decode(json_string_value(json_object_get(object, key)), n, values)) {
        return lf_get_fail(ctx, key, "is damaged or belongs to another model");
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return lf_get_fail(ctx, key, "holds a number that is not finite");
        }
    }
    return LF_OK;
}

lf_status lf_get_number(lf_context *ctx, const json_t *object, const char *key, double low, double high, double *value)
{
    const json_t *number = json_object_get(object, key);
    if (!json_is_number(number)) {
        return lf_get_fail(ctx, key, "is missing or not a number");
    }
    *value = json_number_value(number);
    return *value >= low && *value <= high ? LF_OK : lf_get_fail(ctx, key, "is out of range");
}

lf_status lf_get_count(lf_context *ctx, const json_t *object, const char *key, size_t low, size_t high, size_t *count)
{
    double value = 0;
    *count = 0;
    lf_status status = lf_get_number(ctx, object, key, (double)low, (double)high, &value);
    if (!status && value != floor(value)) {
        status = lf_get_fail(ctx, key, "is not a whole number");
    }
    *count = status ? 0 : (size_t)value;
    return status;
}

/* The lower triangle of L (n, n), column-major, packed column by column. */
static double *packed(size_t n, const double *L)
{
    double *values = lf_doubles(n * (n + 1) / 2, 1), *out = values;
    for (size_t j = 0; values && j < n; j++) {
        memcpy(out, L + j * n + j, (n - j) * sizeof *out);
        out += n - j;
    }
    return values;
}

int lf_put_triangle(json_t *object, const char *key, size_t n, const double *L)
{
    double *values = packed(n, L);
    int done = values && lf_put_array(object, key, n * (n + 1) / 2, values);
    free(values);
    return done;
}

lf_status lf_get_triangle(lf_context *ctx, const json_t *object, const char *key, size_t n, double *L)
{
    lf_status status = lf_check_triangle(ctx, object, key, n);
    double *values = status ? NULL : lf_doubles(n * (n + 1) / 2, 1), *in = values;
    status = status || values ? status : lf_no_memory(ctx);
    LF_TRY(status, lf_get_array(ctx, object, key, n * (n + 1) / 2, values));
    for (size_t j = 0; !status && j < n; j++) {
        memcpy(L + j * n + j, in, (n - j) * sizeof *in);
        in += n - j;
        if (!(L[j * n + j] > 0)) {
            status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: %s is damaged or belongs to another model", key);
        }
    }
    free(values);
    return status;
}

lf_status lf_get_list(lf_context *ctx, const json_t *object, const char *key, size_t count, json_t **list)
{
    *list = json_object_get(object, key);
    if (!json_is_array(*list) || (count != SIZE_MAX && json_array_size(*list) != count)) {
        return lf_get_fail(ctx, key, "is missing or has the wrong length");
    }
    for (size_t i = 0; i < json_array_size(*list); i++) {
        if (!json_is_object(json_array_get(*list, i))) {
            return lf_get_fail(ctx, key, "must be a list of objects");
        }
    }
    return LF_OK;
}
