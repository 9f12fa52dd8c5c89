/* Tics of an axis of dates: multiples of a round step of time, or the first days of months and years. Dates are those of the
 * proleptic Gregorian calendar, on the clock of the data. */
#include "plot/time_ticks.h"

#include <math.h>
#include <string.h>

#define DAY 86400.0

typedef struct date {
    long long year;
    int month, day; /* from 1 */
} date;

/* Days from 1970-01-01 to the first day of a month; months beyond 12 are those of later years. */
static long long days_to(long long year, int month)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    year += (month - 1) / 12;
    month = (month - 1) % 12;
    long long leap = year - (month < 2); /* the last year whose 29 February may lie before */
    /* floor divisions: years before 0 do not occur on an axis of dates */
    return 365 * (year - 1970) + leap / 4 - leap / 100 + leap / 400 - 477 + before[month];
}

static date date_of(long long days)
{
    date d = {.year = 1970 + (long long)floor((double)days / 365.2425), .month = 12};
    while (days_to(d.year + 1, 1) <= days) {
        d.year++;
    }
    while (days_to(d.year, 1) > days) {
        d.year--;
    }
    while (days_to(d.year, d.month) > days) {
        d.month--;
    }
    d.day = 1 + (int)(days - days_to(d.year, d.month));
    return d;
}

/* A step between tics: seconds, or months where months > 0. */
typedef struct step {
    double seconds;
    int months;
} step;

static step choose_step(double span, int most)
{
    static const double seconds[] = {0.001,    0.002,     0.005, 0.01,    0.02,    0.05,    0.1,  0.2,
                                     0.5,      1,         2,     5,       10,      15,      30,   60,
                                     120,      300,       600,   900,     1800,    3600,    7200, 3 * 3600,
                                     6 * 3600, 12 * 3600, DAY,   2 * DAY, 7 * DAY, 14 * DAY};
    static const int months[] = {1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200};
    double room = most > 1 ? most : 1;
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        if (span / seconds[i] <= room) {
            return (step){.seconds = seconds[i]};
        }
    }
    for (size_t i = 0; i < sizeof months / sizeof *months; i++) {
        if (span / (months[i] * 30.44 * DAY) <= room) {
            return (step){.months = months[i]};
        }
    }
    return (step){.months = 12 * (int)fmin(ceil(span / (365.25 * DAY) / room), 1e6)};
}

/* The tic number k, in seconds from 1970; numbers start at the tic at or before `low`. */
static double tick_at(step by, double low, long long k)
{
    if (by.months > 0) {
        date first = date_of((long long)floor(low / DAY));
        long long month = 12 * first.year + first.month - 1;
        month = (month / by.months + k) * by.months;
        return DAY * (double)days_to(month / 12, (int)(month % 12) + 1);
    }
    double origin = by.seconds > 2 * DAY ? 4 * DAY : 0; /* weeks begin on Mondays */
    return origin + by.seconds * (floor((low - origin) / by.seconds) + (double)k);
}

/* The label of a tic; `previous` is the date of the tic before it, of the year 0 if there is none. */
static void write_label(FILE *script, step by, double time, date *previous)
{
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    double milliseconds = round(time * 1000), day = floor(milliseconds / 1000 / DAY);
    double rest = milliseconds / 1000 - day * DAY;
    int minutes = (int)(rest / 60), new_year, new_day;
    date d = date_of((long long)day);
    new_year = d.year != previous->year;
    new_day = new_year || d.month != previous->month || d.day != previous->day;
    if (by.months >= 12) {
        fprintf(script, "%lld", d.year);
    } else if (by.months > 0) {
        fprintf(script, "%s", names[d.month - 1]);
    } else if (by.seconds >= DAY) {
        fprintf(script, "%d %s", d.day, names[d.month - 1]);
    } else {
        fprintf(script, "%02d:%02d", minutes / 60, minutes % 60);
        if (by.seconds < 60) {
            fprintf(script, by.seconds < 1 ? ":%06.3f" : ":%02.0f", rest - 60 * minutes);
        }
        if (new_day) {
            fprintf(script, "\\n%d %s", d.day, names[d.month - 1]);
        }
    }
    if (by.months < 12 && new_year) {
        fprintf(script, by.seconds > 0 && by.seconds < DAY ? " %lld" : "\\n%lld", d.year);
    }
    *previous = d;
}

void cli_time_ticks(FILE *script, char axis, const lf_label *input, double low, double high, int most, int labelled)
{
    double from = input->zero + input->seconds * low, to = input->zero + input->seconds * high, time;
    double slack = 1e-9 * (to - from);
    step by = choose_step(to - from, most);
    date previous = {0};
    const char *separator = "";
    fprintf(script, "set %ctics (", axis);
    for (long long k = 0; k < 1000 && (time = tick_at(by, from, k)) <= to + slack; k++) {
        if (time >= from - slack) {
            fprintf(script, "%s\"", separator);
            if (labelled) {
                write_label(script, by, time, &previous);
            }
            fprintf(script, "\" %.15g", (time - input->zero) / input->seconds);
            separator = ", ";
        }
    }
    fputs(*separator ? ")\n" : "\"\" 0)\n", script);
}
