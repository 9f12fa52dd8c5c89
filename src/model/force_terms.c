/* Terms of composed forces, their parameters and their atoms. The weights of harmonics come from the ratios
 * r_h = I_h(x) / I_{h-1}(x) = 1 / (2 h / x + r_{h+1}), a recurrence downwards that neither cancels nor overflows. */
#include "model/force_terms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "model/kernel_formula.h"
#include "model/model.h"

const lf_force_kernel lf_force_kernel_linear = {.name = "linear"}, lf_force_kernel_white = {.name = "white"};

int lf_force_is_composed(const lf_force *force) { return force->term_count > 0; }

int lf_force_has_envelope(const lf_force *force, const lf_force_kernel *envelope)
{
    int has = force->term_count == 0 && force->kernel == envelope;
    for (int i = 0; i < force->term_count; i++) {
        has = has || force->terms[i].envelope == envelope;
    }
    return has;
}

int lf_force_has_spectrum(const lf_force *force)
{
    return !lf_force_has_envelope(force, &lf_force_kernel_linear) &&
           !lf_force_has_envelope(force, &lf_force_kernel_white);
}

int lf_term_is_plain(const lf_force_term *term)
{
    return term->envelope && term->envelope->covariance && term->modulation == LF_MODULATION_NONE;
}

lf_status lf_force_compose(lf_context *ctx, lf_force *force, int count, const lf_force_term *terms)
{
    lf_force_term *copy = calloc((size_t)count, sizeof *copy);
    char *formula = lf_kernel_formula(count, terms);
    if (!copy || !formula) {
        free(copy);
        free(formula);
        return lf_no_memory(ctx);
    }
    memcpy(copy, terms, (size_t)count * sizeof *copy);
    free(force->terms);
    free(force->formula);
    free(force->lengthscale);
    force->lengthscale = NULL;
    force->lengthscale_count = 0;
    force->kernel = NULL;
    force->terms = copy;
    force->term_count = count;
    force->formula = formula;
    return LF_OK;
}

/* ---- parameters ---- */

/* The parameters of a term in their order; those it does not have are left out. */
static int list_parameters(lf_force_term *term, int index, int count, lf_force_parameter *list)
{
    int n = 0, named = count > 1 ? index : -1;
    if (term->envelope && term->envelope != &lf_force_kernel_white) {
        list[n++] = (lf_force_parameter){&term->lengthscale, "lengthscale", named, -1, 0};
    }
    if (term->modulation != LF_MODULATION_NONE) {
        list[n++] = (lf_force_parameter){&term->period, "period", named, -1, 1};
    }
    if (term->modulation == LF_MODULATION_PERIODIC) {
        list[n++] = (lf_force_parameter){&term->period_lengthscale, "period_lengthscale", named, -1, 0};
    }
    if (count > 1) {
        list[n++] = (lf_force_parameter){&term->weight, "weight", named, -1, index == 0};
    }
    return n;
}

enum { MOST_OF_TERM = 4 };

int lf_force_parameter_count(const lf_force *force)
{
    lf_force_parameter list[MOST_OF_TERM];
    int count = force->lengthscale_count;
    for (int i = 0; i < force->term_count; i++) {
        count += list_parameters(&force->terms[i], i, force->term_count, list);
    }
    return count;
}

lf_force_parameter lf_force_parameter_at(const lf_force *force, int i)
{
    lf_force_parameter list[MOST_OF_TERM];
    int first = 0;
    if (i < force->lengthscale_count) {
        int number = force->lengthscale_count > 1 ? i + 1 : -1;
        return (lf_force_parameter){&force->lengthscale[i], "lengthscale", -1, number, 0};
    }
    for (int k = 0; k < force->term_count; k++) {
        int count = list_parameters(&force->terms[k], k, force->term_count, list);
        if (i < first + count) {
            return list[i - first];
        }
        first += count;
    }
    return (lf_force_parameter){0};
}

/* ---- atoms ---- */

/* share (H + 1): w_h of a periodic term, and unless NULL slope (H + 1), their derivatives by p. */
static void harmonic_shares(const lf_force_term *term, double *share, double *slope)
{
    int H = term->harmonics, N = H + 20 + (int)fmin(9 / term->period_lengthscale, 1e6);
    double p = term->period_lengthscale, x = 1 / (p * p), ratio = 0, sum = 0, mean = 0;
    double ratios[LF_MAX_HARMONICS + 2];
    for (int h = N; h >= 1; h--) {
        ratio = 1 / (2 * h / x + ratio);
        if (h <= H + 1) {
            ratios[h] = ratio;
        }
    }
    double bessel = 1; /* I_h / I_0 */
    for (int h = 0; h <= H; h++) {
        bessel *= h ? ratios[h] : 1;
        share[h] = (h ? 2 : 1) * bessel;
        sum += share[h];
    }
    for (int h = 0; h <= H; h++) {
        share[h] /= sum;
        mean += share[h] * (ratios[h + 1] + h / x); /* d log I_h / dx = r_{h+1} + h / x */
    }
    for (int h = 0; slope && h <= H; h++) {
        slope[h] = share[h] * (ratios[h + 1] + h / x - mean) * -2 / (p * p * p);
    }
}

static int term_atoms(const lf_force_term *term)
{
    return term->modulation == LF_MODULATION_PERIODIC ? term->harmonics + 1 : 1;
}

int lf_force_atom_count(const lf_force *force)
{
    int count = force->term_count ? 0 : 1;
    for (int i = 0; i < force->term_count; i++) {
        count += term_atoms(&force->terms[i]);
    }
    return count;
}

static double total_weight(const lf_force *force)
{
    double sum = 0;
    for (int i = 0; i < force->term_count; i++) {
        sum += force->terms[i].weight;
    }
    return sum;
}

/* Which harmonic of its term atom k is. */
static int harmonic_of(const lf_force_term *term, int k) { return term->modulation == LF_MODULATION_COSINE ? 1 : k; }

void lf_force_atoms(const lf_force *force, lf_atom *atoms)
{
    double sum = total_weight(force), share[LF_MAX_HARMONICS + 1];
    if (force->term_count == 0) {
        *atoms = (lf_atom){force->kernel, force->lengthscale[0], 0, 1};
        return;
    }
    for (int i = 0; i < force->term_count; i++) {
        const lf_force_term *term = &force->terms[i];
        int has_lengthscale = term->envelope && term->envelope != &lf_force_kernel_white;
        if (term->modulation == LF_MODULATION_PERIODIC) {
            harmonic_shares(term, share, NULL);
        }
        for (int k = 0; k < term_atoms(term); k++) {
            *atoms++ = (lf_atom){
                .envelope = term->envelope,
                .lengthscale = has_lengthscale ? term->lengthscale : 1,
                .frequency = term->modulation ? 2 * LF_PI * harmonic_of(term, k) / term->period : 0,
                .variance = term->weight / sum * (term->modulation == LF_MODULATION_PERIODIC ? share[k] : 1),
            };
        }
    }
}

void lf_force_atoms_backward(const lf_force *force, const double *by_lengthscale, const double *by_frequency,
                             const double *by_variance, double *gradient)
{
    double sum = total_weight(force), mean = 0, by_share[LF_MAX_TERMS] = {0};
    double share[LF_MAX_HARMONICS + 1], slope[LF_MAX_HARMONICS + 1];
    int atom = 0, at = 0;
    if (force->term_count == 0) {
        gradient[0] += by_lengthscale ? by_lengthscale[0] : 0;
        return;
    }
    for (int i = 0; i < force->term_count; i++) {
        const lf_force_term *term = &force->terms[i];
        double lengthscale = 0, period = 0, period_lengthscale = 0, part = term->weight / sum;
        if (term->modulation == LF_MODULATION_PERIODIC) {
            harmonic_shares(term, share, slope);
        }
        for (int k = 0; k < term_atoms(term); k++, atom++) {
            int periodic = term->modulation == LF_MODULATION_PERIODIC;
            double by_v = by_variance ? by_variance[atom] : 0;
            lengthscale += by_lengthscale ? by_lengthscale[atom] : 0;
            period -= by_frequency && term->modulation
                          ? by_frequency[atom] * 2 * LF_PI * harmonic_of(term, k) / (term->period * term->period)
                          : 0;
            period_lengthscale += periodic ? by_v * part * slope[k] : 0;
            by_share[i] += by_v * (periodic ? share[k] : 1);
        }
        mean += by_share[i] * part;
        lf_force_parameter list[MOST_OF_TERM];
        int count = list_parameters((lf_force_term *)term, i, force->term_count, list);
        for (int n = 0; n < count; n++, at++) {
            gradient[at] += list[n].value == &term->lengthscale          ? lengthscale
                            : list[n].value == &term->period             ? period
                            : list[n].value == &term->period_lengthscale ? period_lengthscale
                                                                         : 0;
        }
    }
    for (int i = 0; i < at; i++) { /* a_i = weight_i / sum: the derivative by a weight involves all terms */
        lf_force_parameter parameter = lf_force_parameter_at(force, i);
        if (parameter.value == &force->terms[parameter.term < 0 ? 0 : parameter.term].weight) {
            gradient[i] += (by_share[parameter.term] - mean) / sum;
        }
    }
}

/* ---- covariance and density ---- */

static double atom_covariance(const lf_atom *atom, double t, double s)
{
    double r = fabs(t - s), l = atom->lengthscale;
    if (atom->envelope == &lf_force_kernel_white) {
        return r > 0 ? 0 : (double)INFINITY;
    }
    double envelope = !atom->envelope                             ? 1
                      : atom->envelope == &lf_force_kernel_linear ? t * s / (l * l)
                                                                  : atom->envelope->covariance(r / l);
    return atom->variance * envelope * cos(atom->frequency * r);
}

double lf_force_covariance(const lf_force *force, double t, double s)
{
    lf_atom atoms[LF_MAX_ATOMS];
    double sum = 0;
    lf_force_atoms(force, atoms);
    for (int i = 0; i < lf_force_atom_count(force); i++) {
        sum += atom_covariance(&atoms[i], t, s);
    }
    return sum;
}

double lf_atom_density(const lf_atom *atom, double lambda, double *by_lengthscale, double *by_frequency)
{
    const lf_force_kernel *e = atom->envelope;
    double l = atom->lengthscale, v = atom->variance, low = l * (lambda - atom->frequency),
           high = l * (lambda + atom->frequency);
    if (e == &lf_force_kernel_white) {
        if (by_lengthscale) {
            *by_lengthscale = 0;
        }
        if (by_frequency) {
            *by_frequency = 0;
        }
        return v / (2 * LF_PI);
    }
    double p = e->density(low), q = e->density(high);
    if (by_lengthscale) {
        *by_lengthscale = v / 2 * (p + q + low * e->density_slope(low) + high * e->density_slope(high));
    }
    if (by_frequency) {
        *by_frequency = v * l * l / 2 * (e->density_slope(high) - e->density_slope(low));
    }
    return v * l / 2 * (p + q);
}
