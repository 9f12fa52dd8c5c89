/* The inputs that a table lists. Rows of known inputs are readings, at which nothing is asked. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"
#include "model/model.h"
#include "predict/request.h"

void lf_request_rows_clear(lf_request_rows *rows)
{
    free(rows->x);
    free(rows->target);
    free(rows->replicate);
    free(rows->width);
    *rows = (lf_request_rows){0};
}

/* Whether a row of a table is a reading of a known input. */
static int is_reading(const lf_model *model, const lf_data *inputs, size_t i)
{
    int output = inputs->output[i];
    return output >= 0 && lf_model_find_known(model, inputs->outputs.name[output]) >= 0;
}

/* Whether the rows name targets; refuses names that the model does not have. */
static lf_status check_names(const lf_request *r, const lf_data *inputs, int *named)
{
    *named = 0;
    for (size_t i = 0; (r->kind == LF_KIND_OUTPUT || r->kind == LF_KIND_RATE) && i < inputs->n; i++) {
        const char *name = inputs->output[i] < 0 ? NULL : inputs->outputs.name[inputs->output[i]];
        if (!name || is_reading(r->model, inputs, i)) {
            continue;
        }
        *named = 1;
        if (lf_model_find_output(r->model, name) < 0) {
            return lf_request_unknown_output(r, LF_ERROR_DATA, name);
        }
    }
    return LF_OK;
}

static lf_status check_inputs(const lf_request *r, const lf_data *inputs)
{
    return inputs->input_dim == r->model->input_dim
               ? LF_OK
               : lf_fail(r->ctx, LF_ERROR_DATA, "the inputs have %d columns, but the model has %d inputs",
                         inputs->input_dim, r->model->input_dim);
}

static lf_status reserve(const lf_request *r, size_t n, int targets, int replicates, int widths, lf_request_rows *rows)
{
    rows->x = lf_doubles(n, (size_t)r->model->input_dim);
    rows->target = targets ? calloc(n + 1, sizeof *rows->target) : NULL;
    rows->replicate = replicates ? calloc(n + 1, sizeof *rows->replicate) : NULL;
    rows->width = widths ? lf_doubles(n, 1) : NULL;
    return rows->x && (rows->target || !targets) && (rows->replicate || !replicates) && (rows->width || !widths)
               ? LF_OK
               : lf_no_memory(r->ctx);
}

/* Fills in the target and the replicate that a row names. */
static lf_status name_row(const lf_request *r, const lf_data *inputs, size_t i, lf_request_rows *rows)
{
    int first = r->kind == LF_KIND_RATE ? r->model->output_count + r->model->force_count : 0;
    if (rows->target && inputs->output[i] < 0) {
        return lf_fail(r->ctx, LF_ERROR_DATA, "row %zu names no output, and others do", i);
    }
    if (rows->replicate && inputs->replicate[i] < 0) {
        return lf_fail(r->ctx, LF_ERROR_DATA, "row %zu names no replicate, and others do", i);
    }
    if (rows->target) {
        rows->target[rows->n] = first + lf_model_find_output(r->model, inputs->outputs.name[inputs->output[i]]);
    }
    return rows->replicate
               ? lf_request_find_replicate(r, inputs->replicates.name[inputs->replicate[i]], &rows->replicate[rows->n])
               : LF_OK;
}

lf_status lf_request_list(const lf_request *r, const lf_data *inputs, lf_request_rows *rows)
{
    size_t p = (size_t)r->model->input_dim;
    int named = 0;
    lf_status status = check_inputs(r, inputs);
    LF_TRY(status, check_names(r, inputs, &named));
    LF_TRY(status, reserve(r, inputs->n, named, inputs->replicates.count > 0, inputs->width != NULL, rows));
    rows->listed = 1;
    for (size_t i = 0; !status && i < inputs->n; i++) {
        if (is_reading(r->model, inputs, i)) {
            continue;
        }
        memcpy(rows->x + rows->n * p, inputs->x + i * p, p * sizeof *rows->x);
        if (rows->width) {
            rows->width[rows->n] = inputs->width[i];
        }
        status = name_row(r, inputs, i, rows);
        rows->n++;
    }
    return status || rows->n > 0 ? status
                                 : lf_fail(r->ctx, LF_ERROR_DATA,
                                           "there are only readings of known inputs, and no rows at which to predict");
}

lf_status lf_request_add(const lf_request *r, size_t n, const double *x, int replicate, lf_request_rows *rows)
{
    size_t p = (size_t)r->model->input_dim, room = rows->n + n;
    double *grown = realloc(rows->x, (room * p + 1) * sizeof *grown);
    rows->x = grown ? grown : rows->x;
    int *numbers = replicate >= 0 ? realloc(rows->replicate, (room + 1) * sizeof *numbers) : NULL;
    rows->replicate = numbers ? numbers : rows->replicate;
    if (!grown || (replicate >= 0 && !numbers)) {
        return lf_no_memory(r->ctx);
    }
    if (n > 0) {
        memcpy(rows->x + rows->n * p, x, n * p * sizeof *x);
    }
    for (size_t i = 0; replicate >= 0 && i < n; i++) {
        rows->replicate[rows->n + i] = replicate;
    }
    rows->n = room;
    rows->nested = replicate >= 0;
    return LF_OK;
}
