/* Numbers for people: a value with its standard error and its unit.
 *
 * The standard error has two significant digits, and the value as many decimals as the error; without an error the value has five significant
 * digits. Numbers below 0.001 or from a million on have an exponent that is a multiple of three. */
#include "report/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

#define TWO_PI 6.28318530717958647692

enum { DIGITS = 5, FREQUENCY_DIGITS = 3, ERROR_DIGITS = 2, MOST_DIGITS = 12 };

/* The decimal exponent of the first digit of a value rounded to `digits` significant digits; 0 for 0. */
static int leading_exponent(double value, int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    const char *mark = strchr(text, 'e');
    return value != 0 && mark ? atoi(mark + 1) : 0;
}

/* value / 10^shift, rounded to multiples of 10^place (before the division). trim: without zeros at the end. */
static void print_digits(char *text, size_t size, double value, int place, int shift, int trim)
{
    int decimals = shift - place;
    double scaled = value / pow(10, shift);
    if (decimals < 0) {
        double step = pow(10, -decimals);
        scaled = step * round(scaled / step);
        decimals = 0;
    }
    snprintf(text, size, "%.*f", decimals, scaled);
    size_t length = strlen(text);
    while (trim && decimals > 0 && length > 0 && text[length - 1] == '0') {
        text[--length] = '\0';
    }
    if (trim && length > 0 && text[length - 1] == '.') {
        text[length - 1] = '\0';
    }
}

/* The power of ten to show separately, for a value with this leading exponent: a multiple of three, or 0. */
static int separate_power(int exponent)
{
    int thousands = exponent >= 0 ? exponent / 3 : -((2 - exponent) / 3);
    return exponent >= 6 || exponent < -3 ? 3 * thousands : 0;
}

/* "n" for -9; NULL if there is no prefix for this power. */
static const char *prefix_of(int power)
{
    static const char *const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T"};
    int index = power / 3 + 4;
    return power % 3 == 0 && index >= 0 && index < (int)(sizeof prefixes / sizeof *prefixes) ? prefixes[index] : NULL;
}

/* value and error with a common power of ten: as a prefix of the unit if there is one (prefixed), else as an exponent. */
static void print_quantity(char text[LF_QUANTITY_SIZE], double value, double error, int digits, const char *unit,
                           int prefixed)
{
    int known = isfinite(error) && error > 0, first = leading_exponent(value, digits);
    int largest = value == 0 && known ? leading_exponent(error, ERROR_DIGITS) : first;
    int power = prefixed ? (largest >= 0 ? largest / 3 : -((2 - largest) / 3)) * 3 : separate_power(largest);
    const char *prefix = prefixed ? prefix_of(power) : NULL;
    if (prefixed && !prefix) {
        power = separate_power(largest);
    }
    char number[64], spread[64] = "", exponent[16] = "";
    if (power != 0 && !prefix) {
        snprintf(exponent, sizeof exponent, "e%d", power);
    }
    if (known) {
        int place = leading_exponent(error, ERROR_DIGITS) - ERROR_DIGITS + 1;
        place = place < first - MOST_DIGITS ? first - MOST_DIGITS : place;
        print_digits(number, sizeof number, value, value != 0 && first < place ? first : place, power, 0);
        print_digits(spread, sizeof spread, error, place, power, 0);
    } else {
        print_digits(number, sizeof number, value, first - digits + 1, power, 1);
    }
    snprintf(text, LF_QUANTITY_SIZE, "%s%s%s%s%s%s%s%.40s", number, exponent, known ? " +- " : "", spread,
             known ? exponent : "", *unit ? " " : "", prefix ? prefix : "", unit);
}

size_t lf_format_quantity(double value, double error, const char *unit, size_t size, char *text)
{
    char whole[LF_QUANTITY_SIZE];
    lf_c_locale locale;
    int entered = lf_c_locale_enter(&locale);
    unit = unit ? unit : "";
    if (!isfinite(value)) {
        snprintf(whole, sizeof whole, "%s", isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
    } else {
        print_quantity(whole, value, error, DIGITS, unit, strcmp(unit, "s") == 0 && value != 0 && fabs(value) < 1);
    }
    if (entered) {
        lf_c_locale_leave(&locale);
    }
    return (size_t)lf_print(text, size, "%s", whole);
}

void lf_frequency_unit(const lf_model *model, char unit[LF_UNIT_SIZE])
{
    const char *time = lf_model_input(model, 0).unit;
    snprintf(unit, LF_UNIT_SIZE, *time ? "rad/%.40s" : "rad", time);
}

void lf_frequency_quantity(const lf_model *model, double value, double error, char text[LF_QUANTITY_SIZE])
{
    lf_label input = lf_model_input(model, 0);
    char radians[LF_QUANTITY_SIZE], cycles[LF_QUANTITY_SIZE] = "", unit[LF_UNIT_SIZE];
    lf_c_locale locale;
    lf_frequency_unit(model, unit);
    lf_format_quantity(value, error, isfinite(value) ? unit : "", sizeof radians, radians);
    int entered = lf_c_locale_enter(&locale);
    if (input.seconds > 0) {
        print_quantity(cycles, value / TWO_PI / input.seconds, (double)NAN, FREQUENCY_DIGITS, "Hz", 1);
    } else {
        snprintf(unit, sizeof unit, *input.unit ? "cycles/%.40s" : "cycles", input.unit);
        print_quantity(cycles, value / TWO_PI, (double)NAN, FREQUENCY_DIGITS, unit, 0);
    }
    if (entered) {
        lf_c_locale_leave(&locale);
    }
    snprintf(text, LF_QUANTITY_SIZE, isfinite(value) ? "%.70s (%.50s)" : "%.70s", radians, cycles);
}

void lf_parameter_quantity(const lf_model *model, size_t index, char text[LF_QUANTITY_SIZE])
{
    char unit[LF_UNIT_SIZE];
    lf_parameter parameter = lf_parameter_get(model, index);
    lf_parameter_unit(model, index, unit);
    lf_format_quantity(parameter.value, parameter.standard_error, unit, LF_QUANTITY_SIZE, text);
}

void lf_kernel_quantities(const lf_model *model, const lf_force *force, int first, size_t size, char *text)
{
    size_t used = 0;
    snprintf(text, size, "-");
    for (int i = 0, before = -1; i < lf_force_parameter_count(force) && used < size; i++) {
        char heading[24] = "", number[LF_QUANTITY_SIZE];
        int term = lf_force_parameter_at(force, i).term;
        if (term != before) {
            snprintf(heading, sizeof heading, "term%d: ", term + 1);
        }
        lf_parameter_quantity(model, (size_t)(first + i), number);
        const char *separator = i == 0 ? "" : term != before ? "; " : ", ";
        const char *what = strrchr(model->parameters[first + i].name, '.') + 1;
        int written = snprintf(text + used, size - used, "%s%s%s %s", separator, heading, what, number);
        used += written > 0 ? (size_t)written : 0;
        before = term;
    }
}

void lf_lengthscale_quantities(const lf_model *model, const lf_force *force, int first, size_t size, char *text)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < force->lengthscale_count && used < size; k++) {
        char number[LF_QUANTITY_SIZE];
        lf_parameter_quantity(model, (size_t)(first + k), number);
        int written = snprintf(text + used, size - used, k ? ", %s" : "%s", number);
        used += written > 0 ? (size_t)written : 0;
    }
}
