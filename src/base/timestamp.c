/* Dates of the proleptic Gregorian calendar; days are counted by the method of Hinnant, "chrono-compatible low-level date
 * algorithms": years begin in March, so that the leap day is the last of a year. */
#include "base/timestamp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int64_t days_from_date(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void date_from_days(int64_t days, int64_t *year, int *month, int *day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * day_of_year + 2) / 153;
    *day = (int)(day_of_year - (153 * shifted + 2) / 5 + 1);
    *month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    *year = year_of_era + era * 400 + (*month <= 2);
}

int lf_days_in_month(int64_t year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

lf_date lf_date_from_seconds(int64_t seconds)
{
    int64_t left = seconds % 86400, days = seconds / 86400 - (left < 0);
    lf_date date = {.seconds = left + (left < 0 ? 86400 : 0)};
    date_from_days(days, &date.year, &date.month, &date.day);
    return date;
}

int64_t lf_date_seconds(const lf_date *date)
{
    return 86400 * days_from_date(date->year, date->month, date->day) + date->seconds;
}

/* Reads exactly `digits` digits at *text and moves on; 0 when they are not there. */
static int take(const char **text, int digits, int *value)
{
    *value = 0;
    for (int i = 0; i < digits; i++) {
        if (!is_digit((*text)[i])) {
            return 0;
        }
        *value = 10 * *value + ((*text)[i] - '0');
    }
    *text += digits;
    return 1;
}

/* HH:MM[:SS[.fff]]; *good: there is such a time. Returns 0 when the text has another form. */
static int take_time(const char **text, int *seconds, double *fraction, int *good)
{
    int hour, minute, second = 0;
    *fraction = 0;
    if (!take(text, 2, &hour) || **text != ':') {
        return 0;
    }
    (*text)++;
    if (!take(text, 2, &minute)) {
        return 0;
    }
    if (**text == ':') {
        (*text)++;
        if (!take(text, 2, &second)) {
            return 0;
        }
        if ((**text == '.' || **text == ',') && is_digit((*text)[1])) {
            double place = 0.1;
            for ((*text)++; is_digit(**text); (*text)++, place /= 10) {
                *fraction += place * (**text - '0');
            }
            *fraction = fmin(*fraction, 1 - 0x1p-53); /* many nines round to 1 */
        }
    }
    *seconds = 3600 * hour + 60 * minute + second;
    /* 24:00 is the end of the day; 60 is a leap second, which the count of seconds has no place for */
    *good = minute < 60 && second <= 60 && (hour < 24 || (hour == 24 && minute == 0 && second == 0 && *fraction == 0));
    return 1;
}

static int take_zone(const char **text, lf_timestamp *stamp, int *good)
{
    const char *p = *text;
    if (*p == 'Z' || *p == 'z') {
        stamp->zoned = 1;
        *text = p + 1;
        return 1;
    }
    if (*p != '+' && *p != '-') {
        return 0;
    }
    int sign = *p++ == '-' ? -1 : 1, hours, minutes = 0;
    if (!take(&p, 2, &hours)) {
        return 0;
    }
    int colon = *p == ':';
    p += colon;
    if ((colon || is_digit(*p)) && !take(&p, 2, &minutes)) {
        return 0;
    }
    stamp->zoned = 1;
    stamp->zone = sign * (3600 * hours + 60 * minutes);
    *good = *good && hours <= 18 && minutes < 60;
    *text = p;
    return 1;
}

/* A month, 1974-01 or 1974/01, or a quarter, 1959Q1: the first of its days. */
static lf_timestamp_kind parse_period(const char *text, lf_timestamp *stamp)
{
    const char *p = text;
    int year, number, quarter;
    if (!take(&p, 4, &year) || !strchr("-/Qq", *p)) {
        return LF_NOT_A_TIMESTAMP;
    }
    quarter = *p == 'Q' || *p == 'q';
    p++;
    if (!take(&p, quarter ? 1 : 2, &number) || *p != '\0') {
        return LF_NOT_A_TIMESTAMP;
    }
    if (number < 1 || number > (quarter ? 4 : 12)) {
        return LF_BAD_TIMESTAMP;
    }
    const lf_date first = {.year = year, .month = quarter ? 3 * number - 2 : number, .day = 1};
    stamp->seconds = lf_date_seconds(&first);
    return LF_TIMESTAMP;
}

lf_timestamp_kind lf_parse_timestamp(const char *text, size_t length, lf_timestamp *stamp)
{
    const char *p = text, *end = text + length;
    int year, month, day, seconds = 0, good = 1;
    *stamp = (lf_timestamp){0};
    if (length == 6 || length == 7) {
        return parse_period(text, stamp);
    }
    if (length < 10 || !take(&p, 4, &year) || (*p != '-' && *p != '/')) {
        return LF_NOT_A_TIMESTAMP;
    }
    char mark = *p++;
    if (!take(&p, 2, &month) || *p++ != mark || !take(&p, 2, &day)) {
        return LF_NOT_A_TIMESTAMP;
    }
    if ((*p == 'T' || *p == 't' || *p == ' ') && p < end) {
        for (p++; *p == ' '; p++) {
        }
        int real = 1;
        if (!take_time(&p, &seconds, &stamp->fraction, &real)) {
            return LF_BAD_TIMESTAMP;
        }
        good = real;
        stamp->has_time = 1;
        while (*p == ' ') {
            p++;
        }
        if (p < end && !take_zone(&p, stamp, &good)) {
            return LF_BAD_TIMESTAMP;
        }
    }
    if (p != end || month < 1 || month > 12 || day < 1 || day > lf_days_in_month(year, month) || !good) {
        return LF_BAD_TIMESTAMP;
    }
    stamp->seconds = 86400 * days_from_date(year, month, day) + seconds;
    return LF_TIMESTAMP;
}

lf_timestamp lf_timestamp_from_nanoseconds(int64_t count, int zoned, int zone)
{
    int64_t left = count % 1000000000, whole = count / 1000000000 - (left < 0);
    left += left < 0 ? 1000000000 : 0;
    lf_timestamp stamp = {.seconds = whole + (zoned ? zone : 0), .zoned = zoned != 0, .zone = zoned ? zone : 0};
    double place = 0.1;
    for (int64_t unit = 100000000; unit > 0 && left > 0; unit /= 10, place /= 10) { /* the same rounding as take_time */
        stamp.fraction += place * (double)(left / unit);
        left %= unit;
    }
    stamp.has_time = zoned || stamp.fraction > 0 || stamp.seconds % 86400 != 0;
    return stamp;
}

void lf_format_timestamp(int64_t base, double seconds, lf_timestamp_form form, int zoned, int zone,
                         char text[LF_TIMESTAMP_SIZE])
{
    double all = (double)base + seconds;
    /* Beyond the years 0 to 9999 the text would not be ISO 8601. */
    if (!(all >= -62167219200.0 && all < 253402300799.0)) {
        snprintf(text, LF_TIMESTAMP_SIZE, "%.10g", all);
        return;
    }
    int digits = form == LF_NANOSECONDS ? 9 : 6;
    double parts = form == LF_NANOSECONDS ? 1e9 : 1e6, whole = floor(seconds),
           part = floor((seconds - whole) * parts + 0.5);
    whole += part >= parts;
    part = part >= parts ? 0 : part;
    const lf_date date = lf_date_from_seconds(base + (int64_t)whole);
    int64_t left = date.seconds;
    int used = snprintf(text, LF_TIMESTAMP_SIZE, "%04d-%02d-%02d", (int)date.year, date.month, date.day);
    if (form == LF_DATE_ONLY && left == 0 && part == 0) {
        return;
    }
    used += snprintf(text + used, LF_TIMESTAMP_SIZE - (size_t)used, "T%02d:%02d:%02d", (int)(left / 3600),
                     (int)(left / 60 % 60), (int)(left % 60));
    if (part > 0) {
        used += snprintf(text + used, LF_TIMESTAMP_SIZE - (size_t)used, ".%0*d", digits, (int)part);
        while (text[used - 1] == '0') {
            text[--used] = '\0';
        }
    }
    if (zoned && zone == 0) {
        snprintf(text + used, LF_TIMESTAMP_SIZE - (size_t)used, "Z");
    } else if (zoned) {
        int minutes = (zone < 0 ? -zone : zone) / 60;
        snprintf(text + used, LF_TIMESTAMP_SIZE - (size_t)used, "%c%02d:%02d", zone < 0 ? '-' : '+', minutes / 60,
                 minutes % 60);
    }
}
