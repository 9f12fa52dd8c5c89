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

/* The digits read so far: mantissa * 10^exponent; exact = 0 when there were too many for the mantissa, and then the rest of a
 * fraction is cut off; lost: digits before the point. */
typedef struct decimal {
    uint64_t mantissa;
    int64_t exponent;
    int exact, lost, negative;
} decimal;

static const char *read_digits(const char *text, decimal *number, int exponent_step)
{
    for (; is_digit(*text); text++) {
        if (number->mantissa > (UINT64_MAX - 9) / 10) {
            number->exact = 0;
            number->lost = number->lost || exponent_step == 0;
            continue;
        }
        number->mantissa = 10 * number->mantissa + (uint64_t)(*text - '0');
        number->exponent += exponent_step;
    }
    return text;
}

/* Sign, digits, point and exponent; 0 when the text has another form. */
static int read_decimal(const char *text, size_t length, decimal *number)
{
    *number = (decimal){.exact = 1, .negative = text[0] == '-'};
    const char *whole = text + (number->negative || text[0] == '+');
    const char *p = read_digits(whole, number, 0);
    int has_digits = p > whole;
    if (*p == '.') {
        const char *fraction = p + 1;
        p = read_digits(fraction, number, -1);
        has_digits = has_digits || p > fraction;
    }
    if (!has_digits) {
        return 0;
    }
    if (*p == 'e' || *p == 'E') {
        int negative_exponent = p[1] == '-';
        const char *digits = p + 1 + (negative_exponent || p[1] == '+');
        decimal written = {.exact = 1};
        p = read_digits(digits, &written, 0);
        if (p == digits) {
            return 0;
        }
        if (!written.exact || written.mantissa > 1000) {
            number->exact = 0;
            number->lost = 1;
        } else {
            number->exponent += negative_exponent ? -(int64_t)written.mantissa : (int64_t)written.mantissa;
        }
    }
    return p == text + length;
}

int lf_parse_number(const char *text, size_t length, double *value)
{
    decimal number;
    if (!read_decimal(text, length, &number)) {
        return 0;
    }
    if (FLT_EVAL_METHOD == 0 && number.exact && number.mantissa <= (uint64_t)1 << 53 && number.exponent >= -22 &&
        number.exponent <= 22) {
        double m = (double)number.mantissa;
        double magnitude = number.exponent < 0 ? m / power_of_ten[-number.exponent] : m * power_of_ten[number.exponent];
        *value = number.negative ? -magnitude : magnitude;
        return 1;
    }
    *value = strtod(text, NULL);
    return isfinite(*value) != 0;
}

int lf_parse_split(const char *text, size_t length, int places, int64_t *whole, double *fraction)
{
    decimal number;
    uint64_t unit = 1, count;
    if (!read_decimal(text, length, &number) || number.lost) {
        return 0;
    }
    int64_t exponent = number.exponent - places;
    for (; exponent > 0 && number.mantissa <= INT64_MAX / 10; exponent--) {
        number.mantissa *= 10;
    }
    for (; exponent < -19 && number.mantissa > 0; exponent++) {
        number.mantissa /= 10;
    }
    for (; exponent < 0 && number.mantissa > 0; exponent++) {
        unit *= 10;
    }
    count = number.mantissa / unit;
    if (exponent > 0 || count > INT64_MAX) {
        return 0;
    }
    *fraction = (double)(number.mantissa % unit) / (double)unit;
    *whole = (int64_t)count;
    if (number.negative) {
        *whole = -*whole - (*fraction > 0);
        *fraction = *fraction > 0 ? fmin(1 - *fraction, 1 - 0x1p-53) : 0;
    }
    return 1;
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
