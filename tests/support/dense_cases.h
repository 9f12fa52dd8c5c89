/* Models and rows for the dense engine over several processes, and everything that it computes from them. */
#ifndef LF_TESTS_DENSE_CASES_H
#define LF_TESTS_DENSE_CASES_H

#include "engine/engine.h"
#include "support.h"

typedef struct dense_case {
    const char *what, *model, *nodes;
    int inputs, replicates, each; /* rows of each output in each replicate */
} dense_case;

#define HEAD "{\"format\":\"latentforce-model\",\"version\":1,"
#define TWO_EQ "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.9},{\"kernel\":\"eq\",\"lengthscale\":0.4}],"
#define MATERN                                                                                                         \
    "\"forces\":[{\"kernel\":\"matern32\",\"lengthscale\":0.9},{\"kernel\":\"matern52\",\"lengthscale\":0.4}],"
#define ORDER_1                                                                                                        \
    "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":0.2,"  \
    "\"offset\":0.3,\"scale\":2}"
#define ORDER_2(kernel)                                                                                                \
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1.2,\"damper\":0.4,\"spring\":2},\"sensitivity\":"       \
    "[0.7,2],\"noise_variance\":0.1,\"private\":{\"kernel\":\"" kernel "\",\"lengthscale\":0.6,\"amplitude\":0.7}}"
#define ORDER_3                                                                                                        \
    "{\"name\":\"c\",\"operator\":{\"type\":\"ode\",\"coefficients\":[1,3,3,1]},\"sensitivity\":[2,1],"                \
    "\"noise_variance\":0.05,\"scale\":0.5}"
#define SMOOTHED                                                                                                       \
    "{\"name\":\"c\",\"operator\":{\"type\":\"gaussian\",\"precision\":3},\"sensitivity\":[1,-1],\"noise_variance\":"  \
    "0.1}"
#define SMOOTHED_IN_2                                                                                                  \
    "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":[0.8,1.1]}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":"  \
    "\"gaussian\",\"precision\":1.5},\"sensitivity\":[1.3],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":"      \
    "{\"type\":\"gaussian\",\"precision\":4},\"sensitivity\":[-0.7],\"noise_variance\":0.2}]}"

static const dense_case dense_cases[] = {
    {"closed forms, zero start, private force",
     HEAD "\"initial\":\"zero\"," TWO_EQ "\"outputs\":[" ORDER_1 "," ORDER_2("eq") "]}", "closed-form", 1, 1, 30},
    {"closed forms, stationary start, replicates",
     HEAD "\"initial\":\"stationary\"," TWO_EQ "\"outputs\":[" ORDER_1 "," ORDER_2("eq") "]}", "closed-form", 1, 3, 9},
    {"closed forms, free start", HEAD "\"initial\":\"free\"," TWO_EQ "\"outputs\":[" ORDER_1 "," ORDER_2("eq") "]}",
     "closed-form", 1, 1, 21},
    {"quadrature, free start, all orders",
     HEAD "\"initial\":\"free\"," TWO_EQ "\"outputs\":[" ORDER_1 "," ORDER_2("eq") "," ORDER_3 "]}", "uniform", 1, 1,
     15},
    {"quadrature, stationary start, replicates",
     HEAD "\"initial\":\"stationary\"," TWO_EQ "\"outputs\":[" ORDER_1 "," ORDER_2("eq") "," ORDER_3 "]}", "uniform", 1,
     2, 9},
    {"state space, zero start, private force",
     HEAD "\"initial\":\"zero\"," MATERN "\"outputs\":[" ORDER_1 "," ORDER_2("matern12") "," ORDER_3 "]}", NULL, 1, 1,
     15},
    {"state space, stationary start, replicates",
     HEAD "\"initial\":\"stationary\"," MATERN "\"outputs\":[" ORDER_1 "," ORDER_2("matern32") "]}", NULL, 1, 2, 12},
    {"state space and quadrature, free start",
     HEAD "\"initial\":\"free\"," MATERN "\"outputs\":[" ORDER_1 "," ORDER_2("eq") "]}", NULL, 1, 1, 15},
    {"gaussian operators and ODEs with Matern forces",
     HEAD "\"initial\":\"zero\"," MATERN "\"outputs\":[" ORDER_1 "," SMOOTHED "]}", NULL, 1, 1, 14},
    {"gaussian operators, two inputs", HEAD "\"input_dim\":2," SMOOTHED_IN_2, "closed-form", 2, 1, 25},
};
enum { DENSE_CASES = sizeof dense_cases / sizeof *dense_cases, MOST_PARAMETERS = 32, ASKED = 23 };

typedef struct dense_results {
    lf_status status;
    char message[1024];
    size_t parameters;
    int slopes;
    double value, rounding, bytes, theta[MOST_PARAMETERS], gradient[MOST_PARAMETERS], slope[MOST_PARAMETERS];
    double mean[ASKED], variance[ASKED], covariance[ASKED * ASKED], restored[ASKED];
} dense_results;

/* Times are uneven, and the rows of an output are not all in their order. Every third has a known error. */
static lf_status dense_data(lf_context *ctx, const dense_case *c, const lf_model *model, lf_data **data)
{
    lf_status status = lf_data_create(ctx, (size_t)c->inputs, data);
    int outputs = (int)lf_model_count(model, LF_KIND_OUTPUT);
    for (int i = 0; !status && i < outputs * c->replicates * c->each; i++) {
        int d = i / c->each % outputs, r = i / c->each / outputs, k = i % 2 ? i % c->each : c->each - 1 - i % c->each;
        double x[2] = {0.05 + 3.0 * k / c->each + 0.02 * sin(7.0 * i), cos(1.7 * i)};
        const char *const names[] = {"first", "second", "third"};
        status = lf_data_add(ctx, *data,
                             &(lf_row){.size = sizeof(lf_row),
                                       .output = lf_model_output(model, d).name,
                                       .replicate = c->replicates > 1 ? names[r] : NULL,
                                       .x = x,
                                       .y = sin(3 * x[0] + d + r) + 0.3 * x[1],
                                       .sd = i % 3 == 0 ? 0.1 : 0});
    }
    return status;
}

/* Outputs, forces and, in models with one input, rates, of all replicates. */
static lf_status dense_predict(lf_posterior *posterior, const dense_case *c, const lf_model *model, double *mean,
                               double *variance, double *covariance)
{
    int target[ASKED], replicate[ASKED], outputs = (int)lf_model_count(model, LF_KIND_OUTPUT);
    int targets = outputs + (int)lf_model_count(model, LF_KIND_FORCE) + (c->inputs == 1 ? outputs : 0);
    double x[ASKED * 2];
    for (int i = 0; i < ASKED; i++) {
        target[i] = i % targets;
        replicate[i] = i % c->replicates;
        for (int k = 0; k < c->inputs; k++) {
            x[i * c->inputs + k] = k ? sin(2.0 * i) : 0.1 + 0.13 * i;
        }
    }
    lf_point_list points = {.n = ASKED, .target = target, .replicate = replicate, .x = x};
    return lf_predict_list(posterior, &points, mean, variance, covariance);
}

/* Everything, by finite differences too if `slopes`, without assertions: it may run in a thread, or in one of several processes. The
 * posterior is stored in `path`, unless NULL. */
static UNUSED void dense_compute_on(const char *device, lf_context *ctx, const dense_case *c, int slopes,
                                    const char *path, dense_results *to)
{
    lf_model *model = NULL;
    lf_data *data = NULL;
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL, *restored = NULL;
    lf_engine_options options = {.size = sizeof options, .engine = "dense", .nodes = c->nodes, .device = device};
    lf_status status = lf_model_parse(ctx, c->model, c->what, &model);
    to->slopes = slopes;
    status = status ? status : dense_data(ctx, c, model, &data);
    status = status ? status : lf_engine_create(ctx, model, data, &options, &engine);
    if (!status) {
        to->parameters = lf_parameter_count(model);
        to->bytes = lf_engine_memory(engine);
        lf_model_theta(model, to->theta);
        status = lf_engine_evaluate(engine, to->parameters, to->theta, &to->value, to->gradient);
    }
    for (size_t i = 0; !status && slopes && i < to->parameters; i++) { /* central differences, O(h^4) */
        double moved[MOST_PARAMETERS], at[4];
        const double steps[] = {1, -1, 2, -2}, h = 1e-3;
        memcpy(moved, to->theta, sizeof moved);
        for (int k = 0; !status && k < 4; k++) {
            moved[i] = to->theta[i] + steps[k] * h;
            status = lf_engine_evaluate(engine, to->parameters, moved, &at[k], NULL);
        }
        to->slope[i] = (8 * (at[0] - at[1]) - (at[2] - at[3])) / (12 * h);
    }
    lf_engine_free(engine); /* a posterior belongs to the parameters as they are in the model */
    engine = NULL;
    status = status ? status : lf_engine_create(ctx, model, data, &options, &engine);
    status = status ? status : lf_engine_rounding(engine, &to->rounding);
    status = status ? status : lf_engine_posterior(engine, &posterior);
    status = status ? status : dense_predict(posterior, c, model, to->mean, to->variance, to->covariance);
    status = status ? status : lf_posterior_store(posterior, model);
    status = status || !path ? status : lf_model_write(ctx, model, path);
    status = status ? status : lf_posterior_restore(ctx, model, &restored);
    status = status ? status : dense_predict(restored, c, model, to->restored, NULL, NULL);
    to->status = status;
    snprintf(to->message, sizeof to->message, "%s", status ? lf_context_message(ctx) : "");
    lf_posterior_free(restored);
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
}

static UNUSED void dense_compute(lf_context *ctx, const dense_case *c, int slopes, const char *path, dense_results *to)
{
    dense_compute_on("cpu", ctx, c, slopes, path, to);
}

/* a (n) against b, relative to the largest of these. */
static void compare_numbers(size_t n, const double *a, const double *b, double tolerance)
{
    double scale = 0;
    for (size_t i = 0; i < n; i++) {
        scale = fmax(scale, fabs(b[i]));
    }
    for (size_t i = 0; i < n; i++) {
        assert_near(a[i], b[i], tolerance * scale);
    }
}

static UNUSED void compare_results(const dense_results *found, const dense_results *expected)
{
    static const double same = 1e-12; /* measured: 1e-13 */
    size_t n = expected->parameters;
    if (found->status) {
        print_error("%s\n", found->message);
    }
    assert_int_equal(found->status, LF_OK);
    assert_int_equal(expected->status, LF_OK);
    assert_near(found->value, expected->value, same * fmax(1, fabs(expected->value)));
    compare_numbers(n, found->gradient, expected->gradient, same);
    if (found->slopes) {
        compare_numbers(n, found->gradient, found->slope, 3e-10);
    }
    assert_near(found->rounding, expected->rounding, 1e-3 * expected->rounding);
    compare_numbers(ASKED, found->mean, expected->mean, same);
    compare_numbers(ASKED, found->variance, expected->variance, same);
    compare_numbers(ASKED * ASKED, found->covariance, expected->covariance, same);
    compare_numbers(ASKED, found->restored, found->mean, same); /* by the processor, whatever computed the other */
}

#endif
