/* Models given by equations: a wall and a room with 180 readings, and a chain of ten masses (20 states) with up to 1e5 readings at even times,
 * each as one likelihood with its gradient. What constant gains save is measured on the same rows: known errors of 1e-8, which change no
 * number but in its last digits, on every other row keep the filter from taking its covariance as constant. Uneven times cost transitions
 * too. */
#include "bench.h"

static lf_model *from_equations(lf_context *ctx, const char *text)
{
    lf_model *model;
    need(ctx, lf_model_from_equations(ctx, text, "bench.eq", &model));
    return model;
}

enum { EVEN, UNEVEN, FULL }; /* times; FULL: even, and the covariance is never taken as constant */

static void add(lf_context *ctx, lf_data *data, const char *name, double t, double y, double sd)
{
    need(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = name, .x = &t, .y = y, .sd = sd}));
}

/* The best time of one likelihood, with its gradient or without. */
static double measure_with(lf_context *ctx, const lf_model *model, const lf_data *data, int repeats, int with_gradient)
{
    lf_engine *engine;
    size_t n = lf_parameter_count(model);
    double *theta = calloc(n, sizeof *theta), *gradient = calloc(n, sizeof *gradient), value, best;
    need(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    lf_model_theta(model, theta);
    BEST_OF(best, repeats, need(ctx, lf_engine_evaluate(engine, n, theta, &value, with_gradient ? gradient : NULL)));
    lf_engine_free(engine);
    free(theta);
    free(gradient);
    return best;
}

static double measure(lf_context *ctx, const lf_model *model, const lf_data *data, int repeats)
{
    return measure_with(ctx, model, data, repeats, 1);
}

/* How much longer full steps take than constant gains, on the same rows. */
static void compare_gains(lf_context *ctx, const lf_model *model, const lf_data *constant, const lf_data *full,
                          int repeats)
{
    double ratio[2];
    for (int with_gradient = 0; with_gradient < 2; with_gradient++) {
        ratio[with_gradient] = measure_with(ctx, model, full, repeats, with_gradient) /
                               measure_with(ctx, model, constant, repeats, with_gradient);
    }
    printf("    full steps on the same rows: %.1f times the time, %.1f times without gradient\n", ratio[1], ratio[0]);
}

/* Two states, four constants, white noise, two known inputs: the shape of a test cell. */
static lf_data *house_rows(lf_context *ctx, int n, int kind)
{
    lf_data *data;
    need(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < n; i++) {
        double t = i / 48.0;
        add(ctx, data, "To", t, 10 + 5 * sin(6.28 * t), 0);
        add(ctx, data, "Qh", t, i % 40 < 20 ? 500 : 0, 0);
        add(ctx, data, "xi", t, 30 + sin(6.28 * t) + 0.1 * sin(40.0 * i), kind == FULL && i % 2 ? 1e-8 : 0);
    }
    return data;
}

static void bench_house(lf_context *ctx)
{
    lf_model *model = from_equations(
        ctx, "input To, Qh\nforce w1, w2 ~ white(sd = 0.1)\nCw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri + w1\n"
             "Ci*Ti' = (Tw - Ti)/Ri + Qh + w2\nparameter Ro = 0.02\nparameter Ri = 0.0023\nparameter Cw = 167\n"
             "parameter Ci = 30\noutput xi = Ti noise = 0.07\nstart Tw ~ normal(30, 1)\nstart Ti ~ normal(30, 1)\n");
    for (int n = 180; n <= 18000; n *= 100) {
        lf_data *data = house_rows(ctx, n, EVEN), *full = house_rows(ctx, n, FULL);
        int repeats = 360000 / n;
        printf("2 states, %d rows: %.1f us an evaluation with gradient\n", n, 1e6 * measure(ctx, model, data, repeats));
        compare_gains(ctx, model, data, full, repeats);
        lf_data_free(data);
        lf_data_free(full);
    }
    lf_model_free(model);
}

static lf_model *chain(lf_context *ctx)
{
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "force load ~ white(sd = 2)\nparameter m = 1.2\nparameter c = 0.35\n"
                                   "parameter k = 30\nparameter g = 0.6\nstart steady\n");
    for (int i = 0; i < 10; i++) {
        char before[64] = "", after[64] = "";
        if (i) {
            snprintf(before, sizeof before, " - k*(x%d - x%d) - c*(x%d' - x%d')", i, i - 1, i, i - 1);
        } else {
            snprintf(before, sizeof before, " - k*x0 - c*x0'");
        }
        if (i < 9) {
            snprintf(after, sizeof after, " - k*(x%d - x%d) - c*(x%d' - x%d')", i, i + 1, i, i + 1);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "m*x%d'' = -g*x%d'%s%s%s\n", i, i, before, after,
                                 i == 6 ? " + load" : "");
    }
    snprintf(text + used, sizeof text - used, "output p1 = x1 noise = 0.02\noutput p9 = x9 noise = 0.02\n");
    return from_equations(ctx, text);
}

/* Readings of both sensors at n times. */
static lf_data *chain_rows(lf_context *ctx, int n, int kind)
{
    lf_data *data;
    need(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < n; i++) {
        double t = 0.05 * i + (kind == UNEVEN ? 0.01 * sin(12.9898 * i) : 0), sd = kind == FULL && i % 2 ? 1e-8 : 0;
        add(ctx, data, "p1", t, 0.3 * sin(3 * t), sd);
        add(ctx, data, "p9", t, 0.2 * sin(2 * t), sd);
    }
    return data;
}

int main(void)
{
    lf_context *ctx = lf_context_create();
    bench_clock = processor_now;
    lf_context_set_threads(ctx, 1);
    bench_house(ctx);
    lf_model *model = chain(ctx);
    double before = 0;
    for (int n = 500; n <= 50000; n *= 10) {
        lf_data *data = chain_rows(ctx, n, EVEN);
        double time = measure(ctx, model, data, n > 10000 ? 3 : 20);
        printf("20 states, %6d rows at even times: %.4f s", 2 * n, time);
        printf(before > 0 ? ", %.1f times the time before\n" : "\n", time / before);
        before = time;
        if (n >= 5000) {
            lf_data *full = chain_rows(ctx, n, FULL);
            compare_gains(ctx, model, data, full, n > 10000 ? 2 : 5);
            lf_data_free(full);
        }
        lf_data_free(data);
    }
    lf_data *uneven = chain_rows(ctx, 500, UNEVEN), *even = chain_rows(ctx, 500, EVEN);
    printf("20 states, 1000 rows at uneven times: %.1f times the time at even ones\n",
           measure(ctx, model, uneven, 3) / measure(ctx, model, even, 20));
    lf_data_free(uneven);
    lf_data_free(even);
    lf_model_free(model);
    lf_context_free(ctx);
    return 0;
}
