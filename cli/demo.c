/* latentforce demo: the main job from end to end on readings that it makes itself, and what came of it in five lines. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "demo_house.h"
#include "figure.h"
#include "message.h"
#include "points.h"
#include "session.h"

#define DEFAULT_FOLDER "latentforce-demo"

enum { MOST_WORDS = 16 };

/* What is done with the other commands, in the folder of the demo, after its data are there. */
typedef struct step {
    const char *word[MOST_WORDS]; /* the command and its arguments, then NULL */
    const char *makes, *shows;    /* a file to look at, and what it shows */
} step;

/* Two sources of heat that vary smoothly; the rooms have none of their own, and nobody knows their temperature without these.
 * All else is left to the defaults. */
static const step fit_step = {.word = {"fit", "data.csv", "-o", "model.json", "--forces", "2", "--force-kernel", "eq",
                                       "--no-private", "--offset", "learned", "--quiet"}};
static const step show_steps[] = {
    {.word = {"plot", "model.json", "--data", "data.csv", "-o", "rooms.png", "--quiet"},
     .makes = "rooms.png",
     .shows = "rooms and forces"},
    {.word = {"plot", "model.json", "--what", "covariance", "--data", "data.csv", "-o", "covariance.png", "--quiet"},
     .makes = "covariance.png",
     .shows = "how the rooms hang together"},
    {.word = {"report", "model.json", "--data", "data.csv", "-o", "report.html", "--quiet"},
     .makes = "report.html",
     .shows = "everything, to explore"}};

enum { SHOW_STEPS = sizeof show_steps / sizeof show_steps[0] };

static int run_step(const step *what)
{
    char *argv[MOST_WORDS + 1] = {NULL};
    int argc = 0, status = CLI_DONE;
    for (; what->word[argc] && status == CLI_DONE; argc++) {
        argv[argc] = strdup(what->word[argc]); /* the parser takes words that are not const */
        status = argv[argc] ? CLI_DONE : cli_no_memory();
    }
    status = status ? status : cli_run(argc, argv);
    for (int i = 0; i < argc; i++) {
        free(argv[i]);
    }
    return status;
}

/* Everything from here on happens in the folder, so that the commands that are run can be repeated there. */
static int enter(const char *folder)
{
    struct stat there;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return cli_fail("--output %s: the folder cannot be made: %s", folder, strerror(errno));
    }
    if (stat(folder, &there) == 0 && !S_ISDIR(there.st_mode)) {
        return cli_fail("--output %s: is a file, not a folder; name another", folder);
    }
    return chdir(folder) == 0 ? CLI_DONE : cli_fail("--output %s: cannot be entered: %s", folder, strerror(errno));
}

/* The score of a posterior on the hidden window. */
static int score_window(lf_context *ctx, lf_posterior *posterior, const lf_model *model, const lf_data *test,
                        lf_score *score)
{
    cli_points points = {0};
    size_t n = lf_data_count(test);
    double *y = calloc(3 * n, sizeof *y), *mean = y + n, *s2 = mean + n;
    int status = y ? cli_points_from_inputs(model, test, 0, &points) : cli_no_memory();
    lf_points view = cli_points_view(&points);
    status = status ? status : cli_check(ctx, lf_predict(posterior, &view, mean, s2, NULL));
    for (size_t i = 0; status == CLI_DONE && i < n; i++) {
        y[i] = lf_data_row(test, i).y;
        s2[i] += lf_model_noise_variance(model, points.target[i]);
    }
    if (status == CLI_DONE) {
        *score = lf_score_rows(n, y, mean, s2);
    }
    cli_points_free(&points);
    free(y);
    return status;
}

/* The same from what the dead sensor itself told before and after. */
static int score_alone(lf_context *ctx, const lf_model *model, const lf_data *readings, const lf_data *test,
                       lf_score *score)
{
    lf_data *own = NULL;
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    int room = lf_data_row(test, 0).output;
    int status = cli_check(ctx, lf_data_create(ctx, 1, &own));
    for (size_t i = 0; status == CLI_DONE && i < lf_data_count(readings); i++) {
        lf_row row = lf_data_row(readings, i);
        if (row.output == room && !cli_is_test(row)) {
            status =
                cli_check(ctx, lf_data_add(ctx, own, lf_data_output_name(readings, room), NULL, row.x, row.y, 0, NULL));
        }
    }
    status = status ? status : cli_check(ctx, lf_engine_create(ctx, model, own, NULL, &engine));
    status = status ? status : cli_check(ctx, lf_engine_posterior(engine, &posterior));
    status = status ? status : score_window(ctx, posterior, model, test, score);
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    lf_data_free(own);
    return status;
}

static double correlation(size_t n, const double *a, const double *b)
{
    double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (size_t i = 0; i < n; i++) {
        sa += a[i] / (double)n;
        sb += b[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        saa += (a[i] - sa) * (a[i] - sa);
        sbb += (b[i] - sb) * (b[i] - sb);
        sab += (a[i] - sa) * (b[i] - sb);
    }
    return sab / sqrt(saa * sbb);
}

/* For each true force how well the recovered one that resembles it most agrees with it. Sign and scale of a force cannot be
 * known: they are shared with the sensitivities. */
static int compare_forces(lf_context *ctx, lf_posterior *posterior, const lf_model *model, const cli_house *house,
                          double *found)
{
    int forces = lf_model_force_count(model), outputs = lf_model_output_count(model);
    cli_points times = {.n = house->times, .input_dim = 1, .x = house->x}, points = {0};
    double *mean = calloc((size_t)forces * house->times + 1, sizeof *mean);
    int status = mean ? cli_points_append(&points, &times, outputs, forces, 1) : cli_no_memory();
    lf_points view = cli_points_view(&points);
    status = status ? status : cli_check(ctx, lf_predict(posterior, &view, mean, NULL, NULL));
    for (int u = 0; status == CLI_DONE && u < CLI_HOUSE_FORCES; u++) {
        found[u] = 0;
        for (int q = 0; q < forces; q++) {
            found[u] = fmax(found[u], fabs(correlation(house->times, house->force + (size_t)u * house->times,
                                                       mean + (size_t)q * house->times)));
        }
    }
    cli_points_free(&points);
    free(mean);
    return status;
}

static void tell_fit(const lf_model *model, const lf_model *truth, double seconds)
{
    printf("2. Learned: %d hidden forces, in %.1f s; time constants", lf_model_force_count(model), seconds);
    for (int d = 0; d < lf_model_output_count(model); d++) {
        lf_output_info room = lf_model_output(model, d);
        printf("%s %s %.1f h (truth %.1f)", d ? "," : "", room.name, room.time_constant,
               lf_model_output(truth, d).time_constant);
    }
    fputs(".\n", stdout);
}

static int tell_window(lf_context *ctx, lf_posterior *posterior, const lf_model *model, const cli_house *house)
{
    lf_data *test = NULL;
    lf_score all, alone;
    int status = cli_check(ctx, lf_data_select(ctx, house->readings, "test", &test));
    status = status ? status : score_window(ctx, posterior, model, test, &all);
    status = status ? status : score_alone(ctx, model, house->readings, test, &alone);
    if (status == CLI_DONE) {
        printf("3. Filled in: the hidden readings to %.2f degrees (nmse %.3f), %.0f %% of them within the 95 %% band; "
               "from "
               "that sensor alone %.2f degrees (nmse %.3f).\n",
               all.rmse, all.nmse, 100 * all.coverage95, alone.rmse, alone.nmse);
    }
    lf_data_free(test);
    return status;
}

static int tell_forces(lf_context *ctx, lf_posterior *posterior, const lf_model *model, const cli_house *house)
{
    double found[CLI_HOUSE_FORCES];
    int status = compare_forces(ctx, posterior, model, house, found);
    if (status == CLI_DONE) {
        printf("4. Recovered: the forces that nobody measured; correlation with the truth: %s %.3f, %s %.3f.\n",
               cli_house_force_names[0], found[0], cli_house_force_names[1], found[1]);
    }
    return status;
}

/* Figures are left out where there is no gnuplot to draw them. */
static int show(const char *folder)
{
    int done[SHOW_STEPS] = {0}, status = CLI_DONE, can_draw = cli_figure_possible();
    for (size_t i = 0; i < SHOW_STEPS && status == CLI_DONE; i++) {
        done[i] = can_draw || strcmp(show_steps[i].word[0], "plot") != 0;
        status = done[i] ? run_step(&show_steps[i]) : CLI_DONE;
    }
    if (status != CLI_DONE) {
        return status;
    }
    printf("5. Look at, in %s:", folder);
    for (size_t i = 0; i < SHOW_STEPS; i++) {
        if (done[i]) {
            printf(" %s (%s),", show_steps[i].makes, show_steps[i].shows);
        }
    }
    printf(" data.csv, model.json; the truth: truth.json, forces.csv%s.\n",
           can_draw ? "" : "; no figures, because gnuplot is not installed (Debian and Ubuntu: gnuplot-nox)");
    return CLI_DONE;
}

static int learn(lf_context *ctx, const cli_house *house, lf_model **model, lf_posterior **posterior)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int status = run_step(&fit_step);
    clock_gettime(CLOCK_MONOTONIC, &end);
    status = status ? status : cli_check(ctx, lf_model_read(ctx, "model.json", model));
    status = status ? status : cli_check(ctx, lf_posterior_restore(ctx, *model, posterior));
    if (status == CLI_DONE) {
        tell_fit(*model, house->truth,
                 (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    }
    return status;
}

static int tell_all(lf_context *ctx, const char *folder, cli_house *house, lf_model **model, lf_posterior **posterior)
{
    int status = enter(folder);
    status = status ? status : cli_house_simulate(ctx, house);
    status = status ? status : cli_house_write(ctx, house, "truth.json", "data.csv", "forces.csv");
    if (status != CLI_DONE) {
        return status;
    }
    printf(
        "1. Simulated: %d rooms of a house, heated by an unseen sun and by occupants, in %zu noisy readings over three "
        "days; %zu readings of one room are hidden.\n",
        lf_model_output_count(house->truth), lf_data_count(house->readings), house->hidden);
    status = cli_flush();
    status = status ? status : learn(ctx, house, model, posterior);
    status = status ? status : tell_window(ctx, *posterior, *model, house);
    status = status ? status : tell_forces(ctx, *posterior, *model, house);
    status = status ? status : cli_flush();
    status = status ? status : show(folder);
    return status ? status : cli_flush();
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    cli_house house = {0};
    lf_model *model = NULL;
    lf_posterior *posterior = NULL;
    lf_set_log(ctx, NULL, NULL);
    int status = tell_all(ctx, settings->folder ? settings->folder : DEFAULT_FOLDER, &house, &model, &posterior);
    lf_posterior_free(posterior);
    lf_model_free(model);
    cli_house_free(&house);
    return status;
}

static const cli_option operands[] = {CLI_END};

static const cli_option options[] = {
    CLI_OPTION(folder, .name = "--output", .argument = "DIR", .kind = CLI_TEXT,
               .help =
                   "folder for what the demo makes; files of the same names in it are replaced, others are left alone "
                   "(default: " DEFAULT_FOLDER " in the present folder)"),
    CLI_END};

const cli_command cli_demo = {
    .name = "demo",
    .summary = "show the main job on simulated data",
    .description =
        "Simulates the temperatures of four rooms that an unseen sun and occupants heat, hides a window of one "
        "sensor, fits a model to the rest, scores it on the window, recovers the two "
        "forces, draws figures, and says in five lines what was found. It takes a few seconds.",
    .example = "latentforce demo --output demo",
    .operands = operands,
    .options = options,
    .run = run};
