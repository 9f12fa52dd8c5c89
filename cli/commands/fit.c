/* latentforce fit: reads data, calls lf_fit, prints and writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "commands/fit_by.h"
#include "message.h"
#include "options/session.h"
#include "show/fit_plan.h"
#include "show/fit_progress.h"
#include "show/fit_summary.h"
#include "show/formats.h"
#include "show/verdict.h"

/* Whether a word of the command line is an option about where and how the work is done, not what is done. */
static int is_about_machine(const char *word, int *has_value)
{
    static const struct {
        const char *name;
        int has_value;
    } options[] = {{"-o", 1},         {"--output", 1}, {"--trace", 1},   {"--quiet", 0}, {"-q", 0},
                   {"--progress", 0}, {"--json", 0},   {"--verbose", 0}, {"--plan", 0}};
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (strlen(options[i].name) == length && strncmp(options[i].name, word, length) == 0) {
            *has_value = options[i].has_value && word[length] == '\0';
            return 1;
        }
    }
    lf_option option = {.size = sizeof option};
    for (size_t i = 0; length > 2 && lf_option_get(NULL, "fit", i, &option) == LF_OK; i++) {
        if (option.about_machine && strlen(option.name) == length - 2 &&
            strncmp(option.name, word + 2, length - 2) == 0) {
            *has_value = option.argument && word[length] == '\0';
            return 1;
        }
    }
    return 0;
}

/* The command that the model's provenance shows. */
static int set_command(lf_context *ctx, const cli_settings *settings)
{
    const char **words = calloc((size_t)settings->argc + 1, sizeof *words);
    size_t count = 0;
    if (!words) {
        return cli_no_memory();
    }
    words[count++] = "latentforce";
    for (int i = 0, has_value = 0; i < settings->argc; i++, has_value = 0) {
        if (is_about_machine(settings->argv[i], &has_value)) {
            i += has_value;
        } else {
            words[count++] = settings->argv[i];
        }
    }
    int status = cli_check(ctx, lf_fit_options_set_command(ctx, settings->fit, count, words));
    free(words);
    return status;
}

static int fit(lf_context *ctx, const cli_settings *settings, const lf_data *data, lf_model **model,
               lf_fit_result **result)
{
    cli_progress progress;
    int status = cli_progress_begin(settings, &progress);
    if (status != CLI_DONE) {
        return status;
    }
    lf_context_set_progress(ctx, cli_progress_report, &progress);
    lf_status fitted = lf_fit(ctx, data, settings->fit, model, result);
    cli_progress_end(settings, &progress);
    return fitted == LF_ERROR_DATA ? cli_fail("%s: %s", settings->rows, lf_context_message(ctx))
                                   : cli_check(ctx, fitted);
}

static int finish(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_fit_result *result)
{
    int status = settings->quiet ? CLI_DONE : cli_fit_print_candidates(result);
    status = status ? status : cli_check(ctx, lf_model_write(ctx, model, settings->output));
    if (status == CLI_DONE && !settings->quiet) {
        cli_fit_print_summary(settings, result, model);
        status = settings->verbose ? cli_fit_print_stages(ctx, result) : status;
        status = status ? status : cli_verdict_print(ctx, stderr, "Verdict\n", model);
    }
    if (status == CLI_DONE && settings->json) {
        char *text = NULL;
        status = cli_check(ctx, lf_fit_result_json(ctx, result, &text));
        status = status ? status : cli_json_print(settings->output, text);
    }
    if (status == CLI_DONE && settings->require_convergence && !result->converged) {
        status = cli_fail("%s: the fit did not converge (%s); the best parameters found are in the file",
                          settings->output, result->reason);
    }
    return status;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_data *data = NULL;
    lf_model *model = NULL;
    lf_fit_result *result = NULL;
    if (lf_options_check(ctx, settings->fit) != LF_OK) {
        return cli_usage_error("fit", "%s", lf_context_message(ctx));
    }
    if (settings->json && !settings->plan && strcmp(settings->output, "-") == 0) {
        return cli_usage_error("fit", "--json and '-o -' both write to standard output; name a file for the model");
    }
    if (settings->reading.by && (settings->plan || settings->json || settings->trace)) {
        return cli_usage_error("fit", "%s is about one fit, and --by makes several; leave one of the two out",
                               settings->plan   ? "--plan"
                               : settings->json ? "--json"
                                                : "--trace");
    }
    if (settings->verbose && settings->quiet) {
        return cli_usage_error("fit", "give either --verbose or --quiet, not both");
    }
    int status = settings->plan || settings->reading.by ? CLI_DONE : cli_check_writable(ctx, settings->output);
    status = status ? status : set_command(ctx, settings);
    status = status ? status : cli_read_for_fit(ctx, settings, &data);
    if (settings->plan) {
        status = status ? status : cli_fit_print_plan(ctx, settings, data);
    } else if (settings->reading.by) {
        status = status ? status : cli_fit_by(ctx, settings, data);
    } else {
        status = status ? status : fit(ctx, settings, data, &model, &result);
        status = status ? status : finish(ctx, settings, model, result);
    }
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_data_free(data);
    return status;
}

static const cli_option operands[] = {
    CLI_OPTION(row_files, .name = "DATA", .kind = CLI_INPUTS,
               .help = "data files, or a pattern of their names ('part-*.csv'), read as one table; rows "
                       "marked test in a split column are left out"),
    CLI_END};

static const cli_option options[] = {
    CLI_OPTION(output, .name = "-o", .argument = "MODEL", .kind = CLI_NEW_MODEL, .choice = 1, .together = 1,
               .help = "where the fitted model goes; it appears whole or not at all. With --by: FOLDER/ or "
                       "FILE.jsonl"),
    CLI_OPTION(plan, .name = "--plan", .kind = CLI_FLAG, .choice = 1, .together = 1,
               .help = "print what the fit would do, every option and limit with its reason, and what it would "
                       "compare; nothing is "
                       "fitted or written"),
    CLI_JSON_OPTION("the result of the fit, or the plan,"),
    CLI_FIT_OPTIONS,
    CLI_OPTION(require_convergence, .name = "--require-convergence", .kind = CLI_FLAG,
               .help = "exit with status 1 where the fit ended before an optimum; the model is written all the same"),
    CLI_OPTION(trace, .name = "--trace", .argument = "FILE.csv", .kind = CLI_RESULT, .group = "machine",
               .help = "write every iteration to this file"),
    CLI_READ_OPTIONS,
    CLI_OPTION(reading.by, .name = "--by", .argument = "COLUMN", .kind = CLI_TEXT, .group = "reading",
               .help =
                   "fit one model for each value of this column, from its rows alone: to FOLDER/, a file VALUE.json "
                   "each, or to the lines of FILE.jsonl"),
    CLI_OPTION(progress, .name = "--progress", .kind = CLI_FLAG, .group = "machine",
               .help = "report progress although standard error is not a terminal"),
    CLI_OPTION(verbose, .name = "--verbose", .kind = CLI_FLAG, .group = "machine",
               .help = "print what each stage of the fit took and decided, and why"),
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
