/* What the unit tests share: cmocka, tolerant comparison, shared files, models from text, and the one
 * finite-difference checker for every gradient. */
#ifndef LF_TESTS_SUPPORT_H
#define LF_TESTS_SUPPORT_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "data/data.h"
#include "latentforce.h"
#include "model/access.h"
#include "predict/predict.h"

#define UNUSED __attribute__((unused))

/* LF_TEST_ERRORS=FILE appends "source:line error tolerance size", the size being that of the numbers compared, to FILE
 * whenever a line uses more of its tolerance than before. */
static UNUSED void record_error(double error, double tolerance, double size, const char *file, int line)
{
    static double most[4096];
    const char *name = getenv("LF_TEST_ERRORS");
    double share = tolerance > 0 ? error / tolerance : error;
    if (!name || most[line % 4096] >= share + DBL_MIN) {
        return;
    }
    most[line % 4096] = share + DBL_MIN; /* an error of 0 is recorded once */
    FILE *log = fopen(name, "a");
    if (log) {
        fprintf(log, "%s:%d %.3g %.3g %.3g\n", file, line, error, tolerance, size);
        fclose(log);
    }
}

/* Fails unless |a - b| <= tolerance; prints both. */
#define assert_near(a, b, tolerance) check_near((a), (b), (tolerance), #a, __FILE__, __LINE__)

static UNUSED void check_near(double a, double b, double tolerance, const char *what, const char *file, int line)
{
    record_error(fabs(a - b), tolerance, fmax(fabs(a), fabs(b)), file, line);
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s: %.17g is not within %g of %.17g\n", what, a, tolerance, b);
        _fail(file, line);
    }
}

/* Fails with the library's sentence unless the status is LF_OK. */
#define assert_ok(ctx, call) check_ok((ctx), (call), #call, __FILE__, __LINE__)

static UNUSED void check_ok(lf_context *ctx, lf_status status, const char *what, const char *file, int line)
{
    if (status != LF_OK) {
        print_error("%s: %s (%s)\n", what, lf_status_text(status), lf_context_message(ctx));
        _fail(file, line);
    }
}

/* Step through the cases of a loop: all of them or, under the sanitizers, which look for other errors than wrong numbers and make
 * every case ten times as long, one of n. */
#ifdef __SANITIZE_ADDRESS__
#define ONE_OF(n) (n)
#else
#define ONE_OF(n) 1
#endif

/* Group fixtures: the state of every test is a context. */
static UNUSED int make_context(void **state) { return (*state = lf_context_create()) == NULL; }

static UNUSED int free_context(void **state)
{
    lf_context_free(*state);
    return 0;
}

enum { SHARED_PATH = 4096 };

/* The path of a file of real data or reference values, which are not part of the project; NULL, and a message, where it is
 * not at hand. Such a test is a program of its own and ends with status 77, "skipped". */
static UNUSED const char *shared_file(const char *name, char path[SHARED_PATH])
{
    const char *shared = getenv("LF_SHARED");
    snprintf(path, SHARED_PATH, "%s/%s", shared && *shared ? shared : "../shared", name);
    FILE *file = fopen(path, "r");
    if (!file) {
        printf("skipped: %s is not there\n", path);
        return NULL;
    }
    fclose(file);
    return path;
}

static UNUSED lf_model *parse_model(lf_context *ctx, const char *text)
{
    lf_model *model;
    assert_ok(ctx, lf_model_parse(ctx, text, "test", &model));
    return model;
}

/* The posterior of a model given data; options NULL = defaults. */
static UNUSED lf_posterior *make_posterior(lf_context *ctx, const lf_model *model, const lf_data *data,
                                           const lf_engine_options *options)
{
    lf_engine *engine;
    lf_posterior *posterior;
    assert_ok(ctx, lf_engine_create(ctx, model, data, options, &engine));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    lf_engine_free(engine);
    return posterior;
}

/* Readings of every output of a model, with its noise, at `each` times from 0 to 10; x and y in other units. */
static UNUSED lf_data *simulate_readings(lf_context *ctx, const char *truth_text, int each, double x_unit,
                                         double y_unit)
{
    lf_model *truth = parse_model(ctx, truth_text);
    int outputs = (int)lf_model_count(truth, LF_KIND_OUTPUT), rows = each * outputs;
    int *target = malloc((size_t)rows * sizeof *target);
    double *x = malloc(3 * (size_t)rows * sizeof *x), *f = x + rows, *z = f + rows;
    lf_data *data;
    assert_true(target && x);
    lf_context_set_seed(ctx, 5);
    for (int i = 0; i < rows; i++) {
        target[i] = i % outputs;
        x[i] = 10.0 * (i / outputs) / (each - 1);
    }
    lf_point_list points = {.n = (size_t)rows, .target = target, .x = x};
    assert_ok(ctx, lf_simulate_list(ctx, truth, &points, NULL, f));
    lf_normals(ctx, (size_t)rows, z);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < rows; i++) {
        lf_output_info output = lf_model_output(truth, target[i]);
        double at = x[i] * x_unit, y = y_unit * (f[i] + sqrt(output.noise_variance) * z[i]);
        assert_ok(ctx,
                  lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = output.name, .x = &at, .y = y}));
    }
    free(target);
    free(x);
    lf_model_free(truth);
    return data;
}

static UNUSED double uniform_between(lf_random *random, double low, double high)
{
    return low + (high - low) * lf_random_uniform(random);
}

/* Any finite double, drawn from its bits. */
static UNUSED double any_double(lf_random *random)
{
    for (;;) {
        uint64_t bits = lf_random_bits(random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            return value;
        }
    }
}

static UNUSED double log_between(lf_random *random, double low, double high)
{
    return exp(uniform_between(random, log(low), log(high)));
}

/* Central differences of `value(user, x)` with Richardson's extrapolation against an analytic gradient. Every failing
 * entry is printed with its name before the test fails. */
typedef double (*value_function)(void *user, const double *x);

#define check_gradient(...) compare_gradient(__FILE__, __LINE__, __VA_ARGS__)

static UNUSED void compare_gradient(const char *file, int line, size_t n, const double *x, const double *gradient,
                                    value_function value, void *user, double step, double tolerance,
                                    const char *(*name)(void *user, size_t i))
{
    double *moved = malloc(n * sizeof *moved), scale = 0;
    int failures = 0;
    for (size_t i = 0; i < n; i++) {
        scale = fmax(scale, fabs(gradient[i]));
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            continue;
        }
        double slope[2];
        for (int k = 0; k < 2; k++) {
            double h = step * fmax(1, fabs(x[i])) / (k + 1);
            memcpy(moved, x, n * sizeof *moved);
            moved[i] = x[i] + h;
            slope[k] = value(user, moved);
            moved[i] = x[i] - h;
            slope[k] = (slope[k] - value(user, moved)) / (2 * h);
        }
        double numeric = (4 * slope[1] - slope[0]) / 3;
        double error = fabs(numeric - gradient[i]), allowed = tolerance * (fabs(numeric) + 1e-3 * scale) + 5e-12;
        record_error(error, allowed, fabs(numeric), file, line);
        if (!(error <= allowed)) {
            print_error("gradient of %s: analytic %.12g, numeric %.12g\n", name ? name(user, i) : "entry", gradient[i],
                        numeric);
            failures++;
        }
    }
    free(moved);
    if (failures) {
        _fail(file, line);
    }
}

/* ---- the gradient of an engine ---- */

typedef struct likelihood {
    lf_engine *engine;
    const lf_model *model;
} likelihood;

static UNUSED double likelihood_at(void *user, const double *theta)
{
    double value;
    assert_int_equal(lf_engine_evaluate(((likelihood *)user)->engine, lf_parameter_count(((likelihood *)user)->model),
                                        theta, &value, NULL),
                     LF_OK);
    return value;
}

static UNUSED const char *theta_name(void *user, size_t i)
{
    return lf_parameter_get(((likelihood *)user)->model, i).theta_name;
}

#define check_theta_gradient(...) compare_theta_gradient(__FILE__, __LINE__, __VA_ARGS__)

static UNUSED void compare_theta_gradient(const char *file, int line, lf_context *ctx, const lf_model *model,
                                          const lf_data *data, lf_engine_options options, double tolerance)
{
    size_t n = lf_parameter_count(model);
    double *theta = malloc(n * sizeof *theta), *gradient = malloc(n * sizeof *gradient), value;
    likelihood l = {.model = model};
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &l.engine));
    lf_model_theta(model, theta);
    assert_ok(ctx, lf_engine_evaluate(l.engine, n, theta, &value, gradient));
    compare_gradient(file, line, n, theta, gradient, likelihood_at, &l, 1e-3, tolerance, theta_name);
    lf_engine_free(l.engine);
    free(theta);
    free(gradient);
}

#endif
