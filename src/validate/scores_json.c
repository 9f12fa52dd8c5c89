/* Scores as a document. */
#include <string.h>

#include "base/context.h"
#include "base/document.h"
#include "validate/scores.h"

static void write_folds(lf_document *d, const lf_scores *s)
{
    int rolling = strcmp(s->scored, "rolling") == 0;
    if (s->folds) {
        lf_document_open(d, rolling ? "rolling" : "cross_validation", '{');
        lf_document_count(d, rolling ? "origins" : "folds", s->folds);
        lf_document_truth(d, "refit", s->refit);
        lf_document_close(d);
    }
}

static void write_scores(lf_document *d, const lf_scores *s)
{
    lf_document_open(d, "outputs", '{');
    for (int k = 0; k < s->model->output_count; k++) {
        if (s->outputs[k].n > 0) {
            lf_score_describe(d, s->model->outputs[k].name, &s->outputs[k]);
        }
    }
    lf_document_close(d);
    lf_score_describe(d, "overall", &s->overall);
    lf_document_text(d, "scored", s->scored);
    write_folds(d, s);
}

static void write_comparison(lf_document *d, const lf_scores *s)
{
    const char *held_out = lf_scores_held_out(s);
    lf_document_text(d, "data", s->table_name);
    lf_document_count(d, "rows", s->training_rows);
    lf_document_text(d, "ranked_by", lf_scores_ranked_by(s));
    lf_document_text(d, "held_out", *held_out ? held_out : NULL);
    write_folds(d, s);
    lf_document_text(d, "best", s->models[0].name);
    lf_document_open(d, "models", '[');
    for (size_t i = 0; i < s->model_count; i++) {
        const lf_compared *m = &s->models[i];
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "model", m->name);
        lf_document_text(d, "engine", m->engine);
        lf_document_truth(d, "bound", (m->abilities & LF_GIVES_BOUND) != 0);
        lf_document_count(d, "parameters", m->parameters);
        lf_document_number(d, "log_density", m->log_density);
        lf_document_number(d, "bic", m->bic);
        lf_score_describe(d, "held_out", &m->held_out);
        lf_document_close(d);
    }
    lf_document_close(d);
}

lf_status lf_scores_json(lf_context *ctx, const lf_scores *s, char **text)
{
    *text = NULL;
    if (!s) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there are no scores");
    }
    lf_document d = lf_document_begin();
    if (s->model_count > 0) {
        write_comparison(&d, s);
    } else {
        write_scores(&d, s);
    }
    return lf_document_end(ctx, LF_OK, &d, text);
}
