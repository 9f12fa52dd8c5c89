/* What an input measures: its name, its unit and, for times given as dates, which date is 0. Tables and models have one axis
 * for each input; numbers inside the library are in the unit of the axis. */
#ifndef LF_BASE_AXIS_H
#define LF_BASE_AXIS_H

#include <stddef.h>
#include <stdint.h>

#include "base/date_text.h"
#include "latentforce.h"

typedef struct lf_axis {
    char *name;      /* heading of its column; NULL: none of its own (x, x1, …) */
    char *unit;      /* NULL: none. "ms", "s", "min", "h", "d" or "a": a time */
    char *file_unit; /* unit of the numbers in files; NULL: the same */
    int dated;       /* values are shown as dates; unit is one of time */
    int date_only;   /* no value of the table had a time of day */
    int fine;        /* dated: some value of the table has parts of a microsecond */
    int zoned, zone; /* dates are shown with Z or an offset, in seconds */
    int months;      /* dated: from one time to the next, where these are steps of the calendar; else 0 */
    int month_day;   /* and their day of the month, or the last of shorter ones; 31: the last of each */
    int64_t zero;    /* dated: seconds from 1970-01-01T00:00 (UTC where zoned) to the value 0 */
} lf_axis;

/* Other columns whose headings are remembered, so that files are read without the options that named them. */
typedef enum lf_heading { LF_HEADING_OUTPUT, LF_HEADING_VALUE, LF_HEADING_REPLICATE, LF_HEADING_COUNT } lf_heading;

/* "ms", "s", "min", "h", "d" or "a" (a year of 365.25 days) for a word that stands for it ("hours", "sec"); NULL for others. */
const char *lf_time_unit(const char *word);
/* Seconds in one of these; 0 for other texts and NULL. */
double lf_unit_seconds(const char *unit);

/* A copy; 0 when there is no memory. */
int lf_axis_copy(const lf_axis *from, lf_axis *to);
void lf_axis_clear(lf_axis *axis);
/* The same for `count` axes, which lf_axes_free releases; NULL when there is no memory. */
lf_axis *lf_axes_copy(const lf_axis *from, int count);
void lf_axes_free(lf_axis *axes, int count);
/* Whether it says anything at all. */
int lf_axis_is_known(const lf_axis *axis);
/* The description for the public interface; offset and scale are those of no standardisation. */
lf_label lf_axis_info(const lf_axis *axis);
/* The reverse: a copy, with the label checked. */
lf_status lf_axis_from_label(lf_context *ctx, const lf_label *label, lf_axis *axis);

/* The heading of input k of p in files: the name of a single input, "x" where it has none or one that other columns of files have,
 * and "xk" for several inputs. */
void lf_axis_heading(const lf_axis *axis, int k, int p, size_t size, char *text);

/* Factor from numbers in files to numbers inside. */
double lf_axis_factor(const lf_axis *axis);

/* 1, 1e3, 1e6 or 1e9 for a number of seconds, milli-, micro- or nanoseconds since 1970, by its size (2001 to 2100); else 0. */
double lf_epoch_divisor(double value);
/* The moment that a count of 1/divisor seconds since 1970 names: exact for whole numbers; of a text, with all of its digits. Returns 0 where the
 * text is no number. */
lf_timestamp lf_epoch_moment(double number, double divisor);
int lf_epoch_parse(const char *text, size_t length, double divisor, lf_timestamp *stamp);

/* The value of a text: a date, or a number in the file unit. Returns NULL, or the problem as a predicate: "is not a …". The
 * locale must be "C". */
const char *lf_axis_parse(const lf_axis *axis, const char *text, size_t length, double *x);
/* The same of a date, and of a number. */
const char *lf_axis_take_date(const lf_axis *axis, const lf_timestamp *date, double *x);
const char *lf_axis_take_number(const lf_axis *axis, double number, double *x);
/* The value of a timestamp; the axis must be dated. */
double lf_axis_from_timestamp(const lf_axis *axis, const lf_timestamp *stamp);
/* The same with a message: the text is named in it. Any locale. */
lf_status lf_axis_parse_text(lf_context *ctx, const lf_axis *axis, const char *text, double *x);
/* A span: a number with a unit of time ("48h", "30 min"), or a number in the file unit. Any locale. */
lf_status lf_axis_parse_span(lf_context *ctx, const lf_axis *axis, const char *text, double *span);
/* The axis is dated, and 0 at this date. */
void lf_axis_set_zero(lf_axis *axis, const lf_timestamp *stamp);
/* The text of a value, which lf_axis_parse reads back. The locale must be "C". */
void lf_axis_format(const lf_axis *axis, double x, char text[LF_TIMESTAMP_SIZE]);

#endif
