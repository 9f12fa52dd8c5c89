/* Stores the sums of the fourier engine in the model file, and loads them. */
#include "fourier/fourier_sums_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/numbers.h"
#include "model/posterior_io.h"

/* The number of free motions in the response of an output: its order if it starts at the origin, else 0. */
static size_t motion_order(const lf_model *model, int output)
{
    int from_origin = lf_starts_at_origin(model, output);
    return from_origin ? (size_t)model->outputs[output].order : 0;
}

/* n complex numbers as 2n real ones. */
static int put_complex(json_t *object, const char *key, size_t n, const double complex *values)
{
    return lf_put_array(object, key, 2 * n, (const double *)values);
}

static lf_status get_complex(lf_context *ctx, const json_t *object, const char *key, size_t n, double complex *values)
{
    return lf_get_array(ctx, object, key, 2 * n, (double *)values);
}

static json_t *save_series(const lf_model *model, const lf_fourier_sums *fourier_sums, const lf_series *series)
{
    size_t S = fourier_sums->S, P = motion_order(model, series->output);
    const lf_series_sums *sums = &series->sums;
    json_t *record = json_object();
    int done = record && lf_put_number(record, "replicate", series->replicate) &&
               lf_put_number(record, "output", series->output) &&
               lf_put_number(record, "rows", (double)series->total) &&
               lf_put_number(record, "weighted", series->weighted) && put_complex(record, "E", 2 * S - 1, sums->E) &&
               put_complex(record, "Y", S, sums->Y) && put_complex(record, "F", P * S, sums->F) &&
               lf_put_array(record, "H", P * P, sums->H) && lf_put_array(record, "Yh", P, sums->Yh) &&
               lf_put_number(record, "yy", sums->yy);
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

json_t *lf_fourier_sums_save(const lf_model *model, const lf_fourier_sums *fourier_sums, const lf_grid_spec *spec)
{
    json_t *state = json_object(), *list = json_array();
    int done = state && list && json_object_set_new(state, "frequencies", lf_grid_spec_save(spec)) == 0 &&
               lf_put_number(state, "count", (double)fourier_sums->S) &&
               lf_put_number(state, "step", fourier_sums->step);
    for (int i = 0; done && i < fourier_sums->series_count; i++) {
        done = json_array_append_new(list, save_series(model, fourier_sums, &fourier_sums->series[i])) == 0;
    }
    done = json_object_set_new(state, "sums", list) == 0 && done;
    if (!done) {
        json_decref(state);
        return NULL;
    }
    return state;
}

static lf_status load_series(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                             const json_t *record, int replicates, lf_series *series)
{
    size_t replicate = 0, output = 0, weighted = 0, S = fourier_sums->S;
    lf_status status = lf_get_count(ctx, record, "replicate", 0, (size_t)replicates - 1, &replicate);
    LF_TRY(status, lf_get_count(ctx, record, "output", 0, (size_t)model->output_count - 1, &output));
    LF_TRY(status, lf_get_count(ctx, record, "rows", 1, 1000000000000000, &series->total));
    LF_TRY(status, lf_get_count(ctx, record, "weighted", 0, 1, &weighted));
    size_t P = motion_order(model, (int)output);
    LF_TRY(status, lf_check_array(ctx, record, "E", 2 * (2 * S - 1)));
    LF_TRY(status, lf_check_array(ctx, record, "Y", 2 * S));
    LF_TRY(status, lf_check_array(ctx, record, "F", 2 * P * S));
    if (status) {
        return status;
    }
    series->replicate = (int)replicate;
    series->weighted = (int)weighted;
    series->time_grid = -1;
    status = lf_series_allocate(ctx, model, fourier_sums, (int)output, series);
    lf_series_sums *sums = &series->sums;
    LF_TRY(status, get_complex(ctx, record, "E", 2 * S - 1, sums->E));
    LF_TRY(status, get_complex(ctx, record, "Y", S, sums->Y));
    LF_TRY(status, get_complex(ctx, record, "F", P * S, sums->F));
    LF_TRY(status, lf_get_array(ctx, record, "H", P * P, sums->H));
    LF_TRY(status, lf_get_array(ctx, record, "Yh", P, sums->Yh));
    return status ? status : lf_get_number(ctx, record, "yy", 0, HUGE_VAL, &sums->yy);
}

/* One series for each output of a replicate at most, and at least one for each replicate: its system is of their size. */
static lf_status check_series(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                              int replicates)
{
    size_t D = (size_t)model->output_count;
    char *seen = calloc((size_t)replicates, 1 + D), *twice = seen;
    lf_status status = seen ? LF_OK : lf_no_memory(ctx);
    for (int i = 0; !status && i < fourier_sums->series_count; i++) {
        const lf_series *series = &fourier_sums->series[i];
        seen[(size_t)series->replicate * (1 + D)] = 1;
        twice = &seen[(size_t)series->replicate * (1 + D) + 1 + (size_t)series->output];
        status = *twice ? lf_get_fail(ctx, "sums", "has an output twice") : LF_OK;
        *twice = 1;
    }
    for (size_t r = 0; !status && r < (size_t)replicates; r++) {
        status = seen[r * (1 + D)] ? LF_OK : lf_get_fail(ctx, "sums", "has a replicate without rows");
    }
    free(seen);
    return status;
}

lf_status lf_fourier_sums_load(lf_context *ctx, const lf_model *model, const lf_grid_spec *spec, const json_t *state,
                               int replicates, lf_fourier_sums *fourier_sums)
{
    size_t count = 0;
    double step = 0;
    json_t *list = NULL;
    *fourier_sums = (lf_fourier_sums){0};
    if (spec->frozen_count != 1) {
        return lf_get_fail(ctx, "frequencies", "is not of the fourier engine");
    }
    fourier_sums->S = (size_t)spec->frozen[0].count;
    /* through the period, as the nodes */
    fourier_sums->step = 2 * LF_PI / (2 * LF_PI / spec->frozen[0].step);
    lf_status status = lf_get_count(ctx, state, "count", 1, LF_MAX_COLUMNS, &count);
    LF_TRY(status, lf_get_number(ctx, state, "step", 0, HUGE_VAL, &step));
    if (!status && (count != fourier_sums->S || fabs(step - fourier_sums->step) > 1e-12 * step)) {
        return lf_fail(
            ctx, LF_ERROR_MODEL,
            "posterior: its frequencies are not those of this model: a parameter was changed since; store it "
            "again with 'latentforce condition'");
    }
    LF_TRY(status, lf_get_list(ctx, state, "sums", SIZE_MAX, &list));
    if (!status && json_array_size(list) > (size_t)replicates * (size_t)model->output_count) {
        status = lf_get_fail(ctx, "sums", "has more series than outputs and replicates");
    }
    if (status) {
        return status;
    }
    int series_count = (int)json_array_size(list);
    fourier_sums->series = calloc((size_t)series_count + 1, sizeof *fourier_sums->series);
    if (!fourier_sums->series) {
        return lf_no_memory(ctx);
    }
    while (!status && fourier_sums->series_count < series_count) {
        int i = fourier_sums->series_count++;
        status = load_series(ctx, model, fourier_sums, json_array_get(list, (size_t)i), replicates,
                             &fourier_sums->series[i]);
    }
    return status ? status : check_series(ctx, model, fourier_sums, replicates);
}
