/* A recursive-descent parser of kernel formulas. A product of sums is multiplied out while it is read. */
#include "model/kernel_formula.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/context.h"
#include "base/number.h"

#define SUPPORTED                                                                                                      \
    "supported are sums of terms; a term is at most one of eq, matern12, matern32, matern52 times at most one of "     \
    "periodic, cosine (quasiperiodic is both), or constant, or linear; white stands alone"

enum { MAX_NESTING = 20 };

typedef struct sum {
    int count;
    lf_force_term terms[LF_MAX_TERMS];
} sum;

typedef struct parser {
    lf_context *ctx;
    const char *formula, *unit;
    const char *at;
    int depth;
} parser;

static lf_status fail(const parser *p, const char *format, ...)
{
    char problem[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    return lf_fail(p->ctx, LF_ERROR_ARGUMENT, "kernel '%.200s': %s", p->formula, problem);
}

static void skip_space(parser *p)
{
    while (isspace((unsigned char)*p->at)) {
        p->at++;
    }
}

/* Whether the next character is this one; it is passed over then. */
static int accept(parser *p, char c)
{
    skip_space(p);
    if (*p->at != c) {
        return 0;
    }
    p->at++;
    return 1;
}

static lf_status expect(parser *p, char c)
{
    return accept(p, c) ? LF_OK
           : *p->at     ? fail(p, "expected '%c' at '%.40s'", c, p->at)
                        : fail(p, "it ends where '%c' is expected", c);
}

/* The word at the place, empty if there is none. */
static void read_word(parser *p, char word[32])
{
    size_t n = 0;
    skip_space(p);
    while (n < 31 && (isalpha((unsigned char)p->at[n]) || p->at[n] == '_' || (n && isdigit((unsigned char)p->at[n])))) {
        word[n] = p->at[n];
        n++;
    }
    word[n] = '\0';
    p->at += n;
}

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

/* A number greater than 0, for `what`; with a unit of time where one is permitted. */
static lf_status read_number(parser *p, const char *what, int with_unit, double *value)
{
    char word[32];
    skip_space(p);
    size_t length = number_length(p->at);
    *value = 0;
    if (!lf_parse_number(p->at, length, value)) {
        return fail(p, "expected a number for %s at '%.40s'", what, p->at);
    }
    if (!(*value > 0)) {
        return fail(p, "%s must be > 0, found %g", what, *value);
    }
    p->at += length;
    if (!with_unit) {
        return LF_OK;
    }
    read_word(p, word);
    if (!*word) {
        return LF_OK;
    }
    const char *unit = lf_time_unit(word);
    if (!unit) {
        return fail(p, "'%s' is no unit of time; ms, s, min, h, d and a (years) are", word);
    }
    if (lf_unit_seconds(p->unit) == 0) {
        return fail(p, "%s has the unit %s, but the input has no unit of time; give a number in its unit", what, word);
    }
    *value *= lf_unit_seconds(unit) / lf_unit_seconds(p->unit);
    return LF_OK;
}

/* ---- terms ---- */

static const lf_force_term open_term = {.harmonics = LF_DEFAULT_HARMONICS,
                                        .lengthscale = (double)NAN,
                                        .period = (double)NAN,
                                        .period_lengthscale = (double)NAN,
                                        .weight = 1};

static const lf_force_kernel *find_envelope(const char *name)
{
    return strcmp(name, "linear") == 0  ? &lf_force_kernel_linear
           : strcmp(name, "white") == 0 ? &lf_force_kernel_white
                                        : lf_force_kernel_find(name);
}

static lf_status name_term(const parser *p, const char *name, lf_force_term *term)
{
    *term = open_term;
    term->envelope = find_envelope(name);
    if (strcmp(name, "quasiperiodic") == 0) {
        term->envelope = &lf_force_kernel_matern32;
        term->modulation = LF_MODULATION_PERIODIC;
    } else if (strcmp(name, "periodic") == 0) {
        term->modulation = LF_MODULATION_PERIODIC;
    } else if (strcmp(name, "cosine") == 0) {
        term->modulation = LF_MODULATION_COSINE;
    } else if (!term->envelope && strcmp(name, "constant") != 0) {
        return *name ? fail(p, "there is no kernel '%s'; " SUPPORTED, name)
                     : fail(p, "expected the name of a kernel at '%.40s'; " SUPPORTED, p->at);
    }
    return LF_OK;
}

static lf_status read_harmonics(parser *p, lf_force_term *term)
{
    double number;
    lf_status status = read_number(p, "harmonics", 0, &number);
    if (!status && !(number <= LF_MAX_HARMONICS && number == floor(number))) {
        status = fail(p, "harmonics must be a whole number from 1 to %d, found %g", LF_MAX_HARMONICS, number);
    }
    term->harmonics = status ? 1 : (int)number;
    return status;
}

/* One argument; `first`: it is the first without a name. */
static lf_status read_argument(parser *p, const char *name, int *first, lf_force_term *term)
{
    const char *start = (skip_space(p), p->at);
    char word[32];
    int modulated = term->modulation != LF_MODULATION_NONE, periodic = term->modulation == LF_MODULATION_PERIODIC;
    int scaled = term->envelope && term->envelope != &lf_force_kernel_white;
    read_word(p, word);
    if (*word && !accept(p, '=')) {
        const lf_force_kernel *envelope = lf_force_kernel_find(word);
        if (strcmp(name, "quasiperiodic") == 0 && envelope) {
            term->envelope = envelope;
            return LF_OK;
        }
        return fail(p, "'%s' cannot be an argument of %s", word, name);
    }
    if (!*word && *first && (modulated || scaled)) {
        *first = 0;
        return modulated ? read_number(p, "the period", 1, &term->period)
                         : read_number(p, "the lengthscale", 1, &term->lengthscale);
    }
    if (strcmp(word, "period") == 0 && modulated) {
        return read_number(p, "the period", 1, &term->period);
    }
    if (strcmp(word, "lengthscale") == 0 && scaled) {
        return read_number(p, "the lengthscale", 1, &term->lengthscale);
    }
    if (strcmp(word, "period_lengthscale") == 0 && periodic) {
        return read_number(p, "the period_lengthscale", 0, &term->period_lengthscale);
    }
    if (strcmp(word, "harmonics") == 0 && periodic) {
        return read_harmonics(p, term);
    }
    return fail(p, "%s has no argument '%.40s'; it can have%s%s%s", name, *word ? word : start,
                modulated ? " period=" : "", scaled ? " lengthscale=" : "",
                periodic              ? " period_lengthscale= harmonics="
                : modulated || scaled ? ""
                                      : " none");
}

static lf_status read_call(parser *p, sum *result)
{
    char name[32];
    int first = 1;
    read_word(p, name);
    result->count = 1;
    lf_status status = name_term(p, name, result->terms);
    if (status || !accept(p, '(') || accept(p, ')')) {
        return status;
    }
    do {
        status = read_argument(p, name, &first, result->terms);
    } while (!status && accept(p, ','));
    return status ? status : expect(p, ')');
}

static lf_status read_sum(parser *p, sum *result);

static lf_status read_factor(parser *p, sum *result)
{
    skip_space(p);
    if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        result->count = 1;
        result->terms[0] = open_term;
        return read_number(p, "a weight", 0, &result->terms[0].weight);
    }
    if (!accept(p, '(')) {
        return read_call(p, result);
    }
    if (++p->depth > MAX_NESTING) {
        return fail(p, "parentheses are nested deeper than %d levels", MAX_NESTING);
    }
    lf_status status = read_sum(p, result);
    p->depth--;
    return status ? status : expect(p, ')');
}

static int is_special(const lf_force_term *term)
{
    return term->envelope == &lf_force_kernel_linear || term->envelope == &lf_force_kernel_white;
}

static int is_constant(const lf_force_term *term) { return !term->envelope && term->modulation == LF_MODULATION_NONE; }

static lf_status multiply_terms(const parser *p, const lf_force_term *a, const lf_force_term *b, lf_force_term *product)
{
    double weight = a->weight * b->weight;
    if (is_constant(a) || is_constant(b)) {
        *product = is_constant(a) ? *b : *a;
        product->weight = weight;
        return LF_OK;
    }
    if ((a->envelope && b->envelope) || (a->modulation && b->modulation) || is_special(a) || is_special(b)) {
        return fail(p, "a product of %s and %s is not supported; " SUPPORTED,
                    a->envelope ? a->envelope->name : "a modulation", b->envelope ? b->envelope->name : "a modulation");
    }
    const lf_force_term *modulated = a->modulation ? a : b, *envelope = a->modulation ? b : a;
    *product = *modulated;
    product->envelope = envelope->envelope;
    product->lengthscale = envelope->lengthscale;
    product->weight = weight;
    return LF_OK;
}

static lf_status multiply(const parser *p, const sum *a, const sum *b, sum *product)
{
    lf_status status = LF_OK;
    if (a->count * b->count > LF_MAX_TERMS) {
        return fail(p, "more than %d terms", LF_MAX_TERMS);
    }
    product->count = 0;
    for (int i = 0; !status && i < a->count; i++) {
        for (int j = 0; !status && j < b->count; j++) {
            status = multiply_terms(p, &a->terms[i], &b->terms[j], &product->terms[product->count++]);
        }
    }
    return status;
}

static lf_status read_product(parser *p, sum *result)
{
    sum factor, product;
    lf_status status = read_factor(p, result);
    while (!status && accept(p, '*')) {
        status = read_factor(p, &factor);
        status = status ? status : multiply(p, result, &factor, &product);
        *result = status ? *result : product;
    }
    return status;
}

static lf_status read_sum(parser *p, sum *result)
{
    sum product;
    lf_status status = read_product(p, result);
    while (!status && accept(p, '+')) {
        status = read_product(p, &product);
        if (!status && result->count + product.count > LF_MAX_TERMS) {
            status = fail(p, "more than %d terms", LF_MAX_TERMS);
        }
        for (int i = 0; !status && i < product.count; i++) {
            result->terms[result->count++] = product.terms[i];
        }
    }
    return status;
}

lf_status lf_kernel_parse(lf_context *ctx, const char *formula, const char *unit, int *count,
                          lf_force_term terms[LF_MAX_TERMS])
{
    parser p = {.ctx = ctx, .formula = formula, .unit = unit, .at = formula};
    sum result = {0};
    lf_status status = read_sum(&p, &result);
    skip_space(&p);
    if (!status && *p.at) {
        status = fail(&p, "expected '+', '*' or the end at '%.40s'", p.at);
    }
    for (int i = 0; !status && result.count > 1 && i < result.count; i++) {
        if (result.terms[i].envelope == &lf_force_kernel_white) {
            status = fail(&p, "a white force has no variance to share with other terms; " SUPPORTED);
        }
    }
    *count = status ? 0 : result.count;
    memcpy(terms, result.terms, sizeof result.terms);
    return status;
}

int lf_kernel_is_plain(const char *formula) { return lf_force_kernel_find(formula) != NULL; }

/* ---- writing ---- */

static int write_term(const lf_force_term *term, size_t size, char *text)
{
    char modulation[48] = "";
    if (term->modulation == LF_MODULATION_COSINE) {
        snprintf(modulation, sizeof modulation, "cosine");
    } else if (term->modulation == LF_MODULATION_PERIODIC && term->harmonics == LF_DEFAULT_HARMONICS) {
        snprintf(modulation, sizeof modulation, "periodic");
    } else if (term->modulation == LF_MODULATION_PERIODIC) {
        snprintf(modulation, sizeof modulation, "periodic(harmonics=%d)", term->harmonics);
    }
    const char *envelope = term->envelope ? term->envelope->name : *modulation ? "" : "constant";
    return snprintf(text, size, "%s%s%s", modulation, *modulation && *envelope ? "*" : "", envelope);
}

char *lf_kernel_formula(int count, const lf_force_term *terms)
{
    enum { TERM = 64 };
    char *text = calloc((size_t)count + 1, TERM);
    size_t used = 0;
    for (int i = 0; text && i < count; i++) {
        used += (size_t)sprintf(text + used, "%s", i ? " + " : "");
        used += (size_t)write_term(&terms[i], TERM - 4, text + used);
    }
    return text;
}
