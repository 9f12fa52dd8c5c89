/* latentforce demo: simulates data, fits a model, scores it, recovers the forces and draws figures; prints five
 * lines, and below them the commands that do the same. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/plural.h"
#include "commands.h"
#include "demo/house.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "plot/figure.h"

#define DEFAULT_FOLDER "latentforce-demo"

enum { MAX_WORDS = 16 };

/* A command of the program that the demo runs in its folder. */
typedef struct step {
    const char *word[MAX_WORDS]; /* command and arguments, then NULL */
    const char *makes, *shows;   /* result file, and what it shows */
} step;

/* The defaults: the demo knows nothing that a user would not. */
static const step fit_step = {.word = {"fit", "data.csv", "-o", "model.json", "--quiet"}};
/* Not run: the demo needs the numbers, which are the same. */
static const step score_step = {.word = {"score", "model.json", "data.csv"}};
static const step report_steps[] = {
    {.word = {"plot", "model.json", "--data", "data.csv", "-o", "rooms.png", "--quiet"},
     .makes = "rooms.png",
     .shows = "rooms and forces"},
    {.word = {"plot", "model.json", "--what", "covariance", "--data", "data.csv", "-o", "covariance.png", "--quiet"},
     .makes = "covariance.png",
     .shows = "prior covariance of the rooms"},
    {.word = {"report", "model.json", "--data", "data.csv", "-o", "report.html", "--quiet"},
     .makes = "report.html",
     .shows = "interactive report"}};

enum { REPORT_STEPS = sizeof report_steps / sizeof report_steps[0] };

static void print_command(const step *s)
{
    fputs("   $ latentforce", stdout);
    for (int i = 0; s->word[i]; i++) {
        if (strcmp(s->word[i], "--quiet") != 0) { /* it only omits notes */
            printf(" %s", s->word[i]);
        }
    }
    putchar('\n');
}

static int run_step(const step *s)
{
    char *argv[MAX_WORDS + 1] = {NULL};
    int argc = 0, status = CLI_DONE;
    for (; s->word[argc] && status == CLI_DONE; argc++) {
        argv[argc] = strdup(s->word[argc]); /* the parser takes char *, not const char * */
        status = argv[argc] ? CLI_DONE : cli_no_memory();
    }
    status = status ? status : cli_run(argc, argv);
    for (int i = 0; i < argc; i++) {
        free(argv[i]);
    }
    return status;
}

/* Creates the folder and makes it the working directory, so that the commands can be repeated there. */
static int enter_folder(const char *folder)
{
    struct stat info;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return cli_fail("--output %s: the folder cannot be created: %s", folder, strerror(errno));
    }
    if (stat(folder, &info) == 0 && !S_ISDIR(info.st_mode)) {
        return cli_fail("--output %s: is a file, not a folder", folder);
    }
    return chdir(folder) == 0 ? CLI_DONE : cli_fail("--output %s: cannot be entered: %s", folder, strerror(errno));
}

/* The score of a posterior on the withheld rows. */
static int score_window(lf_context *ctx, lf_posterior *posterior, const lf_data *readings, lf_scores_info *score)
{
    lf_scores *scores = NULL;
    int status = cli_check(ctx, lf_score(ctx, posterior, readings, NULL, &scores));
    *score = (lf_scores_info){.size = sizeof *score};
    status = status ? status : cli_check(ctx, lf_scores_get(ctx, scores, score));
    lf_scores_free(scores);
    return status;
}

/* The same from the readings of that sensor alone, before and after the window. */
static int score_alone(lf_context *ctx, const lf_model *model, const lf_data *readings, const lf_data *test,
                       lf_scores_info *score)
{
    lf_data *data = NULL;
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    const char *room = cli_row(test, 0).output;
    int status = cli_check(ctx, lf_data_create(ctx, 1, &data));
    for (size_t i = 0; status == CLI_DONE && i < lf_data_count(readings, LF_KIND_ROW); i++) {
        lf_row row = cli_row(readings, i);
        if (strcmp(row.output, room) == 0 && !cli_is_test(row)) {
            status = cli_check(
                ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = room, .x = row.x, .y = row.y}));
        }
    }
    status = status ? status : cli_check(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    status = status ? status : cli_check(ctx, lf_engine_posterior(engine, &posterior));
    status = status ? status : score_window(ctx, posterior, readings, score);
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    lf_data_free(data);
    return status;
}

static void print_fit(const lf_model *model, const lf_model *truth, double seconds)
{
    int forces = cli_count(model, LF_KIND_FORCE);
    printf("2. Fitted: %d hidden force%s, a number that the fit chose, in %.1f s; time constants:", forces,
           lf_plural((size_t)forces), seconds);
    for (int d = 0; d < cli_count(model, LF_KIND_OUTPUT); d++) {
        lf_output_info room = cli_output(model, d);
        printf("%s %s %.2f +- %.2f h (truth %.2f)", d ? "," : "", room.name, room.time_constant,
               room.time_constant_error, cli_output(truth, d).time_constant);
    }
    fputs(".\n", stdout);
    print_command(&fit_step);
}

static int print_window(lf_context *ctx, lf_posterior *posterior, const lf_model *model, const cli_house *house)
{
    lf_data *test = NULL;
    lf_scores_info all, alone;
    int status = cli_check(ctx, lf_data_select(ctx, house->readings, NULL, "test", &test));
    status = status ? status : score_window(ctx, posterior, house->readings, &all);
    status = status ? status : score_alone(ctx, model, house->readings, test, &alone);
    if (status == CLI_DONE) {
        printf(
            "3. Predicted: the withheld readings with rmse %.2f degrees (nmse %.3f), %.0f %% of them inside the 95 %% "
            "interval; from that sensor alone the rmse is %.2f degrees (nmse %.3f).\n",
            all.rmse, all.nmse, 100 * all.coverage95, alone.rmse, alone.nmse);
        print_command(&score_step);
    }
    lf_data_free(test);
    return status;
}

static int print_forces(lf_context *ctx, lf_posterior *posterior, const lf_model *model, const cli_house *house)
{
    double best[CLI_HOUSE_FORCES];
    int status = cli_house_compare_forces(ctx, house, posterior, model, best);
    if (status == CLI_DONE) {
        printf("4. Recovered: the unmeasured forces; correlation with the truth: %s %.3f, %s %.3f.\n",
               cli_house_force_names[0], best[0], cli_house_force_names[1], best[1]);
    }
    return status;
}

/* Without gnuplot the figures are left out. */
static int make_report(const char *folder)
{
    int done[REPORT_STEPS] = {0}, status = CLI_DONE, can_draw = cli_figure_possible();
    for (size_t i = 0; i < REPORT_STEPS && status == CLI_DONE; i++) {
        done[i] = can_draw || strcmp(report_steps[i].word[0], "plot") != 0;
        status = done[i] ? run_step(&report_steps[i]) : CLI_DONE;
    }
    if (status != CLI_DONE) {
        return status;
    }
    printf("5. Written to %s:", folder);
    for (size_t i = 0; i < REPORT_STEPS; i++) {
        if (done[i]) {
            printf(" %s (%s),", report_steps[i].makes, report_steps[i].shows);
        }
    }
    printf(" data.csv, model.json; the true model and forces: truth.json, forces.csv%s.\n",
           can_draw ? "" : "; no figures, because gnuplot is not installed (Debian and Ubuntu: gnuplot-nox)");
    for (size_t i = 0; i < REPORT_STEPS; i++) {
        if (done[i]) {
            print_command(&report_steps[i]);
        }
    }
    return CLI_DONE;
}

static int fit_model(lf_context *ctx, const cli_house *house, lf_model **model, lf_posterior **posterior)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int status = run_step(&fit_step);
    clock_gettime(CLOCK_MONOTONIC, &end);
    status = status ? status : cli_check(ctx, lf_model_read(ctx, "model.json", model));
    status = status ? status : cli_check(ctx, lf_posterior_restore(ctx, *model, posterior));
    if (status == CLI_DONE) {
        print_fit(*model, house->truth,
                  (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    }
    return status;
}

static int run_demo(lf_context *ctx, const char *folder, cli_house *house, lf_model **model, lf_posterior **posterior)
{
    int status = enter_folder(folder);
    status = status ? status : cli_house_simulate(ctx, house);
    status = status ? status : cli_house_write(ctx, house, "truth.json", "data.csv", "forces.csv");
    if (status != CLI_DONE) {
        return status;
    }
    printf("1. Simulated: %d rooms of a house, heated by the sun and by occupants, which are not measured; %zu noisy "
           "readings over three days, of which %zu readings of one room are withheld.\n",
           cli_count(house->truth, LF_KIND_OUTPUT), lf_data_count(house->readings, LF_KIND_ROW), house->hidden);
    printf("   $ cd %s\n", folder);
    status = cli_flush();
    status = status ? status : fit_model(ctx, house, model, posterior);
    status = status ? status : print_window(ctx, *posterior, *model, house);
    status = status ? status : print_forces(ctx, *posterior, *model, house);
    status = status ? status : cli_flush();
    status = status ? status : make_report(folder);
    return status ? status : cli_flush();
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    cli_house house = {0};
    lf_model *model = NULL;
    lf_posterior *posterior = NULL;
    lf_context_set_log(ctx, NULL, NULL);
    int status = run_demo(ctx, settings->folder ? settings->folder : DEFAULT_FOLDER, &house, &model, &posterior);
    lf_posterior_free(posterior);
    lf_model_free(model);
    cli_house_free(&house);
    return status;
}

static const cli_option operands[] = {CLI_END};

static const cli_option options[] = {
    CLI_OPTION(folder, .name = "--output", .argument = "DIR", .kind = CLI_TEXT,
               .help = "folder for the results; files of the same names are replaced, other files are kept "
                       "(default: " DEFAULT_FOLDER ")"),
    CLI_END};

const cli_command cli_demo = {
    .name = "demo",
    .summary = "run an example on simulated data",
    .description =
        "Simulates the temperatures of four rooms that are heated by the sun and by occupants, withholds a part of the "
        "readings of one room, fits a model to the rest with the defaults of fit, scores it on the withheld readings, "
        "recovers the two forces, draws figures, and prints a summary of five lines with the commands to repeat it. It "
        "takes a few seconds.",
    .example = "latentforce demo --output demo",
    .operands = operands,
    .options = options,
    .run = run};
