/* Predictions at training rows, their parts and innovations, replicate by replicate. */
#include "report/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"
#include "predict/readings.h"
#include "report/contributions.h"
#include "report/system_parts.h"

void lf_evidence_clear(lf_evidence *e)
{
    double **lists[] = {e->y, e->noise, e->mean, e->variance, e->parts, e->known, e->scores, e->innovations};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (int r = 0; lists[i] && r < e->rows.count; r++) {
            free(lists[i][r]);
        }
        free(lists[i]);
    }
    free(e->replicate);
    lf_rows_clear(&e->rows);
    lf_data_free(e->training);
}

/* The mean of rows under the known inputs that the posterior has. */
static lf_status set_mean(const lf_posterior *p, int replicate, lf_replicate *rows)
{
    lf_known_set read = rows->known;
    rows->known = p->known[replicate];
    lf_status status = lf_known_response_of_rows(p->ctx, p->scaled.model, rows);
    rows->known = read;
    return status;
}

/* Rows whose likelihood is not Gaussian become their sites, and get scores. */
static lf_status take_sites(lf_evidence *e, int r)
{
    const lf_model *model = e->posterior->scaled.model;
    lf_replicate *rows = &e->rows.replicates[r];
    const lf_point_set *points = &rows->points;
    e->scores[r] = lf_doubles(points->n, 1);
    if (!e->scores[r]) {
        return lf_no_memory(e->posterior->ctx);
    }
    for (int g = 0; g < points->group_count; g++) {
        const lf_output *output = &model->outputs[points->target[g]];
        for (size_t i = points->start[g]; output->likelihood && i < points->start[g + 1]; i++) {
            double mean = e->mean[r][i] + (rows->mean ? rows->mean[i] : 0);
            lf_latent f = {.mean = output->offset + output->scale * mean,
                           .variance = output->scale * output->scale * e->variance[r][i]};
            lf_reading reading = lf_reading_of(output, rows->y[i], sqrt(rows->variance[i]));
            lf_latent site = lf_reading_site(output->likelihood, &reading, f);
            e->scores[r][i] = lf_reading_left_out(output->likelihood, &reading, f);
            rows->y[i] = site.mean;
            rows->variance[i] = site.variance;
        }
    }
    return LF_OK;
}

/* Everything about one replicate. */
static lf_status find_replicate(lf_evidence *e, int r)
{
    lf_posterior *p = e->posterior;
    lf_replicate *rows = &e->rows.replicates[r];
    const char *name = e->rows.names.name[r];
    size_t n = rows->points.n;
    e->replicate[r] = lf_names_find(&p->replicates, name, strlen(name));
    if (e->replicate[r] < 0) {
        return lf_fail(p->ctx, LF_ERROR_DATA, "replicate '%s' is not one of the %d in the posterior", name,
                       p->replicates.count);
    }
    e->y[r] = lf_doubles(n, 1);
    e->noise[r] = lf_doubles(n, 1);
    e->mean[r] = lf_doubles(n, 1);
    e->variance[r] = lf_doubles(n, 1);
    e->parts[r] = lf_doubles(e->with_parts ? (size_t)p->scaled.model->force_count + 2 : 0, n);
    if (!e->y[r] || !e->noise[r] || !e->mean[r] || !e->variance[r] || !e->parts[r]) {
        return lf_no_memory(p->ctx);
    }
    lf_status status = p->known ? set_mean(p, e->replicate[r], rows) : LF_OK;
    if (status) {
        return status;
    }
    status = lf_scaled_posterior_predict(p->ctx, &p->scaled, p->scaled.model, e->replicate[r], &rows->points,
                                         e->mean[r], e->variance[r], NULL);
    if (!status && e->scores) {
        status = take_sites(e, r);
    }
    lf_rows_scaled(p->scaled.model, rows, e->y[r], e->noise[r]);
    if (!status && p->scaled.class->posterior->innovations) {
        e->innovations[r] = lf_doubles(n, 1);
        status = e->innovations[r] ? p->scaled.class->posterior->innovations(p->ctx, p->scaled.state, e->replicate[r],
                                                                             rows, e->innovations[r])
                                   : lf_no_memory(p->ctx);
    }
    if (!status && p->known && e->with_parts) {
        status = lf_known_parts(p->ctx, p->scaled.model, &p->known[e->replicate[r]], rows, &e->known[r]);
    }
    return status || p->scaled.model->system || !e->with_parts
               ? status
               : lf_contributions(p->ctx, &p->scaled, e->replicate[r], &rows->points, e->mean[r], e->parts[r]);
}

lf_status lf_evidence_create(lf_posterior *posterior, const lf_data *data, int with_parts, lf_evidence *e)
{
    lf_context *ctx = posterior->ctx;
    *e = (lf_evidence){.posterior = posterior, .with_parts = with_parts};
    lf_status status = lf_data_choose(ctx, data, posterior->scaled.model, "train", &e->training);
    LF_TRY(status, lf_rows_create(ctx, posterior->scaled.model, e->training, &e->rows));
    if (status) {
        return status;
    }
    size_t count = (size_t)e->rows.count + 1;
    e->replicate = calloc(count, sizeof *e->replicate);
    e->y = calloc(count, sizeof *e->y);
    e->noise = calloc(count, sizeof *e->noise);
    e->mean = calloc(count, sizeof *e->mean);
    e->variance = calloc(count, sizeof *e->variance);
    e->parts = calloc(count, sizeof *e->parts);
    e->known = calloc(count, sizeof *e->known);
    e->innovations = calloc(count, sizeof *e->innovations);
    int sites = lf_model_has_likelihoods(posterior->scaled.model);
    e->scores = sites ? calloc(count, sizeof *e->scores) : NULL;
    if ((sites && !e->scores) || !e->innovations || !e->replicate || !e->y || !e->noise || !e->mean || !e->variance ||
        !e->parts || !e->known) {
        return lf_no_memory(ctx);
    }
    for (int r = 0; !status && r < e->rows.count; r++) {
        status = find_replicate(e, r);
    }
    return status || !posterior->scaled.model->system || !with_parts ? status : lf_system_parts(e);
}
