/* Parts of the rows of models with known inputs or given by equations.
 *
 * The response to known inputs is linear in them: the part of one is the response with all others held at their averages, less that with
 * all held. Doses are held at 0.
 *
 * The posterior mean of the rest is K a with a = (K + noise)^-1 y = (y - mean) / noise, and K is a sum over forces and the start. A part
 * K_q a is itself a posterior mean: with the amplitudes of all other forces next to 0 and a noise variance S far above K_q, rows S a give
 *
 *   K_q (K_q + S)^-1 S a = K_q a (1 + O(K_q / S)).
 *
 * A start whose spread the equations give takes part in every such mean; that of no force at all is subtracted.
 *
 * Where the noise is next to nothing, y - mean is a rounding error. Then a is that of the same model with more noise, which is still little. */
#include "report/system_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"
#include "dynamics/known_response.h"
#include "engine/engine.h"

#define SILENT 1e-6 /* of an amplitude: as good as 0 */
#define LARGE 1e9   /* S over the largest square of a row */
#define LEAST 1e-8  /* noise variance over the mean square of the rows of an output */

/* ---- known inputs ---- */

/* The readings, with all inputs but `kept` at their averages; kept -1: all of them. */
static lf_status hold_inputs(lf_context *ctx, const lf_model *model, const lf_known_set *known, int kept,
                             lf_known_set *held)
{
    lf_status status = lf_known_set_create(ctx, known->count, held);
    LF_TRY(status, lf_known_set_merge(ctx, known, held));
    for (int k = 0; !status && k < held->count; k++) {
        lf_known_series *series = &held->series[k];
        double average = 0;
        for (size_t i = 0; i < series->n && model->known[k].hold != LF_HOLD_IMPULSE; i++) {
            average += series->v[i] / (double)series->n;
        }
        for (size_t i = 0; i < series->n && k != kept; i++) {
            series->v[i] = average;
        }
    }
    return status;
}

lf_status lf_known_parts(lf_context *ctx, const lf_model *model, const lf_known_set *known, const lf_replicate *rows,
                         double **parts)
{
    size_t n = rows->points.n, K = (size_t)model->known_count;
    *parts = lf_doubles(K + 1, n);
    lf_status status = *parts ? LF_OK : lf_no_memory(ctx);
    for (size_t step = 0; !status && step <= K; step++) {
        size_t k = (step + K) % (K + 1); /* the level first */
        lf_replicate moved = {.points = rows->points};
        status = hold_inputs(ctx, model, known, k < K ? (int)k : -1, &moved.known);
        LF_TRY(status, lf_known_response_of_rows(ctx, model, &moved));
        for (size_t i = 0; !status && i < n; i++) {
            (*parts)[k * n + i] = moved.mean[i] - (k < K ? (*parts)[K * n + i] : 0);
        }
        free(moved.mean);
        lf_known_set_clear(&moved.known);
    }
    return status;
}

/* ---- forces and start ---- */

/* The problem, as all parts see it. */
typedef struct problem {
    lf_evidence *evidence;
    double *floor; /* (outputs) least noise variance */
    int raised;    /* some noise lies below it */
    double **a;    /* (replicates)(rows) */
} problem;

/* The posterior means of the rows of a model and a table, into to[replicate]. */
static lf_status find_means(const lf_evidence *e, const lf_model *model, const lf_data *data, double *const *to)
{
    lf_context *ctx = e->posterior->ctx;
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    lf_status status = lf_engine_create(ctx, model, data, NULL, &engine);
    LF_TRY(status, lf_engine_posterior(engine, &posterior));
    for (int r = 0; !status && r < e->rows.count; r++) {
        const lf_point_set *points = &e->rows.replicates[r].points;
        const lf_scaled_posterior *scaled = &posterior->scaled;
        const char *name = e->rows.names.name[r];
        double *variance = lf_doubles(points->n, 1);
        int replicate = lf_names_find(&posterior->replicates, name, strlen(name));
        status = variance
                     ? lf_scaled_posterior_predict(ctx, scaled, scaled->model, replicate, points, to[r], variance, NULL)
                     : lf_no_memory(ctx);
        free(variance);
    }
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    return status;
}

static void find_floor(problem *p)
{
    const lf_evidence *e = p->evidence;
    for (int d = 0; d < e->posterior->scaled.model->output_count; d++) {
        double squares = 0, n = 0, least = INFINITY;
        for (int r = 0; r < e->rows.count; r++) {
            const lf_point_set *points = &e->rows.replicates[r].points;
            for (int g = 0; g < points->group_count; g++) {
                for (size_t i = points->start[g]; points->target[g] == d && i < points->start[g + 1]; i++) {
                    squares += e->y[r][i] * e->y[r][i];
                    least = fmin(least, e->noise[r][i]);
                    n++;
                }
            }
        }
        p->floor[d] = n > 0 && !e->posterior->scaled.model->outputs[d].likelihood ? LEAST * squares / n : 0;
        p->raised = p->raised || least < p->floor[d];
    }
}

/* a, from the posterior or from that of the model with more noise. */
static lf_status find_weights(problem *p)
{
    lf_evidence *e = p->evidence;
    lf_context *ctx = e->posterior->ctx;
    const lf_model *whole = e->posterior->scaled.model;
    lf_model *model = NULL;
    lf_status status = p->raised ? lf_model_copy(ctx, whole, &model) : LF_OK;
    for (int d = 0; !status && p->raised && d < whole->output_count; d++) {
        model->outputs[d].noise_variance = fmax(model->outputs[d].noise_variance, p->floor[d]);
    }
    for (int r = 0; !status && r < e->rows.count; r++) {
        p->a[r] = lf_doubles(e->rows.replicates[r].points.n, 1);
        status = p->a[r] ? LF_OK : lf_no_memory(ctx);
    }
    status = status || !p->raised ? status : find_means(e, model, e->training, p->a);
    for (int r = 0; !status && r < e->rows.count; r++) {
        const lf_point_set *points = &e->rows.replicates[r].points;
        for (int g = 0; g < points->group_count; g++) {
            double floor = p->raised ? p->floor[points->target[g]] : 0;
            for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
                double mean = p->raised ? p->a[r][i] : e->mean[r][i];
                p->a[r][i] = (e->y[r][i] - mean) / fmax(e->noise[r][i], floor);
            }
        }
    }
    lf_model_free(model);
    return status;
}

/* Rows S a and a model in which only force `kept` acts (the count of forces: all white ones; beyond: none). */
static lf_status make_problem(const problem *p, int kept, lf_model **model, lf_data **data)
{
    const lf_evidence *e = p->evidence;
    lf_context *ctx = e->posterior->ctx;
    const lf_model *whole = e->posterior->scaled.model;
    double largest = 0;
    lf_status status = lf_model_copy(ctx, whole, model);
    LF_TRY(status, lf_data_copy(ctx, e->training, data));
    for (int r = 0; r < e->rows.count; r++) {
        for (size_t i = 0; i < e->rows.replicates[r].points.n; i++) {
            largest = fmax(largest, e->y[r][i] * e->y[r][i] + e->noise[r][i]);
        }
    }
    double S = LARGE * largest;
    for (int r = 0; !status && r < e->rows.count; r++) {
        const lf_replicate *rows = &e->rows.replicates[r];
        for (size_t i = 0; i < rows->points.n; i++) {
            size_t row = rows->points.order[i];
            (*data)->y[row] = (rows->mean ? rows->mean[i] : 0) + S * p->a[r][i];
            (*data)->sd[row] = 0;
        }
    }
    for (int f = 0; !status && f < whole->system->equations->force_count; f++) {
        int force = whole->system->force[f], acts = force < 0 ? kept == whole->force_count : kept == force;
        (*model)->system->amplitude[f] *= acts ? 1 : SILENT;
    }
    for (int d = 0; !status && d < whole->output_count; d++) {
        (*model)->outputs[d].noise_variance = S;
        (*model)->outputs[d].likelihood = NULL; /* its rows are sites */
    }
    return status;
}

/* The means of the rows under such a problem, into part `to` of each replicate. */
static lf_status solve(const problem *p, int kept, size_t to)
{
    lf_evidence *e = p->evidence;
    lf_model *model = NULL;
    lf_data *data = NULL;
    double **parts = calloc((size_t)e->rows.count + 1, sizeof *parts);
    lf_status status = parts ? make_problem(p, kept, &model, &data) : lf_no_memory(e->posterior->ctx);
    for (int r = 0; !status && r < e->rows.count; r++) {
        parts[r] = e->parts[r] + to * e->rows.replicates[r].points.n;
    }
    LF_TRY(status, find_means(e, model, data, parts));
    lf_data_free(data);
    lf_model_free(model);
    free(parts);
    return status;
}

lf_status lf_system_parts(lf_evidence *e)
{
    const lf_model *model = e->posterior->scaled.model;
    size_t Q = (size_t)model->force_count;
    int white = 0, noisy = 1;
    for (int f = 0; f < model->system->equations->force_count; f++) {
        white = white || model->system->force[f] < 0;
    }
    for (int r = 0; r < e->rows.count; r++) {
        for (size_t i = 0; i < e->rows.replicates[r].points.n; i++) {
            noisy = noisy && e->noise[r][i] > 0;
        }
    }
    problem p = {.evidence = e,
                 .floor = lf_doubles((size_t)model->output_count, 1),
                 .a = calloc((size_t)e->rows.count + 1, sizeof *p.a)};
    lf_status status = p.floor && p.a ? LF_OK : lf_no_memory(e->posterior->ctx);
    if (!status && noisy) {
        find_floor(&p);
        status = find_weights(&p);
        LF_TRY(status, solve(&p, (int)Q + 1, Q + 1)); /* the start */
    }
    for (size_t q = 0; !status && noisy && q < Q + (size_t)white; q++) {
        status = solve(&p, (int)q, q);
    }
    for (int r = 0; p.a && r < e->rows.count; r++) {
        free(p.a[r]);
    }
    free(p.a);
    free(p.floor);
    for (int r = 0; !status && r < e->rows.count; r++) {
        size_t n = e->rows.replicates[r].points.n;
        for (size_t i = 0; i < n; i++) {
            double start = e->parts[r][(Q + 1) * n + i];
            for (size_t q = 0; q < Q + 1; q++) {
                double *part = &e->parts[r][q * n + i];
                *part = !noisy ? (double)NAN : q < Q + (size_t)white ? *part - start : 0;
            }
            e->parts[r][(Q + 1) * n + i] = noisy ? start : (double)NAN;
        }
    }
    return status;
}
