/* latentforce: the command-line program. Finds the command, reads its options and runs it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "help.h"
#include "message.h"
#include "options.h"

const cli_command *const cli_commands[] = {&cli_fit,     &cli_evaluate, &cli_condition,  &cli_predict, &cli_score,
                                           &cli_compare, &cli_simulate, &cli_covariance, &cli_show,    &cli_report_page,
                                           &cli_update,  &cli_plot,     &cli_demo,       &cli_help,    NULL};

static int unknown_command(const char *word)
{
    enum { COUNT = sizeof cli_commands / sizeof cli_commands[0] - 1 };
    const char *names[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        names[i] = cli_commands[i]->name;
    }
    const char *kind = word[0] == '-' ? "option" : "command";
    const char *nearest = cli_nearest(word, names, COUNT);
    if (nearest) {
        return cli_usage_error(NULL, "unknown %s '%s'; did you mean '%s'?", kind, word, nearest);
    }
    return cli_usage_error(NULL, "unknown %s '%s'", kind, word);
}

static int print_version(void)
{
    printf("latentforce %s\n", lf_version());
    return cli_flush();
}

static int run(lf_context *ctx, const cli_command *command, const cli_settings *settings)
{
    lf_set_seed(ctx, settings->seed);
    if (settings->threads > 0) {
        lf_set_threads(ctx, (int)settings->threads);
    }
    if (!settings->quiet) {
        lf_set_log(ctx, cli_note, NULL);
    }
    return command->run(ctx, settings);
}

int cli_run(int argc, char *const *argv)
{
    cli_settings settings = {.argc = argc, .argv = argv, .output = "-", .horizon = NAN, .repeat = 1, .seed = 1};
    const char *name = strcmp(argv[0], "--help") == 0 ? "help" : argv[0];
    const cli_command *command = cli_find_command(name);
    if (!command) {
        return unknown_command(argv[0]);
    }
    lf_context *ctx = lf_context_create();
    int status = ctx && lf_fit_options_create(ctx, &settings.fit) == LF_OK ? CLI_DONE : cli_no_memory();
    status = status ? status : cli_parse(ctx, command, argc - 1, argv + 1, &settings);
    if (status == CLI_DONE) {
        status = settings.help ? cli_print_help(command) : run(ctx, command, &settings);
    }
    lf_fit_options_free(settings.fit);
    lf_context_free(ctx);
    return status;
}

/* Idle threads of GNU OpenMP spin before they sleep: on a busy machine they take the processors that the others need. That can
 * be turned off only in the environment a program starts with, so the program starts itself again. Where that fails, it goes on as
 * it is. */
static void start_with_passive_threads(char **argv)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || length <= 0) {
        return;
    }
    path[length] = '\0';
    if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0) {
        execv(path, argv);
    }
}

int main(int argc, char **argv)
{
    start_with_passive_threads(argv);
    if (argc < 2) {
        return cli_usage_error(NULL, "no command is given");
    }
    if (strcmp(argv[1], "--version") == 0) {
        return print_version();
    }
    return cli_run(argc - 1, argv + 1);
}
