/* Numbers for people: values with standard errors and units, frequencies, labels. */
#include "show/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/session.h"

#define TWO_PI 6.28318530717958647692

enum { DIGITS = 5, ERROR_DIGITS = 2, MOST_DIGITS = 12 };

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
    if (trim && length > 0 && (text[length - 1] == '.' || text[length - 1] == ',')) {
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
static void print_quantity(char *text, double value, double error, int digits, const char *unit, int prefixed)
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
    snprintf(text, CLI_QUANTITY_SIZE, "%s%s%s%s%s%s%s%.40s", number, exponent, known ? " +- " : "", spread,
             known ? exponent : "", *unit ? " " : "", prefix ? prefix : "", unit);
}

void cli_quantity(char text[CLI_QUANTITY_SIZE], double value, double error, const char *unit)
{
    if (!isfinite(value)) {
        snprintf(text, CLI_QUANTITY_SIZE, "%s", isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
    } else {
        print_quantity(text, value, error, DIGITS, unit, strcmp(unit, "s") == 0 && value != 0 && fabs(value) < 1);
    }
}

void cli_frequency(char text[CLI_QUANTITY_SIZE], const lf_model *model, double value, double error)
{
    lf_input_info input = lf_model_input(model, 0);
    char radians[CLI_QUANTITY_SIZE], cycles[CLI_QUANTITY_SIZE], unit[LF_UNIT_SIZE];
    if (!isfinite(value)) {
        cli_quantity(text, value, error, "");
        return;
    }
    const char *per = *input.unit ? "/" : "";
    snprintf(unit, sizeof unit, "rad%s%.40s", per, input.unit);
    cli_quantity(radians, value, error, unit);
    if (input.seconds > 0) {
        print_quantity(cycles, value / TWO_PI / input.seconds, (double)NAN, 3, "Hz", 1);
    } else {
        snprintf(unit, sizeof unit, "cycles%s%.40s", per, input.unit);
        print_quantity(cycles, value / TWO_PI, (double)NAN, 3, unit, 0);
    }
    snprintf(text, CLI_QUANTITY_SIZE, "%.70s (%.50s)", radians, cycles);
}

int cli_find_parameter(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number,
                       size_t *index)
{
    char name[1024];
    int length = number > 0 ? snprintf(name, sizeof name, "%s.%s%d", owner, what, number)
                            : snprintf(name, sizeof name, "%s.%s", owner, what);
    return length > 0 && (size_t)length < sizeof name && lf_parameter_find(ctx, model, name, index) == LF_OK;
}

double cli_parameter_error(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number)
{
    size_t index;
    return cli_find_parameter(ctx, model, owner, what, number, &index) ? lf_parameter_get(model, index).standard_error
                                                                       : (double)NAN;
}

void cli_parameter_unit(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number,
                        char unit[LF_UNIT_SIZE])
{
    size_t index;
    unit[0] = '\0';
    if (cli_find_parameter(ctx, model, owner, what, number, &index)) {
        lf_parameter_unit(model, index, unit);
    }
}

void cli_parameter_quantity(lf_context *ctx, const lf_model *model, char text[CLI_QUANTITY_SIZE], const char *owner,
                            const char *what, int number, double value)
{
    char unit[LF_UNIT_SIZE];
    cli_parameter_unit(ctx, model, owner, what, number, unit);
    cli_quantity(text, value, cli_parameter_error(ctx, model, owner, what, number), unit);
}

void cli_label(const char *name, const char *unit, char text[CLI_LABEL_SIZE])
{
    const char *open = *unit ? " (" : "", *close = *unit ? ")" : "";
    snprintf(text, CLI_LABEL_SIZE, "%.400s%s%.80s%s", name, open, unit, close);
}

void cli_input_name(const lf_model *model, int input, char text[CLI_LABEL_SIZE])
{
    lf_input_info info = lf_model_input(model, input);
    if (*info.name) {
        snprintf(text, CLI_LABEL_SIZE, "%.400s", info.name);
    } else if (lf_model_input_dim(model) > 1) {
        snprintf(text, CLI_LABEL_SIZE, "x%d", input + 1);
    } else {
        snprintf(text, CLI_LABEL_SIZE, "x");
    }
}

void cli_input_label(const lf_model *model, int input, char text[CLI_LABEL_SIZE])
{
    lf_input_info info = lf_model_input(model, input);
    char name[CLI_LABEL_SIZE];
    cli_input_name(model, input, name);
    cli_label(name, info.dated ? "" : info.unit, text);
}
