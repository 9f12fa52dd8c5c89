/* The results of latentforce score: warnings, the table or JSON, and the file of rows. */
#include <stdio.h>

#include "message.h"
#include "scores/cross_validation.h"
#include "show/score.h"

static const double default_threshold = 3;

static const char *const kind_names[] = {"test", "all", "training", "cross-validation"};

void cli_score_explain(const cli_scoring *s)
{
    const char *path = s->settings->rows;
    char note[512];
    if (s->settings->quiet) {
        return;
    }
    if (s->kind == CLI_SCORED_TRAINING) {
        fprintf(stderr,
                "latentforce: WARNING: %s: no row is marked test: these are scores of the %zu TRAINING ROWS, which "
                "say how well the model fits, not how well it predicts; --cross-validate 5 withholds parts of them\n",
                path, s->rows.n);
    } else if (s->known > 0) {
        fprintf(stderr,
                "latentforce: WARNING: %s: %zu of the %zu scored rows are also TRAINING ROWS; their scores are too "
                "good\n",
                path, s->known, s->rows.n);
    } else if (s->kind == CLI_SCORED_ALL) {
        snprintf(note, sizeof note, "%s: no row is marked test: all %zu rows are scored", path, s->rows.n);
        cli_note(NULL, LF_LEVEL_NOTE, note);
    } else if (s->kind == CLI_SCORED_WITHHELD && s->settings->no_refit) {
        cli_note(NULL, LF_LEVEL_NOTE, "the parameters of the model saw all rows, so the scores are somewhat too good");
    }
}

int cli_score_write_rows(const cli_scoring *s)
{
    const cli_settings *settings = s->settings;
    double threshold = settings->threshold > 0 ? settings->threshold : default_threshold;
    const char *obstacle = s->known > 0 ? cli_why_not_left_out(s->model, s->posterior) : NULL;
    int leave_out = s->known > 0 && !obstacle;
    size_t undefined = 0;
    char note[512];
    int status = cli_scored_rows_write(s->ctx, &s->rows, settings->rows_file, threshold, leave_out, &undefined);
    if (status == CLI_DONE && obstacle && !settings->quiet) {
        snprintf(
            note, sizeof note,
            "%s: training rows are predicted with themselves, so outliers hide: %s; --cross-validate 5 leaves rows "
            "out without it",
            settings->rows_file, obstacle);
        cli_note(NULL, LF_LEVEL_NOTE, note);
    }
    if (status == CLI_DONE && undefined > 0 && !settings->quiet) {
        snprintf(note, sizeof note, "%s: %zu rows have no prediction without themselves: their noise is too small",
                 settings->rows_file, undefined);
        cli_note(NULL, LF_LEVEL_NOTE, note);
    }
    return status;
}

int cli_score_print(const cli_scoring *s)
{
    int status = CLI_DONE;
    if (s->settings->json) {
        cli_scored_rows_print_json(stdout, &s->rows);
        printf(",\"scored\":\"%s\"", kind_names[s->kind]);
        if (s->kind == CLI_SCORED_WITHHELD) {
            printf(",\"cross_validation\":{\"folds\":%zu,\"refit\":%s}", s->settings->folds,
                   s->settings->no_refit ? "false" : "true");
        }
        fputs("}\n", stdout);
        return cli_flush();
    }
    if (s->kind == CLI_SCORED_TRAINING) {
        puts("training rows: the model has seen them\n");
    } else if (s->kind == CLI_SCORED_WITHHELD) {
        char text[256];
        cli_describe_cross_validation(s->settings, s->model, sizeof text, text);
        printf("%s\n\n", text);
    }
    status = cli_scored_rows_print(stdout, &s->rows);
    return status ? status : cli_flush();
}
