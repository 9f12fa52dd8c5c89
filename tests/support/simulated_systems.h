/* Readings of a system of equations from known parameters. The states are integrated by Runge and Kutta's method in small steps, forces by
 * the exact recursion of their Matern covariance: nothing of this is in the library. */
#ifndef LF_TESTS_SIMULATED_SYSTEMS_H
#define LF_TESTS_SIMULATED_SYSTEMS_H

#include "equations/equations.h"
#include "support.h"

enum { MOST_TRUTHS = 24, SUBSTEPS = 40, MOST_STATES = 16, MOST_INPUTS = 4 };

/* A system, and values by name: constants, "FORCE.amplitude", "FORCE.sd", "FORCE.lengthscale", "OUTPUT.noise". */
typedef struct simulated_system {
    const char *name, *text;
    double span;
    int rows;
    struct {
        const char *name;
        double value;
    } truth[MOST_TRUTHS];
    const char *determined; /* what a fit determines of parameters that it does not; NULL: it determines all */
    int several_optima;     /* as likely as the truth */
} simulated_system;

static UNUSED double truth_of(const simulated_system *s, const char *name, const char *suffix, double fallback)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    for (int i = 0; i < MOST_TRUTHS && s->truth[i].name; i++) {
        if (strcmp(s->truth[i].name, full) == 0) {
            return s->truth[i].value;
        }
    }
    return fallback;
}

/* Inputs in turn: switched on and off, a daily wave with weather, a ramp of another period. Doses at a few times. */
static UNUSED double input_at(const simulated_system *s, int k, double t)
{
    double x = t / s->span;
    return k % 3 == 0   ? 10 + 4 * sin(2 * acos(-1) * 3.3 * x) + 2 * sin(23 * x + 1)
           : k % 3 == 1 ? 5 + 5 * tanh(20 * sin(2 * acos(-1) * 2.6 * x + 0.3))
                        : 3 * sin(2 * acos(-1) * 1.7 * x) + x;
}

typedef struct simulation {
    const simulated_system *system;
    const lf_equations *equations;
    lf_system_matrices m;
    double start;
    double *force; /* (forces) now, and at the end of the step */
    double *force_end;
} simulation;

static UNUSED void slopes(const simulation *s, double t, double part, const double *x, double *dx)
{
    for (int i = 0; i < s->m.n; i++) {
        dx[i] = s->m.c[i];
        for (int j = 0; j < s->m.n; j++) {
            dx[i] += s->m.A[i * s->m.n + j] * x[j];
        }
        for (int k = 0; k < s->m.inputs; k++) {
            int impulse = s->equations->inputs[k].hold == LF_HOLD_IMPULSE;
            dx[i] += impulse ? 0 : s->m.B[i * s->m.inputs + k] * input_at(s->system, k, t);
        }
        for (int f = 0; f < s->m.forces; f++) {
            double u = s->force[f] + part * (s->force_end[f] - s->force[f]);
            dx[i] += s->equations->forces[f].white ? 0 : s->m.L[i * s->m.forces + f] * u;
        }
    }
}

static UNUSED void runge_kutta(const simulation *s, double t, double h, double *x)
{
    double k[4][MOST_STATES], at[MOST_STATES];
    static const double part[] = {0, 0.5, 0.5, 1};
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < s->m.n; i++) {
            at[i] = x[i] + (stage ? part[stage] * h * k[stage - 1][i] : 0);
        }
        slopes(s, t + part[stage] * h, part[stage], at, k[stage]);
    }
    for (int i = 0; i < s->m.n; i++) {
        x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

/* Matern 3/2 with lengthscale l: u = a state z, z' = (z1, -r^2 z0 - 2 r z1 + white), r = sqrt(3) / l; over a step h the mean and covariance
 * are known. */
static UNUSED void advance_force(lf_random *random, double l, double h, double z[2])
{
    double r = sqrt(3) / l, e = exp(-r * h), q = r * h;
    double m0 = e * ((1 + q) * z[0] + h * z[1]), m1 = e * (-r * r * h * z[0] + (1 - q) * z[1]);
    double v00 = 1 - e * e * ((1 + q) * (1 + q) + q * q), v01 = 2 * r * q * q * e * e,
           v11 = r * r * (1 - e * e * ((1 - q) * (1 - q) + q * q));
    double a = sqrt(fmax(v00, 0)), b = a > 0 ? v01 / a : 0, c = sqrt(fmax(v11 - b * b, 0));
    double z0 = lf_random_normal(random), z1 = lf_random_normal(random);
    z[0] = m0 + a * z0;
    z[1] = m1 + b * z0 + c * z1;
}

/* Rows of inputs and outputs at s->rows times from 0 to the span. Doses of 100 are given at 0.02 and 0.45 of the span. x starts from `x0` or,
 * where this is NULL, from 0. */
static UNUSED lf_data *simulate_system(lf_context *ctx, const simulated_system *s, const double *x0, uint64_t seed)
{
    lf_equations *equations;
    lf_random random;
    lf_data *data;
    double constants[MOST_TRUTHS], x[MOST_STATES] = {0}, z[4][2], sd[4], force[4], end[4];
    assert_ok(ctx, lf_equations_parse(ctx, s->text, s->name, &equations));
    simulation sim = {.system = s, .equations = equations, .force = force, .force_end = end};
    lf_random_seed(&random, seed);
    for (int i = 0; i < equations->parameter_count; i++) {
        constants[i] = truth_of(s, equations->parameters[i].name, "", equations->parameters[i].value);
        assert_true(isfinite(constants[i]));
    }
    assert_ok(ctx, lf_system_matrices_create(ctx, equations, &sim.m));
    assert_ok(ctx, lf_equations_evaluate(ctx, equations, constants, &sim.m));
    assert_true(sim.m.n <= MOST_STATES && sim.m.forces <= 4);
    for (int i = 0; i < sim.m.n; i++) {
        x[i] = x0 ? x0[i] : 0;
    }
    for (int f = 0; f < sim.m.forces; f++) {
        const char *name = equations->forces[f].name;
        int white = equations->forces[f].white;
        sd[f] = truth_of(s, name, white ? ".sd" : ".amplitude", white ? 0 : 1);
        z[f][0] = lf_random_normal(&random);
        z[f][1] = lf_random_normal(&random) * sqrt(3) / truth_of(s, name, ".lengthscale", 1);
        force[f] = end[f] = white ? 0 : sd[f] * z[f][0];
    }
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    double gap = s->span / (s->rows - 1), h = gap / SUBSTEPS;
    for (int row = 0; row < s->rows; row++) {
        double t = row * gap;
        for (int k = 0; k < sim.m.inputs; k++) {
            int impulse = equations->inputs[k].hold == LF_HOLD_IMPULSE,
                dose = row == s->rows / 50 || row == s->rows * 9 / 20;
            if (!impulse || dose) {
                assert_ok(ctx, lf_data_add(ctx, data,
                                           &(lf_row){.size = sizeof(lf_row),
                                                     .output = equations->inputs[k].name,
                                                     .x = &t,
                                                     .y = impulse ? 100 : input_at(s, k, t)}));
            }
        }
        for (int d = 0; d < sim.m.outputs; d++) {
            double y = sim.m.d[d] + truth_of(s, equations->outputs[d].name, ".noise", 0.1) * lf_random_normal(&random);
            for (int j = 0; j < sim.m.n; j++) {
                y += sim.m.C[d * sim.m.n + j] * x[j];
            }
            for (int k = 0; k < sim.m.inputs; k++) {
                y += sim.m.D[d * sim.m.inputs + k] * input_at(s, k, t);
            }
            for (int f = 0; f < sim.m.forces; f++) {
                y += sim.m.E[d * sim.m.forces + f] * force[f];
            }
            assert_ok(
                ctx,
                lf_data_add(ctx, data,
                            &(lf_row){.size = sizeof(lf_row), .output = equations->outputs[d].name, .x = &t, .y = y}));
        }
        for (int k = 0; k < sim.m.inputs; k++) {
            int dose = row == s->rows / 50 || row == s->rows * 9 / 20;
            for (int i = 0; dose && equations->inputs[k].hold == LF_HOLD_IMPULSE && i < sim.m.n; i++) {
                x[i] += 100 * sim.m.B[i * sim.m.inputs + k];
            }
        }
        for (int sub = 0; sub < SUBSTEPS && row + 1 < s->rows; sub++) {
            for (int f = 0; f < sim.m.forces; f++) {
                if (!equations->forces[f].white) {
                    advance_force(&random, truth_of(s, equations->forces[f].name, ".lengthscale", 1), h, z[f]);
                    end[f] = sd[f] * z[f][0];
                }
            }
            runge_kutta(&sim, t + sub * h, h, x);
            for (int f = 0; f < sim.m.forces; f++) {
                double shock = equations->forces[f].white ? sd[f] * sqrt(h) * lf_random_normal(&random) : 0;
                for (int i = 0; i < sim.m.n && shock != 0; i++) {
                    x[i] += sim.m.L[i * sim.m.forces + f] * shock;
                }
                force[f] = end[f];
            }
        }
    }
    lf_system_matrices_clear(&sim.m);
    lf_equations_free(equations);
    return data;
}

#endif
