/* What the data leave open.
 *
 * The flat directions N (count, n) are brought to the form [I F] by elimination with the largest pivots: each belongs to one pivot
 * parameter, and F says by how much another parameter j changes with it. Then
 *
 *   theta_j - sum_p F_pj theta_p
 *
 * stays as it is, for every j that is no pivot. theta is a logarithm for positive parameters, so that this is a product of powers. It is
 * written where every F is a small integer or half of one. */
#include "inference/unidentifiable.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

#define PART 0.03  /* of the largest entry: less is no part of a direction */
#define ROUND 0.02 /* error of an entry that counts as a small integer or half of one */
enum { MOST = 6, ROOM = 2048 };

typedef struct elimination {
    const lf_flat_directions *flat;
    double *F;      /* (count, n) */
    size_t *pivot;  /* (count) the column of each row */
    char *is_pivot; /* (n) */
    char *takes;    /* (n) takes part in an flat direction */
} elimination;

static void subtract(double *row, const double *from, double factor, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        row[i] -= factor * from[i];
    }
}

/* Rows of N become [I F]; one that is 0 has no pivot. */
static void eliminate(elimination *e)
{
    size_t n = e->flat->n, rows = e->flat->count;
    for (size_t r = 0; r < rows; r++) {
        double *row = e->F + r * n, largest = 0;
        for (size_t p = 0; p < r; p++) {
            subtract(row, e->F + p * n, row[e->pivot[p]], n);
        }
        for (size_t i = 0; i < n; i++) {
            if (fabs(row[i]) > 1.1 * largest) { /* of equals the first: constants stand before amplitudes */
                largest = fabs(row[i]);
                e->pivot[r] = i;
            }
        }
        double at = row[e->pivot[r]];
        for (size_t i = 0; i < n && at != 0; i++) {
            row[i] /= at;
        }
        e->is_pivot[e->pivot[r]] |= at != 0;
        for (size_t p = 0; p < r; p++) {
            subtract(e->F + p * n, row, e->F[p * n + e->pivot[r]], n);
        }
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < n; i++) {
            double *entry = &e->F[r * n + i];
            *entry = fabs(*entry) < PART ? 0 : *entry;
            e->takes[i] = e->takes[i] || *entry != 0;
        }
    }
}

/* Whether every entry is half of a small integer, and all parameters are of the same kind; *logarithms: theta of each is one. */
static int is_simple(const elimination *e, const lf_model *model, int *logarithms)
{
    size_t n = e->flat->n;
    int simple = 1, logs = 0, others = 0;
    for (size_t i = 0; i < n; i++) {
        int log = model->parameters[e->flat->index[i]].transform == LF_TRANSFORM_LOG;
        logs += e->takes[i] && log;
        others += e->takes[i] && !log;
        for (size_t r = 0; r < e->flat->count; r++) {
            double twice = 2 * e->F[r * n + i];
            simple = simple && fabs(twice - round(twice)) < 2 * ROUND && fabs(twice) <= 2 * MOST;
        }
    }
    *logarithms = logs > 0;
    return simple && (logs == 0 || others == 0);
}

static void print(char *text, const char *format, ...) LF_PRINTF(2, 3);

static void print(char *text, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, ROOM - used, format, arguments);
    va_end(arguments);
}

/* One factor of a product, or term of a sum. */
static void print_part(char *text, const char *name, int power, int first, int logarithms)
{
    int size = abs(power);
    if (!logarithms) {
        print(text, first && power > 0 ? "" : power > 0 ? " + " : first ? "-" : " - ");
        print(text, size == 1 ? "%.0d%s" : "%d*%s", size == 1 ? 0 : size, name);
        return;
    }
    print(text, first ? (power > 0 ? "" : "1/") : power > 0 ? "*" : "/");
    print(text, "%s", name);
    if (size > 1) {
        print(text, "^%d", size);
    }
}

/* theta_j - sum_p F_pj theta_p as a product or a sum; those with a positive power first. */
static void print_combination(const elimination *e, const lf_model *model, size_t j, int logarithms, char *text)
{
    size_t n = e->flat->n;
    int factor = 1, first = 1;
    for (size_t r = 0; r < e->flat->count; r++) {
        double twice = round(2 * e->F[r * n + j]);
        factor = fmod(twice, 2) != 0 ? 2 : factor;
    }
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (size_t i = 0; i < n; i++) {
            double power = i == j;
            for (size_t r = 0; r < e->flat->count; r++) {
                power -= e->pivot[r] == i ? e->F[r * n + j] : 0;
            }
            int whole = (int)lround(factor * power);
            if (whole * sign > 0) {
                print_part(text, model->parameters[e->flat->index[i]].name, whole, first, logarithms);
                first = 0;
            }
        }
    }
}

static char *list_combinations(const elimination *e, const lf_model *model)
{
    char *text = calloc(ROOM, 1);
    int logarithms, listed = 0, count = 0;
    if (!text || !is_simple(e, model, &logarithms)) {
        return text;
    }
    for (size_t j = 0; j < e->flat->n; j++) {
        count += e->takes[j] && !e->is_pivot[j];
    }
    for (size_t j = 0; j < e->flat->n; j++) {
        if (e->takes[j] && !e->is_pivot[j]) {
            print(text, "%s", listed == 0 ? "" : listed + 1 == count ? " and " : ", ");
            print_combination(e, model, j, logarithms, text);
            listed++;
        }
    }
    if (strlen(text) + 1 >= ROOM) { /* it may have been cut */
        text[0] = '\0';
    }
    return text;
}

lf_status lf_name_unidentifiable(lf_context *ctx, const lf_flat_directions *flat, const lf_model *model,
                                 lf_fit_result *result)
{
    size_t n = flat->n;
    if (flat->count == 0) {
        return LF_OK;
    }
    elimination e = {.flat = flat,
                     .F = lf_doubles(flat->count, n),
                     .pivot = calloc(flat->count, sizeof *e.pivot),
                     .is_pivot = calloc(n + 1, 1),
                     .takes = calloc(n + 1, 1)};
    size_t *list = calloc(n + 1, sizeof *list);
    char *text = NULL;
    int complete = e.F && e.pivot && e.is_pivot && e.takes && list;
    if (complete) {
        memcpy(e.F, flat->N, flat->count * n * sizeof *e.F);
        eliminate(&e);
        text = list_combinations(&e, model);
        complete = text != NULL;
    }
    if (complete) {
        free(result->undetermined);
        free(result->combinations);
        result->undetermined = list;
        result->undetermined_count = 0;
        for (size_t i = 0; i < n; i++) {
            if (e.takes[i]) {
                list[result->undetermined_count++] = flat->index[i];
            }
        }
        result->combinations = text[0] ? text : NULL;
        text = text[0] ? NULL : text;
        list = NULL;
    }
    free(list);
    free(text);
    free(e.F);
    free(e.pivot);
    free(e.is_pivot);
    free(e.takes);
    return complete ? LF_OK : lf_no_memory(ctx);
}

/* g'C g; NaN where g is not orthogonal to an flat direction, or 0. */
static double variance_of(const lf_flat_directions *flat, const double *C, const double *g)
{
    double variance = 0, size = 0;
    for (size_t i = 0; i < flat->n; i++) {
        size += g[i] * g[i];
        for (size_t j = 0; j < flat->n; j++) {
            variance += g[i] * g[j] * C[j * flat->n + i];
        }
    }
    for (size_t k = 0; k < flat->count; k++) {
        double along = 0, length = 0;
        for (size_t i = 0; i < flat->n; i++) {
            along += g[i] * flat->N[k * flat->n + i];
            length += flat->N[k * flat->n + i] * flat->N[k * flat->n + i];
        }
        variance = along * along > ROUND * ROUND * size * length ? (double)NAN : variance;
    }
    return size > 0 ? variance : (double)NAN;
}

lf_status lf_quantity_errors(lf_context *ctx, const lf_flat_directions *flat, const double *C, lf_model *model)
{
    lf_system *system = model->system;
    size_t count = (size_t)system->equations->quantity_count, constants = (size_t)system->equations->parameter_count,
           first = (size_t)lf_index_system_constants(model);
    double *values = lf_doubles(count, 1), *gradient = lf_doubles(count, constants), *g = lf_doubles(flat->n, 1);
    lf_status status = values && gradient && g ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_equations_quantities(ctx, system->equations, system->constants, values, gradient));
    for (size_t q = 0; !status && q < count; q++) {
        for (size_t i = 0; i < flat->n; i++) {
            size_t index = flat->index[i];
            int is_constant = index >= first && index < first + constants;
            double slope = is_constant && model->parameters[index].transform == LF_TRANSFORM_LOG
                               ? *model->parameters[index].value
                               : 1;
            g[i] = is_constant ? slope * gradient[q * constants + index - first] : 0;
        }
        double variance = variance_of(flat, C, g);
        system->quantity_error[q] = variance >= 0 ? sqrt(variance) : (double)NAN;
    }
    free(values);
    free(gradient);
    free(g);
    return status;
}
