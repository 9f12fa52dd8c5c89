/* latentforce show --state-space --json: the matrices of a model as one JSON object, with all digits. */
#include "show/show_matrices.h"

#include <math.h>

#include "message.h"
#include "show/formats.h"

static void row(FILE *stream, int columns, const double *value)
{
    fputc('[', stream);
    for (int j = 0; j < columns; j++) {
        fputs(j ? "," : "", stream);
        cli_json_number(stream, value[j]);
    }
    fputc(']', stream);
}

static void vector(FILE *stream, const char *name, int count, const double *value)
{
    fprintf(stream, ",\n\"%s\":", name);
    row(stream, count, value);
}

static void matrix(FILE *stream, const char *name, int rows, int columns, const double *value)
{
    fprintf(stream, ",\n\"%s\":[", name);
    for (int i = 0; i < rows; i++) {
        fputs(i ? ",\n " : "", stream);
        row(stream, columns, value + (size_t)i * (size_t)columns);
    }
    fputc(']', stream);
}

static void diagonal(FILE *stream, const char *name, int count, const double *value)
{
    fprintf(stream, ",\n\"%s\":[", name);
    for (int i = 0; i < count; i++) {
        fputs(i ? ",\n [" : "[", stream);
        for (int j = 0; j < count; j++) {
            fputs(j ? "," : "", stream);
            cli_json_number(stream, i == j ? value[i] : 0);
        }
        fputc(']', stream);
    }
    fputc(']', stream);
}

static void write_names(FILE *stream, const lf_model *model, const lf_matrices *m)
{
    fputs(",\n\"states\":[", stream);
    for (int i = 0; i < m->states; i++) {
        fputs(i ? "," : "", stream);
        cli_json_string(stream, m->state_names[i]);
    }
    fputs("],\n\"inputs\":[", stream);
    for (int k = 0; k < m->inputs; k++) {
        fputs(k ? ",{\"name\":" : "{\"name\":", stream);
        cli_json_string(stream, lf_model_known_name(model, k));
        fputs(",\"between\":", stream);
        cli_json_string(stream, lf_model_known_between(model, k));
        fputc('}', stream);
    }
    fputs("],\n\"outputs\":[", stream);
    for (int d = 0; d < m->outputs; d++) {
        fputs(d ? ",{\"name\":" : "{\"name\":", stream);
        cli_json_string(stream, lf_model_output_name(model, d));
        fputs(",\"unit\":", stream);
        cli_json_string(stream, lf_model_output(model, d).unit);
        fputs(",\"width\":", stream);
        cli_json_number(stream, m->widths[d]);
        fputc('}', stream);
    }
    fputc(']', stream);
}

int cli_show_matrices(lf_context *ctx, FILE *stream, const cli_settings *settings, const lf_model *model)
{
    double step = 0;
    lf_matrices *m = NULL;
    int status = settings->step ? cli_check(ctx, lf_model_parse_span(ctx, model, settings->step, &step)) : CLI_DONE;
    if (status == CLI_DONE && settings->step && !(step > 0)) {
        status = cli_fail("--step %s: the step must be more than 0", settings->step);
    }
    status = status ? status : cli_check(ctx, lf_model_matrices(ctx, model, step, &m));
    if (status != CLI_DONE) {
        return status;
    }
    fputs("{\"model\":", stream);
    cli_json_string(stream, settings->model);
    fputs(",\"version\":", stream);
    cli_json_string(stream, lf_version());
    fputs(",\n\"time_unit\":", stream);
    cli_json_string(stream, lf_model_input(model, 0).unit);
    fputs(",\"step\":", stream);
    cli_json_number(stream, step > 0 ? step : (double)NAN);
    fprintf(stream, ",\n\"equations\":\"%s\"",
            step > 0 ? "x[k+1] = A x[k] + B v[k] + B_slope (v[k+1] - v[k]) + c + w[k], w[k] ~ N(0, Q); "
                       "y[k] = C x[k] + D v[k] + d + e[k], e[k] ~ N(0, R)"
                     : "x' = A x + B v + c + w, w white of intensity Q; y = C x + D v + d + e, e ~ N(0, R)");
    write_names(stream, model, m);
    matrix(stream, "A", m->states, m->states, m->A);
    matrix(stream, "B", m->states, m->inputs, m->B);
    if (step > 0) {
        matrix(stream, "B_slope", m->states, m->inputs, m->B_slope);
    }
    vector(stream, "c", m->states, m->c);
    matrix(stream, "C", m->outputs, m->states, m->C);
    matrix(stream, "D", m->outputs, m->inputs, m->D);
    vector(stream, "d", m->outputs, m->d);
    matrix(stream, "Q", m->states, m->states, m->Q);
    diagonal(stream, "R", m->outputs, m->R);
    fprintf(stream, ",\n\"start\":{\"steady\":%s", m->steady ? "true" : "false");
    vector(stream, "mean", m->states, m->start_mean);
    matrix(stream, "covariance", m->states, m->states, m->start_covariance);
    fputs("}}\n", stream);
    lf_matrices_free(m);
    return CLI_DONE;
}
