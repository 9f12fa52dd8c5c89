/* What engines say they will allocate, against what they do allocate: the growth of the resident memory of a process that makes an engine,
 * evaluates it with its gradient, and makes and stores its posterior. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "engine/engine.h"
#include "fit_support.h"

typedef struct memory_case {
    const char *name, *engine, *nodes;
    int outputs, replicates;
    size_t times;
    const char *operator_type, *kernel, *initial, *private_forces;
    int forces, uneven;
    size_t inducing;
} memory_case;

/* One row for each output and time. */
static lf_data *make_data(lf_context *ctx, const memory_case *c)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int r = 0; r < c->replicates; r++) {
        for (int d = 0; d < c->outputs; d++) {
            for (size_t i = 0; i < c->times; i++) {
                char output[16], replicate[16];
                double jitter = c->uneven ? 0.4 * sin(17.0 * (double)(i * i) + d) : 0;
                double t = 10 * ((double)i + jitter + 0.5) / (double)c->times;
                double y = sin(t + 0.1 * d) + 0.3 * cos(3 * t) + 0.05 * sin(57.0 * (double)i + d + r);
                snprintf(output, sizeof output, "y%d", d);
                snprintf(replicate, sizeof replicate, "r%d", r);
                assert_ok(ctx, lf_data_add(ctx, data,
                                           &(lf_row){.size = sizeof(lf_row),
                                                     .output = output,
                                                     .replicate = c->replicates > 1 ? replicate : NULL,
                                                     .x = &t,
                                                     .y = y}));
            }
        }
    }
    return data;
}

static double resident(void)
{
    long pages = 0, all;
    FILE *file = fopen("/proc/self/statm", "r");
    int read = file ? fscanf(file, "%ld %ld", &all, &pages) : 0;
    if (file) {
        fclose(file);
    }
    return read == 2 ? (double)pages * (double)sysconf(_SC_PAGESIZE) : 0;
}

static double peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* Estimates and measured bytes: of an evaluation, and of a posterior with the engine. */
typedef struct measured {
    double estimate, used, posterior_estimate, posterior_used;
    char engine[16];
    size_t columns;
} measured;

static void measure(const memory_case *c, measured *m)
{
    lf_context *ctx = lf_context_create();
    lf_data *data = make_data(ctx, c);
    lf_model *model;
    lf_shape_options shape = {.operator_type = c->operator_type,
                              .forces = c->forces,
                              .force_kernel = c->kernel,
                              .private_forces = c->private_forces,
                              .initial = c->initial};
    assert_ok(ctx, make_initial_model(ctx, data, &shape, &model));
    lf_engine_options options = {
        .size = sizeof options, .engine = c->engine, .nodes = c->nodes, .inducing = c->inducing, .tolerance = 1e-4};
    lf_engine *engine;
    lf_posterior *posterior;
    size_t count = model->parameter_count;
    double *gradient = calloc(count, sizeof *gradient), value, before = resident();
    lf_context_set_threads(ctx, 1);
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    m->estimate = lf_engine_memory(engine);
    assert_ok(ctx, lf_engine_evaluate(engine, count, NULL, &value, gradient));
    m->used = peak() - before;
    m->posterior_estimate = fmax(m->estimate, m->estimate - engine->memory.work + engine->memory.posterior);
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    assert_ok(ctx, lf_posterior_store(posterior, model));
    assert_ok(ctx, lf_model_write(ctx, model, "/dev/null"));
    m->posterior_used = peak() - before;
    lf_engine_info info = lf_engine_describe(engine);
    snprintf(m->engine, sizeof m->engine, "%s", info.engine);
    m->columns = info.columns;
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    lf_model_free(model);
    lf_data_free(data);
    free(gradient);
    lf_context_free(ctx);
}

/* In a process of its own, so that nothing that was freed before is used again. */
static measured measure_apart(const memory_case *c)
{
    int ends[2];
    measured m = {0};
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        measure(c, &m);
        _exit(write(ends[1], &m, sizeof m) == sizeof m ? 0 : 1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &m, sizeof m), sizeof m);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return m;
}

static const memory_case cases[] = {
    {"dense eq", "dense", NULL, 2, 1, 1200, "ode1", "eq", "zero", "no", 2, 0, 0},
    {"dense closed form", "dense", "closed-form", 2, 1, 1200, "ode1", "eq", "zero", "no", 2, 0, 0},
    {"dense matern uneven", "dense", NULL, 6, 1, 200, "ode1", "matern32", "free", "yes", 4, 1, 0},
    {"lowrank eq", "lowrank", NULL, 20, 1, 200, "ode1", "eq", "zero", "yes", 8, 0, 0},
    {"lowrank matern", "lowrank", NULL, 4, 1, 500, "ode1", "matern32", "zero", "yes", 2, 0, 0},
    {"fourier eq", "fourier", NULL, 40, 1, 200, "ode2", "eq", "free", "yes", 2, 0, 0},
    {"fourier not private", "fourier", NULL, 60, 1, 60, "ode1", "eq", "zero", "no", 10, 0, 0},
    {"fourier matern", "fourier", NULL, 10, 1, 100, "ode1", "matern32", "zero", "yes", 2, 0, 0},
    {"fourier replicates", "fourier", NULL, 10, 3, 100, "ode1", "eq", "free", "yes", 4, 0, 0},
    {"kalman", "kalman", NULL, 70, 1, 100, "ode1", "matern12", "free", "yes", 30, 0, 0},
    {"kalman uneven", "kalman", NULL, 20, 1, 600, "ode1", "matern32", "free", "yes", 6, 1, 0},
    {"kalman eq", "kalman", NULL, 20, 1, 50, "ode2", "eq", "free", "yes", 6, 0, 0},
    {"pitc eq", "pitc", NULL, 40, 1, 150, "ode1", "eq", "free", "yes", 4, 0, 40},
    {"pitc matern", "pitc", NULL, 20, 1, 150, "ode1", "matern12", "free", "yes", 4, 0, 40},
    {"variational eq", "variational", NULL, 20, 1, 400, "ode1", "eq", "zero", "no", 6, 0, 60},
    {"dtc private", "dtc", NULL, 4, 1, 700, "ode1", "matern32", "zero", "yes", 3, 0, 60},
    {"fitc eq", "fitc", NULL, 30, 1, 400, "ode1", "eq", "zero", "no", 6, 0, 60},
};

/* The C library and short lists have some of their own: 6 MB of these sizes. BLAS has buffers for blocks of matrices, which are larger
 * on some processors. */
static void check_share(const char *name, const char *what, double estimate, double used)
{
    static const double own = 6e6, blas = 8e6;
    if (estimate + own + blas < 0.95 * used || estimate > 1.4 * used + own) {
        fail_msg("%s: %s takes %.1f MB, the estimate is %.1f MB", name, what, used / 1e6, estimate / 1e6);
    }
}

/* LF_SHOW_MEMORY=NAME prints the ratios of the cases whose names contain it. */
static void test_engines(void **state)
{
    (void)state;
    const char *shown = getenv("LF_SHOW_MEMORY");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (shown && !strstr(cases[i].name, shown)) {
            continue;
        }
        measured m = measure_apart(&cases[i]);
        if (shown) {
            print_message("%-20s %6zu columns  evaluate %6.1f of %6.1f MB %5.2f  posterior %6.1f of %6.1f MB %5.2f\n",
                          cases[i].name, m.columns, m.estimate / 1e6, m.used / 1e6, m.estimate / m.used,
                          m.posterior_estimate / 1e6, m.posterior_used / 1e6, m.posterior_estimate / m.posterior_used);
        }
        check_share(cases[i].name, "an evaluation", m.estimate, m.used);
        check_share(cases[i].name, "a posterior", m.posterior_estimate, m.posterior_used);
    }
}

/* Sizes as text. */
static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double bytes;
    } sizes[] = {{"1", 1},  {"500M", 524288000}, {"4G", 4294967296}, {"1.5k", 1536}, {"2TiB", 2199023255552},
                 {"7B", 7}, {"2gb", 2147483648}, {"half", 0}};
    static const char *const wrong[] = {"", "-1", "0", "G", "4X", "4GG", "nan", "inf", "1e400", "4 G", "0x10"};
    char text[LF_SIZE_TEXT];
    double bytes;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_true(lf_size_parse(sizes[i].text, &bytes));
        assert_true(bytes == sizes[i].bytes);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(lf_size_parse(wrong[i], &bytes));
    }
    assert_string_equal(lf_size_text(1.5 * 1024 * 1024 * 1024, text), "1.5 GB");
    assert_string_equal(lf_size_text(300.4 * 1024 * 1024, text), "300 MB");
    assert_string_equal(lf_size_text(12, text), "1 MB");
    assert_string_equal(lf_size_option(24.2 * 1024 * 1024 * 1024, text), "25G");
    assert_string_equal(lf_size_option(1024.0 * 1024 * 700 - 1, text), "700M");
    assert_true(lf_memory_available() > 1e6);
}

/* The limit acts where an engine is made: a named one is refused, an automatic choice takes another. */
static void test_limit(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    const memory_case few = {"", NULL, NULL, 2, 1, 600, "ode1", "eq", "zero", "no", 1, 0, 0};
    lf_data *data = make_data(ctx, &few);
    lf_model *model;
    lf_engine *engine;
    lf_shape_options shape = {.forces = 1, .force_kernel = "eq", .private_forces = "no", .initial = "zero"};
    lf_engine_options dense = {.size = sizeof dense, .engine = "dense"};
    assert_ok(ctx, make_initial_model(ctx, data, &shape, &model));
    assert_ok(ctx, lf_context_set_memory(ctx, "8M")); /* the covariance of 1200 rows has 11 MB */
    assert_int_equal(lf_engine_create(ctx, model, data, &dense, &engine), LF_ERROR_UNSUPPORTED);
    assert_non_null(
        strstr(lf_context_message(ctx), "the dense engine would take about 13 MB, more than the limit of 8 MB"));
    assert_non_null(strstr(lf_context_message(ctx), "--engine fourier ("));
    assert_non_null(strstr(lf_context_message(ctx), "--memory "));
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    assert_string_not_equal(lf_engine_describe(engine).engine, "dense");
    assert_true(lf_engine_memory(engine) < 8 * 1024 * 1024);
    lf_engine_free(engine);
    assert_ok(ctx, lf_context_set_memory(ctx, "20M"));
    assert_ok(ctx, lf_engine_create(ctx, model, data, &dense, &engine));
    lf_engine_free(engine);
    assert_int_equal(lf_context_set_memory(ctx, "much"), LF_ERROR_ARGUMENT);
    assert_ok(ctx, lf_context_set_memory(ctx, NULL));
    assert_ok(ctx, lf_engine_create(ctx, model, data, &dense, &engine));
    lf_engine_free(engine);
    lf_model_free(model);
    lf_data_free(data);
    lf_context_free(ctx);
}

/* Stops a comparison when every thread has evaluated its candidate. */
static int stop_soon(void *user, const lf_progress *progress)
{
    int *left = user;
    return strcmp(progress->stage, "selection") == 0 && (*left)-- <= 0;
}

/* The peak of a comparison of numbers of forces on seven threads, with a limit or without. */
static double comparison_peak(const char *memory)
{
    int ends[2];
    double used = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const memory_case table = {.outputs = 2, .replicates = 1, .times = 350};
        lf_context *ctx = lf_context_create();
        lf_data *data = make_data(ctx, &table);
        lf_options *options;
        lf_model *model = NULL;
        int left = 7;
        assert_ok(ctx, lf_options_create(ctx, "fit", &options));
        assert_ok(ctx, lf_options_set(ctx, options, "engine", "dense"));
        assert_ok(ctx, lf_options_set(ctx, options, "force-kernel", "auto"));
        assert_ok(ctx, lf_options_set(ctx, options, "posterior", "no"));
        assert_ok(ctx, lf_options_set(ctx, options, "threads", "7"));
        assert_ok(ctx, lf_options_set(ctx, options, "memory", memory));
        lf_context_set_progress(ctx, stop_soon, &left);
        double before = resident();
        assert_ok(ctx, lf_fit(ctx, data, options, &model, NULL));
        lf_context_set_progress(ctx, NULL, NULL);
        used = peak() - before;
        _exit(write(ends[1], &used, sizeof used) == sizeof used ? 0 : 1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &used, sizeof used), sizeof used);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return used;
}

/* Candidates are compared side by side only as far as the limit allows. */
static void test_comparison(void **state)
{
    (void)state;
    double limited = comparison_peak("60M"), free = comparison_peak("4G"), limit = 60 * 1024.0 * 1024;
    if (limited > limit || free < 1.2 * limit) {
        fail_msg("a comparison takes %.1f MB with a limit of 60 MB, %.1f MB without", limited / 1e6, free / 1e6);
    }
}

/* Equations are fitted from four starts, which have an engine each: a limit that suffices for two is too small. */
static void test_restarts_of_equations(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    const memory_case table = {.outputs = 1, .replicates = 1, .times = 40000};
    lf_data *data = make_data(ctx, &table);
    lf_model *given, *model = NULL;
    lf_options *options;
    lf_engine *engine;
    char limit[LF_SIZE_TEXT];
    static const char text[] = "parameter a = 1\nforce u ~ matern32\nx' = -a*x + u\noutput y0 = x\n";
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", &given));
    assert_ok(ctx, lf_engine_create(ctx, given, data, NULL, &engine));
    lf_size_option(3 * lf_engine_memory(engine), limit);
    lf_engine_free(engine);
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_options_set_model(ctx, options, given));
    assert_ok(ctx, lf_options_set(ctx, options, "max-iterations", "1"));
    assert_ok(ctx, lf_options_set(ctx, options, "errors", "no"));
    assert_ok(ctx, lf_options_set(ctx, options, "posterior", "no"));
    assert_ok(ctx, lf_options_set(ctx, options, "memory", limit));
    assert_int_equal(lf_fit(ctx, data, options, &model, NULL), LF_ERROR_UNSUPPORTED);
    assert_ok(ctx, lf_options_set(ctx, options, "restarts", "2"));
    assert_ok(ctx, lf_fit(ctx, data, options, &model, NULL));
    lf_model_free(model);
    lf_options_free(options);
    lf_model_free(given);
    lf_data_free(data);
    lf_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_engines), cmocka_unit_test(test_comparison),
                                       cmocka_unit_test(test_restarts_of_equations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
