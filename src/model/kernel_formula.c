/* A recursive-descent parser of kernel formulas. A product of sums is multiplied out while it is read. */
#include "model/kernel_formula.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/number.h"
#include "base/utf8.h"
#include "model/kernel_parser.h"

enum { MAX_NESTING = 20, TERM_TEXT = 64 };

typedef struct sum {
    int count;
    lf_force_term terms[LF_MAX_TERMS];
} sum;

/* ---- writing ---- */

static int write_term(const lf_force_term *term, char text[TERM_TEXT])
{
    char modulation[TERM_TEXT / 2] = "";
    if (term->modulation == LF_MODULATION_COSINE) {
        snprintf(modulation, sizeof modulation, "cosine");
    } else if (term->modulation == LF_MODULATION_PERIODIC && term->harmonics == LF_DEFAULT_HARMONICS) {
        snprintf(modulation, sizeof modulation, "periodic");
    } else if (term->modulation == LF_MODULATION_PERIODIC) {
        snprintf(modulation, sizeof modulation, "periodic(harmonics=%d)", term->harmonics);
    }
    const char *envelope = term->envelope ? term->envelope->name : *modulation ? "" : "constant";
    return snprintf(text, TERM_TEXT, "%s%s%.16s", modulation, *modulation && *envelope ? "*" : "", envelope);
}

char *lf_kernel_formula(int count, const lf_force_term *terms)
{
    char *text = calloc((size_t)count + 1, TERM_TEXT + 3);
    size_t used = 0;
    for (int i = 0; text && i < count; i++) {
        used += (size_t)sprintf(text + used, "%s", i ? " + " : "");
        used += (size_t)write_term(&terms[i], text + used);
    }
    return text;
}

/* ---- products ---- */

static int is_special(const lf_force_term *term)
{
    return term->envelope == &lf_force_kernel_linear || term->envelope == &lf_force_kernel_white;
}

static int is_constant(const lf_force_term *term) { return !term->envelope && term->modulation == LF_MODULATION_NONE; }

static lf_status multiply_terms(const lf_kernel_parser *p, const lf_force_term *a, const lf_force_term *b,
                                lf_force_term *product)
{
    double weight = a->weight * b->weight;
    if (!(weight > 0) || !isfinite(weight)) {
        return lf_kernel_fail(p, "the product of weights %g and %g is out of range", a->weight, b->weight);
    }
    if (is_constant(a) || is_constant(b)) {
        *product = is_constant(a) ? *b : *a;
        product->weight = weight;
        return LF_OK;
    }
    if ((a->envelope && b->envelope) || (a->modulation && b->modulation) || is_special(a) || is_special(b)) {
        char left[TERM_TEXT], right[TERM_TEXT];
        write_term(a, left);
        write_term(b, right);
        return lf_kernel_fail(p, "%s times %s is not supported; " LF_SUPPORTED_KERNELS, left, right);
    }
    const lf_force_term *modulated = a->modulation ? a : b, *envelope = a->modulation ? b : a;
    *product = *modulated;
    product->envelope = envelope->envelope;
    product->lengthscale = envelope->lengthscale;
    product->weight = weight;
    return LF_OK;
}

static lf_status multiply(const lf_kernel_parser *p, const sum *a, const sum *b, sum *product)
{
    lf_status status = LF_OK;
    if (a->count * b->count > LF_MAX_TERMS) {
        return lf_kernel_fail(p, "more than %d terms", LF_MAX_TERMS);
    }
    product->count = 0;
    for (int i = 0; !status && i < a->count; i++) {
        for (int j = 0; !status && j < b->count; j++) {
            status = multiply_terms(p, &a->terms[i], &b->terms[j], &product->terms[product->count++]);
        }
    }
    return status;
}

/* ---- reading ---- */

static lf_status read_sum(lf_kernel_parser *p, sum *result);

static lf_status read_factor(lf_kernel_parser *p, sum *result)
{
    int nested = lf_kernel_accept(p, '(');
    if (!nested) {
        result->count = 1;
        return isdigit((unsigned char)*p->at) || *p->at == '.' ? lf_kernel_read_weight(p, result->terms)
                                                               : lf_kernel_read_name(p, result->terms);
    }
    if (++p->depth > MAX_NESTING) {
        return lf_kernel_fail(p, "parentheses are nested deeper than %d levels", MAX_NESTING);
    }
    lf_status status = read_sum(p, result);
    p->depth--;
    return status ? status : lf_kernel_expect(p, ')');
}

static lf_status read_product(lf_kernel_parser *p, sum *result)
{
    sum factor, product;
    lf_status status = read_factor(p, result);
    while (!status && lf_kernel_accept(p, '*')) {
        status = read_factor(p, &factor);
        LF_TRY(status, multiply(p, result, &factor, &product));
        *result = status ? *result : product;
    }
    return status;
}

static lf_status read_sum(lf_kernel_parser *p, sum *result)
{
    sum product;
    lf_status status = read_product(p, result);
    while (!status && lf_kernel_accept(p, '+')) {
        status = read_product(p, &product);
        if (!status && result->count + product.count > LF_MAX_TERMS) {
            status = lf_kernel_fail(p, "more than %d terms", LF_MAX_TERMS);
        }
        for (int i = 0; !status && i < product.count; i++) {
            result->terms[result->count++] = product.terms[i];
        }
    }
    return status;
}

static lf_status read_formula(lf_kernel_parser *p, sum *result)
{
    lf_status status = read_sum(p, result);
    if (!status && !lf_kernel_accept(p, '\0')) {
        status = lf_kernel_fail(p, "expected '+', '*' or the end at '%.*s'", LF_CUT(40, p->at));
    }
    for (int i = 0; !status && result->count > 1 && i < result->count; i++) {
        if (result->terms[i].envelope == &lf_force_kernel_white) {
            status = lf_kernel_fail(p, "a white force has no variance to share with other terms; give it to a force of "
                                       "its own, or as private kernel");
        }
    }
    for (int i = 0; !status && p->axis && i < result->count; i++) {
        if (result->terms[i].modulation && isnan(result->terms[i].period)) {
            status = lf_kernel_fail(p, "a period is missing; give it in brackets, as in periodic(24h) or "
                                       "quasiperiodic(7d)");
        }
    }
    return status;
}

lf_status lf_kernel_check(lf_context *ctx, const char *formula)
{
    static char unit[] = "s"; /* any unit of time: it is not known before the data are read */
    static const lf_axis axis = {.unit = unit};
    lf_force_term terms[LF_MAX_TERMS];
    int count;
    return lf_kernel_parse(ctx, formula, &axis, &count, terms);
}

lf_status lf_kernel_parse(lf_context *ctx, const char *formula, const lf_axis *axis, int *count,
                          lf_force_term terms[LF_MAX_TERMS])
{
    lf_kernel_parser p = {.ctx = ctx, .formula = formula, .axis = axis, .at = formula};
    sum result = {0};
    lf_c_locale locale;
    if (!lf_c_locale_enter(&locale)) {
        return lf_no_memory(ctx);
    }
    lf_status status = read_formula(&p, &result);
    lf_c_locale_leave(&locale);
    *count = status ? 0 : result.count;
    memcpy(terms, result.terms, sizeof result.terms);
    return status;
}
