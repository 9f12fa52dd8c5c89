/* Predictions in CSV and JSON. */
#include "show/prediction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/output_file.h"
#include "message.h"
#include "show/formats.h"

enum { NAME_SIZE = 256 };

/* Whether outputs themselves are predicted, which have noise. */
static int are_outputs(const cli_settings *settings)
{
    return !settings->forces && !settings->rates && !settings->states;
}

/* The name of a target, from 0 for the first of them. */
static void name_target(const cli_settings *settings, const cli_prediction *result, int index, char text[NAME_SIZE])
{
    if (settings->forces) {
        lf_model_force_name(result->model, index, NAME_SIZE, text);
    } else if (settings->states) {
        lf_model_state_name(result->model, index, NAME_SIZE, text);
    } else {
        snprintf(text, NAME_SIZE, "%s", lf_model_output_name(result->model, index));
    }
}

static void print_heading(FILE *stream, const cli_settings *settings, const cli_prediction *result)
{
    fputs(result->named_replicates ? "replicate," : "", stream);
    fputs(settings->forces ? "force," : settings->states ? "state," : "output,", stream);
    cli_csv_input_heading(stream, result->model);
    fputs(are_outputs(settings) ? ",mean,sd_f,sd_y" : ",mean,sd", stream);
    for (size_t k = 0; k < settings->samples; k++) {
        fprintf(stream, ",sample%zu", k + 1);
    }
    fputc('\n', stream);
}

static void print_row(FILE *stream, const cli_settings *settings, const cli_prediction *result, size_t i)
{
    const cli_points *points = &result->points;
    int index = points->target[i] - result->first;
    if (result->named_replicates) {
        cli_csv_name(stream, lf_posterior_replicate_name(result->posterior, points->replicate[i]));
        fputc(',', stream);
    }
    char name[NAME_SIZE];
    name_target(settings, result, index, name);
    cli_csv_name(stream, name);
    fputc(',', stream);
    cli_csv_inputs(stream, result->model, points->x + i * (size_t)points->input_dim);
    double variance = fmax(result->variance[i], 0);
    fputc(',', stream);
    cli_csv_number(stream, result->mean[i]);
    fputc(',', stream);
    cli_csv_number(stream, sqrt(variance));
    if (are_outputs(settings)) {
        fputc(',', stream);
        cli_csv_number(stream, sqrt(variance + lf_model_noise_variance(result->model, index)));
    }
    for (size_t k = 0; k < settings->samples; k++) {
        fputc(',', stream);
        cli_csv_number(stream, result->samples[k * points->n + i]);
    }
    fputc('\n', stream);
}

/* ---- JSON: arrays for each target, in an object for each replicate ---- */

/* Opens an array of the points of a series. */
static void open_array(FILE *stream, const char *name, const char *separator)
{
    fputs(separator, stream);
    cli_json_string(stream, name);
    fputs(":[", stream);
}

/* One target of one replicate. */
typedef struct series {
    int target, replicate;
    size_t n;
    size_t *point; /* (n) */
} series;

static void find_points(const cli_prediction *result, series *s)
{
    const cli_points *points = &result->points;
    s->n = 0;
    for (size_t i = 0; i < points->n; i++) {
        if (points->target[i] == s->target && points->replicate[i] == s->replicate) {
            s->point[s->n++] = i;
        }
    }
}

static void print_deviations(FILE *stream, const cli_prediction *result, const series *s, const char *name,
                             double noise)
{
    open_array(stream, name, ",");
    for (size_t i = 0; i < s->n; i++) {
        fputs(i ? "," : "", stream);
        cli_json_number(stream, sqrt(fmax(result->variance[s->point[i]], 0) + noise));
    }
    fputc(']', stream);
}

static void print_samples(FILE *stream, const cli_settings *settings, const cli_prediction *result, const series *s)
{
    if (settings->samples == 0) {
        return;
    }
    open_array(stream, "samples", ",");
    for (size_t k = 0; k < settings->samples; k++) {
        fputs(k ? ",[" : "[", stream);
        for (size_t i = 0; i < s->n; i++) {
            fputs(i ? "," : "", stream);
            cli_json_number(stream, result->samples[k * result->points.n + s->point[i]]);
        }
        fputc(']', stream);
    }
    fputc(']', stream);
}

static void print_series(FILE *stream, const cli_settings *settings, const cli_prediction *result, const series *s)
{
    int p = result->points.input_dim, output = s->target - result->first;
    for (int k = 0; k < p; k++) {
        char name[256];
        lf_model_input_heading(result->model, k, sizeof name, name);
        open_array(stream, name, k ? "," : "{");
        for (size_t i = 0; i < s->n; i++) {
            fputs(i ? "," : "", stream);
            cli_json_input(stream, result->model, k, result->points.x[s->point[i] * (size_t)p + (size_t)k]);
        }
        fputc(']', stream);
    }
    open_array(stream, "mean", ",");
    for (size_t i = 0; i < s->n; i++) {
        fputs(i ? "," : "", stream);
        cli_json_number(stream, result->mean[s->point[i]]);
    }
    fputc(']', stream);
    if (!are_outputs(settings)) {
        print_deviations(stream, result, s, "sd", 0);
    } else {
        print_deviations(stream, result, s, "sd_f", 0);
        print_deviations(stream, result, s, "sd_y", lf_model_noise_variance(result->model, output));
    }
    print_samples(stream, settings, result, s);
    fputc('}', stream);
}

/* {"outputs":{"NAME":{…},…}}; "forces", "rates" and "states" likewise. */
static void print_replicate(FILE *stream, const cli_settings *settings, const cli_prediction *result, series *s)
{
    const char *separator = "";
    fprintf(stream, "{\"%s\":{",
            settings->forces   ? "forces"
            : settings->states ? "states"
            : settings->rates  ? "rates"
                               : "outputs");
    for (int k = 0; k < result->count; k++) {
        char name[NAME_SIZE];
        s->target = result->first + k;
        find_points(result, s);
        if (s->n == 0) {
            continue;
        }
        name_target(settings, result, k, name);
        fputs(separator, stream);
        cli_json_string(stream, name);
        fputc(':', stream);
        print_series(stream, settings, result, s);
        separator = ",";
    }
    fputs("}}", stream);
}

static int print_json(FILE *stream, const cli_settings *settings, const cli_prediction *result)
{
    series s = {.point = calloc(result->points.n + 1, sizeof *s.point)};
    if (!s.point) {
        return cli_no_memory();
    }
    fputs(result->named_replicates ? "{\"replicates\":{" : "", stream);
    for (; s.replicate < lf_posterior_replicate_count(result->posterior); s.replicate++) {
        if (result->named_replicates) {
            fputs(s.replicate ? "," : "", stream);
            cli_json_string(stream, lf_posterior_replicate_name(result->posterior, s.replicate));
            fputc(':', stream);
        }
        print_replicate(stream, settings, result, &s);
    }
    fputs(result->named_replicates ? "}}\n" : "\n", stream);
    free(s.point);
    return CLI_DONE;
}

int cli_write_prediction(lf_context *ctx, const cli_settings *settings, const cli_prediction *result)
{
    lf_output_file out;
    int status = cli_check(ctx, lf_file_create(ctx, settings->output, &out));
    if (status != CLI_DONE) {
        return status;
    }
    if (settings->json) {
        status = print_json(out.stream, settings, result);
    } else {
        print_heading(out.stream, settings, result);
        for (size_t i = 0; i < result->points.n; i++) {
            print_row(out.stream, settings, result, i);
        }
    }
    if (status != CLI_DONE) {
        lf_file_discard(&out);
        return status;
    }
    return cli_check(ctx, lf_file_commit(ctx, &out));
}
