/* Dates by formats: those of strftime, of which the forms that need no option are some.
 *
 * A form is tried from its first character on and given up at the first that differs, so that a table of forms costs little. */
#include "base/date_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* What a text has named so far; -1: not named. */
typedef struct parts {
    int year, month, day, hour, minute, second, quarter, day_of_year;
    int afternoon; /* 0 AM, 1 PM */
    double fraction;
    int zoned, zone;
} parts;

static const parts nothing = {-1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0};

/* A number of least to most digits. */
static int take_number(const char **text, int least, int most, int *value)
{
    int digits = 0;
    for (*value = 0; digits < most && isdigit((unsigned char)**text); digits++) {
        *value = 10 * *value + (*(*text)++ - '0');
    }
    return digits >= least;
}

/* The name of a month in English, or its first three letters; also "Sept". */
static int take_month_name(const char **text, int *month)
{
    static const char *const names[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
    size_t letters = 0;
    while (isalpha((unsigned char)(*text)[letters])) {
        letters++;
    }
    for (int m = 0; m < 12; m++) {
        int fits = letters == 3 || letters == strlen(names[m]) || (letters == 4 && m == 8);
        if (fits && strncasecmp(*text, names[m], letters) == 0) {
            *month = m + 1;
            *text += letters;
            return 1;
        }
    }
    return 0;
}

static int take_fraction(const char **text, double *fraction)
{
    double place = 0.1;
    const char *start = *text;
    for (*fraction = 0; isdigit((unsigned char)**text); (*text)++, place /= 10) {
        *fraction += place * (**text - '0');
    }
    *fraction = fmin(*fraction, 1 - 0x1p-53);
    return *text > start;
}

static int take_second(const char **text, parts *p)
{
    int known = take_number(text, 2, 2, &p->second);
    if (known && (**text == '.' || **text == ',') && isdigit((unsigned char)(*text)[1])) {
        (*text)++;
        take_fraction(text, &p->fraction);
    }
    return known;
}

static int take_half(const char **text, int *afternoon)
{
    *afternoon = toupper((unsigned char)**text) == 'P';
    if ((!*afternoon && toupper((unsigned char)**text) != 'A') || toupper((unsigned char)(*text)[1]) != 'M') {
        return 0;
    }
    *text += 2;
    return 1;
}

static int take_zone(const char **text, parts *p)
{
    p->zoned = 1;
    if (**text == 'Z' || **text == 'z') {
        (*text)++;
        return 1;
    }
    int sign = **text == '-' ? -1 : 1, hours, minutes = 0;
    if (*(*text) != '+' && *(*text) != '-') {
        return 0;
    }
    (*text)++;
    int known = take_number(text, 2, 2, &hours);
    *text += **text == ':';
    known =
        known && (!isdigit((unsigned char)**text) || take_number(text, 2, 2, &minutes)) && hours <= 18 && minutes < 60;
    p->zone = sign * (3600 * hours + 60 * minutes);
    return known;
}

static const char *match(const char *text, const char *format, parts *p);

static int take(const char **text, char what, parts *p)
{
    const char *same = what == 'T'   ? "%H:%M:%S"
                       : what == 'R' ? "%H:%M"
                       : what == 'D' ? "%m/%d/%y"
                       : what == 'F' ? "%Y-%m-%d"
                                     : NULL;
    if (same) {
        const char *rest = match(*text, same, p);
        *text = rest ? rest : *text;
        return rest != NULL;
    }
    switch (what) {
    case 'Y':
        return take_number(text, 4, 4, &p->year);
    case 'y':
        if (!take_number(text, 2, 2, &p->year)) {
            return 0;
        }
        p->year += p->year < 69 ? 2000 : 1900;
        return 1;
    case 'm':
        return take_number(text, 1, 2, &p->month);
    case 'b':
    case 'B':
    case 'h':
        return take_month_name(text, &p->month);
    case 'd':
    case 'e':
        *text += **text == ' ' && what == 'e';
        return take_number(text, 1, 2, &p->day);
    case 'j':
        return take_number(text, 1, 3, &p->day_of_year);
    case 'q':
        return take_number(text, 1, 1, &p->quarter);
    case 'H':
    case 'I':
        return take_number(text, 1, 2, &p->hour);
    case 'M':
        return take_number(text, 2, 2, &p->minute);
    case 'S':
        return take_second(text, p);
    case 'f':
        return take_fraction(text, &p->fraction);
    case 'p':
        return take_half(text, &p->afternoon);
    case 'z':
        return take_zone(text, p);
    case '%':
        return *(*text)++ == '%';
    default:
        return 0;
    }
}

/* The text behind what the format takes; NULL: it has another form. */
static const char *match(const char *text, const char *format, parts *p)
{
    for (; *format; format++) {
        if (*format == '%' && (format[1] == 'n' || format[1] == 't')) {
            format++;
            text += strspn(text, " \t");
        } else if (*format == '%') {
            if (!take(&text, *++format, p)) {
                return NULL;
            }
        } else if (*format == ' ' || *format == '\t') {
            text += strspn(text, " \t");
        } else if (*text++ != *format) {
            return NULL;
        }
    }
    return text;
}

/* Whether there is such a date and time; the stamp of it. */
static int compose(const parts *p, lf_timestamp *stamp)
{
    lf_date date = {.year = p->year, .month = p->month < 0 ? 1 : p->month, .day = p->day < 0 ? 1 : p->day};
    int hour = p->hour < 0 ? 0 : p->hour, minute = p->minute < 0 ? 0 : p->minute,
        second = p->second < 0 ? 0 : p->second;
    if (p->quarter >= 0) {
        date.month = 3 * (p->quarter - 1) + 1;
    }
    if (p->year < 0 || date.month < 1 || date.month > 12 || date.day < 1 ||
        date.day > lf_days_in_month(date.year, date.month) || p->quarter == 0 || p->quarter > 4) {
        return 0;
    }
    if (p->afternoon >= 0) {
        if (hour < 1 || hour > 12) {
            return 0;
        }
        hour = hour % 12 + 12 * p->afternoon;
    }
    if (p->day_of_year == 0 || p->day_of_year > 365 + (lf_days_in_month(date.year, 2) == 29)) {
        return 0;
    }
    date.seconds = 3600 * hour + 60 * minute + second;
    *stamp = (lf_timestamp){.seconds = lf_date_seconds(&date) + (p->day_of_year > 0 ? 86400 * (p->day_of_year - 1) : 0),
                            .fraction = p->fraction,
                            .has_time = p->hour >= 0,
                            .zoned = p->zoned,
                            .zone = p->zone};
    return minute < 60 && second <= 60 && (hour < 24 || (hour == 24 && minute == 0 && second == 0 && p->fraction == 0));
}

/* A time of day behind a date, and a zone: "T10:20", " 10:20:30.5 PM", " 10:20+01:00"; NULL: it has another form. */
static const char *match_clock(const char *text, parts *p)
{
    text += *text == ',';
    if (*text == '\0') {
        return text;
    }
    if (*text != ' ' && *text != 'T' && *text != 't') {
        return NULL;
    }
    text = match(text + 1, " %H:%M", p);
    if (text && *text == ':') {
        text = match(text, ":%S", p);
    }
    for (int i = 0; text && i < 2; i++) { /* AM or PM, then a zone */
        const char *rest = *text ? match(text, i == 0 ? " %p" : " %z", p) : text;
        text = rest ? rest : text;
        p->zoned = rest && i == 1 ? p->zoned : 0;
        p->afternoon = i == 0 && !rest ? -1 : p->afternoon;
    }
    return text;
}

/* Reads the whole text as a date in this form, with a time of day or without. */
static lf_timestamp_kind read_form(const char *text, size_t length, const char *format, lf_timestamp *stamp)
{
    parts p = nothing;
    const char *rest = match(text, format, &p);
    if (rest && rest < text + length && p.hour < 0) {
        rest = match_clock(rest, &p);
    }
    if (!rest || rest != text + length) {
        return LF_NOT_A_TIMESTAMP;
    }
    return compose(&p, stamp) ? LF_TIMESTAMP : LF_BAD_TIMESTAMP;
}

lf_timestamp_kind lf_parse_formatted(const char *text, size_t length, const char *format, lf_timestamp *stamp)
{
    *stamp = (lf_timestamp){0};
    return read_form(text, length, format, stamp);
}

double lf_parse_time_of_day(const char *text, size_t length)
{
    parts p = nothing;
    lf_timestamp stamp;
    char behind[64];
    if (length < 4 || length + 2 > sizeof behind) {
        return -1;
    }
    memcpy(behind + 1, text, length + 1);
    *behind = ' ';
    p.year = 1970;
    const char *rest = *text == ' ' ? NULL : match_clock(behind, &p);
    int known = rest && *rest == '\0' && !p.zoned && compose(&p, &stamp);
    return known ? (double)stamp.seconds + stamp.fraction : -1;
}

const char *lf_format_problem(const char *format)
{
    int year = 0;
    for (const char *p = strchr(format, '%'); p; p = strchr(p + 2, '%')) {
        if (p[1] == '\0' || !strchr("YymbBhdejqHIMSfpzTRDFnt%", p[1])) {
            return "has a code that is not known; known are %Y %y %m %b %d %j %q %H %I %M %S %f %p %z %T %R %D %F and "
                   "%%";
        }
        year = year || strchr("YyDF", p[1]);
    }
    return year ? NULL : "has no year (%Y or %y)";
}

lf_timestamp_kind lf_parse_date(const char *text, size_t length, lf_date_order order, lf_timestamp *stamp,
                                lf_date_order *found)
{
    static const char *const forms[] = {"%Y-%m-%d",  "%Y/%m/%d", "%d.%m.%Y", "%d-%b-%Y", "%d %b %Y", "%d/%b/%Y",
                                        "%b %d, %Y", "%b %d %Y", "%b %Y",    "%b-%Y",    "%YQ%q",    "%Yq%q",
                                        "%Y-Q%q",    "%Y Q%q",   "Q%q %Y",   "Q%q-%Y",   "Q%q/%Y"};
    static const char *const orders[][2] = {{"%d/%m/%Y", "%m/%d/%Y"}, {"%d-%m-%Y", "%m-%d-%Y"}};
    lf_timestamp_kind kind = lf_parse_timestamp(text, length, stamp);
    *found = LF_ORDER_NONE;
    if (kind == LF_TIMESTAMP || length < 6) {
        return kind;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        lf_timestamp_kind own = read_form(text, length, forms[i], stamp);
        if (own != LF_NOT_A_TIMESTAMP) {
            return own;
        }
    }
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        lf_timestamp day_first, month_first;
        lf_timestamp_kind day = read_form(text, length, orders[i][0], &day_first),
                          month = read_form(text, length, orders[i][1], &month_first);
        if (day == LF_NOT_A_TIMESTAMP) {
            continue;
        }
        *found = (day == LF_TIMESTAMP ? LF_ORDER_DAY : LF_ORDER_NONE) |
                 (month == LF_TIMESTAMP ? LF_ORDER_MONTH : LF_ORDER_NONE);
        int months = order == LF_ORDER_MONTH || (order != LF_ORDER_DAY && day != LF_TIMESTAMP);
        *stamp = months ? month_first : day_first;
        return months ? month : day;
    }
    return kind;
}
