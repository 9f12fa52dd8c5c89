/* Rows with their predictions, and training rows that are left out.
 *
 * A prediction made with the row itself follows an outlier. Such a row is predicted from all others instead. With the mean m and the
 * variance v of the output at the row given all rows, and the variance s2 of the row's noise, the likelihood of the row divides
 * out of the Gaussian posterior: 1/v' = 1/v - 1/s2, m'/v' = m/v - y/s2. Hence
 *
 *     y - m' = (y - m) s2 / (s2 - v),   v' + s2 = s2^2 / (s2 - v),   v < s2.
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

lf_status lf_scored_rows_add(lf_context *ctx, const lf_model *judged, lf_posterior *posterior, const lf_data *table,
                             const size_t *places, int fold, lf_scored_rows *rows)
{
    size_t n = table->n;
    const lf_model *model = posterior->scaled.model;
    lf_context *own = posterior->ctx;
    int *target = calloc(2 * n + 1, sizeof *target), *replicate = target + n;
    double *mean = lf_doubles(n, 1), *variance = lf_doubles(n, 1);
    lf_status status = target && mean && variance ? reserve(ctx, n, rows) : lf_no_memory(ctx);
    LF_TRY(status, match_replicates(ctx, posterior, table, replicate));
    for (size_t i = 0; !status && i < n; i++) {
        target[i] = lf_model_find_output(model, table->outputs.name[table->output[i]]);
    }
    lf_point_list points = {.n = n, .target = target, .replicate = replicate, .x = table->x, .width = table->width};
    posterior->ctx = ctx; /* which gives threads and memory, and takes the message */
    LF_TRY(status, lf_predict_list(posterior, &points, mean, variance, NULL));
    posterior->ctx = own;
    for (size_t i = 0; !status && i < n; i++) {
        rows->each[rows->n++] =
            (lf_scored_row){.row = places ? places[i] : i,
                            .target = lf_model_find_output(judged, table->outputs.name[table->output[i]]),
                            .fold = fold,
                            .y = table->y[i],
                            .mean = mean[i],
                            .variance = fmax(variance[i], 0),
                            .noise = lf_model_noise_variance(model, target[i]) + table->sd[i] * table->sd[i]};
    }
    free(target);
    free(mean);
    free(variance);
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

void lf_leave_out(const lf_model *model, const lf_scored_row *row, double *mean, double *variance)
{
    double inflation = model->outputs[row->target].variance_inflation;
    double own = row->variance / (inflation > 0 ? inflation : 1), left = row->noise - own;
    int possible = left > least_share * row->noise;
    *mean = possible ? row->y - (row->y - row->mean) * row->noise / left : (double)NAN;
    *variance = possible ? row->noise * row->noise / left : (double)NAN;
}
