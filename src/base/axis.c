/* Axes: units of time, and the conversion between text in files and numbers inside. */
#include "base/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/number.h"

const char *lf_time_unit(const char *word)
{
    static const struct {
        const char *word, *unit;
    } words[] = {{"ms", "ms"},
                 {"msec", "ms"},
                 {"millisecond", "ms"},
                 {"milliseconds", "ms"},
                 {"s", "s"},
                 {"sec", "s"},
                 {"secs", "s"},
                 {"second", "s"},
                 {"seconds", "s"},
                 {"min", "min"},
                 {"mins", "min"},
                 {"minute", "min"},
                 {"minutes", "min"},
                 {"h", "h"},
                 {"hr", "h"},
                 {"hrs", "h"},
                 {"hour", "h"},
                 {"hours", "h"},
                 {"d", "d"},
                 {"day", "d"},
                 {"days", "d"}};
    static const char *const years[] = {"yr", "yrs", "year", "years"};
    if (word && strcmp(word, "a") == 0) { /* A is the unit of a current */
        return "a";
    }
    for (size_t i = 0; word && i < sizeof years / sizeof *years; i++) {
        if (strcasecmp(word, years[i]) == 0) {
            return "a";
        }
    }
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(word, words[i].word) == 0) {
            return words[i].unit;
        }
    }
    return NULL;
}

double lf_unit_seconds(const char *unit)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"a", 365.25 * 86400}};
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].unit) == 0) {
            return units[i].seconds;
        }
    }
    return 0;
}

static int copy_text(const char *from, char **to)
{
    *to = from ? lf_copy_string(from) : NULL;
    return !from || *to;
}

int lf_axis_copy(const lf_axis *from, lf_axis *to)
{
    *to = *from;
    int name = copy_text(from->name, &to->name), unit = copy_text(from->unit, &to->unit),
        file_unit = copy_text(from->file_unit, &to->file_unit);
    return name && unit && file_unit;
}

void lf_axis_clear(lf_axis *axis)
{
    free(axis->name);
    free(axis->unit);
    free(axis->file_unit);
    *axis = (lf_axis){0};
}

lf_axis *lf_axes_copy(const lf_axis *from, int count)
{
    lf_axis *axes = calloc((size_t)count, sizeof *axes);
    for (int k = 0; axes && k < count; k++) {
        if (!lf_axis_copy(&from[k], &axes[k])) {
            lf_axes_free(axes, count);
            return NULL;
        }
    }
    return axes;
}

void lf_axes_free(lf_axis *axes, int count)
{
    for (int k = 0; axes && k < count; k++) {
        lf_axis_clear(&axes[k]);
    }
    free(axes);
}

int lf_axis_is_known(const lf_axis *axis) { return axis->name || axis->unit || axis->dated; }

lf_label lf_axis_info(const lf_axis *axis)
{
    const char *unit = axis->unit ? axis->unit : "";
    return (lf_label){.scale = 1,
                      .name = axis->name ? axis->name : "",
                      .unit = unit,
                      .file_unit = axis->file_unit ? axis->file_unit : unit,
                      .dated = axis->dated,
                      .zero = (double)axis->zero + axis->zone,
                      .seconds = lf_unit_seconds(unit),
                      .zoned = axis->zoned,
                      .zone = axis->zone,
                      .digits = axis->fine ? 9 : 6,
                      .date_only = axis->date_only,
                      .months = axis->months,
                      .month_day = axis->month_day};
}

/* NULL for a text that says nothing. */
static char *said(const char *text) { return text && *text ? (char *)text : NULL; }

lf_status lf_axis_from_label(lf_context *ctx, const lf_label *label, lf_axis *axis)
{
    const double first = -62135596800, last = 253402300799; /* the years 1 to 9999 */
    lf_axis given = {.name = said(label->name), .unit = said(label->unit), .file_unit = said(label->file_unit)};
    int timed = lf_unit_seconds(given.unit) > 0;
    if (given.file_unit && given.unit && strcmp(given.file_unit, given.unit) == 0) {
        given.file_unit = NULL;
    }
    if (given.file_unit && !(timed && lf_unit_seconds(given.file_unit) > 0)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "numbers in %s cannot be read as a number in %s", given.file_unit,
                       given.unit ? given.unit : "no unit");
    }
    if (label->dated && !timed) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "an input with dates needs the unit ms, s, min, h, d or a, not '%s'",
                       given.unit ? given.unit : "");
    }
    if (label->dated && !(label->zero >= first && label->zero <= last && floor(label->zero) == label->zero)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "the date of 0 must be a whole second of the years 1 to 9999, not %g seconds from 1970",
                       label->zero);
    }
    if (label->dated) {
        given.dated = 1;
        given.date_only = label->date_only != 0;
        given.fine = label->digits > 6;
        given.zoned = label->zoned != 0;
        given.zone = label->zoned ? label->zone : 0;
        given.zero = (int64_t)label->zero - given.zone;
        given.months = label->months;
        given.month_day = label->month_day;
    }
    if (!lf_axis_copy(&given, axis)) {
        lf_axis_clear(axis);
        return lf_no_memory(ctx);
    }
    return LF_OK;
}

/* Columns of data and result files. */
static int is_reserved(const char *name)
{
    static const char *const reserved[] = {"output", "force", "state", "replicate", "y",     "sd",   "split",
                                           "mean",   "sd_f",  "sd_y",  "lower",     "upper", "flag", "z"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        if (strcmp(name, reserved[i]) == 0) {
            return 1;
        }
    }
    return strncmp(name, "sample", 6) == 0;
}

void lf_axis_heading(const lf_axis *axis, int k, int p, size_t size, char *text)
{
    if (p == 1) {
        snprintf(text, size, "%s", axis->name && !is_reserved(axis->name) ? axis->name : "x");
    } else {
        snprintf(text, size, "x%d", k + 1);
    }
}

double lf_axis_factor(const lf_axis *axis)
{
    double inside = lf_unit_seconds(axis->unit), file = lf_unit_seconds(axis->file_unit);
    return inside > 0 && file > 0 ? file / inside : 1;
}

double lf_epoch_divisor(double value)
{
    for (double divisor = 1; divisor <= 1e9; divisor *= 1000) {
        if (value >= 978307200.0 * divisor && value < 4102444800.0 * divisor) {
            return divisor;
        }
    }
    return 0;
}

lf_timestamp lf_epoch_moment(double number, double divisor)
{
    double left = fmod(number, divisor), whole = (number - left) / divisor; /* both exact */
    whole -= left < 0;
    left = left < 0 ? fmin(1 + left / divisor, 1 - 0x1p-53) : left / divisor;
    return (lf_timestamp){.seconds = (int64_t)whole, .fraction = left, .has_time = 1, .zoned = 1};
}

int lf_epoch_parse(const char *text, size_t length, double divisor, lf_timestamp *stamp)
{
    int places = divisor < 1e3 ? 0 : divisor < 1e6 ? 3 : divisor < 1e9 ? 6 : 9;
    *stamp = (lf_timestamp){.has_time = 1, .zoned = 1};
    return lf_parse_split(text, length, places, &stamp->seconds, &stamp->fraction);
}

double lf_axis_from_timestamp(const lf_axis *axis, const lf_timestamp *stamp)
{
    double seconds = (double)(stamp->seconds - stamp->zone - axis->zero) + stamp->fraction;
    return seconds / lf_unit_seconds(axis->unit);
}

const char *lf_axis_take_date(const lf_axis *axis, const lf_timestamp *date, double *x)
{
    lf_timestamp stamp = *date;
    if (!axis->dated) {
        return "is a date, but the times are numbers";
    }
    if (stamp.zoned != axis->zoned && stamp.has_time) {
        return stamp.zoned ? "has a time zone, but the other times have none (write all of them alike)"
                           : "has no time zone (Z or an offset such as +01:00), but the other times have one";
    }
    if (stamp.zoned != axis->zoned) { /* a date alone is midnight on the clock that is shown */
        stamp.zone = axis->zone;
    }
    *x = lf_axis_from_timestamp(axis, &stamp);
    return NULL;
}

const char *lf_axis_take_number(const lf_axis *axis, double number, double *x)
{
    double divisor = axis->dated ? lf_epoch_divisor(number) : 0;
    /* Where times are dates and numbers were asked for, these count from the date that is 0. */
    if (!axis->dated || (divisor == 0 && axis->file_unit)) {
        *x = number * lf_axis_factor(axis);
        return NULL;
    }
    if (divisor == 0) {
        return "is a number, but the times are dates, such as 2019-12-23T10:00:00";
    }
    const lf_timestamp moment = lf_epoch_moment(number, divisor);
    *x = lf_axis_from_timestamp(axis, &moment);
    return NULL;
}

const char *lf_axis_parse(const lf_axis *axis, const char *text, size_t length, double *x)
{
    lf_timestamp stamp;
    double number;
    lf_date_order order;
    lf_timestamp_kind kind = lf_parse_date(text, length, LF_ORDER_EITHER, &stamp, &order);
    if (order == LF_ORDER_EITHER) {
        return "may have the day or the month first; write the date in the form 2019-12-23";
    }
    if (kind == LF_BAD_TIMESTAMP) {
        return "is not a date that exists, or not in the form 2019-12-23T10:00:00";
    }
    if (kind == LF_TIMESTAMP) {
        return lf_axis_take_date(axis, &stamp, x);
    }
    if (!lf_parse_number(text, length, &number)) {
        return axis->dated ? "is not a date in the form 2019-12-23T10:00:00" : "is not a finite number";
    }
    double divisor = axis->dated ? lf_epoch_divisor(number) : 0;
    if (divisor > 0 && lf_epoch_parse(text, length, divisor, &stamp)) {
        *x = lf_axis_from_timestamp(axis, &stamp);
        return NULL;
    }
    return lf_axis_take_number(axis, number, x);
}

lf_status lf_axis_parse_text(lf_context *ctx, const lf_axis *axis, const char *text, double *x)
{
    lf_c_locale locale;
    if (!lf_c_locale_enter(&locale)) {
        return lf_no_memory(ctx);
    }
    const char *problem = lf_axis_parse(axis, text, strlen(text), x);
    lf_c_locale_leave(&locale);
    return problem ? lf_fail(ctx, LF_ERROR_ARGUMENT, "'%s' %s", text, problem) : LF_OK;
}

lf_status lf_axis_parse_span(lf_context *ctx, const lf_axis *axis, const char *text, double *span)
{
    double inside = lf_unit_seconds(axis->unit), number;
    size_t length = strspn(text, "+-.0123456789eE");
    const char *unit = text + length + strspn(text + length, " ");
    char digits[64] = "";
    snprintf(digits, sizeof digits, "%.*s", length < sizeof digits ? (int)length : 0, text);
    lf_c_locale locale;
    if (!lf_c_locale_enter(&locale)) {
        return lf_no_memory(ctx);
    }
    int known = lf_parse_number(digits, strlen(digits), &number);
    lf_c_locale_leave(&locale);
    double factor = *unit ? lf_unit_seconds(lf_time_unit(unit)) : 0;
    if (!known || (*unit && factor == 0)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "'%s' is not a span: expected a number with ms, s, min, h, d or a, as in 48h", text);
    }
    if (*unit && inside == 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "'%s': the unit of time is not known, so %s cannot be converted; give a plain number "
                       "in the unit of the data, or fit with --time-in UNIT",
                       text, unit);
    }
    *span = *unit ? number * factor / inside : number * lf_axis_factor(axis);
    return LF_OK;
}

void lf_axis_set_zero(lf_axis *axis, const lf_timestamp *stamp)
{
    axis->dated = 1;
    axis->date_only = !stamp->has_time;
    axis->zoned = stamp->zoned;
    axis->zone = stamp->zone;
    axis->zero = stamp->seconds - stamp->zone;
}

void lf_axis_format(const lf_axis *axis, double x, char text[LF_TIMESTAMP_SIZE])
{
    if (axis->dated) {
        double seconds = x * lf_unit_seconds(axis->unit);
        int fine = axis->fine && fabs(seconds) < 1e6; /* where a double has such digits */
        lf_timestamp_form form = fine ? LF_NANOSECONDS : axis->date_only ? LF_DATE_ONLY : LF_MICROSECONDS;
        lf_format_timestamp(axis->zero + axis->zone, seconds, form, axis->zoned, axis->zone, text);
        return;
    }
    double factor = lf_axis_factor(axis);
    if (factor == 1) {
        lf_format_number(x, text);
    } else { /* the last digit or two come from the conversion */
        snprintf(text, LF_TIMESTAMP_SIZE, "%.14g", x / factor);
    }
}
