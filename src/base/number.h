/* Conversion of decimal text to doubles, independent of the locale of the program. */
#ifndef LF_BASE_NUMBER_H
#define LF_BASE_NUMBER_H

#include <locale.h>
#include <stddef.h>
#include <stdint.h>

/* The locale of the calling thread is "C" between enter and leave. enter returns 0 when there is no memory. */
typedef struct lf_c_locale {
    locale_t c, previous;
} lf_c_locale;

int lf_c_locale_enter(lf_c_locale *locale);
void lf_c_locale_leave(lf_c_locale *locale);

/* Stores the double nearest to the text, as strtod does. Returns 0 unless the whole text is a finite decimal number: no
 * surrounding space, no hexadecimal, no inf or nan. text[length] must be NUL and the locale must be "C". */
int lf_parse_number(const char *text, size_t length, double *value);

/* The number times 10^-places, places 0 to 9, as whole + fraction with fraction in [0, 1), digit by digit: no digit is lost that a double for
 * each of them can hold. Returns 0 as lf_parse_number does, and where whole is too large. */
int lf_parse_split(const char *text, size_t length, int places, int64_t *whole, double *fraction);

enum { LF_NUMBER_SIZE = 32 };

/* The shortest decimal that reads back as the same double. The locale must be "C". */
void lf_format_number(double value, char text[LF_NUMBER_SIZE]);

#endif
