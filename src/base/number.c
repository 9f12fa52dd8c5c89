/* Decimal text to double. When the digits form an integer m <= 2^53 and the power of ten is at most 22, both are exact
 * doubles, and one correctly rounded operation gives the result of strtod (Clinger 1990); strtod handles all other
 * cases. */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int lf_c_locale_enter(lf_c_locale *locale)
{
    locale->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (locale->c == (locale_t)0) {
        return 0;
    }
    locale->previous = uselocale(locale->c);
    return 1;
}

void lf_c_locale_leave(lf_c_locale *locale)
{
    uselocale(locale->previous);
    freelocale(locale->c);
}

static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* The digits read so far: mantissa * 10^exponent; exact = 0 when there were too many for the mantissa. */
typedef struct decimal {
    uint64_t mantissa;
    int64_t exponent;
    int exact;
} decimal;

static const char *read_digits(const char *text, decimal *number, int exponent_step)
{
    for (; is_digit(*text); text++) {
        if (number->mantissa > (UINT64_MAX - 9) / 10) {
            number->exact = 0;
            continue;
        }
        number->mantissa = 10 * number->mantissa + (uint64_t)(*text - '0');
        number->exponent += exponent_step;
    }
    return text;
}

int lf_parse_number(const char *text, size_t length, double *value)
{
    decimal number = {0, 0, 1};
    int negative = text[0] == '-';
    const char *whole = text + (negative || text[0] == '+');
    const char *p = read_digits(whole, &number, 0);
    int has_digits = p > whole;
    if (*p == '.') {
        const char *fraction = p + 1;
        p = read_digits(fraction, &number, -1);
        has_digits = has_digits || p > fraction;
    }
    if (!has_digits) {
        return 0;
    }
    if (*p == 'e' || *p == 'E') {
        int negative_exponent = p[1] == '-';
        const char *digits = p + 1 + (negative_exponent || p[1] == '+');
        decimal written = {0, 0, 1};
        p = read_digits(digits, &written, 0);
        if (p == digits) {
            return 0;
        }
        if (!written.exact || written.mantissa > 1000) {
            number.exact = 0;
        } else {
            number.exponent += negative_exponent ? -(int64_t)written.mantissa : (int64_t)written.mantissa;
        }
    }
    if (p != text + length) {
        return 0;
    }
    if (FLT_EVAL_METHOD == 0 && number.exact && number.mantissa <= (uint64_t)1 << 53 && number.exponent >= -22 &&
        number.exponent <= 22) {
        double m = (double)number.mantissa;
        double magnitude = number.exponent < 0 ? m / power_of_ten[-number.exponent] : m * power_of_ten[number.exponent];
        *value = negative ? -magnitude : magnitude;
        return 1;
    }
    *value = strtod(text, NULL);
    return isfinite(*value) != 0;
}

void lf_format_number(double value, char text[LF_NUMBER_SIZE])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, LF_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}
