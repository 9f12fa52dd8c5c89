/* Steps of the calendar: months, quarters and years, which have unequal lengths. */
#ifndef LF_BASE_CALENDAR_H
#define LF_BASE_CALENDAR_H

#include "base/axis.h"

/* A distance of inputs: a number of months or, with months 0, a length in the unit of the axis. */
typedef struct lf_span {
    double length;
    int months;
    int bare; /* a number without a unit */
} lf_span;

/* A number with a unit ("48h", "12 months", "2QS"), a unit alone ("month"), or a number in the unit of the files. On an axis with dates, months,
 * quarters and years are steps of the calendar, and on one whose times are such steps a number counts months; elsewhere a year has 365.25
 * days. Any locale. */
lf_status lf_axis_parse_step(lf_context *ctx, const lf_axis *axis, const char *text, lf_span *span);

/* The value `months` after x, at the same time of day: on the day `day` of the month or, where the month is shorter, on its last. */
double lf_axis_add_months(const lf_axis *axis, double x, int64_t months, int day);
/* The mean length of so many months in the unit of the axis. */
double lf_axis_months_length(const lf_axis *axis, int months);
/* The day for steps that begin at x: that of the axis where x is on it, else the day of x. */
int lf_axis_step_day(const lf_axis *axis, double x);

/* "1 month", "2 quarters", "10 years". */
void lf_write_months(int months, char text[32]);

#endif
