/* Values of the options of a fit: text is checked by the type that the table gives the option, or by its name. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/context.h"
#include "base/memory_limit.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "model/kernel_formula.h"
#include "options/options.h"

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* Whether the word stands in the list "a, b, c". */
static int is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && length; at = strchr(at, ',') ? strchr(at, ',') + 2 : NULL) {
        if (strcspn(at, ",") == length && strncmp(at, word, length) == 0) {
            return 1;
        }
    }
    return 0;
}

int lf_option_lists(const lf_option *option, const char *word) { return is_listed(option->values, word); }

int lf_option_number(const char *text, double *value)
{
    lf_c_locale locale;
    char *end;
    if (!lf_c_locale_enter(&locale)) {
        return 0;
    }
    *value = strtod(text, &end);
    lf_c_locale_leave(&locale);
    return *text && !*end;
}

static lf_status parse_number(lf_context *ctx, const lf_option *option, const char *text, double *value)
{
    if (!lf_option_number(text, value) || !isfinite(*value)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s '%s': %s must be a number", option->name, text, option->argument);
    }
    if (is(option->type, "share") && !(*value > 0 && *value < 1)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s '%s': %s must be between 0 and 1", option->name, text,
                       option->argument);
    }
    return LF_OK;
}

/* A number; which unit it has is known with the data. */
static lf_status parse_time(lf_context *ctx, const lf_option *option, const char *text)
{
    double value;
    return lf_option_number(text, &value) && isfinite(value)
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "--%s '%s': %s must be a number or a date in the form 2019-12-23T10:00:00", option->name, text,
                         option->argument);
}

static lf_status parse_count(lf_context *ctx, const lf_option *option, const char *text, uint64_t *value)
{
    int seed = is(option->type, "seed");
    unsigned long long least = seed ? 0 : option->minimum, most = seed ? UINT64_MAX : option->maximum;
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    if (strspn(text, "0123456789") != strlen(text) || !*text || *end || errno || parsed < least || parsed > most) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s '%s': %s must be a whole number from %llu to %llu%s%s",
                       option->name, text, option->argument, least, most, option->values ? ", or " : "",
                       option->values ? option->values : "");
    }
    *value = parsed;
    return LF_OK;
}

/* A span, whatever the unit of the data. */
static lf_status parse_period(lf_context *ctx, const lf_option *option, const char *text)
{
    static char unit[] = "s";
    static const lf_axis axis = {.unit = unit};
    double span;
    return lf_axis_parse_span(ctx, &axis, text, &span) == LF_OK && span > 0
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "--%s '%s': expected a number above 0 with or without a unit of time (ms, s, min, h, d, a for "
                         "years), "
                         "as in 24h or 7d, or %s",
                         option->name, text, option->values);
}

static lf_status parse_kernel(lf_context *ctx, const lf_option *option, const char *text)
{
    char problem[1024];
    lf_status status = lf_kernel_check(ctx, text);
    snprintf(problem, sizeof problem, "%s", status ? lf_context_message(ctx) : "");
    return status == LF_ERROR_ARGUMENT ? lf_fail(ctx, status, "--%s: %s", option->name, problem) : status;
}

lf_status lf_option_parse(lf_context *ctx, const lf_option *option, const char *text, double *number, uint64_t *count)
{
    *number = 0;
    *count = 0;
    if (is(option->type, "number") || is(option->type, "share")) {
        return parse_number(ctx, option, text, number);
    }
    if (is(option->type, "size")) {
        return lf_size_parse(text, number)
                   ? LF_OK
                   : lf_fail(ctx, LF_ERROR_ARGUMENT,
                             "--%s '%s': %s must be a number of bytes above 0, with or without K, M, G or T (powers of "
                             "1024), as in 4G, or %s",
                             option->name, text, option->argument, option->values);
    }
    if (is(option->type, "time")) {
        lf_timestamp stamp;
        return lf_parse_timestamp(text, strlen(text), &stamp) == LF_TIMESTAMP ? LF_OK : parse_time(ctx, option, text);
    }
    if (is(option->type, "seed") || (is(option->type, "count") && !lf_option_lists(option, text))) {
        return parse_count(ctx, option, text, count);
    }
    if (*text && strstr(option->name, "kernel") && !lf_option_lists(option, text)) {
        return parse_kernel(ctx, option, text);
    }
    if (*text && is(option->name, "period") && !lf_option_lists(option, text)) {
        return parse_period(ctx, option, text);
    }
    int of_parameter = is(option->name, "fix") || is(option->name, "free");
    const char *equals = of_parameter ? strrchr(text, '=') : NULL; /* a name may hold '=', so the last one counts */
    if (equals) {
        return lf_option_number(equals + 1, number)
                   ? LF_OK
                   : lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s %s: '%s' is not a number", option->name, text, equals + 1);
    }
    const char *words = is(option->type, "choice")                               ? option->values
                        : is(option->type, "flag") || is(option->type, "switch") ? "yes, no"
                                                                                 : NULL;
    if (!*text || (words && !is_listed(words, text))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, *text ? "--%s '%s': expected %s" : "--%s is empty", option->name, text,
                       words);
    }
    return LF_OK;
}
