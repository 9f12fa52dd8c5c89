/* The matrices of a model as a document, with all digits. */
#include <math.h>

#include "base/context.h"
#include "base/document.h"
#include "model/access.h"

static void write_rows(lf_document *d, const char *name, size_t rows, size_t columns, const double *value)
{
    lf_document_line(d, 0);
    lf_document_open(d, name, '[');
    for (size_t i = 0; i < rows; i++) {
        lf_document_line(d, 1);
        lf_document_numbers(d, NULL, columns, value + (size_t)i * columns);
    }
    lf_document_close(d);
}

static void write_vector(lf_document *d, const char *name, size_t count, const double *value)
{
    lf_document_line(d, 0);
    lf_document_numbers(d, name, count, value);
}

static void write_diagonal(lf_document *d, const char *name, size_t count, const double *value)
{
    lf_document_line(d, 0);
    lf_document_open(d, name, '[');
    for (size_t i = 0; i < count; i++) {
        lf_document_line(d, 1);
        lf_document_open(d, NULL, '[');
        for (size_t j = 0; j < count; j++) {
            lf_document_number(d, NULL, i == j ? value[i] : 0);
        }
        lf_document_close(d);
    }
    lf_document_close(d);
}

static void write_names(lf_document *d, const lf_model *model, const lf_matrices *m)
{
    lf_document_line(d, 0);
    lf_document_open(d, "states", '[');
    for (size_t i = 0; i < m->states; i++) {
        lf_document_text(d, NULL, m->state_names[i]);
    }
    lf_document_close(d);
    lf_document_line(d, 0);
    lf_document_open(d, "inputs", '[');
    for (size_t k = 0; k < m->inputs; k++) {
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "name", lf_model_name(model, LF_KIND_KNOWN, k));
        lf_document_text(d, "between", lf_model_known_between(model, (int)k));
        lf_document_close(d);
    }
    lf_document_close(d);
    lf_document_line(d, 0);
    lf_document_open(d, "outputs", '[');
    for (size_t i = 0; i < m->outputs; i++) {
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "name", lf_model_name(model, LF_KIND_OUTPUT, i));
        lf_document_text(d, "unit", lf_model_output(model, (int)i).unit);
        lf_document_number(d, "width", m->widths[i]);
        lf_document_close(d);
    }
    lf_document_close(d);
}

lf_status lf_matrices_json(lf_context *ctx, const lf_model *model, const lf_matrices *m, char **text)
{
    *text = NULL;
    if (!model || !m) {
        return lf_missing(ctx, model ? "matrices" : "model");
    }
    lf_document d = lf_document_begin();
    lf_document_text(&d, "version", lf_version());
    lf_document_line(&d, 0);
    lf_document_text(&d, "time_unit", lf_model_input(model, 0).unit);
    lf_document_number(&d, "step", m->step > 0 ? m->step : (double)NAN);
    lf_document_line(&d, 0);
    lf_document_text(&d, "equations",
                     m->step > 0
                         ? "x[k+1] = A x[k] + B v[k] + B_slope (v[k+1] - v[k]) + c + w[k], w[k] ~ N(0, Q); "
                           "y[k] = C x[k] + D v[k] + d + e[k], e[k] ~ N(0, R)"
                         : "x' = A x + B v + c + w, w white of intensity Q; y = C x + D v + d + e, e ~ N(0, R)");
    write_names(&d, model, m);
    write_rows(&d, "A", m->states, m->states, m->A);
    write_rows(&d, "B", m->states, m->inputs, m->B);
    if (m->step > 0) {
        write_rows(&d, "B_slope", m->states, m->inputs, m->B_slope);
    }
    write_vector(&d, "c", m->states, m->c);
    write_rows(&d, "C", m->outputs, m->states, m->C);
    write_rows(&d, "D", m->outputs, m->inputs, m->D);
    write_vector(&d, "d", m->outputs, m->d);
    write_rows(&d, "Q", m->states, m->states, m->Q);
    write_diagonal(&d, "R", m->outputs, m->R);
    lf_document_line(&d, 0);
    lf_document_open(&d, "start", '{');
    lf_document_truth(&d, "steady", m->steady);
    write_vector(&d, "mean", m->states, m->start_mean);
    write_rows(&d, "covariance", m->states, m->states, m->start_covariance);
    return lf_document_end(ctx, LF_OK, &d, text);
}
