/* Dates as people write them, and dates by a format of strftime. */
#ifndef LF_BASE_DATE_TEXT_H
#define LF_BASE_DATE_TEXT_H

#include "base/timestamp.h"

/* Which of two numbers is the day: of a text, what it may be; of a column, as what it is read. */
typedef enum lf_date_order {
    LF_ORDER_NONE, /* the form has one reading */
    LF_ORDER_DAY,
    LF_ORDER_MONTH,
    LF_ORDER_EITHER /* both readings are dates; read with the day first */
} lf_date_order;

/* Reads what lf_parse_timestamp does, and 23.12.2019, 23/12/2019, 12/23/2019 (also with hyphens), 23-Dec-2019, 23 December 2019, Dec 23, 2019,
 * Jan 1974 and Q1 1959, each followed by a time of day or not. order: LF_ORDER_MONTH reads two numbers with the month first, others with the
 * day first unless there is no such date; *found: what the text itself may be. */
lf_timestamp_kind lf_parse_date(const char *text, size_t length, lf_date_order order, lf_timestamp *stamp,
                                lf_date_order *found);

/* Reads a text by a format: %Y %y %m %b %B %h %d %e %j %q (quarter) %H %I %M %S (with a fraction) %f %p %z %T %R %D %F %n %t %%; a blank stands for any
 * number of them. Years of two digits are 1969 to 2068. A time of day may follow a format without one. */
lf_timestamp_kind lf_parse_formatted(const char *text, size_t length, const char *format, lf_timestamp *stamp);
/* Seconds of HH:MM, HH:MM:SS or HH:MM:SS.fff, with AM or PM behind it or not; -1 when the text is something else. */
double lf_parse_time_of_day(const char *text, size_t length);

/* What is wrong with a format; NULL: nothing. */
const char *lf_format_problem(const char *format);

#endif
