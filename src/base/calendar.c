/* Steps of the calendar. Times of an axis are seconds; a step takes their date apart, moves its month and puts it together again. */
#include "base/calendar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/number.h"

static const double seconds_per_month = 365.25 * 86400 / 12;

/* Units that are no unit of an axis. Those of pandas are told apart by upper and lower case. */
static const struct {
    const char *word;
    int exact;
    int months;
    double seconds;
} units[] = {{"month", 0, 1, 0},      {"months", 0, 1, 0}, {"mo", 0, 1, 0},      {"M", 1, 1, 0},
             {"MS", 1, 1, 0},         {"ME", 1, 1, 0},     {"quarter", 0, 3, 0}, {"quarters", 0, 3, 0},
             {"Q", 1, 3, 0},          {"QS", 1, 3, 0},     {"QE", 1, 3, 0},      {"a", 1, 12, 0},
             {"yr", 0, 12, 0},        {"yrs", 0, 12, 0},   {"year", 0, 12, 0},   {"years", 0, 12, 0},
             {"Y", 1, 12, 0},         {"YS", 1, 12, 0},    {"YE", 1, 12, 0},     {"AS", 1, 12, 0},
             {"A", 1, 12, 0},         {"W", 1, 0, 604800}, {"w", 1, 0, 604800},  {"week", 0, 0, 604800},
             {"weeks", 0, 0, 604800}, {"us", 0, 0, 1e-6},  {"µs", 1, 0, 1e-6},   {"ns", 0, 0, 1e-9}};

/* The months or the seconds of a unit; 0: it is none. What follows a hyphen, as in QS-OCT, names the first month of a year. */
static int find_unit(const char *text, int *months, double *seconds)
{
    char word[32];
    size_t length = strcspn(text, "-");
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 0, text);
    *months = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (units[i].exact ? strcmp(word, units[i].word) == 0 : strcasecmp(word, units[i].word) == 0) {
            *months = units[i].months;
            *seconds = *months ? *months * seconds_per_month : units[i].seconds;
            return 1;
        }
    }
    *seconds = lf_unit_seconds(lf_time_unit(text));
    return *seconds > 0;
}

/* Makes months of a number of them, where the axis has dates and the number is whole. */
static void count_months(const lf_axis *axis, double count, lf_span *span)
{
    span->months = axis->dated && count == floor(count) && fabs(count) <= 120000 ? (int)count : 0;
}

lf_status lf_axis_parse_step(lf_context *ctx, const lf_axis *axis, const char *text, lf_span *span)
{
    size_t length = strspn(text, "+-.0123456789eE");
    const char *unit = text + length + strspn(text + length, " ");
    double number = 1, inside = lf_unit_seconds(axis->unit), seconds = 0;
    int months = 0, known = length == 0 && *unit;
    char digits[64] = "";
    snprintf(digits, sizeof digits, "%.*s", length < sizeof digits ? (int)length : 0, text);
    lf_c_locale locale;
    if (!lf_c_locale_enter(&locale)) {
        return lf_no_memory(ctx);
    }
    known = known || lf_parse_number(digits, strlen(digits), &number);
    lf_c_locale_leave(&locale);
    if (!known || (*unit && !find_unit(unit, &months, &seconds))) {
        return lf_fail(
            ctx, LF_ERROR_ARGUMENT,
            "'%s' is not a span: expected a number with ms, s, min, h, d, weeks, months, quarters or a, as in 48h",
            text);
    }
    if (*unit && inside == 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "'%s': the unit of time is not known, so %s cannot be converted; give a plain number "
                       "in the unit of the data, or fit with --time-in UNIT",
                       text, unit);
    }
    *span = (lf_span){.bare = !*unit};
    if (span->bare && axis->months > 0) { /* times that are months are counted in months */
        months = axis->months % 12 == 0 ? 12 : axis->months % 3 == 0 ? 3 : 1;
        seconds = months * seconds_per_month;
    }
    span->length = seconds > 0 ? number * seconds / inside : number * lf_axis_factor(axis);
    count_months(axis, number * months, span);
    return LF_OK;
}

/* Seconds since 1970 on the clock that is shown, and what is left of a second. */
static int64_t clock_seconds(const lf_axis *axis, double x, double *fraction)
{
    double seconds = x * lf_unit_seconds(axis->unit), whole = floor(seconds + 5e-7); /* dates have microseconds */
    *fraction = seconds - whole;
    return axis->zero + axis->zone + (int64_t)whole;
}

double lf_axis_months_length(const lf_axis *axis, int months)
{
    return months * seconds_per_month / lf_unit_seconds(axis->unit);
}

double lf_axis_add_months(const lf_axis *axis, double x, int64_t months, int day)
{
    double fraction;
    lf_date date = lf_date_from_seconds(clock_seconds(axis, x, &fraction));
    int64_t month = 12 * date.year + date.month - 1 + months;
    date.year = month / 12 - (month % 12 < 0);
    date.month = (int)(month - 12 * date.year) + 1;
    int last = lf_days_in_month(date.year, date.month);
    date.day = day < last ? day : last;
    int64_t seconds = lf_date_seconds(&date) - axis->zero - axis->zone;
    return ((double)seconds + fraction) / lf_unit_seconds(axis->unit);
}

int lf_axis_step_day(const lf_axis *axis, double x)
{
    double fraction;
    lf_date date = lf_date_from_seconds(clock_seconds(axis, x, &fraction));
    int last = lf_days_in_month(date.year, date.month);
    int due = axis->month_day < last ? axis->month_day : last;
    return axis->months > 0 && date.day == due ? axis->month_day : date.day;
}

void lf_write_months(int months, char text[32])
{
    int unit = months % 12 == 0 ? 12 : months % 3 == 0 ? 3 : 1, count = months / unit;
    snprintf(text, 32, "%d %s%s", count, unit == 12 ? "year" : unit == 3 ? "quarter" : "month", count == 1 ? "" : "s");
}
