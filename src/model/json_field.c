/* Typed access to JSON values; every message contains the path of the value. */
#include "model/json_field.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

lf_field lf_field_member(const lf_field *object, const char *key)
{
    lf_field member = {.ctx = object->ctx, .file = object->file, .value = json_object_get(object->value, key)};
    size_t length = strlen(object->path);
    memcpy(member.path, object->path, length);
    snprintf(member.path + length, sizeof member.path - length, "%s%s", length ? "." : "", key);
    return member;
}

lf_field lf_field_element(const lf_field *list, size_t index)
{
    lf_field element = {.ctx = list->ctx, .file = list->file, .value = json_array_get(list->value, index)};
    size_t length = strlen(list->path);
    memcpy(element.path, list->path, length);
    snprintf(element.path + length, sizeof element.path - length, "[%zu]", index);
    return element;
}

lf_status lf_field_fail(const lf_field *field, const char *format, ...)
{
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return lf_fail(field->ctx, LF_ERROR_MODEL, "%s: %s%s%s", field->file, field->path, *field->path ? ": " : "", what);
}

lf_status lf_field_add_path(const lf_field *field)
{
    char what[sizeof field->ctx->message];
    memcpy(what, field->ctx->message, sizeof what);
    return lf_field_fail(field, "%s", what);
}

static lf_status wrong_type(const lf_field *field, const char *expected)
{
    if (!field->value) {
        return lf_field_fail(field, "missing; expected %s", expected);
    }
    const char *found = "null";
    switch (json_typeof(field->value)) {
    case JSON_OBJECT:
        found = "object";
        break;
    case JSON_ARRAY:
        found = "list";
        break;
    case JSON_STRING:
        found = "string";
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        found = "number";
        break;
    case JSON_TRUE:
        found = "true";
        break;
    case JSON_FALSE:
        found = "false";
        break;
    case JSON_NULL:
        break;
    }
    return lf_field_fail(field, "expected %s, found %s", expected, found);
}

static int is_known(const char *key, const char *const *known)
{
    if (key[0] == '_' || !strcmp(key, "comment")) {
        return 1;
    }
    while (*known && strcmp(key, *known) != 0) {
        known++;
    }
    return *known != NULL;
}

lf_status lf_field_object(const lf_field *field, const char *const *known)
{
    if (!json_is_object(field->value)) {
        return wrong_type(field, "an object");
    }
    const char *key;
    json_t *value;
    json_object_foreach(field->value, key, value)
    {
        if (!known || is_known(key, known)) {
            continue;
        }
        char names[400] = "";
        for (size_t length = 0; *known && length < sizeof names; known++) {
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", *known);
        }
        lf_field unknown = lf_field_member(field, key);
        return lf_field_fail(&unknown, "unknown field; the fields here are %s", names);
    }
    return LF_OK;
}

lf_status lf_field_list(const lf_field *field, size_t *count)
{
    *count = json_array_size(field->value);
    if (!json_is_array(field->value)) {
        return wrong_type(field, "a list");
    }
    return *count <= INT_MAX ? LF_OK : lf_field_fail(field, "too long a list");
}

lf_status lf_field_string(const lf_field *field, const char **text)
{
    *text = json_string_value(field->value);
    return *text ? LF_OK : wrong_type(field, "a string");
}

lf_status lf_field_number(const lf_field *field, double *number)
{
    if (!json_is_number(field->value)) {
        return wrong_type(field, "a number");
    }
    *number = json_number_value(field->value);
    return LF_OK;
}

lf_status lf_field_optional(const lf_field *field, double *number)
{
    return field->value ? lf_field_number(field, number) : LF_OK;
}

lf_status lf_field_numbers(const lf_field *field, int *count, double **numbers)
{
    size_t n;
    *numbers = NULL;
    *count = 0;
    if (!json_is_array(field->value)) {
        return wrong_type(field, "a list of numbers");
    }
    lf_status status = lf_field_list(field, &n);
    if (status) {
        return status;
    }
    double *result = lf_doubles(n, 1);
    if (!result) {
        return lf_no_memory(field->ctx);
    }
    for (size_t i = 0; !status && i < n; i++) {
        lf_field element = lf_field_element(field, i);
        status = lf_field_number(&element, &result[i]);
    }
    if (status) {
        free(result);
        return status;
    }
    *numbers = result;
    *count = (int)n;
    return LF_OK;
}
