/* Readings that are predicted without themselves, and as Gaussian ones, of models with Student-t noise and with counts. */
#include "support.h"

#include "data/data.h"
#include "predict/readings.h"

enum { ROWS = 30 };

static const char *const text =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\",\"forces\":[{\"kernel\":\"matern32\","
    "\"lengthscale\":2}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.6},\"sensitivity\":["
    "1.2],"
    "\"noise_variance\":0.02,\"likelihood\":{\"type\":\"student\",\"degrees\":3.5},\"offset\":-0.4,\"scale\":1.7}]}";

static double reading(int i) { return sin(0.5 * i) + 0.1 * sin(37.0 * i) + (i % 8 == 5 ? 8 : 0); }

static const char *const counts =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\",\"forces\":[{\"kernel\":\"matern32\","
    "\"lengthscale\":2}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.6},\"sensitivity\":["
    "1.2],\"likelihood\":{\"type\":\"poisson\"},\"offset\":1.2}]}";

static double count_of(int i) { return i % 8 == 5 ? 14 : round(3 + 2 * sin(0.5 * i) + sin(37.0 * i)); }

/* All rows but one; -1: all. */
static lf_posterior *posterior_without(lf_context *ctx, const lf_model *model, int left)
{
    int counted = lf_target_has_link(model, 0);
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < ROWS; i++) {
        double x = 0.5 * i;
        lf_row row = {.size = sizeof row, .output = "a", .x = &x, .y = counted ? count_of(i) : reading(i)};
        if (i != left) {
            assert_ok(ctx, lf_data_add(ctx, data, &row));
        }
    }
    lf_posterior *posterior = make_posterior(ctx, model, data, NULL);
    lf_data_free(data);
    return posterior;
}

static lf_latent latent_at(lf_context *ctx, lf_posterior *posterior, int i)
{
    int target = 0;
    double x = 0.5 * i;
    lf_latent f;
    lf_point_list point = {.n = 1, .target = &target, .x = &x};
    assert_ok(ctx, lf_predict_list(posterior, &point, &f.mean, &f.variance, NULL));
    return f;
}

/* Against the posterior of the other rows, in which these have other weights. */
static void test_left_out(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, text);
    const lf_output *o = &model->outputs[0];
    lf_posterior *all = posterior_without(ctx, model, -1);
    double largest = 0;
    for (int i = 0; i < ROWS; i++) {
        lf_posterior *others = posterior_without(ctx, model, i);
        lf_reading r = lf_reading_of(o, reading(i), 0);
        lf_latent f = latent_at(ctx, others, i), found = lf_reading_without(o->likelihood, &r, latent_at(ctx, all, i));
        assert_near(found.mean, f.mean, 0.6 * sqrt(f.variance));
        assert_near(sqrt(found.variance), sqrt(f.variance), 0.3 * sqrt(f.variance));
        double exact = lf_likelihood_score(o->likelihood, &r, f.mean, f.variance);
        assert_near(lf_reading_left_out(o->likelihood, &r, latent_at(ctx, all, i)), exact, 0.5);
        largest = fmax(largest, fabs(exact));
        lf_posterior_free(others);
    }
    assert_true(largest > 2);
    lf_posterior_free(all);
    lf_model_free(model);
}

/* Of counts, whose sites hardly move without one of them. */
static void test_count_left_out(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, counts);
    const lf_output *o = &model->outputs[0];
    lf_posterior *all = posterior_without(ctx, model, -1);
    double largest = 0;
    for (int i = 0; i < ROWS; i++) {
        lf_posterior *others = posterior_without(ctx, model, i);
        lf_reading r = lf_reading_of(o, count_of(i), 0);
        lf_latent f = latent_at(ctx, others, i), found = lf_reading_without(o->likelihood, &r, latent_at(ctx, all, i));
        double exact = lf_likelihood_score(o->likelihood, &r, f.mean, f.variance);
        if (fabs(exact) < 1.5) { /* the sites of its neighbours move with an unusual count */
            assert_near(found.mean, f.mean, 0.1 * sqrt(f.variance));
            assert_near(sqrt(found.variance), sqrt(f.variance), 0.07 * sqrt(f.variance));
        }
        assert_near(lf_reading_left_out(o->likelihood, &r, latent_at(ctx, all, i)), exact, 0.06);
        largest = fmax(largest, fabs(exact));
        lf_posterior_free(others);
    }
    assert_true(largest > 2);
    lf_posterior_free(all);
    lf_model_free(model);
}

/* With noise that is nearly Gaussian: the site is the reading, without it f is what the formula for Gaussian rows says, and a reading is its own
 * Gaussian one. */
static void test_gaussian_limit(void **state)
{
    (void)state;
    lf_reading r = {.y = 1.3, .noise = 0.2, .number = 1e8};
    lf_latent f = {.mean = 0.9, .variance = 0.05}, site = lf_reading_site(&lf_likelihood_student, &r, f);
    lf_latent without = lf_reading_without(&lf_likelihood_student, &r, f);
    assert_near(site.mean, 1.3, 1e-12);
    assert_near(site.variance, 0.2, 1e-7);
    assert_near(r.y - without.mean, (r.y - f.mean) * 0.2 / 0.15, 1e-7);
    assert_near(without.variance + 0.2, 0.04 / 0.15, 1e-7);
    double error, noise;
    lf_reading_as_gaussian(&lf_likelihood_student, &r, f, &error, &noise);
    assert_near(error, 0.4, 1e-6);
    assert_near(noise, 0.2, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_left_out), cmocka_unit_test(test_count_left_out),
                                       cmocka_unit_test(test_gaussian_limit)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
