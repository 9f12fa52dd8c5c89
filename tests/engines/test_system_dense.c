/* Models given by equations: the dense engine, which integrates over frequencies, against the filter, which knows only transitions. */
#include "engine/engine.h"
#include "support.h"

typedef struct system_case {
    const char *name, *text;
    int inputs;       /* readings of v */
    int replicates;   /* 1 or 2 */
    double from, to;  /* times of the rows */
    double tolerance; /* relative, of log likelihoods and, in units of the prior, of predictions */
    double precision; /* asked of the filter: EQ forces are approximated there; 0: default */
    int rates;        /* rates exist */
} system_case;

#define HOUSE                                                                                                          \
    "input v\nCw*Tw' = (v - Tw)/Ro + (Ti - Tw)/Ri\nCi*Ti' = (Tw - Ti)/Ri + v + gains\noutput y = Ti noise = 0.05\n"    \
    "output z = 0.5*Tw + Ti noise = 0.1\nparameter Cw = 3\nparameter Ci = 0.4\nparameter Ro = 1.5\n"                   \
    "parameter Ri = 0.3\nparameter m0 = 1 real\nparameter s0 = 0.5\nstart Tw ~ normal(m0, s0)\n"                       \
    "start Ti ~ normal(0.3, 0.2)\n"
#define FRAME                                                                                                          \
    "m*a'' = -k*(2*a - b) - c*(2*a' - b') + load\nm*b'' = -k*(2*b - a - d) - c*(2*b' - a' - d')\n"                     \
    "m*d'' = -k*(d - b) - c*(d' - b')\noutput y = a'' noise = 0.1\noutput z = d'' noise = 0.1\nparameter m = 0.8\n"    \
    "parameter k = 9\nparameter c = 0.15\n"

static const system_case cases[] = {
    {"house matern12", "force gains ~ matern12(lengthscale = 0.9, amplitude = 1.2)\n" HOUSE, 1, 1, 0, 5, 1e-12, 0, 1},
    {"house matern32", "force gains ~ matern32(lengthscale = 0.9, amplitude = 1.2)\n" HOUSE, 1, 2, 0, 5, 1e-12, 0, 1},
    {"house matern52", "force gains ~ matern52(lengthscale = 0.2, amplitude = 1.2)\n" HOUSE, 1, 1, 0, 40, 1e-12, 0, 1},
    {"house eq", "force gains ~ eq(lengthscale = 0.9, amplitude = 1.2)\n" HOUSE, 1, 1, 0, 5, 1e-9, 1e-11, 1},
    {"frame matern32", "force load ~ matern32(lengthscale = 0.5, amplitude = 2)\nstart rest\n" FRAME, 0, 1, 0, 12,
     3e-12, 0, 1},
    {"frame matern12", "force load ~ matern12(lengthscale = 0.5, amplitude = 2)\nstart rest\n" FRAME, 0, 1, 0, 12,
     3e-12, 0, 0},
    {"frame steady", "force load ~ matern52(lengthscale = 0.5, amplitude = 2)\nstart steady\n" FRAME, 0, 2, -3, 9,
     5e-12, 0, 1},
    {"frame eq steady", "force load ~ eq(lengthscale = 0.5, amplitude = 2)\nstart steady\n" FRAME, 0, 1, -3, 9, 2e-10,
     1e-11, 0},
    {"undamped",
     "force u ~ matern32(lengthscale = 0.7, amplitude = 0.8)\nx'' = -w^2*x + u\noutput y = x noise = 0.1\n"
     "output z = x' noise = 0.2\nparameter w = 3\nstart rest\n",
     0, 1, 0, 25, 1e-11, 0, 1},
    {"integrator and growth",
     "force u ~ matern12(lengthscale = 2, amplitude = 0.8)\nx' = u\nz' = g*z + u\noutput y = x noise = 0.1\n"
     "output z_ = z noise = 0.2\nparameter g = 0.4\nstart rest\n",
     0, 1, 0, 6, 3e-12, 0, 1},
    {"cascade",
     "force u ~ matern52(lengthscale = 1.3, amplitude = 1)\na' = u - k*a\nb' = a - k*b\nc' = b - k*c\n"
     "output y = b noise = 0.05\noutput z = c noise = 0.05\nparameter k = 0.8\nstart steady\n",
     0, 1, 0, 10, 1e-12, 0, 1},
    {"white",
     "input v\nforce w ~ white(sd = 0.6)\nforce n ~ white(sd = 0.3)\na' = v + w - p*a + q*b\nb' = n + p*a - q*b - r*b\n"
     "output y = a noise = 0.1\noutput z = b noise = 0.1\nparameter p = 1.1\nparameter q = 0.4\nparameter r = 0.3\n"
     "parameter s0 = 0.5\nstart a ~ normal(1, s0)\nstart b ~ normal(0, 0.2)\n",
     1, 2, 0, 8, 1e-13, 0, 1},
    {"white steady and force in the output",
     "force w ~ white(sd = 0.6)\nforce u ~ matern32(lengthscale = 0.4, amplitude = 0.5)\na' = w - p*a + u\n"
     "output y = a + e*u noise = 0.1\noutput z = 2*a - u noise = 0.2\nparameter p = 1.1\nparameter e = 0.7 real\n"
     "start steady\n",
     0, 1, -4, 6, 1e-13, 0, 1},
    {"stiff",
     "force u ~ matern32(lengthscale = 0.4, amplitude = 0.5)\na' = 3000*(u - a)\nb' = a - k*b\noutput y = a noise = "
     "0.1\noutput z = b noise = 0.01\nparameter k = 0.002\nstart rest\n",
     0, 1, 0, 10, 1e-10, 0, 1},
};
enum { CASES = sizeof cases / sizeof *cases, ROWS = 40, MOST = 24 };

static void add(lf_context *ctx, lf_data *data, const char *name, const char *replicate, double t, double y)
{
    assert_ok(ctx,
              lf_data_add(ctx, data,
                          &(lf_row){.size = sizeof(lf_row), .output = name, .replicate = replicate, .x = &t, .y = y}));
}

static lf_data *make_rows(lf_context *ctx, const system_case *c, const char *first, const char *second)
{
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 5);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int r = 0; r < c->replicates; r++) {
        const char *replicate = c->replicates == 1 ? NULL : r ? "two" : "one";
        for (int i = 0; c->inputs && i <= 12; i++) {
            add(ctx, data, "v", replicate, c->from + 0.125 * i * (c->to - c->from), sin(i + r));
        }
        for (int i = 0; i < ROWS; i++) {
            double share = i % 3 ? lf_random_uniform(&random) : (double)(i / 4) / ROWS * 4;
            add(ctx, data, i % 2 ? first : second, replicate, c->from + share * (c->to - c->from),
                0.5 * lf_random_normal(&random));
        }
    }
    return data;
}

static lf_engine *make_engine(lf_context *ctx, const lf_model *model, const lf_data *data, const char *name,
                              double tolerance)
{
    lf_engine_options options = {.size = sizeof options, .engine = name, .tolerance = tolerance};
    lf_engine *engine;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    return engine;
}

/* Every target at times between and after the rows, from two posteriors. */
static void compare_predictions(lf_context *ctx, const system_case *c, lf_model *model, lf_posterior *p,
                                lf_posterior *q)
{
    int targets = lf_target_count(model), target[MOST * 3];
    double x[MOST * 3], *mean[2], *variance[2], *covariance[2];
    size_t n = 0;
    assert_true(targets <= MOST);
    for (int t = 0; t < targets; t++) {
        for (int i = 0; i < 3 && (c->rates || !lf_target_is_rate(model, t)); i++) {
            target[n] = t;
            x[n++] = c->from + (c->to - c->from) * (i == 0 ? 0.13 : i == 1 ? 0.78 : 1.2);
        }
    }
    lf_point_list points = {.n = n, .target = target, .x = x};
    for (int k = 0; k < 2; k++) {
        mean[k] = calloc(n, sizeof(double));
        variance[k] = calloc(n, sizeof(double));
        covariance[k] = calloc(n * n, sizeof(double));
        assert_ok(ctx, lf_predict_list(k ? q : p, &points, mean[k], variance[k], covariance[k]));
    }
    for (size_t i = 0; i < n; i++) {
        double scale = fmax(1, fabs(mean[0][i]));
        assert_near(mean[1][i], mean[0][i], 10 * c->tolerance * scale);
        assert_near(variance[1][i], variance[0][i], 10 * c->tolerance * fmax(1, variance[0][i]));
        for (size_t j = 0; j < n; j++) {
            assert_near(covariance[1][i * n + j], covariance[0][i * n + j],
                        10 * c->tolerance * fmax(1, sqrt(variance[0][i] * variance[0][j])));
        }
    }
    for (int k = 0; k < 2; k++) {
        free(mean[k]);
        free(variance[k]);
        free(covariance[k]);
    }
}

static void check_case(lf_context *ctx, const system_case *c)
{
    lf_model *model, *stored;
    double value[2], gradient[2][MOST];
    lf_engine *engines[2];
    lf_posterior *posteriors[2], *restored;
    assert_ok(ctx, lf_model_from_equations(ctx, c->text, c->name, &model));
    lf_data *data = make_rows(ctx, c, model->outputs[0].name, model->outputs[1].name);
    size_t parameters = lf_parameter_count(model);
    assert_true(parameters <= MOST);
    for (int k = 0; k < 2; k++) {
        engines[k] = make_engine(ctx, model, data, k ? "dense" : "kalman", k ? 0 : c->precision);
        assert_ok(ctx, lf_engine_evaluate(engines[k], parameters, NULL, &value[k], gradient[k]));
        assert_ok(ctx, lf_engine_posterior(engines[k], &posteriors[k]));
    }
    assert_near(value[1], value[0], c->tolerance * fmax(1, fabs(value[0])));
    for (size_t i = 0; i < parameters; i++) {
        assert_near(gradient[1][i], gradient[0][i], 10 * c->tolerance * fmax(1, fabs(value[0])));
    }
    compare_predictions(ctx, c, model, posteriors[0], posteriors[1]);
    assert_ok(ctx, lf_model_copy(ctx, model, &stored));
    assert_ok(ctx, lf_posterior_store(posteriors[1], stored));
    assert_ok(ctx, lf_posterior_restore(ctx, stored, &restored));
    compare_predictions(ctx, c, model, posteriors[1], restored);
    lf_posterior_free(restored);
    for (int k = 0; k < 2; k++) {
        lf_posterior_free(posteriors[k]);
        lf_engine_free(engines[k]);
    }
    lf_model_free(stored);
    lf_model_free(model);
    lf_data_free(data);
}

static void test_cases(void **state)
{
    for (int i = 0; i < CASES; i += ONE_OF(3)) {
        print_message("%s\n", cases[i].name);
        check_case(*state, &cases[i]);
    }
}

/* ---- random systems ---- */

/* Up to 5 states, all coupled; stable, or from rest and then usually oscillating, often growing. */
static size_t random_text(lf_random *random, double span, char *text, size_t size)
{
    static const char *const kernels[] = {"matern12", "matern32", "matern52"};
    int n = 1 + (int)(5 * lf_random_uniform(random)), steady = lf_random_uniform(random) < 0.3;
    double lengthscale = span * pow(10, 2.5 * lf_random_uniform(random) - 2);
    double rate = pow(10, 3 * lf_random_uniform(random) - 1) / span;
    size_t used = (size_t)snprintf(text, size,
                                   "force u ~ %s(lengthscale = %.17g, amplitude = 0.7)\nforce w ~ white(sd = %.17g)\n",
                                   kernels[(int)(3 * lf_random_uniform(random))], lengthscale, 0.5 * sqrt(rate));
    for (int i = 0; i < n; i++) {
        used += (size_t)snprintf(text + used, size - used, "x%d' = %.17g*%s", i, rate, i ? "x0" : "u");
        for (int j = 0; j < n; j++) {
            double z = lf_random_uniform(random);
            used += (size_t)snprintf(text + used, size - used, " + (%.17g)*x%d",
                                     rate * (i == j ? -(steady ? n + 1 : 0.7) * (0.2 + z) : 2 * z - 1), j);
        }
        used += (size_t)snprintf(text + used, size - used, i + 1 == n ? " + w\n" : "\n");
    }
    used += (size_t)snprintf(text + used, size - used, "output y = x0 noise = 0.1\noutput z = x%d%s noise = 0.1\n",
                             n - 1, lf_random_uniform(random) < 0.3 ? " + 0.5*u" : "");
    return used + (size_t)snprintf(text + used, size - used, "start %s\n", steady ? "steady" : "rest");
}

/* The engines agree to what they say they lose by rounding: where a system grows, covariances lose digits that the filter does not. */
static void test_random_systems(void **state)
{
    int compared = 0;
    for (int trial = 0; trial < 60; trial += ONE_OF(10)) {
        char text[8192];
        lf_model *model;
        lf_random random;
        double value[2], gradient[2][MOST], rounding[2], largest = 1;
        lf_random_seed(&random, 100 + (uint64_t)trial);
        system_case c = {.replicates = 1, .to = pow(10, 4 * lf_random_uniform(&random) - 2)};
        assert_true(random_text(&random, c.to, text, sizeof text) < sizeof text);
        assert_ok(*state, lf_model_from_equations(*state, text, "random", &model));
        lf_data *data = make_rows(*state, &c, "y", "z");
        size_t n = lf_parameter_count(model);
        int evaluated = 1;
        for (int k = 0; evaluated && k < 2; k++) {
            lf_engine *engine = make_engine(*state, model, data, k ? "dense" : "kalman", 0);
            lf_status status = lf_engine_evaluate(engine, n, NULL, &value[k], gradient[k]);
            assert_true(!status || (k && status == LF_ERROR_NUMERIC)); /* a covariance without any digit left */
            evaluated = !status;
            assert_ok(*state, status ? LF_OK : lf_engine_rounding(engine, &rounding[k]));
            lf_engine_free(engine);
        }
        if (evaluated) {
            compared++;
            for (size_t i = 0; i < n; i++) {
                largest = fmax(largest, fabs(gradient[0][i]));
            }
            double allowed = 1e-12 * fmax(1, fabs(value[0])) + 3 * rounding[1];
            assert_near(value[1], value[0], allowed);
            for (size_t i = 0; i < n; i++) {
                assert_near(gradient[1][i], gradient[0][i], 10 * largest * (1e-12 + allowed / fmax(1, fabs(value[0]))));
            }
        }
        lf_model_free(model);
        lf_data_free(data);
    }
    assert_true(compared >= 50 / ONE_OF(10));
}

/* The prior covariance by both routes; forces before the start too. */
static void test_prior(void **state)
{
    enum { N = 9 };
    static const int target[N] = {0, 1, 2, 2, 3, 4, 5, 6, 0}; /* y, z, gains, rates, states */
    static const double x[N] = {0, 3.1, -1.5, 4, 2, 2.5, 1, 6, 7};
    lf_point_list points = {.n = N, .target = target, .x = x};
    lf_engine_options options = {.size = sizeof options, .engine = "dense"};
    double K[2][N * N];
    lf_model *model;
    assert_ok(*state, lf_model_from_equations(*state,
                                              "force w ~ white(sd = 0.4)\nforce gains ~ matern32(lengthscale = 0.9, "
                                              "amplitude = 1.2)\nTw' = 2*w + (Ti - Tw)/Ri\nTi' = w + gains - Ti\n"
                                              "output y = Ti noise = 0.05\noutput z = 0.5*Tw + Ti noise = 0.1\n"
                                              "parameter Ri = 0.3\nstart Tw ~ normal(0, 0.3)\nstart Ti ~ normal(0, "
                                              "0.2)\n",
                                              "prior", &model));
    assert_ok(*state, lf_covariance_list(*state, model, &points, &options, K[0]));
    options.engine = "auto";
    assert_ok(*state, lf_covariance_list(*state, model, &points, &options, K[1]));
    for (int i = 0; i < N * N; i++) {
        assert_near(K[0][i], K[1][i], 1e-13);
    }
    options.engine = "dense";
    options.nodes = "uniform";
    assert_int_equal(lf_covariance_list(*state, model, &points, &options, K[0]), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(*state), "frequencies"));
    lf_model_free(model);
}

static void refused(lf_context *ctx, const char *text, lf_status expected, const char *says)
{
    lf_engine_options options = {.size = sizeof options, .engine = "dense"};
    lf_model *model;
    lf_engine *engine = NULL;
    lf_data *data;
    double value;
    assert_ok(ctx, lf_model_from_equations(ctx, text, "refused", &model));
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    add(ctx, data, "y", NULL, 2, 1);
    lf_status status = lf_engine_create(ctx, model, data, &options, &engine);
    status = status ? status : lf_engine_evaluate(engine, 0, NULL, &value, NULL);
    assert_int_equal(status, expected);
    assert_non_null(strstr(lf_context_message(ctx), says));
    lf_engine_free(engine);
    lf_model_free(model);
    lf_data_free(data);
}

static void test_refused(void **state)
{
    refused(*state,
            "force u ~ matern32(lengthscale = 1, amplitude = 1)\nx' = u + a*x\noutput y = x noise = 1\n"
            "parameter a = 0.1\nstart steady\n",
            LF_ERROR_MODEL, "does not decay");
    refused(*state,
            "force u ~ matern32(lengthscale = 1, amplitude = 1)\nx' = u - x\noutput y = average(x, 1) noise = 1\n"
            "start rest\n",
            LF_ERROR_UNSUPPORTED, "means over an interval (width); use kalman");
}

/* What cannot be predicted: averages, a state before the start, the rate of an output with a force that has none. */
static void test_predictions_refused(void **state)
{
    static const struct {
        int target;
        double x, width;
        const char *says;
    } asked[] = {{0, 3, 1, "width"}, {3, -1, 0, "before the origin"}, {2, 3, 0, "no rate of change"}};
    lf_engine_options options = {.size = sizeof options, .engine = "dense"};
    lf_model *model;
    lf_data *data;
    double mean, variance;
    assert_ok(*state, lf_model_from_equations(*state,
                                              "force u ~ matern12(lengthscale = 1, amplitude = 1)\nx' = u - x\n"
                                              "output y = x + u noise = 1\nstart rest\n",
                                              "refused", &model));
    assert_ok(*state, lf_data_create(*state, 1, &data));
    add(*state, data, "y", NULL, 2, 1);
    lf_posterior *posterior = make_posterior(*state, model, data, &options);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        lf_point_list points = {.n = 1, .target = &asked[i].target, .x = &asked[i].x, .width = &asked[i].width};
        assert_int_not_equal(lf_predict_list(posterior, &points, &mean, &variance, NULL), LF_OK);
        assert_non_null(strstr(lf_context_message(*state), asked[i].says));
    }
    lf_posterior_free(posterior);
    lf_model_free(model);
    lf_data_free(data);
}

/* A filter is the choice for equations, however few the rows. */
static void test_choice(void **state)
{
    lf_model *model;
    lf_data *data;
    assert_ok(*state, lf_model_from_equations(*state, cases[4].text, "choice", &model));
    assert_ok(*state, lf_data_create(*state, 1, &data));
    add(*state, data, "y", NULL, 2, 1);
    lf_engine *chosen = make_engine(*state, model, data, "auto", 0),
              *asked = make_engine(*state, model, data, "dense", 0);
    assert_string_equal(lf_engine_describe(chosen).engine, "kalman");
    assert_string_equal(lf_engine_describe(asked).nodes, "frequencies");
    lf_engine_free(chosen);
    lf_engine_free(asked);
    lf_model_free(model);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),   cmocka_unit_test(test_random_systems),      cmocka_unit_test(test_prior),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_predictions_refused), cmocka_unit_test(test_choice)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
