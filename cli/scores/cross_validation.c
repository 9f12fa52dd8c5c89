/* Cross-validation: predictions of rows by models that have not seen them.
 *
 * A fold is the table with the withheld rows marked test. It is fitted as 'latentforce fit' would with the options of the command that made
 * the model, so that nothing of the withheld rows (offset, scale, starting values, choice of the shape) reaches the fit; only
 * their inputs count, as places of predictions. A fit starts where the model does, also where the first rows are withheld. It is calibrated
 * if the model was, by windows of the rows that are kept. */
#include "scores/cross_validation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "message.h"
#include "options/file_kind.h"
#include "options/options.h"
#include "options/session.h"
#include "scores/folds.h"

/* The options of the fit that made the model. */
typedef struct recipe {
    size_t count;
    char **words; /* (count) after "latentforce fit"; they belong to the model */
    cli_settings settings;
} recipe;

static void clear_recipe(recipe *r)
{
    cli_settings_clear(&r->settings);
    free(r->words);
}

/* Takes the words of the command that say what is fitted. Only files that the command line of this program names are opened, so
 * words that name others are left out; a model to start from cannot be. */
static int take_words(const cli_settings *settings, const lf_model *model, size_t count, const cli_option_set *set,
                      recipe *r)
{
    for (size_t i = 2; i < count; i++) {
        const char *word = lf_model_command(model, i);
        if (strcmp(word, "--") == 0) {
            break; /* data files follow */
        }
        if (word[0] != '-' || !word[1]) {
            continue; /* a data file */
        }
        size_t length = strcspn(word, "=");
        const cli_option *option = cli_option_find(set, word, length);
        const lf_option *in_library = option ? lf_fit_option_find(option->name + 2) : NULL;
        int has_value = option && option->kind != CLI_FLAG && !word[length];
        if (option && option->kind == CLI_MODEL && !settings->init) {
            return cli_fail(
                "%s: its fit started from a model file (--init), which is not opened because only the model "
                "names it; give that file with 'latentforce score --init FILE', or --no-refit",
                settings->model);
        }
        int names_file = option && (cli_reads_file(option->kind) || cli_writes_file(option->kind));
        if (names_file || (in_library && in_library->about_machine)) {
            i += (size_t)has_value;
            continue;
        }
        /* The parser takes words as main() has them and changes none. */
        r->words[r->count++] = (char *)(uintptr_t)word;
        if (has_value && i + 1 < count) {
            r->words[r->count++] = (char *)(uintptr_t)lf_model_command(model, ++i);
        }
    }
    return CLI_DONE;
}

/* The fits start not after the model, unless the options say when. A time that was rounded when it was written is moved a little. */
static int set_origin(lf_context *ctx, const cli_settings *settings, const lf_model *model, recipe *r)
{
    char text[CLI_INPUT_SIZE];
    double origin = lf_model_origin(model), earlier = 0, read = INFINITY;
    for (int i = 0; i < 12 && !(read <= origin); i++) {
        snprintf(text, sizeof text, "%.17g", origin - earlier);
        if (lf_model_input(model, 0).dated || *lf_model_input(model, 0).file_unit) {
            lf_model_format_input(model, 0, origin - earlier, sizeof text, text);
        }
        if (lf_model_parse_input(ctx, model, 0, text, &read) != LF_OK) {
            return cli_check(ctx, lf_model_parse_input(ctx, model, 0, text, &read));
        }
        earlier = earlier > 0 ? 10 * earlier : 1e-12 * fmax(fabs(origin), 1);
    }
    int starts = lf_model_input_dim(model) == 1 && !settings->init;
    return starts ? cli_check(ctx, lf_fit_options_set(ctx, r->settings.fit, "origin", text)) : CLI_DONE;
}

/* Parses the words, completed by a data file and a result, which are neither read nor written. */
static int parse_words(lf_context *ctx, const cli_settings *settings, const lf_model *model, recipe *r)
{
    static char from[] = "-", to[] = "--output=-", init[] = "--init";
    r->words[r->count++] = from;
    r->words[r->count++] = to;
    if (settings->init) {
        r->words[r->count++] = init;
        r->words[r->count++] = (char *)(uintptr_t)settings->init;
    }
    int status = cli_parse(ctx, &cli_fit, (int)r->count, r->words, &r->settings);
    if (status != CLI_DONE || r->settings.help || r->settings.version || r->settings.help_engines) {
        return cli_fail("%s: the command in its provenance is not one of this version; --no-refit does without it",
                        settings->model);
    }
    if (settings->init && !settings->quiet) {
        cli_note(NULL, LF_LEVEL_NOTE,
                 "the fit starts from the model of --init: if that was fitted to these rows, the scores are too "
                 "good");
    }
    lf_status set = lf_fit_options_set(ctx, r->settings.fit, "errors", "no");
    if (!set && !lf_model_is_calibrated(model)) { /* the windows of a fold would be gaps, which call for it */
        set = lf_fit_options_set(ctx, r->settings.fit, "calibrate", "no");
    }
    return cli_check(ctx, set);
}

/* The equations are those in the model: the file that they came from may be gone, or changed. */
static int take_equations(lf_context *ctx, const cli_settings *settings, const lf_model *model, recipe *r)
{
    const char *text = settings->init ? NULL : lf_model_equations(model);
    return text ? cli_check(ctx, lf_fit_options_set_equations(ctx, r->settings.fit, text, settings->model)) : CLI_DONE;
}

static int read_recipe(lf_context *ctx, const cli_settings *settings, const lf_model *model, recipe *r)
{
    const char *verb = lf_model_command(model, 1);
    size_t count = 0;
    cli_option_set *set = NULL;
    while (lf_model_command(model, count)) {
        count++;
    }
    *r = (recipe){.settings = {.output = "-", .reading = {.size = sizeof(lf_read_options)}, .repeat = 1, .seed = 1}};
    if (!verb || strcmp(verb, "fit") != 0) {
        return cli_fail("%s: does not contain the command of 'latentforce fit' that made it, so it cannot be fitted "
                        "again; --no-refit keeps its parameters and withholds the rows from the posterior only",
                        settings->model);
    }
    r->words = calloc(count + 4, sizeof *r->words);
    set = calloc(1, sizeof *set);
    if (!r->words || !set || lf_fit_options_create(ctx, &r->settings.fit) != LF_OK ||
        !cli_option_set_create(&cli_fit, set)) {
        free(set);
        return cli_no_memory();
    }
    int status = take_words(settings, model, count, set, r);
    cli_option_set_clear(set);
    free(set);
    status = status ? status : set_origin(ctx, settings, model, r);
    status = status ? status : parse_words(ctx, settings, model, r);
    return status ? status : take_equations(ctx, settings, model, r);
}

/* What one fold needs. */
typedef struct fold_work {
    lf_context *ctx;
    const cli_settings *settings;
    const lf_model *model; /* that is to be judged */
    const recipe *recipe;  /* NULL: its parameters are kept */
    lf_data *rows;         /* marked for the fold */
    const char *path;
} fold_work;

/* The posterior given the rows that are kept, and the model that it is of; *fitted stays NULL without a refit. */
static int make_posterior(const fold_work *w, const cli_points *points, lf_model **fitted, lf_posterior **posterior)
{
    lf_context *ctx = w->ctx;
    lf_data *kept = NULL;
    if (w->recipe) {
        lf_context_set_seed(ctx, w->settings->seed);
        int status = cli_check(ctx, lf_fit(ctx, w->rows, w->recipe->settings.fit, fitted, NULL));
        if (status != CLI_DONE || lf_model_has_posterior(*fitted)) {
            return status ? status : cli_check(ctx, lf_posterior_restore(ctx, *fitted, posterior));
        }
    }
    int status = cli_select(ctx, w->model, w->path, w->rows, "train", &kept);
    if (status == CLI_DONE) {
        status = cli_condition_on(ctx, w->settings, *fitted ? *fitted : w->model, kept, points, posterior);
    }
    lf_data_free(kept);
    return status;
}

static int run_fold(const fold_work *w, const size_t *row, cli_scored_rows *scored)
{
    lf_data *withheld = NULL;
    lf_model *fitted = NULL;
    lf_posterior *posterior = NULL;
    cli_points points = {0}, asked = {0};
    int status = cli_select(w->ctx, w->model, w->path, w->rows, "test", &withheld);
    status = status ? status : cli_points_from_inputs(w->model, withheld, 0, &asked);
    status = status ? status : make_posterior(w, &asked, &fitted, &posterior);
    const lf_model *predictor = fitted ? fitted : w->model;
    status = status ? status : cli_points_from_inputs(predictor, withheld, 0, &points);
    if (status == CLI_DONE) {
        status = cli_points_match_replicates(&points, withheld, w->path, posterior, cli_has_named_replicates(posterior),
                                             "the rows that are kept");
    }
    status = status ? status : cli_scored_rows_predict(w->ctx, predictor, posterior, &points, row, scored);
    cli_points_free(&points);
    cli_points_free(&asked);
    lf_posterior_free(posterior);
    lf_model_free(fitted);
    lf_data_free(withheld);
    return status;
}

/* Marks the rows for fold k and lists those that are withheld. */
static int mark_fold(const fold_work *w, const int *fold, int k, size_t *row, size_t *count)
{
    int status = CLI_DONE;
    *count = 0;
    for (size_t i = 0; status == CLI_DONE && i < lf_data_count(w->rows, LF_KIND_ROW); i++) {
        status = cli_check(w->ctx, lf_data_set_split(w->ctx, w->rows, i, fold[i] == k ? "test" : "train"));
        if (fold[i] == k) {
            row[(*count)++] = i;
        }
    }
    return status;
}

static int run_folds(const fold_work *w, const int *fold, size_t *row, cli_scored_rows *scored)
{
    int status = CLI_DONE, shown = !w->settings->quiet && isatty(STDERR_FILENO);
    size_t folds = w->settings->folds;
    for (size_t k = 0; status == CLI_DONE && k < folds; k++) {
        size_t count;
        status = mark_fold(w, fold, (int)k, row, &count);
        if (shown) {
            fprintf(stderr, "\rfold %zu of %zu", k + 1, folds);
        }
        status = status || count == 0 ? status : run_fold(w, row, scored);
    }
    if (shown) {
        fputs("\r\033[K", stderr);
    }
    return status;
}

int cli_cross_validate(lf_context *ctx, const cli_settings *settings, const lf_model *model, lf_data *rows,
                       const char *path, cli_scored_rows *scored)
{
    recipe own = {0};
    int *fold = calloc(lf_data_count(rows, LF_KIND_ROW) + 1, sizeof *fold);
    size_t *row = calloc(lf_data_count(rows, LF_KIND_ROW) + 1, sizeof *row);
    int status = fold && row ? CLI_DONE : cli_no_memory();
    status = status ? status : cli_folds_create(model, rows, settings->folds, settings->seed, path, fold);
    if (status == CLI_DONE && !settings->no_refit) {
        status = read_recipe(ctx, settings, model, &own);
    }
    if (status == CLI_DONE) {
        const fold_work work = {.ctx = ctx,
                                .settings = settings,
                                .model = model,
                                .recipe = settings->no_refit ? NULL : &own,
                                .rows = rows,
                                .path = path};
        lf_context_set_log(ctx, NULL, NULL); /* the same notes for every fold */
        status = run_folds(&work, fold, row, scored);
        lf_context_set_log(ctx, settings->quiet ? NULL : cli_note, NULL);
    }
    clear_recipe(&own);
    free(fold);
    free(row);
    return status;
}

void cli_describe_cross_validation(const cli_settings *settings, const lf_model *model, size_t size, char *text)
{
    snprintf(text, size, "%zu-fold cross-validation over %s, %s", settings->folds,
             lf_model_input_dim(model) == 1 ? "windows of time" : "random groups of rows",
             settings->no_refit ? "with parameters that saw all rows" : "fitted again without them");
}
