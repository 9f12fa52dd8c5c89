/* Decimal text and doubles, the same whatever locale the program has chosen. */
#ifndef LF_DATA_NUMBER_H
#define LF_DATA_NUMBER_H

#include <locale.h>
#include <stddef.h>

/* The calling thread's locale is "C" between enter and leave. enter returns 0 when there is no memory. */
typedef struct lf_c_locale {
    locale_t c, previous;
} lf_c_locale;

int lf_c_locale_enter(lf_c_locale *locale);
void lf_c_locale_leave(lf_c_locale *locale);

/* 1 and the double nearest to the text (as strtod gives it) when all of it is a finite decimal number, else 0: no
 * surrounding space, no hexadecimal, no inf or nan. text[length] must be NUL and the locale "C". */
int lf_parse_number(const char *text, size_t length, double *value);

#endif
