/* Sums to JSON and back. */
#include "engine/chart_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "engine/record.h"

/* Order of a motion from rest, 0 for others. */
static size_t motion_order(const lf_model *model, int output)
{
    int rest = model->outputs[output].op->is_ode && model->initial != LF_INITIAL_STATIONARY;
    return rest ? (size_t)model->outputs[output].order : 0;
}

/* (n) complex numbers as 2n real ones. */
static int put_complex(json_t *object, const char *key, size_t n, const double complex *values)
{
    return lf_record_put(object, key, 2 * n, (const double *)values);
}

static lf_status get_complex(lf_context *ctx, const json_t *object, const char *key, size_t n, double complex *values)
{
    return lf_record_get(ctx, object, key, 2 * n, (double *)values);
}

static json_t *save_series(const lf_model *model, const lf_chart *chart, const lf_series *series)
{
    size_t S = chart->S, P = motion_order(model, series->output);
    const lf_sums *sums = &series->sums;
    json_t *record = json_object();
    int done = record && lf_record_put_number(record, "replicate", series->replicate) &&
               lf_record_put_number(record, "output", series->output) &&
               lf_record_put_number(record, "rows", (double)series->n) &&
               lf_record_put_number(record, "weighted", series->weighted) &&
               put_complex(record, "E", 2 * S - 1, sums->E) && put_complex(record, "Y", S, sums->Y) &&
               put_complex(record, "F", P * S, sums->F) && lf_record_put(record, "H", P * P, sums->H) &&
               lf_record_put(record, "Yh", P, sums->Yh) && lf_record_put_number(record, "yy", sums->yy);
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

json_t *lf_chart_save(const lf_model *model, const lf_chart *chart, const lf_demand *demand)
{
    json_t *state = json_object(), *list = json_array();
    int done = state && list && json_object_set_new(state, "frequencies", lf_record_demand(demand)) == 0 &&
               lf_record_put_number(state, "count", (double)chart->S) &&
               lf_record_put_number(state, "step", chart->step);
    for (int i = 0; done && i < chart->series_count; i++) {
        done = json_array_append_new(list, save_series(model, chart, &chart->series[i])) == 0;
    }
    done = state && json_object_set_new(state, "sums", list) == 0 && done;
    if (!done) {
        json_decref(state);
        return NULL;
    }
    return state;
}

static lf_status load_series(lf_context *ctx, const lf_model *model, const lf_chart *chart, const json_t *record,
                             int replicates, lf_series *series)
{
    double replicate = 0, output = 0, rows = 0, weighted = 0;
    lf_status status = lf_record_get_number(ctx, record, "replicate", 0, replicates - 1, &replicate);
    status = status ? status : lf_record_get_number(ctx, record, "output", 0, model->output_count - 1, &output);
    status = status ? status : lf_record_get_number(ctx, record, "rows", 1, 1e15, &rows);
    status = status ? status : lf_record_get_number(ctx, record, "weighted", 0, 1, &weighted);
    if (status) {
        return status;
    }
    series->replicate = (int)replicate;
    series->n = (size_t)rows;
    series->weighted = (int)weighted;
    series->clock = -1;
    status = lf_series_room(ctx, model, chart, (int)output, series);
    size_t S = chart->S, P = status ? 0 : motion_order(model, series->output);
    lf_sums *sums = &series->sums;
    status = status ? status : get_complex(ctx, record, "E", 2 * S - 1, sums->E);
    status = status ? status : get_complex(ctx, record, "Y", S, sums->Y);
    status = status ? status : get_complex(ctx, record, "F", P * S, sums->F);
    status = status ? status : lf_record_get(ctx, record, "H", P * P, sums->H);
    status = status ? status : lf_record_get(ctx, record, "Yh", P, sums->Yh);
    return status ? status : lf_record_get_number(ctx, record, "yy", 0, HUGE_VAL, &sums->yy);
}

lf_status lf_chart_load(lf_context *ctx, const lf_model *model, const lf_nodes *nodes, const json_t *state,
                        int replicates, lf_chart *chart)
{
    double count = 0, step = 0;
    json_t *list = NULL;
    *chart = (lf_chart){.S = nodes->count, .step = nodes->step};
    lf_status status = lf_record_get_number(ctx, state, "count", 1, 1e7, &count);
    status = status ? status : lf_record_get_number(ctx, state, "step", 0, HUGE_VAL, &step);
    if (!status && (count != (double)nodes->count || fabs(step - nodes->step) > 1e-12 * step)) {
        return lf_fail(
            ctx, LF_ERROR_MODEL,
            "posterior: its frequencies are not those of this model: a parameter was changed since; store it "
            "anew with 'latentforce condition'");
    }
    status = status ? status : lf_record_get_list(ctx, state, "sums", SIZE_MAX, &list);
    if (status) {
        return status;
    }
    chart->series_count = (int)json_array_size(list);
    chart->series = calloc((size_t)chart->series_count + 1, sizeof *chart->series);
    if (!chart->series) {
        chart->series_count = 0;
        return lf_no_memory(ctx);
    }
    for (int i = 0; !status && i < chart->series_count; i++) {
        status = load_series(ctx, model, chart, json_array_get(list, (size_t)i), replicates, &chart->series[i]);
    }
    return status;
}
