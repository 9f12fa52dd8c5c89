/* Scale analysis by damped Gauss-Newton steps on the logarithms of the constants. */
#include "start/scale_analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"

enum { STEPS = 20, MOST_TERMS = 1000000 };
#define H 1e-4 /* step of differences, of logarithms */

/* A coefficient of the system, in units in which it should be about 1. Where open constants are part of it, each of its terms should be:
 * the derivative by the logarithm of a constant is the size of the terms that it is a factor of. */
typedef struct term {
    int entry;
    int constant; /* among the unknowns; -1: the coefficient as a whole */
    double weight;
} term;

typedef struct analysis {
    const lf_equations *equations;
    const lf_sizes *sizes;
    const double *constants; /* (parameters) */
    lf_system_matrices matrices;
    double *state; /* (n) sizes of the states */
    double *rate;  /* (n) sizes of their derivatives; NaN: the row of A only defines a derivative */
    size_t entries;
    double *entry, *shifted; /* (entries) coefficients, and the same for a constant that is larger by the step */
    size_t unknowns, constants_open; /* numbers to be found; the first ones are constants */
    double **unknown;                /* (unknowns) */
    size_t count;
    term *terms;       /* (count) */
    double *r, *moved; /* (count) residuals: logarithms of terms */
    double *J;         /* (count + unknowns, unknowns), column-major */
    double *step;      /* (count + unknowns) */
} analysis;

static void size_states(analysis *a)
{
    for (int v = 0; v < a->equations->variable_count; v++) {
        const lf_eq_variable *variable = &a->equations->variables[v];
        for (int k = 0; k < variable->order; k++) {
            int i = variable->first_state + k;
            a->state[i] = a->sizes->variable[v] * pow(a->sizes->time, -k);
            a->rate[i] = k + 1 < variable->order ? NAN : a->state[i] / a->sizes->time;
        }
    }
}

/* The coefficients (entries) at the current constants; 0 for those that do not count. */
static lf_status coefficients(lf_context *ctx, analysis *a, double *e)
{
    lf_system_matrices *m = &a->matrices;
    const lf_sizes *s = a->sizes;
    lf_status status = lf_equations_evaluate(ctx, a->equations, a->constants, m);
    size_states(a);
    for (int i = 0; !status && i < m->n; i++) {
        double rate = a->rate[i];
        for (int j = 0; j < m->n; j++) {
            *e++ = isnan(rate) ? 0 : m->A[i * m->n + j] * a->state[j] / rate;
        }
        for (int k = 0; k < m->inputs; k++) {
            double factor = a->equations->inputs[k].hold == LF_HOLD_IMPULSE ? s->time : 1;
            *e++ = isnan(rate) ? 0 : m->B[i * m->inputs + k] * s->input[k] / rate / factor;
        }
        for (int f = 0; f < m->forces; f++) {
            int known = !a->equations->forces[f].white && !isnan(s->amplitude[f]);
            *e++ = isnan(rate) || !known ? 0 : m->L[i * m->forces + f] * s->amplitude[f] / rate;
        }
    }
    for (int d = 0; !status && d < m->outputs; d++) {
        for (int j = 0; j < m->n; j++) {
            *e++ = m->C[d * m->n + j] * a->state[j] / s->output[d];
        }
        for (int k = 0; k < m->inputs; k++) {
            *e++ = m->D[d * m->inputs + k] * s->input[k] / s->output[d];
        }
    }
    return status;
}

/* The coefficients where unknown k is larger by the step. */
static lf_status shift(lf_context *ctx, analysis *a, size_t k)
{
    double *value = a->unknown[k], kept = *value;
    *value = kept * exp(H);
    lf_status status = coefficients(ctx, a, a->shifted);
    *value = kept;
    return status;
}

/* Lists the terms, at the first values of the unknowns, where none is far smaller than the others. What rounding leaves is no term. */
static lf_status find_terms(lf_context *ctx, analysis *a)
{
    size_t constants = a->entries * a->constants_open <= MOST_TERMS ? a->constants_open : 0,
           *parts = calloc(a->entries + 1, sizeof *parts);
    a->terms = calloc(a->entries * (constants + 1) + 1, sizeof *a->terms);
    lf_status status = parts && a->terms ? coefficients(ctx, a, a->entry) : lf_no_memory(ctx);
    for (size_t k = 0; !status && k < constants; k++) {
        status = shift(ctx, a, k);
        for (size_t i = 0; !status && i < a->entries; i++) {
            if (fabs(a->shifted[i] - a->entry[i]) > 1e-12 * fabs(a->entry[i])) {
                a->terms[a->count++] = (term){.entry = (int)i, .constant = (int)k};
                parts[i]++;
            }
        }
    }
    for (size_t i = 0; !status && i < a->entries; i++) {
        if (parts[i] == 0 && a->entry[i] != 0) {
            a->terms[a->count++] = (term){.entry = (int)i, .constant = -1};
            parts[i]++;
        }
    }
    for (size_t t = 0; !status && t < a->count; t++) {
        a->terms[t].weight = 1 / sqrt((double)parts[a->terms[t].entry]);
    }
    free(parts);
    return status;
}

/* The residuals (count) at the current constants. Terms are in the order of their constants, coefficients as a whole come last. */
static lf_status residuals(lf_context *ctx, analysis *a, double *r)
{
    int shifted = -1;
    lf_status status = coefficients(ctx, a, a->entry);
    for (size_t t = 0; !status && t < a->count; t++) {
        int k = a->terms[t].constant, i = a->terms[t].entry;
        if (k >= 0 && k != shifted) {
            status = shift(ctx, a, (size_t)k);
            shifted = k;
        }
        double size = fabs(k < 0 ? a->entry[i] : (a->shifted[i] - a->entry[i]) / H);
        r[t] = size > 0 && isfinite(size) ? a->terms[t].weight * log(size) : 0;
    }
    return status;
}

/* One step; a weak pull towards no change decides what the residuals leave open. */
static lf_status improve(lf_context *ctx, analysis *a, double *length)
{
    const double pull = 1e-2;
    size_t rows = a->count + a->unknowns;
    lf_status status = residuals(ctx, a, a->r);
    memset(a->J, 0, rows * a->unknowns * sizeof *a->J);
    for (size_t k = 0; !status && k < a->unknowns; k++) {
        double *value = a->unknown[k], kept = *value;
        *value = kept * exp(H);
        status = residuals(ctx, a, a->moved);
        *value = kept;
        for (size_t i = 0; i < a->count; i++) {
            a->J[k * rows + i] = (a->moved[i] - a->r[i]) / H;
        }
        a->J[k * rows + a->count + k] = pull;
    }
    for (size_t i = 0; !status && i < rows; i++) {
        a->step[i] = i < a->count ? -a->r[i] : 0;
    }
    if (!status && a->unknowns && lf_least_squares(rows, a->unknowns, a->J, a->step) != 0) {
        return lf_no_memory(ctx);
    }
    *length = 0;
    for (size_t k = 0; !status && k < a->unknowns; k++) {
        double step = fmin(fmax(a->step[k], -5), 5);
        *length = fmax(*length, fabs(step));
        *a->unknown[k] *= exp(step);
    }
    return status;
}

/* Where the numbers to be found stand; they start from 1, sizes of variables from that of the outputs. */
static void find_unknowns(analysis *a, lf_sizes *sizes, double *constants)
{
    const lf_equations *equations = a->equations;
    double typical = 0;
    for (int i = 0; i < equations->parameter_count; i++) {
        if (isnan(constants[i])) {
            constants[i] = equations->parameters[i].positive ? 1 : 0;
            if (equations->parameters[i].positive) {
                a->unknown[a->unknowns++] = &constants[i];
            }
        }
    }
    a->constants_open = a->unknowns;
    for (int d = 0; d < equations->output_count; d++) {
        typical += log(sizes->output[d]) / equations->output_count;
    }
    for (int v = 0; v < equations->variable_count; v++) {
        if (isnan(sizes->variable[v])) {
            sizes->variable[v] = exp(typical);
            a->unknown[a->unknowns++] = &sizes->variable[v];
        }
    }
}

static void clear(analysis *a)
{
    lf_system_matrices_clear(&a->matrices);
    free(a->state);
    free(a->rate);
    free(a->unknown);
    free(a->entry);
    free(a->shifted);
    free(a->terms);
    free(a->r);
    free(a->moved);
    free(a->J);
    free(a->step);
}

lf_status lf_scale_analysis(lf_context *ctx, const lf_equations *equations, lf_sizes *sizes, double *constants)
{
    size_t most = (size_t)(equations->parameter_count + equations->variable_count);
    analysis a = {.equations = equations, .sizes = sizes, .constants = constants};
    const lf_system_matrices *m = &a.matrices;
    a.unknown = calloc(most + 1, sizeof *a.unknown);
    lf_status status = a.unknown ? lf_system_matrices_create(ctx, equations, &a.matrices) : lf_no_memory(ctx);
    if (!status) {
        find_unknowns(&a, sizes, constants);
        a.entries = (size_t)(m->n * (m->n + m->inputs + m->forces) + m->outputs * (m->n + m->inputs));
        a.state = lf_doubles((size_t)m->n, 1);
        a.rate = lf_doubles((size_t)m->n, 1);
        a.entry = lf_doubles(a.entries, 1);
        a.shifted = lf_doubles(a.entries, 1);
        status = a.state && a.rate && a.entry && a.shifted ? find_terms(ctx, &a) : lf_no_memory(ctx);
    }
    if (!status) {
        a.r = lf_doubles(a.count, 1);
        a.moved = lf_doubles(a.count, 1);
        a.J = lf_doubles(a.count + a.unknowns, a.unknowns);
        a.step = lf_doubles(a.count + a.unknowns, 1);
        status = a.r && a.moved && a.J && a.step ? LF_OK : lf_no_memory(ctx);
    }
    double length = a.unknowns ? INFINITY : 0;
    for (int i = 0; !status && i < STEPS && length > 1e-3; i++) {
        status = improve(ctx, &a, &length);
    }
    clear(&a);
    return status;
}
