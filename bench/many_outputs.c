/* How time and memory grow with the number of outputs: D = 10 to 500 at T = 100 and 400 times, fitted without options within 4 GB. First,
 * of the model that the fit takes: processor seconds of an evaluation with gradient on one thread, relative to the BLAS and LAPACK calls
 * that it cannot avoid, and its memory against the estimate. Then whole fits where they are expected to be short enough: seconds, peak
 * memory, and coverage of the windows left out. Growth is the exponent of D between neighbouring rows with the same engine.
 *
 * many_outputs [SECONDS [OUTPUTS [TIMES [MEMORY [FEWEST]]]]]: fits expected to take more seconds (60) are not run, with 0 none; only
 * D <= OUTPUTS and T <= TIMES; the limit of memory (4G); only D >= FEWEST. Each measurement has a process of its own: the peak of one would hide that of the next. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "bench.h"
#include "inducing/inducing.h"
#include "predict/score.h"
#include "process.h"
#include "simulated_outputs.h"

enum { SECONDS = 60 }; /* the limit of a fit */
enum {
    STARTS = 2,
    EVALUATIONS = 200,
    WINDOWS = 25
};                                 /* of a fit; of all its starts, unless the row above tells; predicted */
static const double patience = 10; /* a process is ended after this many times the limit: the machine may be busy */
static const double mb = 1e6;
static const char *memory = "4G";

typedef struct setting {
    int outputs;
    size_t times;
    char model[32]; /* file of the model that the fit begins with */
} setting;

/* What a process hands back. */
typedef struct measured {
    char engine[16];
    size_t columns, rows, iterations, evaluations;
    int forces;
    double seconds, floor;        /* of an evaluation, of what it cannot avoid */
    double estimate, used;        /* bytes of an evaluation */
    double fit_estimate, fit_use; /* bytes of a fit */
    double fit_seconds, processor, predict_seconds;
    lf_score_summary score;
} measured;

/* ---- the model ---- */

static lf_options *fit_options(lf_context *ctx)
{
    lf_options *options;
    need(ctx, lf_options_create(ctx, "fit", &options));
    need(ctx, lf_options_set(ctx, options, "memory", memory));
    return options;
}

static int stop_fit(void *user, const lf_progress *progress)
{
    (void)user;
    return strcmp(progress->stage, "fit") == 0;
}

/* Writes the model of a fit that was stopped after its first iteration. */
static void find_model(const void *input, void *output)
{
    const setting *s = input;
    measured *m = output;
    lf_context *ctx = lf_context_create();
    lf_data *data = simulated_outputs(ctx, s->outputs, s->times);
    lf_options *options = fit_options(ctx);
    lf_fit_result *result;
    lf_model *model;
    need(ctx, lf_options_set(ctx, options, "period", "none"));
    need(ctx, lf_options_set(ctx, options, "posterior", "no"));
    lf_context_set_progress(ctx, stop_fit, NULL);
    need(ctx, lf_fit(ctx, data, options, &model, &result));
    lf_context_set_progress(ctx, NULL, NULL);
    snprintf(m->engine, sizeof m->engine, "%s", result->engine);
    m->forces = (int)lf_model_count(model, LF_KIND_FORCE);
    need(ctx, lf_model_write(ctx, model, s->model));
}

/* ---- an evaluation ---- */

/* Seconds of what an evaluation with gradient cannot avoid. The derivative of a product is two products: three updates at each time of
 * the filter. Of inducing values: factors and inverses of each output and of the core, and the products of rows and inducing values. */
static double floor_of(const setting *s, const lf_engine *engine, const lf_engine_info *info)
{
    if (strcmp(info->engine, "kalman") == 0) {
        return 3 * (double)s->times * update_floor(info->columns, (size_t)s->outputs);
    }
    if (lf_engine_is_able(engine->class, LF_HAS_INDUCING)) {
        const lf_inducing_system *system = &((const lf_inducing *)engine->state)->systems[0];
        size_t core = system->n < system->M ? system->n : system->M;
        return multiply_floor(system->n, system->M) + factor_and_invert(core) +
               (double)system->count * factor_and_invert(system->n / system->count);
    }
    return strcmp(info->engine, "lowrank") == 0 ? multiply_floor(info->rows, info->columns)
                                                : factor_and_invert(info->columns);
}

/* Bytes of a fit with this engine, as estimated, and of its refit, where the limit allows both at a time. An engine whose frequencies move is
 * made anew beside the old one; a fit ends with predictions. */
static double fit_bytes(lf_context *ctx, const lf_engine *engine)
{
    const lf_memory_estimate *m = &engine->memory;
    double held = lf_engine_memory(engine) - m->work, moving = engine->class->needs_regrid ? m->state : 0;
    double fit = held + fmax(fmax(m->work, moving), m->posterior + m->diagnosis);
    return fit * fmax(1, fmin(floor(lf_memory_limit(ctx) / fit), fmin(omp_get_num_procs(), STARTS)));
}

static void evaluate(const void *input, void *output)
{
    const setting *s = input;
    measured *m = output;
    enum { REPEATS = 3 };
    static const double enough = 20; /* seconds */
    lf_context *ctx = lf_context_create();
    lf_data *data = simulated_outputs(ctx, s->outputs, s->times), *training;
    lf_model *model;
    lf_engine *engine;
    need(ctx, lf_context_set_memory(ctx, memory));
    need(ctx, lf_data_select(ctx, data, NULL, "train", &training));
    need(ctx, lf_model_read(ctx, s->model, &model));
    lf_engine_options options = {.size = sizeof options, .engine = m->engine};
    size_t count = lf_parameter_count(model);
    double value, *gradient = calloc(count, sizeof *gradient), before = resident_bytes();
    options.tolerance = lf_model_has_rough_force(model) ? 1e-4 : 1e-3; /* as while fitting */
    lf_threads_begin(1);
    lf_context_set_threads(ctx, 1);
    need(ctx, lf_engine_create(ctx, model, training, &options, &engine));
    m->estimate = lf_engine_memory(engine);
    m->fit_estimate = fit_bytes(ctx, engine);
    m->seconds = 1e300;
    double begin = processor_now();
    for (int repeat = 0; repeat < REPEATS && (!repeat || processor_now() - begin < enough); repeat++) {
        double start = processor_now();
        need(ctx, lf_engine_evaluate(engine, count, NULL, &value, gradient));
        m->seconds = fmin(m->seconds, processor_now() - start);
    }
    m->used = peak_bytes() - before;
    lf_engine_info info = lf_engine_describe(engine);
    m->columns = info.columns;
    m->rows = info.rows;
    bench_clock = processor_now;
    m->floor = floor_of(s, engine, &info);
}

/* ---- a whole fit ---- */

static void score_windows(lf_context *ctx, const lf_model *model, const lf_data *data, measured *m)
{
    lf_posterior *posterior;
    lf_data *test;
    need(ctx, lf_posterior_restore(ctx, model, &posterior));
    need(ctx, lf_data_select(ctx, data, NULL, "test", &test));
    size_t n = 0, every = (size_t)((int)lf_data_count(data, LF_KIND_OUTPUT) + WINDOWS - 1) / WINDOWS;
    int *target = malloc(lf_data_count(test, LF_KIND_ROW) * sizeof *target);
    double *x = random_matrix(lf_data_count(test, LF_KIND_ROW), 4), *y = x + lf_data_count(test, LF_KIND_ROW),
           *mean = y + lf_data_count(test, LF_KIND_ROW);
    double *s2 = mean + lf_data_count(test, LF_KIND_ROW);
    for (size_t i = 0; i < lf_data_count(test, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(test, i);
        if ((size_t)row.output % every == 0) {
            x[n] = row.x[0];
            y[n] = row.y;
            target[n++] = lf_model_find_output(model, lf_data_name(test, LF_KIND_OUTPUT, (size_t)row.output));
        }
    }
    lf_point_list points = {.n = n, .target = target, .x = x};
    double start = processor_now();
    need(ctx, lf_predict_list(posterior, &points, mean, s2, NULL));
    m->predict_seconds = processor_now() - start;
    for (size_t i = 0; i < n; i++) {
        s2[i] += lf_model_noise_variance(model, target[i]);
    }
    m->score = lf_score_rows(n, y, mean, s2);
    free(target);
    free(x);
}

static void fit(const void *input, void *output)
{
    const setting *s = input;
    measured *m = output;
    lf_context *ctx = lf_context_create();
    lf_data *data = simulated_outputs(ctx, s->outputs, s->times);
    lf_fit_result *result;
    lf_model *model;
    double start = seconds_now(), begin = processor_now();
    need(ctx, lf_fit(ctx, data, fit_options(ctx), &model, &result));
    m->fit_seconds = seconds_now() - start;
    m->processor = processor_now() - begin;
    m->fit_use = peak_bytes();
    snprintf(m->engine, sizeof m->engine, "%s", result->engine);
    m->columns = result->columns;
    m->forces = (int)lf_model_count(model, LF_KIND_FORCE);
    m->iterations = result->iterations;
    m->evaluations = result->evaluations;
    score_windows(ctx, model, data, m);
}

/* ---- tables ---- */

static const int outputs[] = {10, 50, 100, 200, 500};
static const size_t times[] = {100, 400};
enum { SIZES = sizeof outputs / sizeof *outputs, SPANS = sizeof times / sizeof *times };

static const char evaluation_columns[] =
    "    rows engine  forces columns   seconds growth     floor  ratio estim.MB used MB";
static const char fit_columns[] = "engine  forces columns  iter.  eval.  seconds processor growth estim.MB peak MB "
                                  "growth predict   NMSE coverage";

/* The exponent of D between two rows of a table. */
static const char *growth(int k, double before, double now, char text[16])
{
    double ratio = k ? (double)outputs[k] / outputs[k - 1] : 1;
    snprintf(text, 16, before > 0 ? "%.2f" : "-", log(now / before) / log(ratio));
    return text;
}

static void print_evaluation(int k, const measured *before, const measured *m)
{
    char text[16];
    printf("%8zu %-7s %6d %7zu %9.4f %6s %9.4f %6.2f %8.0f %7.0f\n", m->rows, m->engine, m->forces, m->columns,
           m->seconds, growth(k, before->seconds, m->seconds, text), m->floor, m->seconds / m->floor, m->estimate / mb,
           m->used / mb);
}

static void print_fit(int k, const measured *before, const measured *m)
{
    char time[16], room[16];
    printf("%-7s %6d %7zu %6zu %6zu %8.1f %9.1f %6s %8.0f %7.0f %6s %7.1f %6.3f %6.0f %%\n", m->engine, m->forces,
           m->columns, m->iterations, m->evaluations, m->fit_seconds, m->processor,
           growth(k, before->processor, m->processor, time), m->fit_estimate / mb, m->fit_use / mb,
           growth(k, before->fit_use, m->fit_use, room), m->predict_seconds, m->score.nmse, 100 * m->score.coverage95);
}

/* The row above, if it has the same engine; else an empty one. */
static const measured *row_above(int k, const measured *m)
{
    static const measured none;
    return k && strcmp(m[-1].engine, m->engine) == 0 ? m - 1 : &none;
}

static void evaluate_one(const setting *s, double limit, int k, measured *m)
{
    double most = patience * fmax(limit, SECONDS);
    if (run_apart(find_model, s, m, sizeof *m, most) && run_apart(evaluate, s, m, sizeof *m, most)) {
        print_evaluation(k, row_above(k, m), m);
    } else {
        printf(" not measured: it failed, or took more than %.0f s\n", most);
        *m = (measured){0};
    }
}

static void fit_one(const setting *s, double limit, int k, measured *m)
{
    double evaluations = row_above(k, m)->evaluations ? (double)row_above(k, m)->evaluations : EVALUATIONS;
    double expected = evaluations * m->seconds / fmin(omp_get_num_procs(), STARTS);
    if (!(m->seconds > 0)) {
        printf("not run: there is no evaluation\n");
    } else if (expected > limit) {
        printf("%-7s not run (%.0f s and %.0f MB expected)\n", m->engine, expected, m->fit_estimate / mb);
    } else if (run_apart(fit, s, m, sizeof *m, patience * limit)) {
        print_fit(k, row_above(k, m), m);
    } else {
        printf("%-7s failed, or took more than %.0f s\n", m->engine, patience * limit);
    }
}

int main(int count, char **arguments)
{
    double limit = count > 1 ? atof(arguments[1]) : SECONDS;
    int most = count > 2 ? atoi(arguments[2]) : outputs[SIZES - 1];
    size_t longest = count > 3 ? (size_t)atoi(arguments[3]) : times[SPANS - 1];
    memory = count > 4 ? arguments[4] : memory;
    int fewest = count > 5 ? atoi(arguments[5]) : 0;
    measured all[SPANS][SIZES] = {0};
    setting s = {.model = "/tmp/many_outputs.XXXXXX"};
    int file = mkstemp(s.model);
    if (file < 0) {
        perror("bench");
        return 1;
    }
    close(file);
    for (int fits = 0; fits < 2; fits++) {
        printf("%s%5s %5s %s\n", fits ? "\n" : "", "T", "D", fits ? fit_columns : evaluation_columns);
        for (int i = 0; i < SPANS * SIZES; i++) {
            int k = i % SIZES;
            s.times = times[i / SIZES];
            s.outputs = outputs[k];
            if (s.times <= longest && s.outputs <= most && s.outputs >= fewest) {
                printf("%5zu %5d ", s.times, s.outputs);
                (fits ? fit_one : evaluate_one)(&s, limit, k, &all[i / SIZES][k]);
            }
        }
    }
    unlink(s.model);
    return 0;
}
