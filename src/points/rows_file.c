/* Converts the rows of one replicate to JSON and back. */
#include "points/rows_file.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/posterior_io.h"

json_t *lf_replicate_save(const lf_replicate *replicate)
{
    const lf_point_set *points = &replicate->points;
    json_t *record = json_object();
    double *target = lf_doubles(points->n, 1);
    for (int g = 0; target && g < points->group_count; g++) {
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            target[i] = points->target[g];
        }
    }
    int done = record && target && lf_put_number(record, "count", (double)points->n) &&
               lf_put_array(record, "output", points->n, target) &&
               lf_put_array(record, "x", points->n * (size_t)points->input_dim, points->x) &&
               lf_put_array(record, "y", points->n, replicate->y) &&
               lf_put_array(record, "variance", points->n, replicate->variance) &&
               (!points->width || lf_put_array(record, "width", points->n, points->width)) &&
               (!replicate->mean || lf_put_array(record, "mean", points->n, replicate->mean));
    free(target);
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

lf_status lf_replicate_load(lf_context *ctx, const lf_model *model, const json_t *record, lf_replicate *replicate)
{
    size_t n = 0, p = (size_t)model->input_dim;
    lf_status status = lf_get_count(ctx, record, "count", 1, 1000000000, &n);
    LF_TRY(status, lf_check_array(ctx, record, "output", n));
    LF_TRY(status, lf_check_array(ctx, record, "x", n * p));
    LF_TRY(status, lf_check_array(ctx, record, "y", n));
    LF_TRY(status, lf_check_array(ctx, record, "variance", n));
    int has_width = json_object_get(record, "width") != NULL;
    status = status || !has_width ? status : lf_check_array(ctx, record, "width", n);
    int has_mean = json_object_get(record, "mean") != NULL;
    status = status || !has_mean ? status : lf_check_array(ctx, record, "mean", n);
    if (status) {
        return status;
    }
    double *output = lf_doubles(n, 1), *x = lf_doubles(n, p), *width = has_width ? lf_doubles(n, 1) : NULL;
    int *target = calloc(n + 1, sizeof *target);
    replicate->y = lf_doubles(n, 1);
    replicate->variance = lf_doubles(n, 1);
    replicate->mean = has_mean ? lf_doubles(n, 1) : NULL;
    status = output && x && (width || !has_width) && target && replicate->y && replicate->variance &&
                     (replicate->mean || !has_mean)
                 ? LF_OK
                 : lf_no_memory(ctx);
    LF_TRY(status, lf_get_array(ctx, record, "output", n, output));
    LF_TRY(status, lf_get_array(ctx, record, "x", n * p, x));
    status = status || !has_width ? status : lf_get_array(ctx, record, "width", n, width);
    LF_TRY(status, lf_get_array(ctx, record, "y", n, replicate->y));
    LF_TRY(status, lf_get_array(ctx, record, "variance", n, replicate->variance));
    status = status || !has_mean ? status : lf_get_array(ctx, record, "mean", n, replicate->mean);
    for (size_t i = 0; !status && i < n; i++) {
        int whole = output[i] >= 0 && output[i] < model->output_count && output[i] == floor(output[i]);
        if (!whole || !(replicate->variance[i] >= 0) || (width && !(width[i] >= 0))) {
            status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: row %zu is damaged or belongs to another model", i);
        }
        target[i] = status ? 0 : (int)output[i];
    }
    lf_point_list points = {
        .n = n, .target = target, .x = x, .width = width}; /* in sorted order already; the sort is stable */
    LF_TRY(status, lf_point_set_sort(ctx, model, &points, n, NULL, &replicate->points));
    free(output);
    free(x);
    free(width);
    free(target);
    return status;
}
