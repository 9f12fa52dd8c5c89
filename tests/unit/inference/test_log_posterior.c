/* The log posterior: coordinates are bijections with the Jacobian of differences, priors integrate to 1, gradients are those of differences with
 * and without the Jacobian, a clone gives the same bits. */
#include "fit_support.h"
#include "inference/log_posterior.h"

static const char truth[] =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1.5}],\"outputs\":["
    "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.5},\"sensitivity\":[1],\"noise_variance\":0.002,"
    "\"private\":{\"kernel\":\"matern32\",\"lengthscale\":0.7,\"amplitude\":0.1}},"
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode1\",\"decay\":2},\"sensitivity\":[-2],\"noise_variance\":0.002}]}";

static void coordinates_are_bijections(void **state)
{
    (void)state;
    static const double infinite = INFINITY;
    const struct {
        lf_coordinate c;
        double theta[3];
    } cases[] = {{{.kind = LF_COORDINATE_SCALED, .scale = 0.3}, {-4, 0.1, 7}},
                 {{.kind = LF_COORDINATE_ASINH, .scale = 2}, {-3, 0.7, 4}},
                 {lf_coordinate_within(-1, 2), {-0.99, 0.4, 1.7}},
                 {lf_coordinate_within(-1, infinite), {-0.99, 0.4, 30}},
                 {lf_coordinate_within(-infinite, 2), {-30, 0.4, 1.99}},
                 {lf_coordinate_within(-infinite, infinite), {-30, 0.4, 12}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lf_coordinate *c = &cases[i].c;
        for (int k = 0; k < 3; k++) {
            double theta = cases[i].theta[k], x = lf_coordinate_x(c, theta), h = 1e-5 * fmin(1, fabs(x)), by_x, unused;
            double slope = lf_coordinate_slope(c, theta), log_jacobian = lf_coordinate_log_jacobian(c, x, &by_x);
            double difference = (lf_coordinate_theta(c, x + h) - lf_coordinate_theta(c, x - h)) / (2 * h);
            double up = lf_coordinate_log_jacobian(c, x + h, &unused),
                   down = lf_coordinate_log_jacobian(c, x - h, &unused);
            assert_near(lf_coordinate_theta(c, x), theta, 1e-13 * (1 + fabs(theta)));
            assert_near(slope / difference, 1, 1e-8);
            assert_near(log_jacobian, log(fabs(slope)), 1e-12);
            assert_near((up - down) / (2 * h), by_x, 1e-8);
        }
    }
}

/* The integral over u of the density of one parameter, by Simpson's rule between its limits. */
static double mass(const lf_prior *prior)
{
    enum { STEPS = 20000 };
    static const size_t first = 0;
    double constant = lf_prior_constant(prior, 1, &first, NULL), sum = 0, unused = 0;
    double centre = fmin(fmax(prior->mean[0], prior->lower[0]), prior->upper[0]), most = 12 * prior->sd[0];
    double low = prior->of_value[0] ? exp(prior->lower[0]) : fmax(prior->lower[0], centre - most),
           high = prior->of_value[0] ? exp(prior->upper[0]) : fmin(prior->upper[0], centre + most);
    for (int k = 0; k <= STEPS; k++) {
        double u = low + (high - low) * k / STEPS, theta = prior->of_value[0] ? log(u) : u;
        double density = exp(lf_prior_density(prior, NULL, 1, &first, &theta, &unused) + constant);
        sum += density * (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2);
    }
    return sum * (high - low) / (3 * STEPS);
}

static void densities_integrate_to_one(void **state)
{
    (void)state;
    static const double infinite = INFINITY;
    static const struct {
        double mean, sd, lower, upper;
        char of_value;
    } cases[] = {{1, 0.5, -INFINITY, INFINITY, 0},
                 {1, 2, 0, 3, 0},
                 {-3, 1, 0, 4, 0},
                 {60, 1, 0, 10, 0},
                 {0, 1, 2, 2.00005, 0},
                 {0, 1, -9, -5, 0},
                 {0, INFINITY, -2, 5, 0},
                 {1.5, 0.7, -3, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double mean = cases[i].mean, sd = cases[i].sd, lower = cases[i].lower, upper = cases[i].upper;
        char of_value = cases[i].of_value;
        lf_prior prior = {.mean = &mean, .sd = &sd, .lower = &lower, .upper = &upper, .of_value = &of_value};
        assert_near(mass(&prior), 1, i == 3 ? 3e-3 : 1e-7); /* 50 deviations away the tail is that of its expansion */
    }
    double mean = 0, sd = infinite, lower = 0, upper = infinite;
    char of_value = 0;
    lf_prior prior = {.mean = &mean, .sd = &sd, .lower = &lower, .upper = &upper, .of_value = &of_value};
    size_t first = 0, improper;
    assert_true(lf_prior_constant(&prior, 1, &first, &improper) == 0);
    assert_int_equal(improper, 1);
}

typedef struct fixture {
    lf_context *ctx;
    lf_data *data;
    lf_model *model;
    fit_inputs inputs;
    lf_structure structure;
    lf_prior prior;
    lf_log_posterior *p;
} fixture;

static void begin(lf_context *ctx, const char *engine, fixture *f)
{
    *f = (fixture){.ctx = ctx, .data = simulate_readings(ctx, truth, 15, 1, 1), .model = parse_model(ctx, truth)};
    lf_options options = {.engine = {.size = sizeof(lf_engine_options), .engine = engine}};
    assert_ok(ctx, make_inputs(ctx, f->data, f->model, &options, &f->inputs));
    f->structure = structure_of(f->model, &f->inputs);
    assert_ok(ctx, lf_prior_create(ctx, &f->inputs.problem, &f->structure, &f->prior));
    assert_ok(ctx, lf_clamp_to_bounds(ctx, &f->prior, f->model));
    assert_ok(ctx, lf_log_posterior_make(ctx, &f->inputs.problem, &f->structure, f->model, &f->prior, &f->p));
}

static void end(fixture *f)
{
    lf_log_posterior_destroy(f->p);
    lf_prior_clear(&f->prior);
    clear_inputs(&f->inputs);
    lf_model_free(f->model);
    lf_data_free(f->data);
}

static double whole(void *user, const double *x)
{
    lf_log_posterior *p = user;
    double value;
    assert_int_equal(p->class->evaluate(p, x, LF_JACOBIAN | LF_NORMALISED, &value, NULL), LF_OK);
    return value;
}

/* In the coordinates of a fit and in others: with all kinds of them, and with a density by the value. */
static void gradients_are_those_of_differences(void **state)
{
    fixture f;
    begin(*state, "dense", &f);
    lf_log_posterior *p = f.p;
    double x[64], gradient[64], value;
    f.prior.asinh_scale[p->index[1]] = 0.5;
    f.prior.of_value[p->index[2]] = 1;
    for (int within = 0; within < 2; within++) {
        for (size_t k = 0; k < p->count; k++) {
            size_t i = p->index[k];
            double low = fmax(f.prior.lower[i], p->theta[i] - 1), high = fmin(f.prior.upper[i], p->theta[i] + 1);
            p->theta[i] = low + 0.4 * (high - low); /* not on a limit */
            p->coordinate[k] =
                within ? lf_coordinate_within(f.prior.lower[i], f.prior.upper[i]) : lf_prior_coordinate(&f.prior, i);
        }
        lf_log_posterior_point(p, x);
        assert_ok(p->ctx, p->class->evaluate(p, x, LF_JACOBIAN | LF_NORMALISED, &value, gradient));
        assert_near(value, p->log_likelihood + p->log_prior + p->log_jacobian, 1e-12 * fabs(value));
        check_gradient(p->count, x, gradient, whole, p, 1e-4, 3e-6, NULL);
    }
    end(&f);
}

/* Of an engine that chooses frequencies where it is made, which `save` and `load` restore. */
static void clones_give_the_same_bits(void **state)
{
    fixture f;
    begin(*state, "lowrank", &f);
    lf_log_posterior *p = f.p, *copy, *moved;
    double x[64], value[3], gradient[2][64], at[64];
    lf_log_posterior_point(p, x);
    assert_ok(f.ctx, lf_log_posterior_clone(f.ctx, p, NULL, &copy));
    memcpy(at, x, sizeof at);
    for (size_t k = 0; k < p->count; k++) {
        at[k] -= 0.3;
    }
    assert_ok(f.ctx, lf_log_posterior_clone(f.ctx, p, at, &moved));
    assert_ok(p->ctx, p->class->evaluate(p, x, 0, &value[0], gradient[0]));
    assert_ok(copy->ctx, copy->class->evaluate(copy, x, 0, &value[1], gradient[1]));
    assert_true(value[0] == value[1]);
    assert_memory_equal(gradient[0], gradient[1], p->count * sizeof *x);
    size_t count = p->class->save(p, NULL);
    double *saved = calloc(2 * count, sizeof *saved), *restored = saved + count;
    moved->class->save(moved, saved);
    copy->class->save(copy, restored);
    assert_memory_not_equal(saved, restored, count * sizeof *saved);
    assert_ok(copy->ctx, copy->class->load(copy, saved));
    copy->class->save(copy, restored);
    assert_memory_equal(saved, restored, count * sizeof *saved);
    assert_ok(copy->ctx, copy->class->evaluate(copy, x, 0, &value[1], NULL));
    assert_ok(moved->ctx, moved->class->evaluate(moved, x, 0, &value[2], NULL));
    assert_true(value[1] == value[2]);
    free(saved);
    lf_log_posterior_destroy(copy);
    lf_log_posterior_destroy(moved);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_are_bijections),
        cmocka_unit_test(densities_integrate_to_one),
        cmocka_unit_test(gradients_are_those_of_differences),
        cmocka_unit_test(clones_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
