/* ISO 8601 dates and date-times as text. */
#ifndef LF_BASE_TIMESTAMP_H
#define LF_BASE_TIMESTAMP_H

#include <stddef.h>
#include <stdint.h>

typedef struct lf_timestamp {
    int64_t seconds; /* since 1970-01-01T00:00, on the clock of the text: a zone is not yet subtracted */
    double fraction; /* of a second, in [0, 1) */
    int has_time;    /* 0: a date alone */
    int zoned;       /* the text has Z or an offset */
    int zone;        /* that offset from UTC, in seconds */
} lf_timestamp;

typedef enum lf_timestamp_kind {
    LF_NOT_A_TIMESTAMP, /* not the form of a date */
    LF_BAD_TIMESTAMP,   /* the form of a date, but there is no such date or time */
    LF_TIMESTAMP
} lf_timestamp_kind;

/* Reads YYYY-MM or YYYYQn, the first day of the month or the quarter; or YYYY-MM-DD or YYYY/MM/DD, then optionally T or a space, HH:MM, :SS, a fraction after a point or comma, and Z or
 * an offset +HH:MM, +HHMM or +HH. */
lf_timestamp_kind lf_parse_timestamp(const char *text, size_t length, lf_timestamp *stamp);

/* A count of nanoseconds since 1970-01-01T00:00, of UTC where zoned, shown with the offset `zone`; fractions as the text of it would have. */
lf_timestamp lf_timestamp_from_nanoseconds(int64_t count, int zoned, int zone);

/* A date; seconds is the time of day. */
typedef struct lf_date {
    int64_t year;
    int month, day; /* from 1 */
    int64_t seconds;
} lf_date;

lf_date lf_date_from_seconds(int64_t seconds);
int64_t lf_date_seconds(const lf_date *date);
int lf_days_in_month(int64_t year, int month);

enum { LF_TIMESTAMP_SIZE = 48 }; /* bytes of a formatted timestamp, with its NUL */

typedef enum lf_timestamp_form {
    LF_MICROSECONDS, /* "2019-12-23T10:00:00", with up to six digits of a fraction */
    LF_DATE_ONLY,    /* "2019-12-23" where the time of day is 0 */
    LF_NANOSECONDS
} lf_timestamp_form;

/* Writes base + seconds since 1970-01-01T00:00 on the clock that is shown, rounded. zoned: followed by Z or the offset `zone` in seconds. */
void lf_format_timestamp(int64_t base, double seconds, lf_timestamp_form form, int zoned, int zone,
                         char text[LF_TIMESTAMP_SIZE]);

#endif
