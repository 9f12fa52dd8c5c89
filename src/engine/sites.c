/* The inner loop: sites at which the bound is stationary. Steps of the natural gradient, halved where the bound does not grow. */
#include "engine/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/anderson.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "engine/engine.h"

#define MOST_STEPS 400        /* of an evaluation */
#define LEAST_STEP 1e-4       /* a shorter one that does not raise the bound is at rounding */
#define LEAST_PRECISION 1e-10 /* of a site, in the units of the latent values */
#define ROUNDING 1e-12        /* of the bound */

/* One row, with what its likelihood needs. */
typedef struct row {
    const lf_output *output;
    const lf_likelihood *likelihood;
    lf_reading reading;
    int d;
    size_t i; /* among all rows */
} row;

typedef void (*row_function)(lf_sites *sites, const row *at, void *data);

static void for_rows(const lf_model *model, const lf_rows *rows, lf_sites *sites, row_function visit, void *data)
{
    size_t first = 0;
    for (int r = 0; r < rows->count; r++) {
        const lf_replicate *replicate = &rows->replicates[r];
        const lf_point_set *points = &replicate->points;
        for (int g = 0; g < points->group_count; g++) {
            const lf_output *output = &model->outputs[points->target[g]];
            for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
                double noise = output->scale * output->scale * output->noise_variance + replicate->variance[i];
                row at = {.output = output,
                          .likelihood = lf_output_likelihood(output),
                          .reading = {.y = replicate->y[i], .noise = noise, .number = output->likelihood_number},
                          .d = points->target[g],
                          .i = first + i};
                visit(sites, &at, data);
            }
        }
        first += points->n;
    }
}

static void begin_row(lf_sites *s, const row *at, void *unused)
{
    double mean, variance, scale = at->output->scale;
    (void)unused;
    at->likelihood->start(&at->reading, &mean, &variance);
    s->y[at->i] = (mean - at->output->offset) / scale;
    s->noise[at->i] = variance / (scale * scale);
}

/* What an iteration finds: the bound without log Z, and how far the sites are from where a full step leads. */
typedef struct pass {
    double bound, change;
} pass;

static void visit_row(lf_sites *s, const row *at, void *data)
{
    pass *p = data;
    size_t i = at->i;
    double scale = at->output->scale, offset = at->output->offset, t = s->y[i], noise = s->noise[i],
           alpha = -s->by_y[i], m = t - noise * alpha,
           v = noise * fmax(1 - noise * (alpha * alpha - 2 * s->by_noise[i]), 1e-14);
    lf_log_density e = at->likelihood->expectation(&at->reading, offset + scale * m, scale * scale * v);
    double precision = fmax(-2 * e.by_variance, LEAST_PRECISION) * scale * scale, slope = scale * e.by_mean;
    p->bound += e.value + 0.5 * (log(2 * LF_PI * noise) + ((t - m) * (t - m) + v) / noise);
    if (!at->likelihood->discrete) {
        p->bound += log(scale); /* the value is that of scaled readings */
    }
    p->change = fmax(p->change, fmax(fabs(precision - 1 / noise) * v, fabs(slope - (t - m) / noise) * sqrt(v)));
    s->next_noise[i] = 1 / precision;
    s->next_y[i] = m + slope / precision;
    s->mean[i] = m;
    s->variance[i] = v;
    s->by_number[at->d] += e.by_number;
    s->by_variance[at->d] += scale * scale * e.by_noise;
    s->by_offset[at->d] += e.by_mean;
}

/* The bound at the sites, how far a full step leads, and its gradient at held sites. */
static lf_status find_bound(lf_engine *engine, double *bound, double *change)
{
    lf_sites *s = engine->sites;
    size_t outputs = (size_t)engine->model->output_count;
    lf_targets targets = {.y = s->y, .noise = s->noise, .by_y = s->by_y, .by_noise = s->by_noise};
    pass p = {0};
    double log_z = 0;
    s->evaluations++;
    lf_status status = lf_engine_evaluate_targets(engine, NULL, &targets, &log_z, s->log_z_by_theta);
    if (status) {
        return status;
    }
    memset(s->by_number, 0, outputs * sizeof *s->by_number);
    memset(s->by_variance, 0, outputs * sizeof *s->by_variance);
    memset(s->by_offset, 0, outputs * sizeof *s->by_offset);
    for_rows(engine->model, &engine->rows, s, visit_row, &p);
    *bound = log_z + p.bound;
    *change = p.change;
    return LF_OK;
}

/* ---- steps ---- */

/* Part of the way from the last sites to where a full step led: natural parameters are mixed. */
static void mix(lf_sites *s, const double *to_y, const double *to_noise, double share)
{
    for (size_t i = 0; i < s->n; i++) {
        double precision = (1 - share) / s->last_noise[i] + share / to_noise[i],
               product = (1 - share) * s->last_y[i] / s->last_noise[i] + share * to_y[i] / to_noise[i];
        s->noise[i] = 1 / precision;
        s->y[i] = product / precision;
    }
}

static void begin(lf_engine *engine)
{
    for_rows(engine->model, &engine->rows, engine->sites, begin_row, NULL);
    engine->sites->begun = 1;
}

/* A step from the last sites, shorter until the bound does not fall. 0: no step is short enough; the sites are the last ones. */
static lf_status make_step(lf_engine *engine, const double *to_y, const double *to_noise, double *step, double *bound,
                           double *change)
{
    lf_sites *s = engine->sites;
    double before = isfinite(*bound) ? *bound : -(double)INFINITY, found = 0;
    lf_status status = LF_OK;
    for (; !status && *step > LEAST_STEP; *step *= 0.5) {
        mix(s, to_y, to_noise, *step);
        status = find_bound(engine, &found, change);
        if (!status && found >= before - ROUNDING * fabs(before)) {
            *bound = found;
            return LF_OK;
        }
    }
    *step = 0;
    memcpy(s->y, s->last_y, s->n * sizeof *s->y);
    memcpy(s->noise, s->last_noise, s->n * sizeof *s->noise);
    return status ? status : find_bound(engine, bound, change);
}

/* The sites as coordinates of the iteration, log precision and precision times value, and back. */
static void to_coordinates(size_t n, const double *y, const double *noise, double *x)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = -log(noise[i]);
        x[n + i] = y[i] / noise[i];
    }
}

static void from_coordinates(size_t n, const double *x, double *y, double *noise)
{
    for (size_t i = 0; i < n; i++) {
        noise[i] = exp(-x[i]);
        y[i] = x[n + i] * noise[i];
    }
}

/* What the iteration needs beside the sites. */
typedef struct iteration {
    lf_anderson anderson;
    double *x, *g, *weight; /* (2 n) */
    double *to_y, *to_noise;
} iteration;

/* An accelerated step, or a plain one where that lowers the bound. */
static lf_status advance(lf_engine *engine, iteration *it, double *step, double *bound, double *change)
{
    lf_sites *s = engine->sites;
    size_t n = s->n;
    double before = *bound, found = 0;
    memcpy(s->last_y, s->y, n * sizeof *s->y);
    memcpy(s->last_noise, s->noise, n * sizeof *s->noise);
    memcpy(it->to_y, s->next_y, n * sizeof *s->y);
    memcpy(it->to_noise, s->next_noise, n * sizeof *s->noise);
    to_coordinates(n, s->y, s->noise, it->x);
    to_coordinates(n, s->next_y, s->next_noise, it->g);
    for (size_t i = 0; i < n; i++) {
        it->weight[i] = s->variance[i] / s->noise[i];
        it->weight[n + i] = sqrt(s->variance[i]);
    }
    lf_anderson_step(&it->anderson, it->g, it->weight, it->x);
    if (it->anderson.count > 0 && isfinite(before) && *step == 1) {
        from_coordinates(n, it->x, s->y, s->noise);
        lf_status status = find_bound(engine, &found, change);
        if (status || found >= before - ROUNDING * fabs(before)) {
            *bound = found;
            return status;
        }
        lf_anderson_reset(&it->anderson);
    }
    lf_status status = make_step(engine, it->to_y, it->to_noise, step, bound, change);
    *step = fmin(1, 2 * *step);
    return status;
}

/* Raises the bound until a full step changes nothing. */
static lf_status converge(lf_engine *engine, double *bound)
{
    lf_sites *s = engine->sites;
    size_t n = s->n;
    double change = 0, step = 1;
    iteration it = {.x = lf_doubles(n, 8)};
    it.g = it.x + 2 * n;
    it.weight = it.g + 2 * n;
    it.to_y = it.weight + 2 * n;
    it.to_noise = it.to_y + n;
    lf_status status = lf_anderson_create(2 * n, &it.anderson) && it.x ? LF_OK : lf_no_memory(engine->ctx);
    LF_TRY(status, find_bound(engine, bound, &change));
    for (int i = 0; !status && !(change <= s->tolerance) && i < MOST_STEPS && step > 0; i++) {
        status = advance(engine, &it, &step, bound, &change);
    }
    lf_anderson_clear(&it.anderson);
    free(it.x);
    return status;
}

lf_status lf_sites_evaluate(lf_engine *engine, const double *theta, double *bound, double *gradient)
{
    lf_sites *s = engine->sites;
    const lf_model *model = engine->model;
    lf_status status = theta ? lf_engine_move(engine, theta) : LF_OK;
    int warm = s->begun;
    if (!status && !warm) {
        begin(engine);
    }
    LF_TRY(status, converge(engine, bound));
    if (!status && warm && !isfinite(*bound)) { /* sites of parameters far away */
        begin(engine);
        status = converge(engine, bound);
    }
    if (status || !gradient) {
        s->begun = s->begun && !status && isfinite(*bound);
        return status;
    }
    memset(gradient, 0, model->parameter_count * sizeof *gradient);
    for (int d = 0; d < model->output_count; d++) {
        int offset = lf_index_offset(model, d), number = lf_index_likelihood_number(model, d);
        gradient[lf_index_noise(model, d)] = s->by_variance[d];
        if (offset >= 0) {
            gradient[offset] = s->by_offset[d];
        }
        if (number >= 0) {
            gradient[number] = s->by_number[d];
        }
    }
    lf_parameters_chain(model, gradient);
    for (size_t i = 0; i < model->parameter_count; i++) {
        gradient[i] += s->log_z_by_theta[i];
    }
    s->begun = isfinite(*bound);
    return LF_OK;
}
