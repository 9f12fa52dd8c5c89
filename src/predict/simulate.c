/* Joint draws from the prior: the response to the known inputs, and a draw of what the forces add. */
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "dynamics/known_response.h"
#include "engine/engine.h"
#include "model/model.h"
#include "predict/gaussian_draw.h"
#include "predict/predict.h"
#include "predict/prior_covariance.h"

/* mean (count): of the scaled model at the points listed in `rows`, which are of one replicate. */
static lf_status find_mean(lf_context *ctx, const lf_model *model, const lf_point_list *points, const lf_data *inputs,
                           int replicate, size_t count, const size_t *rows, double *mean)
{
    lf_known_set known = {0};
    lf_point_set set = {0};
    lf_known_response response = {0};
    double *sorted = lf_doubles(count, 1);
    size_t *place = calloc(points->n + 1, sizeof *place); /* row of the points -> position in the list */
    lf_status status = sorted && place ? lf_known_set_create(ctx, model->known_count, &known) : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < count; i++) {
        place[rows[i]] = i;
    }
    status = status || !inputs ? status : lf_known_set_read(ctx, model, inputs, -1, &known);
    if (!status && inputs && replicate < (int)lf_data_count(inputs, LF_KIND_REPLICATE)) {
        status = lf_known_set_read(ctx, model, inputs, replicate, &known);
    }
    LF_TRY(status, lf_point_set_create(ctx, model, points, count, rows, &set));
    LF_TRY(status, lf_known_response_create(ctx, model, &known, &set, &response));
    LF_TRY(status, lf_known_response_evaluate(ctx, &response, sorted));
    for (size_t i = 0; !status && i < count; i++) {
        mean[place[set.order[i]]] = sorted[i];
    }
    lf_known_response_clear(&response);
    lf_point_set_clear(&set);
    lf_known_set_clear(&known);
    free(sorted);
    free(place);
    return status;
}

/* From so many points on, equations are drawn along time. Below, the draw is that of the joint covariance: other numbers for the same
 * seed. */
enum { MANY = 2001 };

static void next_normals(void *data, size_t n, double *z) { lf_normals(data, n, z); }

/* part (count): a draw of what the forces and the start add. */
static lf_status draw_part(lf_context *ctx, const lf_model *model, const lf_point_list *points, size_t count,
                           const size_t *rows, double *part)
{
    if (!model->system || count < MANY) {
        lf_status status = lf_check_memory(ctx, 2 * sizeof(double) * (double)count * (double)count,
                                           "draw fewer points, or as several replicates",
                                           "a draw of %zu points from their joint covariance", count);
        double *K = status ? NULL : lf_doubles(count, count);
        status = status || K ? status : lf_no_memory(ctx);
        LF_TRY(status, lf_prior_covariance(ctx, model, points, &(lf_engine_options){0}, count, rows, K));
        LF_TRY(status, lf_gaussian_draw(ctx, count, NULL, K, 1, part));
        free(K);
        return status;
    }
    lf_point_set set = {0};
    double *sorted = lf_doubles(count, 1);
    size_t *place = calloc(points->n + 1, sizeof *place); /* row of the points -> position in the list */
    lf_status status = sorted && place ? lf_point_set_create(ctx, model, points, count, rows, &set) : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < count; i++) {
        place[rows[i]] = i;
    }
    LF_TRY(status, lf_engine_with(LF_HAS_STATES)->prior_draw(ctx, model, &set, next_normals, ctx, sorted));
    for (size_t i = 0; !status && i < count; i++) {
        int output = lf_target_output(model, points->target[set.order[i]]);
        part[place[set.order[i]]] = (output >= 0 ? model->outputs[output].scale : 1) * sorted[i];
    }
    lf_point_set_clear(&set);
    free(sorted);
    free(place);
    return status;
}

/* Draws the points listed in `rows`. */
static lf_status draw(lf_context *ctx, const lf_model *model, const lf_point_list *points, const lf_data *inputs,
                      size_t count, const size_t *rows, double *f)
{
    double *part = lf_doubles(count, 1), *mean = lf_doubles(count, 1);
    lf_status status = part && mean ? LF_OK : lf_no_memory(ctx);
    if (!status && lf_has_known_response(model)) {
        int replicate = points->replicate ? points->replicate[rows[0]] : 0;
        status = find_mean(ctx, model, points, inputs, replicate, count, rows, mean);
    }
    LF_TRY(status, draw_part(ctx, model, points, count, rows, part));
    for (size_t i = 0; !status && i < count; i++) {
        int target = points->target[rows[i]], output = lf_target_output(model, target);
        double scale = output >= 0 ? model->outputs[output].scale : 1;
        f[rows[i]] = scale * mean[i] + part[i] + (target < model->output_count ? model->outputs[target].offset : 0);
    }
    free(part);
    free(mean);
    return status;
}

lf_status lf_simulate_list(lf_context *ctx, const lf_model *model, const lf_point_list *points, const lf_data *inputs,
                           double *f)
{
    size_t n = points->n, *rows = calloc(n + 1, sizeof *rows);
    char *done = calloc(n + 1, 1);
    lf_work_begin(ctx);
    int before = lf_threads_begin(1); /* the same seed gives the same data everywhere */
    lf_status status = rows && done ? LF_OK : lf_no_memory(ctx);
    for (size_t first = 0; !status && first < n; first++) {
        if (done[first]) {
            continue;
        }
        size_t count = 0; /* the rows of the replicate of `first` */
        for (size_t i = first; i < n; i++) {
            if (!points->replicate || points->replicate[i] == points->replicate[first]) {
                rows[count++] = i;
                done[i] = 1;
            }
        }
        status = draw(ctx, model, points, inputs, count, rows, f);
    }
    free(rows);
    free(done);
    lf_threads_end(before);
    return status;
}
