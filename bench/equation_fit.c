/* The fit of a test cell (data/armadillo.csv: 2 states, 9 parameters, 179 rows) from no starting values: evaluations of the log likelihood
 * with its gradient, and time, until it is within 1e-5 of its largest value, 179.300651. pySIP needs 1007 evaluations for the same
 * optimum (design/equations.md of the shared folder). */
#include "bench.h"

static const char *const text = "time d\ninput To, Qh\nforce w1 ~ white\nforce w2 ~ white\n"
                                "Cw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri + Cw*w1\nCi*Ti' = (Tw - Ti)/Ri + Qh + Ci*w2\n"
                                "output xi = Ti\nstart Tw ~ normal(xw, 1)\nstart Ti ~ normal(xi0, 1)\n"
                                "parameter xw real\nparameter xi0 real\n";

static lf_data *read_cell(lf_context *ctx)
{
    enum { ROWS = 179 };
    const char *shared = getenv("LF_SHARED");
    char path[4096], line[256];
    lf_data *data;
    snprintf(path, sizeof path, "%s/data/armadillo.csv", shared && *shared ? shared : "../shared");
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) {
        printf("%s is not there: nothing to measure\n", path);
        exit(0);
    }
    need(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < ROWS && fgets(line, sizeof line, file); i++) {
        double t, outside, heat, sun, inside;
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf", &t, &outside, &heat, &sun, &inside) == 5) {
            t /= 86400;
            need(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "To", .x = &t, .y = outside}));
            need(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "Qh", .x = &t, .y = heat}));
            need(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "xi", .x = &t, .y = inside}));
        }
    }
    fclose(file);
    return data;
}

static lf_fit_result *fit(lf_context *ctx, const lf_data *data, const char *restarts, lf_model **model)
{
    lf_model *start;
    lf_options *options;
    lf_fit_result *result;
    need(ctx, lf_model_from_equations(ctx, text, "armadillo.eq", &start));
    need(ctx, lf_options_create(ctx, "fit", &options));
    need(ctx, lf_options_set_model(ctx, options, start));
    need(ctx, lf_options_set(ctx, options, "threads", "1"));
    if (restarts) {
        need(ctx, lf_options_set(ctx, options, "restarts", restarts));
    }
    need(ctx, lf_fit(ctx, data, options, model, &result));
    lf_options_free(options);
    lf_model_free(start);
    return result;
}

int main(void)
{
    static const char *const restarts[] = {"1", NULL};
    static const char *const names[] = {"one start", "the default"};
    lf_context *ctx = lf_context_create();
    lf_data *data = read_cell(ctx);
    lf_model *model = NULL;
    for (int i = 0; i < 2; i++) {
        lf_fit_result *result = NULL;
        double optimisation = 1e300;
        for (int repeat = 0; repeat < 5; repeat++) {
            lf_fit_result_free(result);
            lf_model_free(model);
            result = fit(ctx, data, restarts[i], &model);
            optimisation = fmin(optimisation, result->seconds);
        }
        printf("fit from %s: %zu evaluations (pySIP: 1007), %.1f ms, log likelihood %.6f (reference 179.300651)\n",
               names[i], result->evaluations, 1e3 * optimisation, result->log_likelihood);
        lf_fit_result_free(result);
    }
    size_t n = lf_parameter_count(model);
    double theta[16], gradient[16], value, seconds, plain;
    lf_engine *engine;
    lf_context_set_threads(ctx, 1);
    lf_model_theta(model, theta);
    need(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    BEST_OF(seconds, 200, need(ctx, lf_engine_evaluate(engine, n, theta, &value, gradient)));
    BEST_OF(plain, 200, need(ctx, lf_engine_evaluate(engine, n, theta, &value, NULL)));
    printf("an evaluation: %.0f us with its gradient, %.0f us without: ratio %.1f\n", 1e6 * seconds, 1e6 * plain,
           seconds / plain);
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
    lf_context_free(ctx);
    return 0;
}
