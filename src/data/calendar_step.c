/* Whether the times of a table are steps of the calendar: at the same time of day on the same day of the month, or on the last one. Their
 * step is the greatest common divisor of the months between them. */
#include <math.h>
#include <stdlib.h>

#include "data/shared_table.h"
#include "data/table_reader.h"

enum { LEAST_TIMES = 3 };

/* The date of a row, on the clock that is shown. */
static lf_date date_of(const lf_table_reader *t, size_t row, double *fraction)
{
    const lf_axis *axis = &t->data->axes[0];
    double seconds = t->data->x[row * (size_t)t->data->input_dim], whole = floor(seconds + 5e-7);
    *fraction = seconds - whole;
    return lf_date_from_seconds(axis->zero + axis->zone + (int64_t)whole);
}

static int64_t month_of(const lf_date *date) { return 12 * date->year + date->month - 1; }

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Facts about all rows of all processes, as least values. */
typedef struct facts {
    double month, latest;          /* the first, and minus the last */
    double time_of_day, last_time; /* the least, and minus the largest */
    double day, ends;              /* minus the largest day; 1 where all are the last of their month, else 0 */
} facts;

static lf_status find_facts(const lf_table_reader *t, facts *f)
{
    *f = (facts){INFINITY, INFINITY, INFINITY, INFINITY, 0, 1};
    for (size_t i = 0; i < t->data->n; i++) {
        double fraction;
        lf_date date = date_of(t, i, &fraction);
        double month = (double)month_of(&date), time = (double)date.seconds + fraction;
        f->month = fmin(f->month, month);
        f->latest = fmin(f->latest, -month);
        f->time_of_day = fmin(f->time_of_day, time);
        f->last_time = fmin(f->last_time, -time);
        f->day = fmin(f->day, -date.day);
        f->ends = f->ends > 0 && date.day == lf_days_in_month(date.year, date.month);
    }
    double values[] = {f->month, f->latest, f->time_of_day, f->last_time, f->day, f->ends};
    lf_status status = lf_shared_least(t, LF_OK, 6, values);
    *f = (facts){values[0], values[1], values[2], values[3], values[4], values[5]};
    return status;
}

/* The greatest common divisor of the months after the first, over all processes; 0 where a row is on another day. */
static lf_status find_months(const lf_table_reader *t, const facts *f, int day, int64_t *months)
{
    int64_t divisor = 0;
    double other = 0;
    for (size_t i = 0; i < t->data->n; i++) {
        double fraction;
        lf_date date = date_of(t, i, &fraction);
        int last = lf_days_in_month(date.year, date.month);
        other += date.day != (day < last ? day : last);
        divisor = common_divisor(month_of(&date) - (int64_t)f->month, divisor);
    }
    int64_t *all = NULL;
    size_t bytes = 0;
    lf_status status = lf_shared_sum(t, LF_OK, 1, &other);
    status = lf_shared_collect(t, status, sizeof divisor, &divisor, NULL, &bytes, (void **)&all);
    for (size_t r = 0; !status && r < bytes / sizeof *all; r++) {
        divisor = common_divisor(all[r], divisor);
    }
    free(all);
    *months = other > 0 ? 0 : divisor;
    return status;
}

lf_status lf_find_calendar_step(lf_table_reader *t)
{
    lf_axis *axis = &t->data->axes[0];
    facts f = {0};
    int64_t months = 0;
    lf_status status = t->data->input_dim == 1 ? find_facts(t, &f) : LF_OK;
    if (status || t->data->input_dim > 1 || fabs(f.time_of_day + f.last_time) > 1e-6) {
        return status;
    }
    int day = f.ends > 0 ? 31 : (int)-f.day;
    status = find_months(t, &f, day, &months);
    double span = -f.latest - f.month;
    if (!status && months > 0 && span >= (double)(LEAST_TIMES - 1) * (double)months) {
        axis->months = (int)months;
        axis->month_day = day;
    }
    return status;
}
