/* Factors of kernel formulas: numbers with units of time, names, arguments. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/utf8.h"
#include "model/kernel_parser.h"

enum { WORD = 32 };

lf_status lf_kernel_fail(const lf_kernel_parser *p, const char *format, ...)
{
    char problem[400];
    va_list arguments;
    va_start(arguments, format);
    lf_print_list(problem, sizeof problem, format, arguments);
    va_end(arguments);
    return lf_fail(p->ctx, LF_ERROR_ARGUMENT, "kernel '%.*s': %s", LF_CUT(200, p->formula), problem);
}

static void skip_space(lf_kernel_parser *p)
{
    while (isspace((unsigned char)*p->at)) {
        p->at++;
    }
}

int lf_kernel_accept(lf_kernel_parser *p, char c)
{
    skip_space(p);
    if (*p->at != c) {
        return 0;
    }
    p->at++;
    return 1;
}

lf_status lf_kernel_expect(lf_kernel_parser *p, char c)
{
    return lf_kernel_accept(p, c) ? LF_OK
           : *p->at               ? lf_kernel_fail(p, "expected '%c' at '%.*s'", c, LF_CUT(40, p->at))
                                  : lf_kernel_fail(p, "it ends where '%c' is expected", c);
}

/* The word at the place, empty if there is none. */
static void read_word(lf_kernel_parser *p, char word[WORD])
{
    size_t n = 0;
    skip_space(p);
    while (n < WORD - 1 &&
           (isalpha((unsigned char)p->at[n]) || p->at[n] == '_' || (n && isdigit((unsigned char)p->at[n])))) {
        word[n] = p->at[n];
        n++;
    }
    word[n] = '\0';
    p->at += n;
}

/* ---- numbers ---- */

/* The number of characters that a decimal number at the place has; 0: there is none. */
static size_t number_length(const char *text)
{
    size_t n = strspn(text, "0123456789."), exponent = n;
    if (n && (text[n] == 'e' || text[n] == 'E')) {
        exponent += text[n + 1] == '+' || text[n + 1] == '-' ? 2 : 1;
        size_t digits = strspn(text + exponent, "0123456789");
        n = digits ? exponent + digits : n;
    }
    return n;
}

/* A number greater than 0, for `what`. */
static lf_status read_number(lf_kernel_parser *p, const char *what, double *value)
{
    char digits[64];
    skip_space(p);
    size_t length = number_length(p->at);
    snprintf(digits, sizeof digits, "%.*s", length < sizeof digits ? (int)length : 0, p->at);
    double number = 0;
    if (!lf_parse_number(digits, strlen(digits), &number)) {
        return *p->at ? lf_kernel_fail(p, "expected a number for %s at '%.*s'", what, LF_CUT(40, p->at))
                      : lf_kernel_fail(p, "it ends where a number for %s is expected", what);
    }
    if (!(number > 0)) {
        return lf_kernel_fail(p, "%s must be > 0, found %g", what, number);
    }
    if (!isnan(*value)) {
        return lf_kernel_fail(p, "%s is given twice", what);
    }
    *value = number;
    p->at += length;
    return LF_OK;
}

/* The same with a unit of time, or without one in the unit of files. */
static lf_status read_span(lf_kernel_parser *p, const char *what, double *value)
{
    char word[WORD];
    lf_status status = read_number(p, what, value);
    if (status) {
        return status;
    }
    read_word(p, word);
    if (!*word) {
        *value *= p->axis ? lf_axis_factor(p->axis) : 1;
        return LF_OK;
    }
    const char *unit = lf_time_unit(word);
    double inside = p->axis ? lf_unit_seconds(p->axis->unit) : 0;
    if (!unit) {
        return lf_kernel_fail(p, "'%s' is no unit of time; ms, s, min, h, d and a (years) are", word);
    }
    if (!p->axis) {
        return lf_kernel_fail(p, "%s has the unit %s; in a file it is a number in the unit of the input", what, word);
    }
    if (inside == 0) {
        return lf_kernel_fail(p,
                              "%s has the unit %s, but the unit of time of the data is not known; give a plain number "
                              "in the unit of the data, or --time-in UNIT",
                              what, word);
    }
    *value *= lf_unit_seconds(unit) / inside;
    return LF_OK;
}

/* ---- terms ---- */

static const lf_force_term open_term = {.harmonics = LF_DEFAULT_HARMONICS,
                                        .lengthscale = (double)NAN,
                                        .period = (double)NAN,
                                        .period_lengthscale = (double)NAN,
                                        .weight = 1};

lf_status lf_kernel_read_weight(lf_kernel_parser *p, lf_force_term *term)
{
    *term = open_term;
    term->weight = (double)NAN;
    return read_number(p, "a weight", &term->weight);
}

static lf_status name_term(const lf_kernel_parser *p, const char *name, lf_force_term *term)
{
    static const char *const names[] = {"eq",     "matern12", "matern32",      "matern52", "constant",
                                        "linear", "periodic", "quasiperiodic", "cosine",   "white"};
    *term = open_term;
    term->envelope = strcmp(name, "linear") == 0  ? &lf_force_kernel_linear
                     : strcmp(name, "white") == 0 ? &lf_force_kernel_white
                                                  : lf_force_kernel_find(name);
    if (strcmp(name, "quasiperiodic") == 0) {
        term->envelope = &lf_force_kernel_matern32;
        term->modulation = LF_MODULATION_PERIODIC;
    } else if (strcmp(name, "periodic") == 0) {
        term->modulation = LF_MODULATION_PERIODIC;
    } else if (strcmp(name, "cosine") == 0) {
        term->modulation = LF_MODULATION_COSINE;
    } else if (!term->envelope && strcmp(name, "constant") != 0) {
        const char *meant = *name ? lf_nearest(name, names, sizeof names / sizeof *names) : NULL;
        return meant    ? lf_kernel_fail(p, "there is no kernel '%s'; did you mean '%s'?", name, meant)
               : *name  ? lf_kernel_fail(p, "there is no kernel '%s'; " LF_SUPPORTED_KERNELS, name)
               : *p->at ? lf_kernel_fail(p, "expected the name of a kernel at '%.*s'; " LF_SUPPORTED_KERNELS,
                                         LF_CUT(40, p->at))
                        : lf_kernel_fail(p, "it ends where the name of a kernel is expected; " LF_SUPPORTED_KERNELS);
    }
    return LF_OK;
}

static lf_status read_harmonics(lf_kernel_parser *p, lf_force_term *term)
{
    double number = (double)NAN;
    lf_status status = read_number(p, "harmonics", &number);
    if (!status && !(number <= LF_MAX_HARMONICS && number == floor(number))) {
        status = lf_kernel_fail(p, "harmonics must be a whole number from 1 to %d, found %g", LF_MAX_HARMONICS, number);
    }
    term->harmonics = status ? 1 : (int)number;
    return status;
}

/* One argument; *first: none without a name was read yet. */
static lf_status read_argument(lf_kernel_parser *p, const char *name, int *first, lf_force_term *term)
{
    const char *start = (skip_space(p), p->at);
    char word[WORD];
    int modulated = term->modulation != LF_MODULATION_NONE, periodic = term->modulation == LF_MODULATION_PERIODIC;
    int scaled = term->envelope && term->envelope != &lf_force_kernel_white;
    read_word(p, word);
    if (*word && !lf_kernel_accept(p, '=')) {
        const lf_force_kernel *envelope = lf_force_kernel_find(word);
        if (strcmp(name, "quasiperiodic") == 0 && envelope) {
            term->envelope = envelope;
            return LF_OK;
        }
        return lf_kernel_fail(p, "'%s' cannot be an argument of %s", word, name);
    }
    int bare = !*word && *first && (modulated || scaled);
    *first = *first && !bare;
    if (modulated && (bare || strcmp(word, "period") == 0)) {
        return read_span(p, "the period", &term->period);
    }
    if (scaled && (bare || strcmp(word, "lengthscale") == 0)) {
        return read_span(p, "the lengthscale", &term->lengthscale);
    }
    if (periodic && strcmp(word, "period_lengthscale") == 0) {
        return read_number(p, "the period_lengthscale", &term->period_lengthscale);
    }
    if (periodic && strcmp(word, "harmonics") == 0) {
        return read_harmonics(p, term);
    }
    return lf_kernel_fail(p, "%s has no argument '%.*s'; it can have%s%s%s", name, LF_CUT(40, *word ? word : start),
                          modulated ? " period=" : "", scaled ? " lengthscale=" : "",
                          periodic              ? " period_lengthscale= harmonics="
                          : modulated || scaled ? ""
                                                : " none");
}

lf_status lf_kernel_read_name(lf_kernel_parser *p, lf_force_term *term)
{
    char name[WORD];
    int first = 1;
    read_word(p, name);
    lf_status status = name_term(p, name, term);
    if (status || !lf_kernel_accept(p, '(') || lf_kernel_accept(p, ')')) {
        return status;
    }
    do {
        status = read_argument(p, name, &first, term);
    } while (!status && lf_kernel_accept(p, ','));
    return status ? status : lf_kernel_expect(p, ')');
}
