/* Readings that are means over an interval: against exact and numerical integrals of covariances, finite differences, and themselves. */

#include "base/gauss_legendre.h"
#include "data/data.h"
#include "engine/engine.h"
#include "likelihoods.h"

static lf_model *from_equations(lf_context *ctx, const char *text)
{
    lf_model *model;
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", &model));
    return model;
}

static void add(lf_context *ctx, lf_data *data, const char *name, const char *replicate, double t, double y,
                double width)
{
    assert_ok(ctx,
              lf_data_add(ctx, data,
                          &(lf_row){.size = sizeof(lf_row), .output = name, .replicate = replicate, .x = &t, .y = y}));
    assert_ok(ctx, lf_data_set_width(ctx, data, lf_data_count(data, LF_KIND_ROW) - 1, width));
}

/* exp(-a |r|) twice integrated, so that its integral over two intervals is a sum of four values. */
static double twice(double a, double r) { return exp(-a * fabs(r)) / (a * a) + fabs(r) / a; }

/* The covariance of the means of an Ornstein-Uhlenbeck process of variance 1 over (s - v, s] and (t - w, t]. */
static double mean_covariance(double a, double s, double v, double t, double w)
{
    if (v == 0 && w == 0) {
        return exp(-a * fabs(s - t));
    }
    if (v == 0 || w == 0) { /* the derivative of `twice` at both ends */
        double at = v == 0 ? s : t, end = v == 0 ? t : s, width = v == 0 ? w : v, low = end - width - at,
               high = end - at;
        double at_high = (high < 0 ? -1 : 1) * (1 - exp(-a * fabs(high))) / a,
               at_low = (low < 0 ? -1 : 1) * (1 - exp(-a * fabs(low))) / a;
        return (at_high - at_low) / width;
    }
    return -(twice(a, s - t) - twice(a, s - t + w) - twice(a, s - v - t) + twice(a, s - v - t + w)) / (v * w);
}

/* The steady Ornstein-Uhlenbeck process x' = w - a x, its values and means over intervals that overlap in every way. */
static void test_exact_covariance(void **state)
{
    enum { N = 40 };
    lf_model *model = from_equations(*state, "force w ~ white(sd = 0.8)\nx' = w - a*x + a*m\nparameter a = 1.7\n"
                                             "parameter m = -3 real\noutput y = x noise = 0.3\n"
                                             "output z = average(2*x + 1, 0.5) noise = 0.2\nstart steady\n");
    lf_data *data;
    lf_random random;
    double t[N], y[N], w[N], c[N], *K = malloc(N * N * sizeof *K), *prior = malloc(N * N * sizeof *prior);
    int target[N];
    lf_random_seed(&random, 8);
    assert_ok(*state, lf_data_create(*state, 1, &data));
    for (int i = 0; i < N; i++) {
        t[i] = i < 20 ? 0.5 * i : 10 * lf_random_uniform(&random) - 2;
        w[i] = i < 10 ? 0.5 : i < 15 ? 0 : i < 20 ? 1 : 3 * lf_random_uniform(&random);
        c[i] = i % 3 == 1 ? 2 : 1;
        y[i] = lf_random_normal(&random);
        add(*state, data, c[i] > 1 ? "z" : "y", NULL, t[i], y[i] + (c[i] > 1 ? -5 : -3), w[i]);
        w[i] = c[i] > 1 && w[i] == 0 ? 0.5 : w[i]; /* as the equations say */
        target[i] = c[i] > 1;
    }
    assert_ok(*state, lf_covariance_list(*state, model, &(lf_point_list){.n = N, .target = target, .x = t, .width = w},
                                         NULL, prior));
    for (int i = 0; i < N * N; i++) {
        int a = i / N, b = i % N;
        K[i] = c[a] * c[b] * 0.64 / 3.4 * mean_covariance(1.7, t[a], w[a], t[b], w[b]);
        assert_near(prior[i], K[i], 1e-12);
        K[i] += (a == b) * (c[a] > 1 ? 0.04 : 0.09);
    }
    double expected = gaussian(N, y, K);
    assert_near(evaluate(*state, model, data), expected, 1e-11 * fabs(expected));
    lf_data_free(data);
    lf_model_free(model);
    free(K);
    free(prior);
}

/* ---- numerical integrals of any process ---- */

enum { PANELS = 4, NODES = PANELS * LF_GAUSS_POINTS };

/* Abscissae and weights of the mean over (t - w, t]. */
static void nodes_of(double t, double w, double *x, double *weight)
{
    for (int i = 0; i < NODES; i++) {
        int k = i % LF_GAUSS_POINTS, half = k / 2;
        double middle = t - w + w / PANELS * (i / LF_GAUSS_POINTS + 0.5);
        x[i] = middle + (k % 2 ? 1 : -1) * lf_gauss_x[half] * w / PANELS / 2;
        weight[i] = lf_gauss_w[half] / 2 / PANELS;
    }
}

static const char *const rich =
    "input v\ninput w constant\ninput dose impulse\nforce u ~ matern52(lengthscale = 0.8, amplitude = 1.1)\n"
    "force q ~ white(sd = 0.4)\n"
    "a*x' + b*z' = -x + u + q + w + h\n"
    "z' = -k*z + x/a + 0.3*v + dose*f\n"
    "output y1 = x + 0.5*z + e*v noise = 0.2\noutput y2 = z - 0.7*u + h noise = 0.1\n"
    "output y3 = average(z + 0.2*v, 0.5)\n"
    "parameter a = 1.4\nparameter b = 0.3 real\nparameter h = -0.2 real\nparameter k = 0.9\nparameter f = 0.6\n"
    "parameter e = 0.5 real\nparameter x0 = 0.4 real\nparameter s0 = 0.7\nstart x ~ normal(x0, s0)\nstart z ~ "
    "normal(0, 1)\n";

static lf_model *make_rich(lf_context *ctx)
{
    lf_model *model = from_equations(ctx, rich);
    size_t index;
    assert_ok(ctx, lf_parameter_find(ctx, model, "y3.noise_variance", &index));
    assert_ok(ctx, lf_parameter_set(ctx, model, index, 0.02));
    return model;
}

/* Readings of the inputs, and of the outputs; with `widths` most of these are means. */
static lf_data *rich_rows(lf_context *ctx, lf_random *random, const char *replicate, int widths, lf_data *data)
{
    if (!data) {
        assert_ok(ctx, lf_data_create(ctx, 1, &data));
    }
    for (int i = 0; i < 12; i++) {
        add(ctx, data, "v", replicate, 0.5 * i, lf_random_normal(random), 0);
        add(ctx, data, "w", replicate, i ? 0.45 * i + 0.1 * lf_random_uniform(random) : 0, lf_random_normal(random), 0);
    }
    add(ctx, data, "w", replicate, 5.5, 0.3, 0);
    add(ctx, data, "dose", replicate, 0, 2, 0);
    add(ctx, data, "dose", replicate, 2.5, 1, 0);
    for (int i = 0; i < 30; i++) {
        double t = i % 3 ? 0.5 + 0.25 * (i / 2) : 0.5 + 4.5 * lf_random_uniform(random), y = lf_random_normal(random);
        double width = !widths || i % 5 == 0 ? 0 : i % 5 == 1 ? 0.25 : i % 5 == 2 ? 0.5 : t * lf_random_uniform(random);
        add(ctx, data, i % 7 == 6 ? "y3" : i % 2 ? "y1" : "y2", replicate, t, y, width);
    }
    return data;
}

static double value_at(void *user, const double *theta)
{
    lf_engine *engine = user;
    double value;
    assert_ok(engine->ctx, lf_engine_evaluate(engine, engine->model->parameter_count, theta, &value, NULL));
    return value;
}

static const char *name_of(void *user, size_t i) { return ((lf_engine *)user)->model->parameters[i].name; }

static void check_model(lf_context *ctx, const lf_model *model, const lf_data *data)
{
    lf_engine *engine;
    double theta[40], gradient[40], value;
    size_t n = lf_parameter_count(model);
    assert_true(n <= 40);
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    lf_model_theta(model, theta);
    assert_ok(ctx, lf_engine_evaluate(engine, n, theta, &value, gradient));
    check_gradient(n, theta, gradient, value_at, engine, 1e-3, 1e-7, name_of);
    lf_engine_free(engine);
}

static void test_gradients(void **state)
{
    lf_random random;
    lf_random_seed(&random, 21);
    lf_model *model = make_rich(*state);
    lf_data *data = rich_rows(*state, &random, "one", 1, NULL);
    rich_rows(*state, &random, "two", 1, data);
    check_model(*state, model, data);
    lf_model_free(model);
    lf_data_free(data);
    model =
        from_equations(*state, "input v\nforce u ~ matern32(lengthscale = 1, amplitude = 0.8)\n"
                               "c*x' = (z - x)/r + g*v\nd*z' = (x - z)/r + (1 + s*v - z)/q + u\n"
                               "parameter c = 1.1\nparameter r = 0.7\nparameter g = 0.4 real\nparameter d = 2\n"
                               "parameter s = 0.3 real\nparameter q = 1.9\noutput y = x noise = 0.1\nstart steady\n");
    assert_ok(*state, lf_data_create(*state, 1, &data));
    for (int i = 0; i < 20; i++) {
        add(*state, data, "v", NULL, i, lf_random_normal(&random), 0);
        add(*state, data, "y", NULL, 19 * lf_random_uniform(&random), lf_random_normal(&random), i % 4);
    }
    check_model(*state, model, data);
    lf_model_free(model);
    lf_data_free(data);
}

/* Outputs with operators, as equations say the same. */
static void test_operators(void **state)
{
    static const char *const text = "force u ~ matern32(lengthscale = 0.7, amplitude = 1 fixed)\n"
                                    "f' = S1*u - b*f\nm*g'' + c*g' = S2*u - k*g\n"
                                    "parameter S2 = -0.8 real\n parameter S1 = 1.3\n parameter b = 0.9\n"
                                    "parameter m = 1.5\n parameter c = 0.4\n parameter k = 2\n"
                                    "output a = f noise = 0.1\noutput b_ = g noise = 0.2\nstart rest\n";
    static const char *const same =
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"zero\",\"origin\":0,\"forces\":["
        "{\"kernel\":\"matern32\",\"lengthscale\":0.7}],\"outputs\":["
        "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.9},\"sensitivity\":[1.3],\"noise_variance\":0.01},"
        "{\"name\":\"b_\",\"operator\":{\"type\":\"ode2\",\"mass\":1.5,\"damper\":0.4,\"spring\":2},\"sensitivity\":[-"
        "0.8],\"noise_variance\":0.04}]}";
    lf_model *equations = from_equations(*state, text), *operators = parse_model(*state, same);
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 4);
    assert_ok(*state, lf_data_create(*state, 1, &data));
    for (int i = 0; i < 60; i++) {
        double t = i % 5 ? 0.1 + 6 * lf_random_uniform(&random) : 2;
        add(*state, data, i % 2 ? "a" : "b_", NULL, t, lf_random_normal(&random),
            i % 3 ? t * lf_random_uniform(&random) : 0);
    }
    double expected = evaluate(*state, operators, data);
    assert_near(evaluate(*state, equations, data), expected, 1e-10 * fabs(expected));
    check_model(*state, operators, data);
    lf_engine *engine;
    lf_engine_options dense = {.size = sizeof dense, .engine = "dense"};
    assert_int_equal(lf_engine_create(*state, operators, data, &dense, &engine), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(*state), "means over an interval"));
    lf_data_free(data);
    lf_model_free(equations);
    lf_model_free(operators);
}

/* Predictions of means are integrals of the joint prediction of values. */
static void test_predictions(void **state)
{
    enum { N = 5, ALL = N * NODES };
    static const double t[N] = {2, 4.5, 4.1, 5.4, 1.5}, w[N] = {1, 2, 0.3, 2, 0.5};
    static const int target[N] = {0, 1, 0, 1, 0};
    static double mean[ALL], covariance[ALL * ALL], x[ALL], weight[ALL];
    static int targets[ALL];
    lf_random random;
    lf_random_seed(&random, 22);
    lf_model *model = make_rich(*state);
    lf_data *data = rich_rows(*state, &random, NULL, 1, NULL);
    lf_posterior *posterior = make_posterior(*state, model, data, NULL);
    lf_point_list points = {.n = N, .target = target, .x = t, .width = w};
    double m[N], v[N], c[N * N], again[N];
    assert_ok(*state, lf_predict_list(posterior, &points, m, NULL, c));
    assert_ok(*state, lf_predict_list(posterior, &points, again, v, NULL));
    for (int i = 0; i < N; i++) {
        nodes_of(t[i], w[i], x + i * NODES, weight + i * NODES);
        for (int k = 0; k < NODES; k++) {
            targets[i * NODES + k] = target[i];
        }
    }
    lf_point_list all = {.n = ALL, .target = targets, .x = x};
    assert_ok(*state, lf_predict_list(posterior, &all, mean, NULL, covariance));
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < NODES; k++) {
            sum += weight[i * NODES + k] * mean[i * NODES + k];
        }
        assert_near(m[i], sum, 3e-5); /* inputs have kinks; no dose lies within an interval */
        assert_near(again[i], m[i], 1e-12);
        assert_near(v[i], c[i * N + i], 1e-12);
        for (int j = 0; j < N; j++) {
            double product = 0;
            for (int k = 0; k < NODES * NODES; k++) {
                int a = i * NODES + k / NODES, b = j * NODES + k % NODES;
                product += weight[a] * weight[b] * covariance[a * ALL + b];
            }
            assert_near(c[i * N + j], product, 3e-5); /* white noise makes kinks */
        }
    }
    lf_posterior_free(posterior);
    lf_data_free(data);
    lf_model_free(model);
}

/* Many intervals that overlap are predicted in several passes; stored and continued posteriors predict the same. */
static void test_posteriors(void **state)
{
    enum { N = 200 };
    static int target[N];
    static double x[N], w[N], mean[3][N], variance[3][N];
    lf_random random;
    lf_random_seed(&random, 23);
    lf_model *model = make_rich(*state), *stored;
    lf_data *data = rich_rows(*state, &random, NULL, 1, NULL), *early, *late;
    lf_posterior *all = make_posterior(*state, model, data, NULL), *other;
    for (int i = 0; i < N; i++) {
        target[i] = i % 3;
        x[i] = 5.5 * (i + 1) / N;
        w[i] = i % 3 == 2 ? fmin(0.5, x[i]) : i % 4 ? 0.6 * x[i] : 0;
    }
    lf_point_list points = {.n = N, .target = target, .x = x, .width = w};
    assert_ok(*state, lf_predict_list(all, &points, mean[0], variance[0], NULL));
    for (int i = 0; i < N; i++) {
        lf_point_list one = {.n = 1, .target = target + i, .x = x + i, .width = w + i};
        assert_ok(*state, lf_predict_list(all, &one, mean[1] + i, variance[1] + i, NULL));
        assert_near(mean[1][i], mean[0][i], 1e-11);
        assert_near(variance[1][i], variance[0][i], 1e-11);
    }
    assert_ok(*state, lf_model_copy(*state, model, &stored));
    assert_ok(*state, lf_posterior_store(all, stored));
    assert_ok(*state, lf_posterior_restore(*state, stored, &other));
    assert_ok(*state, lf_predict_list(other, &points, mean[1], variance[1], NULL));
    for (int i = 0; i < N; i++) {
        assert_near(mean[1][i], mean[0][i], 1e-11);
        assert_near(variance[1][i], variance[0][i], 1e-11);
    }
    lf_posterior_free(other);
    lf_posterior_free(all);
    /* the intervals of the later rows begin where the earlier ones end */
    assert_ok(*state, lf_data_create(*state, 1, &early));
    assert_ok(*state, lf_data_create(*state, 1, &late));
    for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(data, i);
        const char *name = lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output);
        if (name[0] != 'y') {
            add(*state, early, name, NULL, row.x[0], row.y, 0);
        }
    }
    lf_data_free(data);
    for (int i = 1; i <= 10; i++) {
        double y = lf_random_normal(&random);
        add(*state, i <= 6 ? early : late, i % 2 ? "y1" : "y3", NULL, 0.5 * i, y, 0.5);
    }
    other = make_posterior(*state, model, early, NULL);
    assert_ok(*state, lf_posterior_update(*state, other, late, "rows"));
    for (size_t i = 0; i < lf_data_count(late, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(late, i);
        add(*state, early, lf_data_name(late, LF_KIND_OUTPUT, (size_t)row.output), NULL, row.x[0], row.y, row.width);
    }
    all = make_posterior(*state, model, early, NULL);
    lf_point_list last = {.n = 20, .target = target + 180, .x = x + 180, .width = w + 180};
    for (int i = 180; i < N; i++) {
        w[i] = w[i] > 0.5 ? 1.2 : w[i];
    }
    assert_ok(*state, lf_predict_list(all, &last, mean[0], variance[0], NULL));
    assert_ok(*state, lf_predict_list(other, &last, mean[1], variance[1], NULL));
    for (int i = 0; i < 20; i++) {
        assert_near(mean[1][i], mean[0][i], 1e-11);
        assert_near(variance[1][i], variance[0][i], 1e-11);
    }
    lf_data_free(late);
    assert_ok(*state, lf_data_create(*state, 1, &late));
    add(*state, late, "y1", NULL, 5.25, 0, 0.5);
    assert_int_equal(lf_posterior_update(*state, other, late, "rows"), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(*state), "an average that begins earlier"));
    lf_data_free(early);
    lf_data_free(late);
    lf_posterior_free(all);
    lf_posterior_free(other);
    lf_model_free(model);
    lf_model_free(stored);
}

/* What cannot be done says so. */
static void test_refused(void **state)
{
    lf_model *model = make_rich(*state);
    lf_random random;
    lf_random_seed(&random, 24);
    lf_data *data = rich_rows(*state, &random, NULL, 0, NULL);
    lf_posterior *posterior = make_posterior(*state, model, data, NULL);
    double x = 3, mean, width = 1;
    int rate = 4 + 2; /* outputs, forces, rates */
    lf_point_list points = {.n = 1, .target = &rate, .x = &x};
    assert_int_equal(lf_predict_list(posterior, &points, &mean, NULL, NULL), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(*state), "output 'y3' is an average"));
    int force = 3;
    points = (lf_point_list){.n = 1, .target = &force, .x = &x, .width = &width};
    assert_int_equal(lf_predict_list(posterior, &points, &mean, NULL, NULL), LF_ERROR_UNSUPPORTED);
    int output = 0;
    width = 4;
    points = (lf_point_list){.n = 1, .target = &output, .x = &x, .width = &width};
    assert_int_equal(lf_predict_list(posterior, &points, &mean, NULL, NULL), LF_ERROR_DATA);
    assert_non_null(
        strstr(lf_context_message(*state), "output 'y1': the average at 3 begins at -1, before the start at 0"));
    assert_int_equal(lf_data_set_width(*state, data, 0, -1), LF_ERROR_ARGUMENT);
    lf_posterior_free(posterior);
    assert_ok(*state, lf_data_set_width(*state, data, 0, 1));
    lf_engine *engine;
    assert_int_equal(lf_engine_create(*state, model, data, NULL, &engine), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(*state), "input 'v' has a reading with a width"));
    lf_data_free(data);
    lf_model_free(model);
}

static lf_data *read_text(lf_context *ctx, const char *text, const lf_read_options *options)
{
    static const char *const path = "test_averages.csv";
    lf_data *data;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    lf_status status = lf_data_read(ctx, path, options, &data);
    remove(path);
    return status ? NULL : data;
}

/* The column width, in long and wide files, in the unit of the times or its own. */
static void test_files(void **state)
{
    lf_data *data = read_text(*state, "output,x,y,width\na,1,2,0.5\na,2,3,\nb,1,4,0\n", NULL);
    assert_non_null(data);
    assert_near(lf_data_row(data, 0).width, 0.5, 0);
    assert_near(lf_data_row(data, 1).width, 0, 0);
    assert_near(lf_data_row(data, 2).width, 0, 0);
    assert_ok(*state, lf_data_write(*state, data, "test_averages_written.csv"));
    lf_data_free(data);
    assert_ok(*state, lf_data_read(*state, "test_averages_written.csv", NULL, &data));
    remove("test_averages_written.csv");
    assert_near(lf_data_row(data, 0).width, 0.5, 0);
    lf_data_free(data);
    lf_read_options options = {.size = sizeof options, .time_in = "s", .time_unit = "h"};
    data = read_text(*state, "t,a,a.width,b\n0,1,,2\n3600,1,1800,2\n", &options);
    assert_non_null(data);
    assert_near(lf_data_row(data, 2).width, 0.5, 1e-15);
    assert_near(lf_data_row(data, 3).width, 0, 0);
    lf_data_free(data);
    data = read_text(*state, "date,a,a.width [min]\n2020-01-01 10:00,1,30\n2020-01-03 10:00,1,15\n", NULL);
    assert_non_null(data);
    assert_string_equal(lf_axis_info(&data->axes[0]).unit, "h");
    assert_near(lf_data_row(data, 0).width, 0.5, 1e-15);
    assert_ok(*state, lf_data_write(*state, data, "test_averages_written.csv"));
    lf_data_free(data);
    assert_ok(*state, lf_data_read(*state, "test_averages_written.csv", NULL, &data));
    remove("test_averages_written.csv");
    assert_near(lf_data_row(data, 1).width, 0.25, 1e-15);
    lf_data_free(data);
    assert_null(read_text(*state, "date,a,a.width\n2020-01-01 10:00,1,30\n2020-01-03 10:00,1,15\n", NULL));
    assert_non_null(strstr(lf_context_message(*state), "width [min]"));
    assert_null(read_text(*state, "output,x,y,width\na,1,2,-1\n", NULL));
    assert_null(read_text(*state, "output,x,y,width [h]\na,1,2,1\n", NULL));
    assert_non_null(strstr(lf_context_message(*state), "--time-in"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact_covariance),
                                       cmocka_unit_test(test_gradients),
                                       cmocka_unit_test(test_operators),
                                       cmocka_unit_test(test_predictions),
                                       cmocka_unit_test(test_posteriors),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
