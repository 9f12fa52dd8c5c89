/* latentforce fit: from a data file to a model with its posterior. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "fit_progress.h"
#include "fit_record.h"
#include "message.h"
#include "session.h"

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* What the command line says about the shape of the model. `own` (512): operators of single outputs. */
static int read_shape(const cli_settings *settings, const char **own, lf_draft_options *draft, int *select)
{
    size_t count = 0;
    *draft = (lf_draft_options){.force_kernel = settings->force_kernel,
                                .copies = (int)settings->copies,
                                .private_forces = settings->with_private ? "yes"
                                                  : settings->no_private ? "no"
                                                                         : NULL,
                                .private_kernel = settings->private_kernel,
                                .initial = settings->initial,
                                .origin = isnan(settings->origin) ? NULL : &settings->origin,
                                .offset = settings->offset,
                                .scale = settings->scale};
    *select = 0;
    if (settings->with_private && settings->no_private) {
        return cli_usage_error("fit", "give either --private or --no-private, not both");
    }
    for (size_t i = 0; i < settings->operators.count; i++) {
        const char *item = settings->operators.item[i];
        if (strchr(item, '=')) {
            own[count++] = item;
        } else if (draft->operator_type || (*select & LF_SELECT_OPERATOR)) {
            return cli_usage_error("fit", "--operator %s: an operator for all outputs is given already", item);
        } else if (is(item, "auto")) {
            *select |= LF_SELECT_OPERATOR;
        } else {
            draft->operator_type = item;
        }
    }
    own[count] = NULL;
    draft->output_operators = own;
    if (is(settings->force_kernel, "auto")) {
        *select |= LF_SELECT_KERNEL;
        draft->force_kernel = NULL;
    }
    if (is(settings->forces_wanted, "auto")) {
        *select |= LF_SELECT_FORCES;
    } else if (settings->forces_wanted) {
        char *end;
        long forces = strtol(settings->forces_wanted, &end, 10);
        if (*end || forces < 1 || forces > 1000) {
            return cli_usage_error("fit", "--forces '%s': Q must be a whole number from 1 to 1000, or auto",
                                   settings->forces_wanted);
        }
        draft->forces = (int)forces;
    }
    return CLI_DONE;
}

/* With --init the shape is that of the model. */
static int refuse_shape(const cli_settings *settings)
{
    const struct {
        const char *name;
        int given;
    } options[] = {{"--operator", settings->operators.count > 0},
                   {"--forces", settings->forces_wanted != NULL},
                   {"--force-kernel", settings->force_kernel != NULL},
                   {"--copies", settings->copies > 0},
                   {"--private", settings->with_private},
                   {"--no-private", settings->no_private},
                   {"--private-kernel", settings->private_kernel != NULL},
                   {"--initial", settings->initial != NULL},
                   {"--origin", !isnan(settings->origin)},
                   {"--offset", settings->offset != NULL},
                   {"--scale", settings->scale != NULL}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].given) {
            return cli_usage_error("fit", "%s cannot go with --init: the model %s says it already", options[i].name,
                                   settings->init);
        }
    }
    return CLI_DONE;
}

/* --fix NAME=VALUE, or NAME alone: at its starting value. A name may hold '=', so the last one counts. */
static int fix_parameters(lf_context *ctx, const cli_settings *settings, lf_model *model)
{
    for (size_t i = 0; i < settings->fixed.count; i++) {
        const char *item = settings->fixed.item[i], *equals = strrchr(item, '=');
        size_t length = equals ? (size_t)(equals - item) : strlen(item), index;
        char *name = malloc(length + 1), *end;
        if (!name) {
            return cli_no_memory();
        }
        memcpy(name, item, length);
        name[length] = '\0';
        lf_status found = lf_parameter_find(ctx, model, name, &index);
        free(name);
        if (found != LF_OK) {
            return cli_fail("--fix %s: %s", item, lf_message(ctx));
        }
        if (equals) {
            double value = strtod(equals + 1, &end);
            if (!equals[1] || *end) {
                return cli_usage_error("fit", "--fix %s: '%s' is not a number", item, equals + 1);
            }
            if (lf_parameter_set(ctx, model, index, value) != LF_OK) {
                return cli_fail("--fix %s: %s", item, lf_message(ctx));
            }
        }
        lf_parameter_fix(model, index, 1);
    }
    return CLI_DONE;
}

/* Everything a run of the command owns. */
typedef struct work {
    lf_data *data, *training;
    lf_model *model;
    lf_engine *engine;
    lf_posterior *posterior;
    lf_fit_options options;
    lf_engine_options predicting; /* the engine of the posterior */
    lf_fit_result result;
    lf_candidate candidates[LF_MOST_CANDIDATES];
    size_t candidate_count;
} work;

static int read_training(lf_context *ctx, const cli_settings *settings, work *w)
{
    const lf_read_options options = {.ignore_columns = settings->ignore_columns};
    int status = cli_check(ctx, lf_data_read(ctx, settings->rows, &options, &w->data));
    return status ? status : cli_select(ctx, settings->rows, w->data, LF_SPLIT_TRAIN, &w->training);
}

static int draft_model(lf_context *ctx, const cli_settings *settings, work *w)
{
    const char *own[513];
    lf_draft_options draft;
    int select, status = read_shape(settings, own, &draft, &select);
    if (status == CLI_DONE && select) {
        status = cli_check(
            ctx, lf_select(ctx, w->training, select, &draft, &w->options, w->candidates, &w->candidate_count));
        if (status == CLI_DONE && !settings->quiet) {
            status = cli_fit_print_candidates(w->candidates, w->candidate_count, &draft);
        }
    }
    return status ? status : cli_check(ctx, lf_model_draft(ctx, w->training, &draft, &w->model));
}

/* Inducing inputs become part of the model, so that it says where they are. */
static int place_inducing(lf_context *ctx, const cli_settings *settings, work *w)
{
    int wanted = settings->inducing > 0;
    if (!wanted && (settings->learn_inducing || settings->inducing_noise != 0)) {
        return cli_usage_error("fit", "--learn-inducing and --inducing-noise need --inducing K");
    }
    if (wanted && (!settings->engine || is(settings->engine, "auto"))) {
        return cli_usage_error("fit", "--inducing needs --engine variational, dtc, fitc or pitc");
    }
    int status = wanted ? cli_check(ctx, lf_model_place_inducing(ctx, w->model, w->training, settings->inducing,
                                                                 settings->placement))
                        : CLI_DONE;
    for (int q = 0; status == CLI_DONE && wanted && q < lf_model_force_count(w->model); q++) {
        char prefix[48];
        int length = snprintf(prefix, sizeof prefix, "force%d.inducing", q + 1);
        for (size_t i = 0; status == CLI_DONE && i < lf_parameter_count(w->model); i++) {
            const char *name = lf_parameter_get(w->model, i).name;
            if (strncmp(name, prefix, (size_t)length) != 0) {
                continue;
            }
            if (strcmp(name + length, "_noise") == 0) {
                status = cli_check(ctx, lf_parameter_set(ctx, w->model, i, settings->inducing_noise));
            } else {
                lf_parameter_fix(w->model, i, !settings->learn_inducing);
            }
        }
    }
    return status;
}

/* The exact model of several inputs takes the cube of the rows, and there is no cheap exact engine: many rows get features. */
static void choose_features(const cli_settings *settings, work *w)
{
    enum { MANY_ROWS = 3000, FEATURES = 200 };
    lf_engine_options *engine = &w->options.engine;
    if (lf_data_input_dim(w->training) > 1 && lf_data_count(w->training) > MANY_ROWS && !settings->engine &&
        !settings->nodes && !settings->features) {
        engine->features = FEATURES;
        if (!settings->quiet) {
            char note[256];
            snprintf(
                note, sizeof note,
                "%zu rows with %d inputs: each force is approximated by %d frequencies; --features S takes more or "
                "fewer, --engine dense none",
                lf_data_count(w->training), lf_data_input_dim(w->training), FEATURES);
            cli_note(NULL, note);
        }
    }
}

static int start_model(lf_context *ctx, const cli_settings *settings, work *w)
{
    int status;
    if (settings->init) {
        status = refuse_shape(settings);
        status = status ? status : cli_check(ctx, lf_model_read(ctx, settings->init, &w->model));
    } else {
        status = draft_model(ctx, settings, w);
    }
    status = status ? status : place_inducing(ctx, settings, w);
    return status ? status : fix_parameters(ctx, settings, w->model);
}

/* Errors take two evaluations for each free parameter. By default they are found for up to a hundred of these: a rule that
 * looked at the clock would make the model file depend on the machine. */
static int find_errors(lf_context *ctx, const cli_settings *settings, work *w)
{
    enum { FEW = 100 };
    if (is(settings->errors, "no") || w->result.cancelled) {
        return CLI_DONE;
    }
    if (!is(settings->errors, "yes") && w->result.free_count > FEW) {
        if (!settings->quiet) {
            char note[256];
            double each = w->result.seconds / (double)(w->result.evaluations + 1);
            snprintf(note, sizeof note,
                     "standard errors of %zu parameters would take about %.0f s more; --errors yes finds them",
                     w->result.free_count, 2 * each * (double)w->result.free_count);
            cli_note(NULL, note);
        }
        return CLI_DONE;
    }
    return cli_check(ctx, lf_standard_errors(ctx, w->model, w->training, &w->options));
}

/* The posterior reaches every input of the data file, test rows included: their inputs, not their values. */
static int find_reach(const cli_settings *settings, work *w)
{
    cli_points everywhere = {0};
    w->predicting = w->options.engine;
    int status = cli_points_distinct(w->data, &everywhere);
    status = status ? status : cli_reach(settings, w->training, &everywhere, &w->predicting);
    cli_points_free(&everywhere);
    return status;
}

/* On one thread, because the model file must not depend on their number. */
static int store_posterior(lf_context *ctx, const cli_settings *settings, work *w)
{
    lf_set_threads(ctx, 1);
    int status = cli_check(ctx, lf_engine_create(ctx, w->model, w->training, &w->predicting, &w->engine));
    if (status == CLI_DONE) { /* the likelihood that is told is that of the engine that predicts */
        status = cli_check(ctx, lf_engine_evaluate(w->engine, NULL, &w->result.log_likelihood, NULL));
    }
    if (status == CLI_DONE && !settings->no_posterior) {
        status = cli_check(ctx, lf_engine_posterior(w->engine, &w->posterior));
        status = status ? status : cli_check(ctx, lf_posterior_store(w->posterior, w->model));
    }
    return status;
}

/* word NULL: nothing is said. One more than LF_PRIOR_NONE for a word that is no prior. */
static lf_prior choose_prior(const char *word)
{
    static const char *const words[] = {
        [LF_PRIOR_DEFAULT] = "auto", [LF_PRIOR_WEAK] = "weak", [LF_PRIOR_FIRM] = "firm", [LF_PRIOR_NONE] = "none"};
    int prior = LF_PRIOR_DEFAULT;
    while (word && prior <= LF_PRIOR_NONE && !is(word, words[prior])) {
        prior++;
    }
    return (lf_prior)prior;
}

static int check_words(const cli_settings *settings)
{
    if (choose_prior(settings->prior) > LF_PRIOR_NONE) {
        return cli_usage_error("fit", "--prior '%s': expected auto, weak, firm or none", settings->prior);
    }
    if (settings->errors && !is(settings->errors, "auto") && !is(settings->errors, "yes") &&
        !is(settings->errors, "no")) {
        return cli_usage_error("fit", "--errors '%s': expected auto, yes or no", settings->errors);
    }
    if (!(settings->checkpoint_every > 0)) {
        return cli_usage_error("fit", "--checkpoint-every %g: it must be more than 0 seconds",
                               settings->checkpoint_every);
    }
    return settings->resume && !settings->checkpoint ? cli_usage_error("fit", "--resume needs --checkpoint FILE")
                                                     : CLI_DONE;
}

/* A long fit should not end at a file that cannot be written. */
static int check_writable(lf_context *ctx, const char *path)
{
    lf_output_file file;
    int status = path ? cli_check(ctx, lf_file_create(ctx, path, &file)) : CLI_DONE;
    if (path && status == CLI_DONE) {
        lf_file_discard(&file);
    }
    return status;
}

static int fit(lf_context *ctx, const cli_settings *settings, work *w)
{
    cli_progress progress;
    w->options = (lf_fit_options){.engine = cli_engine_options(settings),
                                  .restarts = settings->restarts,
                                  .max_iterations = settings->max_iterations,
                                  .prior = choose_prior(settings->prior),
                                  .progress = cli_progress_tell,
                                  .user = &progress,
                                  .checkpoint = settings->checkpoint,
                                  .checkpoint_seconds = settings->checkpoint_every,
                                  .resume = settings->resume};
    int status = check_words(settings);
    status = status ? status : check_writable(ctx, settings->output);
    status = status ? status : check_writable(ctx, settings->checkpoint);
    status = status ? status : read_training(ctx, settings, w);
    if (status == CLI_DONE) {
        choose_features(settings, w);
    }
    status = status ? status : find_reach(settings, w); /* a wrong horizon should not be found out after the fit */
    status = status ? status : start_model(ctx, settings, w);
    status = status ? status : cli_progress_begin(settings, &progress);
    if (status != CLI_DONE) {
        return status;
    }
    lf_status fitted = lf_fit(ctx, w->model, w->training, &w->options, &w->result);
    status = cli_progress_end(settings, &progress);
    status = status ? status : cli_check(ctx, fitted);
    status = status ? status : find_errors(ctx, settings, w);
    status = status ? status : store_posterior(ctx, settings, w);
    if (status != CLI_DONE) {
        return status;
    }
    lf_engine_info info = lf_engine_describe(w->engine);
    cli_fit_record record = {.result = &w->result,
                             .engine = &info,
                             .rows = lf_data_count(w->training),
                             .candidate_count = w->candidate_count,
                             .candidates = w->candidates};
    status = cli_fit_remember(ctx, settings, &record, w->model);
    status = status ? status : cli_check(ctx, lf_model_write(ctx, w->model, settings->output));
    if (status == CLI_DONE && !settings->quiet) {
        cli_fit_tell(settings, &record, w->model);
    }
    if (status == CLI_DONE && settings->require_convergence && !w->result.converged) {
        status = cli_fail("%s: the fit did not converge (%s); the best parameters found are in the file",
                          settings->output, w->result.reason);
    }
    return status;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    work w = {0};
    int status = fit(ctx, settings, &w);
    lf_fit_result_clear(&w.result);
    lf_posterior_free(w.posterior);
    lf_engine_free(w.engine);
    lf_model_free(w.model);
    lf_data_free(w.training);
    lf_data_free(w.data);
    return status;
}

static const cli_option operands[] = {CLI_OPTION(rows, .name = "DATA", .kind = CLI_INPUT,
                                                 .help = "data file; rows marked test in a split column are left out"),
                                      CLI_END};

static const cli_option options[] = {
    CLI_OPTION(output, .name = "-o", .argument = "MODEL", .kind = CLI_TEXT, .choice = 1,
               .help = "where the fitted model goes; it appears whole or not at all"),
    CLI_OPTION(operators, .name = "--operator", .argument = "OP", .kind = CLI_LIST,
               .help = "what stands between forces and outputs: ode1 (default), ode2, ode:P (any linear equation of "
                       "order P), gaussian (smoothing; any number of inputs), or auto (ode1 and ode2 are compared). "
                       "NAME=OP is for one output; may be given again"),
    CLI_OPTION(forces_wanted, .name = "--forces", .argument = "Q", .kind = CLI_TEXT,
               .help =
                   "number of forces, or auto: several are compared (default: two more than "
                   "there are outputs, at most 6, or as many as outputs, at most 36; 1 for a single output or several "
                   "inputs)"),
    CLI_OPTION(copies, .name = "--copies", .argument = "R", .kind = CLI_COUNT, .minimum = 1, .maximum = 1000,
               .help =
                   "copies of each force that share its lengthscales, with sensitivities of their own (default: 1)"),
    CLI_OPTION(force_kernel, .name = "--force-kernel", .argument = "K", .kind = CLI_TEXT,
               .help =
                   "how forces vary: matern12 (rough; default with one output or more than 6, and without private "
                   "forces), matern32 (default otherwise), matern52, eq (very smooth; default with several inputs), "
                   "or auto (all are compared)"),
    CLI_OPTION(initial, .name = "--initial", .argument = "I", .kind = CLI_TEXT,
               .help = "how the motion starts: zero (at rest), stationary (the forces have acted forever) or free (an "
                       "unknown state; default)"),
    CLI_OPTION(origin, .name = "--origin", .argument = "T0", .kind = CLI_NUMBER,
               .help = "where it starts (default: the first training input)"),
    CLI_OPTION(with_private, .name = "--private", .kind = CLI_FLAG,
               .help = "give every output a private force for what it does not share with the others (default with one "
                       "input and two outputs or more)"),
    CLI_OPTION(no_private, .name = "--no-private", .kind = CLI_FLAG, .help = "no private forces"),
    CLI_OPTION(private_kernel, .name = "--private-kernel", .argument = "K", .kind = CLI_TEXT,
               .help =
                   "how private forces vary (default: matern12, or as the forces do where --force-kernel is given)"),
    CLI_OPTION(offset, .name = "--offset", .argument = "O", .kind = CLI_TEXT,
               .help = "what is taken off each output: first (its first value; default with --initial zero), mean "
                       "(default otherwise), learned (a parameter of the fit) or none"),
    CLI_OPTION(scale, .name = "--scale", .argument = "S", .kind = CLI_TEXT,
               .help = "what each output is divided by: sd (its standard deviation; default) or none"),
    CLI_OPTION(init, .name = "--init", .argument = "MODEL", .kind = CLI_INPUT,
               .help = "start from this model: its shape, parameters, bounds, and what it fixes or ties"),
    CLI_OPTION(fixed, .name = "--fix", .argument = "NAME=VALUE", .kind = CLI_LIST,
               .help = "hold a parameter at a value, or with NAME alone where it starts; may be given again. "
                       "'latentforce help files' names the parameters"),
    CLI_OPTION(prior, .name = "--prior", .argument = "P", .kind = CLI_TEXT,
               .help =
                   "what is expected of the parameters. weak: lengthscales, constants and sensitivities of about "
                   "the size that the data suggest are preferred a little; firm: for many outputs, with small "
                   "sensitivities that stay uncertain, large private forces, and noise of at least 0.1 % of an "
                   "output's variance; none: plain maximum likelihood; auto (default): firm with private forces and "
                   "more than a hundred free parameters, otherwise weak"),
    CLI_OPTION(learn_inducing, .name = "--learn-inducing", .kind = CLI_FLAG,
               .help = "inducing engines: fit the inputs of the inducing values too (default: they stay)"),
    CLI_OPTION(inducing_noise, .name = "--inducing-noise", .argument = "G", .kind = CLI_NUMBER,
               .help = "inducing engines: start from this variance added to that of the inducing values, and fit it "
                       "(default: none is added)"),
    CLI_OPTION(restarts, .name = "--restarts", .argument = "R", .kind = CLI_COUNT, .minimum = 1, .maximum = 10000,
               .help = "starts in all; the first from the data, the others from perturbations of it, side by side on "
                       "the machine's cores; the best wins (default: 2)"),
    CLI_OPTION(max_iterations, .name = "--max-iterations", .argument = "I", .kind = CLI_COUNT, .minimum = 1,
               .help = "iterations of each start at most (default: 500, or 300 with more than a "
                       "hundred free parameters)"),
    CLI_OPTION(errors, .name = "--errors", .argument = "E", .kind = CLI_TEXT,
               .help = "standard errors of the constants: yes, no or auto (yes for up to a "
                       "hundred free parameters; default)"),
    CLI_OPTION(require_convergence, .name = "--require-convergence", .kind = CLI_FLAG,
               .help = "exit with status 1 where the fit ended before an optimum; the model is written all the same"),
    CLI_OPTION(no_posterior, .name = "--no-posterior", .kind = CLI_FLAG,
               .help = "do not store the posterior: a small file that needs the data to predict"),
    CLI_OPTION(checkpoint, .name = "--checkpoint", .argument = "FILE", .kind = CLI_TEXT,
               .help = "write the state of the fit to this file every so often; it is always whole"),
    CLI_OPTION(checkpoint_every, .name = "--checkpoint-every", .argument = "SECONDS", .kind = CLI_NUMBER,
               .help = "how often (default: 30)"),
    CLI_OPTION(resume, .name = "--resume", .kind = CLI_FLAG,
               .help = "continue from the checkpoint, where there is one"),
    CLI_OPTION(trace, .name = "--trace", .argument = "FILE.csv", .kind = CLI_TEXT,
               .help = "write every iteration to this file"),
    CLI_ENGINE_OPTIONS,
    CLI_IGNORE_OPTION,
    CLI_THREADS_OPTION,
    CLI_OPTION(progress, .name = "--progress", .kind = CLI_FLAG,
               .help = "report progress although standard error is not a terminal"),
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_fit = {
    .name = "fit",
    .summary = "learn a model from data",
    .description =
        "Finds the lengthscales of the forces, the constants of the operators, sensitivities and noise that make the "
        "training rows most likely, and writes the model with its posterior: predict and score then need no data. "
        "Starting values come from the data. Without any option the result is a sensible model of measured series; "
        "every choice can be made by hand.\n\n"
        "Ctrl-C ends the fit in good order: the best parameters so far are written. The same data, seed and options "
        "give the same model, however many threads there are.",
    .example = "latentforce fit data.csv --operator ode2 --forces 2 -o model.json",
    .operands = operands,
    .options = options,
    .run = run};
