/* Simulated tables with a cycle and without: rough, trending, through first and second order equations; even times, uneven ones, gaps. */
#ifndef LF_TESTS_SIMULATED_CYCLES_H
#define LF_TESTS_SIMULATED_CYCLES_H

#include "support.h"

enum { SIMULATED_OUTPUTS = 6, SIMULATED_ROWS = 2000 };

typedef enum simulated_kind {
    WALK,    /* random walks */
    ROUGH,   /* Matern-1/2 */
    SMOOTH,  /* Matern-3/2 */
    TREND,   /* polynomials with noise */
    ODE1,    /* first order equations of Matern-1/2 forces */
    DAMPED,  /* second order equations, damping ratio 0.3 to 1 */
    RINGING, /* second order equations, damping ratio 0.02 to 0.1: no cycle, but a resonance */
    SIMULATED_KINDS
} simulated_kind;

typedef struct simulated_table {
    int outputs, rows;
    double period; /* 0: none; the times extend from 0 to 1 */
    double share;  /* of the variance of an output, on average */
    double t[SIMULATED_ROWS], y[SIMULATED_OUTPUTS][SIMULATED_ROWS];
} simulated_table;

/* Standardises y (n). */
static UNUSED void standardise(int n, double *y)
{
    double mean = 0, square = 0;
    for (int i = 0; i < n; i++) {
        mean += y[i] / n;
    }
    for (int i = 0; i < n; i++) {
        y[i] -= mean;
        square += y[i] * y[i] / n;
    }
    for (int i = 0; i < n; i++) {
        y[i] /= sqrt(square);
    }
}

/* y (n) at t: a path of the kind with time scale tau, by steps of Euler's method that are short against it. */
static UNUSED void simulate_path(lf_random *random, simulated_kind kind, double tau, double damping, int n,
                                 const double *t, double *y)
{
    double slope[3] = {lf_random_normal(random), lf_random_normal(random), lf_random_normal(random)};
    double u = lf_random_normal(random), v = 0, x = kind == ODE1 || kind >= DAMPED ? 0 : u, now = t[0] - 10 * tau;
    for (int i = 0; i < n; i++) {
        int steps = (int)fmax(ceil((t[i] - now) / (0.05 * tau)), 1);
        double h = (t[i] - now) / steps;
        for (int s = 0; s < steps; s++) {
            double e = sqrt(h) * lf_random_normal(random), w = 1 / tau;
            u = u * exp(-h * w / (kind >= DAMPED ? 0.5 : 1)) + e * sqrt(2 * w);
            switch (kind) {
            case WALK:
                x += e;
                break;
            case ROUGH:
                x = u;
                break;
            case SMOOTH:
                v += h * (-w * w * x - 2 * w * v) + e;
                x += h * v;
                break;
            case ODE1:
                x += h * (u - x / (0.5 * tau));
                break;
            default:
                v += h * (u - w * w * x - 2 * damping * w * v);
                x += h * v;
            }
        }
        now = t[i];
        y[i] = kind == TREND ? slope[0] * now + slope[1] * now * now + slope[2] * now * now * now : x;
    }
    standardise(n, y);
}

/* A wave of unit period at phase: four harmonics. */
static UNUSED double wave(const double *amplitude, const double *phase, double at)
{
    double y = 0;
    for (int h = 0; h < 4; h++) {
        y += amplitude[h] * sin(2 * acos(-1.0) * ((h + 1) * at + phase[h]));
    }
    return y;
}

/* The cycle of an output: it has a shape, and its size and phase change slowly. */
static UNUSED void add_cycle(lf_random *random, const simulated_table *table, double share, double memory, double *y)
{
    double amplitude[4], phase[4], c[SIMULATED_ROWS], a[SIMULATED_ROWS], b[SIMULATED_ROWS],
        sharp = uniform_between(random, 0, 0.7);
    for (int h = 0; h < 4; h++) {
        amplitude[h] = pow(sharp, h) * fabs(lf_random_normal(random) + (h == 0 ? 1.5 : 0));
        phase[h] = lf_random_uniform(random);
    }
    simulate_path(random, SMOOTH, memory * table->period, 0, table->rows, table->t, a);
    simulate_path(random, SMOOTH, memory * table->period, 0, table->rows, table->t, b);
    for (int i = 0; i < table->rows; i++) {
        c[i] = (1 + 0.4 * a[i]) * wave(amplitude, phase, table->t[i] / table->period + 0.06 * b[i]);
    }
    standardise(table->rows, c);
    for (int i = 0; i < table->rows; i++) {
        y[i] = sqrt(1 - share) * y[i] + sqrt(share) * c[i];
    }
}

static UNUSED void simulate_times(lf_random *random, simulated_table *table)
{
    int shape = (int)(3 * lf_random_uniform(random)), n = 0;
    double gap = uniform_between(random, 0.2, 0.7);
    for (int i = 0; i < table->rows; i++) {
        double t = (i + (shape == 1 ? 0.9 * lf_random_uniform(random) : 0)) / (table->rows - 1);
        if (shape < 2 || t < gap || t > gap + 0.15) {
            table->t[n++] = t;
        }
    }
    table->rows = n;
}

/* Outputs mix two paths of their own kind, noise of 0 to 20 % of the variance, and the cycle. cycles 0: none. */
static UNUSED void simulate_sized(lf_random *random, simulated_kind kind, double share, double cycles, int outputs,
                                  int rows, simulated_table *table)
{
    static double path[2][SIMULATED_ROWS], own[SIMULATED_ROWS];
    double tau = log_between(random, 0.01, 0.3),
           damping = kind == RINGING ? log_between(random, 0.02, 0.1) : uniform_between(random, 0.3, 1);
    double memory = log_between(random, 3, 30);
    table->outputs = outputs;
    table->period = cycles > 0 ? 1 / cycles : 0;
    table->rows = rows > SIMULATED_ROWS ? SIMULATED_ROWS : rows;
    table->share = share;
    simulate_times(random, table);
    simulate_path(random, kind, kind == RINGING ? 0.1 * tau : tau, damping, table->rows, table->t, path[0]);
    simulate_path(random, kind, kind == RINGING ? 0.1 * tau : tau, damping, table->rows, table->t, path[1]);
    for (int d = 0; d < table->outputs; d++) {
        double noise = uniform_between(random, 0, 0.2), a = lf_random_normal(random), b = lf_random_normal(random);
        simulate_path(random, kind, kind == RINGING ? 0.1 * tau : tau, damping, table->rows, table->t, own);
        for (int i = 0; i < table->rows; i++) {
            own[i] = a * path[0][i] + b * path[1][i] + 0.7 * own[i];
        }
        standardise(table->rows, own);
        for (int i = 0; i < table->rows; i++) {
            table->y[d][i] = sqrt(1 - noise) * own[i] + sqrt(noise) * lf_random_normal(random);
        }
        if (cycles > 0) {
            add_cycle(random, table, share * uniform_between(random, 0.5, 1.5), memory, table->y[d]);
        }
    }
}

/* 1 to 6 outputs, 100 to 1500 rows. */
static UNUSED void simulate_table(lf_random *random, simulated_kind kind, double share, double cycles,
                                  simulated_table *table)
{
    int outputs = 1 + (int)(SIMULATED_OUTPUTS * lf_random_uniform(random));
    int rows = (int)log_between(random, fmax(100, 8 * cycles), fmax(1500, 9 * cycles));
    simulate_sized(random, kind, share, cycles, outputs, rows, table);
}

static UNUSED lf_data *table_data(lf_context *ctx, const simulated_table *table)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int d = 0; d < table->outputs; d++) {
        char name[2] = {(char)('A' + d), 0};
        for (int i = 0; i < table->rows; i++) {
            assert_ok(
                ctx,
                lf_data_add(ctx, data,
                            &(lf_row){.size = sizeof(lf_row), .output = name, .x = &table->t[i], .y = table->y[d][i]}));
        }
    }
    return data;
}

#endif
