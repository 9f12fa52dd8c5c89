/* Fits of systems of many kinds, from no starting values at all, to readings simulated from known parameters. A fit must describe the
 * readings at least as well as the truth does, and the truth must lie within the standard errors. */
#include "simulated_systems.h"

static const simulated_system systems[] = {
    {.name = "rc1",
     .text = "input To, Qh\nforce w ~ white\nC*T' = (To - T)/R + Qh + C*w\noutput y = T\n",
     .span = 6,
     .rows = 150,
     .truth = {{"C", 4}, {"R", 0.3}, {"w.sd", 0.3}, {"y.noise", 0.1}}},
    {.name = "rc2",
     .text = "input To, Qh\nforce w ~ white\nCw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri\nCi*Ti' = (Tw - Ti)/Ri + Qh + Ci*w\n"
             "output y = Ti\nquantity HTC = 1/(Ro + Ri)\n",
     .span = 8,
     .rows = 200,
     .truth = {{"Cw", 12}, {"Ci", 1.5}, {"Ro", 0.15}, {"Ri", 0.08}, {"w.sd", 0.3}, {"y.noise", 0.05}}},
    {.name = "rc3",
     .text = "input To, Qh\nC1*T1' = (To - T1)/R1 + (T2 - T1)/R2\nC2*T2' = (T1 - T2)/R2 + (T3 - T2)/R3\n"
             "C3*T3' = (T2 - T3)/R3 + Qh + f\nforce f\noutput a = T3\noutput b = T1\n",
     .span = 10,
     .rows = 200,
     .truth = {{"C1", 5},
               {"C2", 8},
               {"C3", 1},
               {"R1", 0.2},
               {"R2", 0.15},
               {"R3", 0.1},
               {"f.amplitude", 3},
               {"f.lengthscale", 0.8},
               {"a.noise", 0.1},
               {"b.noise", 0.1}}},
    {.name = "rc4",
     .text = "input To, Qh\nC1*T1' = (To - T1)/R1 + (T2 - T1)/R2\nC2*T2' = (T1 - T2)/R2 + (T3 - T2)/R3\n"
             "C3*T3' = (T2 - T3)/R3 + (T4 - T3)/R4\nC4*T4' = (T3 - T4)/R4 + Qh\n"
             "output a = T4\noutput b = T2\noutput c = T1\n",
     .span = 12,
     .rows = 200,
     .truth = {{"C1", 2},
               {"C2", 5},
               {"C3", 4},
               {"C4", 1},
               {"R1", 0.3},
               {"R2", 0.2},
               {"R3", 0.2},
               {"R4", 0.1},
               {"a.noise", 0.05},
               {"b.noise", 0.05},
               {"c.noise", 0.05}}},
    {.name = "chain",
     .text = "force load\nx1'' = -k*(2*x1 - x2) - c*x1' + load\nx2'' = -k*(2*x2 - x1 - x3) - c*x2'\nx3'' = -k*(x3 - "
             "x2) - c*x3'\n"
             "output a1 = x1''\noutput a2 = x2''\noutput a3 = x3''\nstart rest\n",
     .span = 12,
     .rows = 200,
     .truth = {{"k", 20},
               {"c", 0.4},
               {"load.amplitude", 3},
               {"load.lengthscale", 0.5},
               {"a1.noise", 0.2},
               {"a2.noise", 0.2},
               {"a3.noise", 0.2}}},
    {.name = "damper",
     .text = "force wind\nM*x'' = -K*x - D*x' + kd*(z - x) + cd*(z' - x') + wind\nm*z'' = kd*(x - z) + cd*(x' - z')\n"
             "parameter M = 10 fixed\nparameter m = 0.5 fixed\noutput top = x\noutput mass = z\nstart rest\n",
     .span = 40,
     .rows = 300,
     .truth = {{"K", 40},
               {"D", 1},
               {"kd", 1.8},
               {"cd", 0.2},
               {"wind.amplitude", 2},
               {"wind.lengthscale", 1.5},
               {"top.noise", 0.005},
               {"mass.noise", 0.02}}},
    {.name = "rlc",
     .text = "input V0, V, V2\nL*i' = V - R*i - v\nC*v' = i\noutput volts = v\n",
     .span = 5,
     .rows = 200,
     .truth = {{"L", 0.05}, {"R", 0.3}, {"C", 0.2}, {"volts.noise", 0.1}},
     .determined = "R/L and L*C"}, /* the voltage alone says nothing about the current */
    {.name = "one compartment",
     .text = "input dose impulse\nA' = -ke*A + dose\noutput conc = A/V\nstart rest\n",
     .span = 24,
     .rows = 60,
     .truth = {{"ke", 0.15}, {"V", 12}, {"conc.noise", 0.1}}},
    {.name = "two compartments",
     .text = "input dose impulse\nA1' = -(k10 + k12)*A1 + k21*A2 + dose\nA2' = k12*A1 - k21*A2\noutput conc = "
             "A1/V\nstart rest\n"
             "quantity clearance = k10*V\n",
     .span = 48,
     .rows = 120,
     .truth = {{"k10", 0.2}, {"k12", 0.5}, {"k21", 0.3}, {"V", 10}, {"conc.noise", 0.05}}},
    {.name = "absorption",
     .text = "input dose impulse\nG' = -ka*G + dose\nA' = ka*G - ke*A\noutput conc = A/V\nstart rest\n",
     .span = 24,
     .rows = 80,
     .truth = {{"ka", 1.1}, {"ke", 0.15}, {"V", 12}, {"conc.noise", 0.1}},
     .several_optima = 1}, /* ka and ke exchanged, with another V, give the same concentrations */
    {.name = "genes",
     .text = "force tf\nm1' = s1*tf - d1*m1\nm2' = s2*m1 - d2*m2\nm3' = s3*m2 - d3*m3\noutput g1 = m1\noutput g2 = m2\n"
             "output g3 = m3\nstart rest\n",
     .span = 20,
     .rows = 120,
     .truth = {{"s1", 1},
               {"s2", 0.8},
               {"s3", 1.2},
               {"d1", 0.7},
               {"d2", 0.5},
               {"d3", 0.9},
               {"tf.lengthscale", 2},
               {"g1.noise", 0.05},
               {"g2.noise", 0.05},
               {"g3.noise", 0.05}}},
    {.name = "tanks",
     .text = "input q0, q\nforce leak ~ white\nA1*h1' = q - (h1 - h2)/r1 + A1*leak\nA2*h2' = (h1 - h2)/r1 - "
             "h2/r2\noutput y1 = h1\n"
             "output y2 = h2\n",
     .span = 30,
     .rows = 200,
     .truth =
         {{"A1", 3}, {"A2", 5}, {"r1", 0.7}, {"r2", 1.1}, {"leak.sd", 0.05}, {"y1.noise", 0.1}, {"y2.noise", 0.1}}},
};

enum { SYSTEMS = sizeof systems / sizeof *systems };

/* The model with the true parameters. What the readings have no truth of, such as the start, is as the fit has it. */
static double likelihood_of_truth(lf_context *ctx, const simulated_system *s, const lf_model *fitted,
                                  const lf_data *data)
{
    lf_model *model;
    lf_engine *engine;
    double value;
    assert_ok(ctx, lf_model_copy(ctx, fitted, &model));
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        const char *name = lf_parameter_get(model, i).name, *dot = strstr(name, ".noise_variance");
        double truth = truth_of(s, name, "", NAN);
        if (dot) {
            char output[64];
            snprintf(output, sizeof output, "%.*s", (int)(dot - name), name);
            truth = pow(truth_of(s, output, ".noise", 0.1), 2);
        }
        if (isfinite(truth)) {
            assert_ok(ctx, lf_parameter_set(ctx, model, i, truth));
        }
    }
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    lf_model_free(model);
    return value;
}

/* The largest distance of the truth from an estimate, in standard errors. */
static double worst_error(const simulated_system *s, const lf_model *model, const char **name)
{
    double worst = 0;
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        lf_parameter p = lf_parameter_get(model, i);
        double truth = truth_of(s, p.name, "", NAN), away = fabs(p.value - truth) / p.standard_error;
        if (isfinite(truth) && p.value > 0 && truth > 0) { /* skewed: in logarithms */
            away = fabs(log(p.value / truth)) * p.value / p.standard_error;
        }
        if (away > worst) {
            worst = away;
            *name = p.name;
        }
    }
    return worst;
}

static void fit_system(lf_context *ctx, const simulated_system *s, uint64_t seed)
{
    lf_model *start, *model;
    lf_options *options;
    lf_fit_result *result;
    const char *name = "", *restarts = getenv("LF_RESTARTS"); /* for trying others than the default */
    lf_data *data = simulate_system(ctx, s, NULL, seed);
    assert_ok(ctx, lf_model_from_equations(ctx, s->text, s->name, &start));
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_options_set_model(ctx, options, start));
    if (restarts) {
        assert_ok(ctx, lf_options_set(ctx, options, "restarts", restarts));
    }
    assert_ok(ctx, lf_fit(ctx, data, options, &model, &result));
    double truth = likelihood_of_truth(ctx, s, model, data), worst = worst_error(s, model, &name);
    printf("%-17s seed %d: log likelihood %9.3f, of the truth %9.3f; worst %.1f errors (%s); start %zu, %zu "
           "evaluations%s%s\n",
           s->name, (int)seed, result->log_likelihood, truth, worst, name, result->restart + 1, result->evaluations,
           result->combinations ? "; determined: " : "", result->combinations ? result->combinations : "");
    assert_true(result->converged);
    assert_true(result->log_likelihood > truth - 0.5); /* lengthscales have a prior */
    assert_true(worst < 4 || s->several_optima);
    assert_true(!s->determined || (result->combinations && strcmp(result->combinations, s->determined) == 0));
    assert_true(s->determined || result->undetermined_count == 0);
    lf_fit_result_free(result);
    lf_options_free(options);
    lf_model_free(start);
    lf_model_free(model);
    lf_data_free(data);
}

static void test_systems(void **state)
{
    const char *seeds = getenv("LF_SEEDS"); /* how many sets of readings of each; 2 */
    for (int i = 0; i < SYSTEMS; i++) {
        for (int seed = 1; seed <= (seeds ? atoi(seeds) : ONE_OF(2) == 1 ? 2 : 1); seed++) {
            fit_system(*state, &systems[i], (uint64_t)seed);
        }
    }
}

/* A mass that swings 200 times while it is read: a fit that may not iterate starts from constants of the right size. */
static void test_fast_start(void **state)
{
    static const simulated_system fast = {
        .name = "fast",
        .text = "force load\nx'' = -k*x - c*x' + load\noutput a = x''\nstart rest\n",
        .span = 20,
        .rows = 2001,
        .truth = {{"k", 4000}, {"c", 3}, {"load.amplitude", 4}, {"load.lengthscale", 0.1}, {"a.noise", 0.05}}};
    lf_context *ctx = *state;
    lf_model *start, *model;
    lf_options *options;
    lf_fit_result *result;
    lf_data *data = simulate_system(ctx, &fast, NULL, 1);
    assert_ok(ctx, lf_model_from_equations(ctx, fast.text, fast.name, &start));
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_options_set_model(ctx, options, start));
    assert_ok(ctx, lf_options_set(ctx, options, "restarts", "1"));
    assert_ok(ctx, lf_options_set(ctx, options, "max-iterations", "1"));
    assert_ok(ctx, lf_fit(ctx, data, options, &model, &result));
    double k = lf_parameter_get(model, 0).value;
    assert_true(k > 4000 / 12.0 && k < 4000 * 12.0);
    lf_fit_result_free(result);
    lf_options_free(options);
    lf_model_free(start);
    lf_model_free(model);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_systems), cmocka_unit_test(test_fast_start)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
