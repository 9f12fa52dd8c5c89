/* Rows of many outputs: first-order equations driven by three shared forces and a private one each, all observed at the same even times, with
 * a window of a tenth of the times in each output marked "test". Simulated directly, by short steps of Euler's method: a draw from the
 * covariance of all rows would take longer than a fit. */
#ifndef LF_BENCH_SIMULATED_OUTPUTS_H
#define LF_BENCH_SIMULATED_OUTPUTS_H

#include "base/random.h"
#include "bench.h"

static const double spacing = 0.1,
                    noise_sd = 0.1; /* of the times, and relative to the standard deviation of an output */

enum { SHARED = 3, SUBSTEPS = 20, BEFORE = 100 }; /* forces; steps between times; times before the first one */

/* forces (times * SUBSTEPS, SHARED): Matern-3/2 of variance 1 and lengthscales 1, 2 and 3. */
static void simulate_forces(lf_random *random, size_t steps, double *forces)
{
    const double h = spacing / SUBSTEPS;
    double u[SHARED] = {0}, rate[SHARED] = {0};
    for (size_t k = 0; k < steps; k++) {
        for (int q = 0; q < SHARED; q++) {
            double l = sqrt(3.0) / (1 + q);
            u[q] += h * rate[q];
            rate[q] += h * (-l * l * u[q] - 2 * l * rate[q]) + sqrt(4 * l * l * l * h) * lf_random_normal(random);
            forces[k * SHARED + (size_t)q] = u[q];
        }
    }
}

/* y (times): one output with standard deviation 1, without noise. A fifth of its forcing, in variance, is its own. */
static void simulate_output(lf_random *random, size_t times, const double *forces, double *y)
{
    const double h = spacing / SUBSTEPS, decay = 0.5 * pow(8, lf_random_uniform(random));
    const double rate = 1 / (0.3 + 0.7 * lf_random_uniform(random));
    double s[SHARED], size = 0, own = 0, f = 0, mean = 0, square = 0;
    for (int q = 0; q < SHARED; q++) {
        s[q] = lf_random_normal(random);
        size += s[q] * s[q];
    }
    for (size_t k = 0; k < (BEFORE + times) * SUBSTEPS; k++) {
        double sum = own;
        for (int q = 0; q < SHARED; q++) {
            sum += s[q] * forces[k * SHARED + (size_t)q];
        }
        f += h * (sum - decay * f);
        own += -h * rate * own + sqrt(2 * rate * h * size / 4) * lf_random_normal(random);
        if (k % SUBSTEPS == 0 && k / SUBSTEPS >= BEFORE) {
            y[k / SUBSTEPS - BEFORE] = f;
        }
    }
    for (size_t i = 0; i < times; i++) {
        mean += y[i] / (double)times;
        square += y[i] * y[i] / (double)times;
    }
    for (size_t i = 0; i < times; i++) {
        y[i] = (y[i] - mean) / sqrt(square - mean * mean);
    }
}

static lf_data *simulated_outputs(lf_context *ctx, int outputs, size_t times)
{
    size_t steps = (BEFORE + times) * SUBSTEPS, window = times / 10;
    double *forces = malloc(steps * SHARED * sizeof *forces), *y = malloc(times * sizeof *y);
    lf_random random;
    lf_data *data;
    lf_random_seed(&random, 1000 * times + (size_t)outputs);
    simulate_forces(&random, steps, forces);
    need(ctx, lf_data_create(ctx, 1, &data));
    for (int d = 0; d < outputs; d++) {
        char name[32];
        snprintf(name, sizeof name, "output%d", d);
        simulate_output(&random, times, forces, y);
        size_t from = (size_t)(lf_random_uniform(&random) * (double)(times - window));
        for (size_t i = 0; i < times; i++) {
            double x = spacing * (double)i, value = y[i] + noise_sd * lf_random_normal(&random);
            int test = i >= from && i < from + window;
            need(ctx,
                 lf_data_add(
                     ctx, data,
                     &(lf_row){
                         .size = sizeof(lf_row), .output = name, .x = &x, .y = value, .split = test ? "test" : NULL}));
        }
    }
    free(forces);
    free(y);
    return data;
}

#endif
