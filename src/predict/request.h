/* A request: inputs that are listed, or that follow from the range of the training inputs, combined with targets and replicates. */
#ifndef LF_PREDICT_REQUEST_H
#define LF_PREDICT_REQUEST_H

#include "data/names.h"
#include "options/options.h"

/* What is asked, and of what. */
typedef struct lf_request {
    lf_context *ctx;
    const lf_model *model;
    const lf_data *training;       /* NULL: the posterior is there already, or the prior is asked */
    const lf_posterior *posterior; /* NULL: it will be computed from the training data, or the prior is asked */
    const lf_request_options *options;
    lf_kind kind; /* of the targets */
    int target_count, replicate_count;
    int *target;     /* (target_count) as numbered in model.h */
    lf_names labels; /* names of the replicates there are; one empty name where they have none */
    int *replicate;  /* (replicate_count) those that are asked for, as numbered in `labels` */
} lf_request;

/* Inputs before they are combined. */
typedef struct lf_request_rows {
    size_t n, room;
    double *x;      /* (n, p) */
    int *target;    /* (n) as numbered in model.h; NULL: every one */
    int *replicate; /* (n) of the labels; NULL: every one */
    double *width;  /* (n) as of lf_points_add(); NULL: all 0 */
    int listed;     /* by the caller: averages over their width must not begin before the model */
    int nested;     /* rows of a replicate stand together, and targets are repeated within each */
} lf_request_rows;

/* Finds targets and replicates; context, model and options are set, and training data or posterior where there are. inputs: NULL where none are
 * listed. It is to be cleared, also after a failure. */
lf_status lf_request_begin(lf_request *request, const lf_data *inputs);
void lf_request_clear(lf_request *request);
/* The number of the replicate of this name among the labels. */
lf_status lf_request_find_replicate(const lf_request *request, const char *name, int *replicate);
/* Fails for the name of an output that the model does not have. */
lf_status lf_request_unknown_output(const lf_request *request, lf_status status, const char *name);
/* Appends points: every replicate, target and row, in this order of nesting, unless the rows name theirs. */
lf_status lf_request_combine(const lf_request *request, const lf_request_rows *rows, lf_points *points);

/* ---- in request_rows.c ---- */

/* The rows of a table of inputs; its readings of known inputs are none. */
lf_status lf_request_list(const lf_request *request, const lf_data *inputs, lf_request_rows *rows);
void lf_request_rows_clear(lf_request_rows *rows);
/* Appends n inputs x (n, p), of one replicate or, with -1, of every one. */
lf_status lf_request_add(const lf_request *request, size_t n, const double *x, int replicate, lf_request_rows *rows);

/* ---- in request_range.c: the rule of ranges ---- */

/* The inputs of a grid, of a forecast or between two ends. */
lf_status lf_request_range(const lf_request *request, lf_request_rows *rows);
/* Refuses inputs x (n, p) at which the posterior cannot predict. Those that are not listed and beyond the end by rounding are moved to it. */
lf_status lf_request_check_range(const lf_request *request, int listed, size_t n, double *x);
/* The range low (p), high (p) that a posterior is shown in: where it can predict, or else that of its training inputs. With several inputs:
 * sqrt 3 standard deviations on either side of their mean, as far as evenly distributed inputs extend. NaN: not known. */
void lf_posterior_limits(const lf_posterior *posterior, double *low, double *high);

/* ---- in forecast.c ---- */

/* The inputs of a forecast: after `last`, one step after the other, as far as `ahead`. Spans are texts: "48h", "12 months" (also as pandas writes
 * them, "12MS"), or a number in the unit of the data, which counts months, quarters or years where the times of the data are these. step NULL: the
 * calendar's where the data have one, else `usual` (lf_posterior_info), else a hundredth of the span. Steps of the calendar keep the day of the
 * month. x (count) is released with free(). */
lf_status lf_forecast_inputs(lf_context *ctx, const lf_model *model, double last, const char *ahead, const char *step,
                             double usual, size_t *count, double **x);
/* The same from `from` on, this included, up to `to`. */
lf_status lf_step_inputs(lf_context *ctx, const lf_model *model, double from, double to, const char *step,
                         size_t *count, double **x);

#endif
