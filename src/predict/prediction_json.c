/* Predictions as JSON: arrays for each target, in an object for each replicate. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/document.h"
#include "base/timestamp.h"
#include "predict/predicted.h"

/* One target of one replicate. */
typedef struct series {
    size_t n;
    size_t *point; /* (n) */
} series;

static void find_points(const lf_predicted *c, int target, int replicate, series *s)
{
    s->n = 0;
    for (size_t i = 0; i < c->list.n; i++) {
        if (c->list.target[i] == target && (c->list.replicate ? c->list.replicate[i] : 0) == replicate) {
            s->point[s->n++] = i;
        }
    }
}

static void put_input(const lf_predicted *c, const series *s, size_t k, lf_document *d)
{
    char heading[LF_TARGET_NAME_SIZE], text[LF_TIMESTAMP_SIZE];
    const lf_axis *axis = lf_model_axis(c->model, (int)k);
    lf_model_input_heading(c->model, (int)k, sizeof heading, heading);
    lf_document_open(d, heading, '[');
    for (size_t i = 0; i < s->n; i++) {
        lf_axis_format(axis, c->list.x[s->point[i] * (size_t)c->model->input_dim + k], text);
        if (axis->dated) {
            lf_document_text(d, NULL, text);
        } else {
            lf_document_json(d, NULL, text);
        }
    }
    lf_document_close(d);
}

/* The values of the points, or with `root` the square roots. key NULL: an item of a list. */
static void put_values(const series *s, const char *key, const double *value, int root, lf_document *d)
{
    lf_document_open(d, key, '[');
    for (size_t i = 0; i < s->n; i++) {
        double v = value[s->point[i]];
        lf_document_number(d, NULL, root ? sqrt(v) : v);
    }
    lf_document_close(d);
}

static void put_series(const lf_predicted *c, const series *s, lf_document *d)
{
    for (size_t k = 0; k < (size_t)c->model->input_dim; k++) {
        put_input(c, s, k, d);
    }
    put_values(s, "mean", c->mean, 0, d);
    put_values(s, c->noisy ? "sd_f" : "sd", c->variance, 1, d);
    if (c->noisy) {
        put_values(s, "sd_y", c->variance_new, 1, d);
    }
    if (c->lower) {
        put_values(s, "lower", c->lower, 0, d);
        put_values(s, "upper", c->upper, 0, d);
    }
    if (c->options->samples > 0) {
        lf_document_open(d, "samples", '[');
        for (size_t k = 0; k < c->options->samples; k++) {
            put_values(s, NULL, c->samples + k * c->list.n, 0, d);
        }
        lf_document_close(d);
    }
}

/* What is asked of a replicate, in the order of the targets. */
static void put_replicate(const lf_predicted *c, int replicate, series *s, lf_document *d)
{
    static const char *const kinds[] = {[LF_KIND_OUTPUT] = "outputs",
                                        [LF_KIND_RATE] = "rates",
                                        [LF_KIND_FORCE] = "forces",
                                        [LF_KIND_STATE] = "states",
                                        [LF_KIND_TARGET] = "targets"};
    lf_document_open(d, kinds[c->kind], '{');
    for (int target = 0; target < lf_target_count(c->model); target++) {
        char name[LF_TARGET_NAME_SIZE];
        find_points(c, target, replicate, s);
        if (s->n > 0) {
            lf_document_open(d, lf_predicted_name(c, target, name), '{');
            put_series(c, s, d);
            lf_document_close(d);
        }
    }
    lf_document_close(d);
}

lf_status lf_predict_json(lf_context *ctx, lf_posterior *posterior, const lf_points *points, const lf_options *request,
                          char **text)
{
    lf_predicted predicted;
    *text = NULL;
    if (!posterior || !points) {
        return lf_missing(ctx, posterior ? "points" : "posterior");
    }
    lf_status status = lf_predicted_create(ctx, posterior, points, request, &predicted);
    series s = {.point = status ? NULL : calloc(predicted.list.n + 1, sizeof *s.point)};
    status = status || s.point ? status : lf_no_memory(ctx);
    lf_document d = lf_document_begin();
    if (!status && predicted.named) {
        lf_document_open(&d, "replicates", '{');
    }
    for (int r = 0; !status && r < posterior->replicates.count; r++) {
        if (predicted.named) {
            lf_document_open(&d, posterior->replicates.name[r], '{');
        }
        put_replicate(&predicted, r, &s, &d);
        if (predicted.named) {
            lf_document_close(&d);
        }
    }
    free(s.point);
    lf_predicted_clear(&predicted);
    return lf_document_end(ctx, status, &d, text);
}
