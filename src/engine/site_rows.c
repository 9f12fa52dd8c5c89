/* The sites of the rows: made, checked, saved, and taken for rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/anderson.h"
#include "base/context.h"
#include "base/memory.h"
#include "engine/sites.h"

#define TOLERANCE 1e-4 /* the bound is off by about its square for each row */

void lf_sites_free(lf_sites *s)
{
    if (s) {
        double *lists[] = {s->y,         s->noise,       s->by_y,       s->by_noise,      s->mean,
                           s->variance,  s->next_y,      s->next_noise, s->last_y,        s->last_noise,
                           s->by_number, s->by_variance, s->by_offset,  s->log_z_by_theta};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
            free(lists[i]);
        }
        free(s);
    }
}

static lf_status check_row(lf_context *ctx, const lf_model *model, const lf_output *output, const lf_replicate *rows,
                           size_t i)
{
    const lf_likelihood *likelihood = lf_output_likelihood(output);
    char at[LF_TIMESTAMP_SIZE];
    lf_model_format_input(model, 0, rows->points.x[i * (size_t)rows->points.input_dim], sizeof at, at);
    if (!likelihood->allows(rows->y[i])) {
        return lf_fail(ctx, LF_ERROR_DATA,
                       "output '%s' at %s: the reading %.10g is none of the likelihood %s, whose readings are %s; "
                       "correct it, or choose another likelihood",
                       output->name, at, rows->y[i], likelihood->name, likelihood->readings);
    }
    if (!likelihood->has_noise && rows->variance[i] > 0) {
        return lf_fail(ctx, LF_ERROR_DATA,
                       "output '%s' at %s: readings of the likelihood %s have no standard deviation (sd); leave the "
                       "column out",
                       output->name, at, likelihood->name);
    }
    if (!lf_likelihood_is_direct(likelihood) && rows->points.width && rows->points.width[i] > 0) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "output '%s' at %s: readings of the likelihood %s cannot be means over an interval (width)",
                       output->name, at, likelihood->name);
    }
    return LF_OK;
}

static lf_status check_rows(lf_context *ctx, const lf_model *model, const lf_rows *rows)
{
    for (int r = 0; r < rows->count; r++) {
        const lf_replicate *replicate = &rows->replicates[r];
        const lf_point_set *points = &replicate->points;
        for (int g = 0; g < points->group_count; g++) {
            const lf_output *output = &model->outputs[points->target[g]];
            for (size_t i = points->start[g]; output->likelihood && i < points->start[g + 1]; i++) {
                lf_status status = check_row(ctx, model, output, replicate, i);
                if (status) {
                    return status;
                }
            }
        }
    }
    return LF_OK;
}

lf_status lf_sites_create(lf_context *ctx, const lf_model *model, const lf_rows *rows, lf_sites **sites)
{
    size_t n = 0, outputs = (size_t)model->output_count;
    *sites = NULL;
    if (rows->shared) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "readings that are not Gaussian (likelihood) cannot be shared among processes; use one process");
    }
    lf_status status = check_rows(ctx, model, rows);
    if (status) {
        return status;
    }
    for (int r = 0; r < rows->count; r++) {
        n += rows->replicates[r].points.n;
    }
    lf_sites *s = calloc(1, sizeof *s);
    if (!s) {
        return lf_no_memory(ctx);
    }
    double **rows_of[] = {&s->y,        &s->noise,  &s->by_y,       &s->by_noise, &s->mean,
                          &s->variance, &s->next_y, &s->next_noise, &s->last_y,   &s->last_noise},
           **outputs_of[] = {&s->by_number, &s->by_variance, &s->by_offset};
    int complete = (s->log_z_by_theta = lf_doubles(model->parameter_count, 1)) != NULL;
    for (size_t i = 0; i < sizeof rows_of / sizeof *rows_of; i++) {
        complete = (*rows_of[i] = lf_doubles(n, 1)) && complete;
    }
    for (size_t i = 0; i < sizeof outputs_of / sizeof *outputs_of; i++) {
        complete = (*outputs_of[i] = lf_doubles(outputs, 1)) && complete;
    }
    if (!complete) {
        lf_sites_free(s);
        return lf_no_memory(ctx);
    }
    s->n = n;
    s->tolerance = TOLERANCE;
    *sites = s;
    return LF_OK;
}

double lf_sites_bytes(const lf_sites *sites) { return (20 + 4 * LF_ANDERSON_MOST) * sizeof(double) * (double)sites->n; }

size_t lf_sites_size(const lf_sites *sites) { return sites ? 2 * sites->n + 1 : 0; }

void lf_sites_save(const lf_sites *sites, double *state)
{
    if (sites) {
        memcpy(state, sites->y, sites->n * sizeof *state);
        memcpy(state + sites->n, sites->noise, sites->n * sizeof *state);
        state[2 * sites->n] = sites->begun;
    }
}

void lf_sites_load(lf_sites *sites, const double *state)
{
    if (sites) {
        memcpy(sites->y, state, sites->n * sizeof *state);
        memcpy(sites->noise, state + sites->n, sites->n * sizeof *state);
        sites->begun = state[2 * sites->n] > 0;
    }
}

/* ---- as rows ---- */

static void exchange(double *a, double *b)
{
    double other = *a;
    *a = *b;
    *b = other;
}

void lf_sites_exchange(const lf_model *model, lf_sites *s, lf_rows *rows, int lend)
{
    size_t first = 0;
    for (int r = 0; r < rows->count; r++) {
        lf_replicate *replicate = &rows->replicates[r];
        const lf_point_set *points = &replicate->points;
        for (int g = 0; g < points->group_count; g++) {
            const lf_output *output = &model->outputs[points->target[g]];
            for (size_t i = points->start[g]; output->likelihood && i < points->start[g + 1]; i++) {
                if (lend) {
                    s->last_y[first + i] = output->offset + output->scale * s->y[first + i];
                    s->last_noise[first + i] = output->scale * output->scale * s->noise[first + i];
                }
                exchange(&replicate->y[i], &s->last_y[first + i]);
                exchange(&replicate->variance[i], &s->last_noise[first + i]);
            }
        }
        first += points->n;
    }
}
