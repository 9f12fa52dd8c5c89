/* Which of the numbers of 03/04/2019 is the day. A row with a number above 12 tells; rows before the first of these were read with the day
 * first, and are read again here if it was the month: exchanging day and month of a date in which both are at most 12 is its own inverse. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "data/shared_table.h"
#include "data/table_reader.h"

static int64_t exchange(int64_t seconds)
{
    lf_date date = lf_date_from_seconds(seconds);
    int day = date.day;
    if (day > 12) { /* of a date in another form */
        return seconds;
    }
    date.day = date.month;
    date.month = day;
    return lf_date_seconds(&date);
}

static double read_again(const lf_axis *axis, double x)
{
    double unit = lf_unit_seconds(axis->unit), seconds = x * unit, whole = floor(seconds + 5e-7);
    int64_t clock = axis->zero + axis->zone;
    return ((double)(exchange(clock + (int64_t)whole) - clock) + (seconds - whole)) / unit;
}

/* The rows begin at another date. */
static void move_zero(lf_table_reader *t)
{
    lf_axis *axis = &t->data->axes[0];
    int64_t zero = exchange(axis->zero + axis->zone) - axis->zone;
    for (size_t i = 0; i < t->data->n; i++) {
        t->data->x[i * (size_t)t->data->input_dim] += (double)(axis->zero - zero);
    }
    axis->zero = zero;
}

static lf_status refuse(const lf_table_reader *t)
{
    lf_timestamp stamp;
    lf_date_order found;
    char day_first[LF_TIMESTAMP_SIZE], month_first[LF_TIMESTAMP_SIZE];
    lf_parse_date(t->ambiguous, strlen(t->ambiguous), LF_ORDER_DAY, &stamp, &found);
    lf_format_timestamp(stamp.seconds, 0, LF_DATE_ONLY, 0, 0, day_first);
    lf_parse_date(t->ambiguous, strlen(t->ambiguous), LF_ORDER_MONTH, &stamp, &found);
    lf_format_timestamp(stamp.seconds, 0, LF_DATE_ONLY, 0, 0, month_first);
    char mark = strchr(t->ambiguous, '/') ? '/' : '-';
    return lf_fail(
        t->ctx, LF_ERROR_DATA,
        "%s: the date '%s' is %.10s with the day first and %.10s with the month first, and no row tells which; "
        "give --time-format '%%d%c%%m%c%%Y' or '%%m%c%%d%c%%Y'",
        t->ambiguous_place, t->ambiguous, day_first, month_first, mark, mark, mark, mark);
}

lf_status lf_settle_order(lf_table_reader *t)
{
    double told[] = {t->order == LF_ORDER_DAY, t->order == LF_ORDER_MONTH, t->order == LF_ORDER_EITHER,
                     t->zero_undecided, t->other_forms};
    lf_status status = lf_shared_sum(t, LF_OK, 5, told);
    if (status) {
        return status;
    }
    if (told[1] > 0 && told[4] > 0) {
        return lf_fail(
            t->ctx, LF_ERROR_DATA,
            "dates with the month first stand beside dates of another form; write all of them alike, or in the form "
            "2019-12-23");
    }
    if (told[0] > 0 && told[1] > 0) {
        return lf_fail(
            t->ctx, LF_ERROR_DATA,
            "some dates have the day first and others the month; write all of them alike, or in the form 2019-12-23");
    }
    if (told[0] + told[1] == 0 && told[2] > 0) {
        return lf_shared_sum(t, *t->ambiguous ? refuse(t) : LF_OK, 0, NULL);
    }
    size_t n = t->order == LF_ORDER_EITHER ? t->data->n : t->order == LF_ORDER_MONTH ? t->undecided : 0;
    for (size_t i = 0; told[1] > 0 && i < n && i < t->data->n; i++) {
        double *x = &t->data->x[i * (size_t)t->data->input_dim];
        *x = read_again(&t->data->axes[0], *x);
    }
    t->order = told[1] > 0 ? LF_ORDER_MONTH : told[0] > 0 ? LF_ORDER_DAY : t->order;
    if (told[1] > 0 && told[3] > 0 && !t->options->model) {
        move_zero(t);
    }
    return LF_OK;
}
