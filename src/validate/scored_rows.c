/* Rows with their predictions, and training rows that are left out.
 *
 * A prediction made with the row itself follows an outlier. Such a row is predicted from all others instead. With the mean m and the
 * variance v of the output at the row given all rows, and the variance s2 of the row's noise, the likelihood of the row divides
 * out of the Gaussian posterior: 1/v' = 1/v - 1/s2, m'/v' = m/v - y/s2. Hence
 *
 *     y - m' = (y - m) s2 / (s2 - v),   v' + s2 = s2^2 / (s2 - v),   v < s2.
 *
 * Of readings that are not Gaussian the site of the row (engine/sites.h) is divided out instead; those of the other rows stay as they are.
 *
 * That holds where the rows are the observations of one Gaussian process: for engines without inducing values, and with known
 * sensitivities. v is the variance of the model: the factor of calibration, which is for predictions in gaps, divides out. */
#include "validate/scored_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "predict/predict.h"
#include "predict/readings.h"

/* Below this share of s2 the difference s2 - v consists of rounding errors. */
static const double least_share = 1e-9;

/* ---- posteriors ---- */

lf_status lf_condition_for(lf_context *ctx, const lf_model *model, const lf_data *training, const lf_data *rows,
                           const lf_options *validate, lf_posterior **posterior)
{
    lf_engine_options options = {.size = sizeof options};
    lf_engine *engine = NULL;
    options = validate ? validate->engine : options;
    lf_status status =
        lf_set_reach(ctx, model, training, validate ? validate->horizon : NULL, rows->n, rows->x, &options);
    LF_TRY(status, lf_engine_create(ctx, model, training, &options, &engine));
    LF_TRY(status, lf_engine_posterior(engine, posterior));
    lf_engine_free(engine);
    return status;
}

/* ---- predictions ---- */

/* The replicates of the rows as the posterior numbers them. */
static lf_status match_replicates(lf_context *ctx, const lf_posterior *posterior, const lf_data *table, int *replicate)
{
    int named = posterior->replicates.count > 1 || *posterior->replicates.name[0];
    if (named && table->replicates.count == 0 && table->n > 0) {
        return lf_fail(ctx, LF_ERROR_DATA, "has no replicate column, but the training data have replicates");
    }
    for (size_t i = 0; table->replicates.count > 0 && i < table->n; i++) {
        const char *name = table->replicate[i] < 0 ? "" : table->replicates.name[table->replicate[i]];
        replicate[i] = named ? lf_posterior_find_replicate(posterior, name) : -1;
        if (replicate[i] < 0) {
            return lf_fail(ctx, LF_ERROR_DATA,
                           "the replicate '%s' does not occur in the training data, so that nothing is known of it; "
                           "leave its rows out",
                           name);
        }
    }
    return LF_OK;
}

static lf_status reserve(lf_context *ctx, size_t count, lf_scored_rows *rows)
{
    lf_scored_row *grown = realloc(rows->each, (rows->n + count + 1) * sizeof *grown);
    rows->each = grown ? grown : rows->each;
    return grown ? LF_OK : lf_no_memory(ctx);
}

static int has_link(const lf_model *model)
{
    int d = 0;
    while (d < model->output_count && !lf_target_has_link(model, d)) {
        d++;
    }
    return d < model->output_count;
}

lf_status lf_scored_rows_add(lf_context *ctx, const lf_model *judged, lf_posterior *posterior, const lf_data *table,
                             const size_t *places, int fold, lf_scored_rows *rows)
{
    size_t n = table->n;
    const lf_model *model = posterior->scaled.model;
    lf_context *own = posterior->ctx;
    int *target = calloc(2 * n + 1, sizeof *target), *replicate = target + n;
    double *room = lf_doubles(n, 8), *mean = room, *variance = mean + n, *variance_new = variance + n,
           *log_density = variance_new + n, *lower = log_density + n, *upper = lower + n, *f = upper + n,
           *f_variance = f + n;
    lf_status status = target && room ? reserve(ctx, n, rows) : lf_no_memory(ctx);
    LF_TRY(status, match_replicates(ctx, posterior, table, replicate));
    for (size_t i = 0; !status && i < n; i++) {
        target[i] = lf_model_find_output(model, table->outputs.name[table->output[i]]);
    }
    lf_point_list points = {.n = n, .target = target, .replicate = replicate, .x = table->x, .width = table->width};
    posterior->ctx = ctx; /* which gives threads and memory, and takes the message */
    lf_prediction wanted = {.mean = mean, .variance = variance};
    if (lf_model_has_likelihoods(model)) {
        wanted = (lf_prediction){.mean = mean,
                                 .variance = variance,
                                 .variance_new = variance_new,
                                 .lower = lower,
                                 .upper = upper,
                                 .sd = table->sd,
                                 .y = table->y,
                                 .log_density = log_density};
    }
    LF_TRY(status, lf_predict_noisy(posterior, &points, &wanted));
    if (has_link(model)) {
        LF_TRY(status, lf_predict_list(posterior, &points, f, f_variance, NULL));
    }
    posterior->ctx = own;
    for (size_t i = 0; !status && i < n; i++) {
        rows->each[rows->n++] = (lf_scored_row){
            .row = places ? places[i] : i,
            .target = lf_model_find_output(judged, table->outputs.name[table->output[i]]),
            .fold = fold,
            .y = table->y[i],
            .sd = table->sd[i],
            .mean = mean[i],
            .variance = fmax(variance[i], 0),
            .f = {f[i], fmax(f_variance[i], 0)},
            .noise = wanted.variance_new ? variance_new[i] - fmax(variance[i], 0)
                                         : lf_model_noise_variance(model, target[i]) + table->sd[i] * table->sd[i],
            .log_density = wanted.log_density ? log_density[i] : (double)NAN,
            .covered = wanted.lower && table->y[i] >= lower[i] && table->y[i] <= upper[i]};
    }
    free(target);
    free(room);
    return status;
}

void lf_scored_rows_clear(lf_scored_rows *rows)
{
    free(rows->each);
    *rows = (lf_scored_rows){0};
}

/* ---- training rows ---- */

static int compare_hashes(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* A row that is in the share of one process is a training row for all. */
static lf_status mark_for_all(lf_context *ctx, lf_status status, lf_scored_rows *rows)
{
    double *marks = lf_doubles(rows->n, 1);
    status = status || marks ? status : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < rows->n; i++) {
        marks[i] = rows->each[i].trained;
    }
    status = lf_sum(ctx, status, rows->n, marks);
    for (size_t i = 0; !status && i < rows->n; i++) {
        rows->each[i].trained = marks[i] > 0;
    }
    free(marks);
    return status;
}

lf_status lf_scored_rows_mark(lf_context *ctx, const lf_posterior *posterior, const lf_data *table,
                              lf_scored_rows *rows, size_t *count)
{
    size_t n = posterior->hash_count;
    uint64_t *sorted = calloc(n + 1, sizeof *sorted);
    lf_status status = sorted ? LF_OK : lf_no_memory(ctx);
    *count = 0;
    if (!status) {
        memcpy(sorted, posterior->hashes, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_hashes);
    }
    for (size_t i = 0; !status && i < rows->n; i++) {
        uint64_t own = lf_data_row_fingerprint(table, rows->each[i].row);
        rows->each[i].trained = bsearch(&own, sorted, n, sizeof *sorted, compare_hashes) != NULL;
    }
    free(sorted);
    status = posterior->shared ? mark_for_all(ctx, status, rows) : status;
    for (size_t i = 0; !status && i < rows->n; i++) {
        *count += (size_t)rows->each[i].trained;
    }
    return status;
}

const char *lf_why_not_left_out(const lf_posterior *posterior)
{
    const lf_model *model = posterior->scaled.model;
    if (lf_engine_is_able(posterior->scaled.class, LF_HAS_INDUCING)) {
        return "the formula that leaves a row out holds for the dense, kalman, lowrank and fourier engines";
    }
    return lf_model_has_uncertain_sensitivities(model)
               ? "the sensitivities of the model are uncertain (--prior firm), and the formula that leaves a row out "
                 "holds for known ones"
               : NULL;
}

/* Mean and variance of a new reading given all other rows. */
static void leave_out(const lf_model *model, const lf_scored_row *row, double *mean, double *variance)
{
    const lf_output *output = &model->outputs[row->target];
    double inflation = output->variance_inflation;
    double own = row->variance / (inflation > 0 ? inflation : 1), left = row->noise - own;
    if (output->likelihood) {
        lf_reading reading = lf_reading_of(output, row->y, row->sd);
        lf_latent f = lf_reading_without(output->likelihood, &reading, (lf_latent){row->mean, own});
        *mean = f.mean;
        *variance = f.variance + row->noise;
        return;
    }
    int possible = left > least_share * row->noise;
    *mean = possible ? row->y - (row->y - row->mean) * row->noise / left : (double)NAN;
    *variance = possible ? row->noise * row->noise / left : (double)NAN;
}

static lf_judgement judge_through_link(const lf_output *output, const lf_scored_row *row, int left_out)
{
    lf_reading reading = lf_reading_of(output, row->y, row->sd);
    lf_latent f = row->f;
    if (left_out) {
        f.variance /= output->variance_inflation > 0 ? output->variance_inflation : 1;
        f = lf_reading_without(output->likelihood, &reading, f);
    }
    lf_moments moments = output->likelihood->moments(&reading, f.mean, f.variance);
    int known = isfinite(moments.mean) && isfinite(moments.variance_new) && output->likelihood->allows(row->y);
    return (lf_judgement){.mean = known ? moments.mean : (double)NAN,
                          .sd = known ? sqrt(moments.variance_new) : (double)NAN,
                          .z = known ? lf_likelihood_score(output->likelihood, &reading, f.mean, f.variance)
                                     : (double)NAN};
}

lf_judgement lf_judge(const lf_model *model, const lf_scored_row *row, int left_out)
{
    if (lf_target_has_link(model, row->target)) {
        return judge_through_link(&model->outputs[row->target], row, left_out);
    }
    double mean = row->mean, variance = row->variance + row->noise;
    if (left_out) {
        leave_out(model, row, &mean, &variance);
    } else if (!(variance > 0)) {
        mean = (double)NAN;
    }
    double sd = isnan(mean) ? (double)NAN : sqrt(variance);
    return (lf_judgement){.mean = mean, .sd = sd, .z = (row->y - mean) / sd};
}
