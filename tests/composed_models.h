/* Models with forces of every kernel, and their covariances by brute force: Green's functions times the covariance of the forces, integrated
 * by Gauss and Legendre's rule, which shares nothing with states or frequencies. */
#ifndef LF_TESTS_COMPOSED_MODELS_H
#define LF_TESTS_COMPOSED_MODELS_H

#include "model/model.h"
#include "support.h"

typedef struct kernel_case {
    const char *name;
    const char *fields; /* of the force in the model file */
} kernel_case;

#define PERIODIC "\"period\":1.7,\"period_lengthscale\":0.9"
static const kernel_case kernel_cases[] = {
    {"matern12", "\"kernel\":\"matern12\",\"lengthscale\":0.8"},
    {"matern32", "\"kernel\":\"matern32\",\"lengthscale\":0.8"},
    {"matern52", "\"kernel\":\"matern52\",\"lengthscale\":0.8"},
    {"periodic", "\"kernel\":\"periodic\"," PERIODIC},
    {"periodic*matern12", "\"kernel\":\"periodic(harmonics=2)*matern12\",\"lengthscale\":2," PERIODIC},
    {"periodic*matern32", "\"kernel\":\"periodic*matern32\",\"lengthscale\":2," PERIODIC},
    {"periodic*matern52", "\"kernel\":\"periodic(harmonics=1)*matern52\",\"lengthscale\":2," PERIODIC},
    {"cosine*matern32", "\"kernel\":\"cosine*matern32\",\"lengthscale\":1.1,\"period\":0.9"},
    {"cosine", "\"kernel\":\"cosine\",\"period\":1.3"},
    {"constant", "\"kernel\":\"constant\""},
    {"linear", "\"kernel\":\"linear\",\"lengthscale\":1.5"},
    {"white", "\"kernel\":\"white\""},
    {"sum", "\"kernel\":\"periodic(harmonics=1) + matern12 + linear + constant\",\"terms\":[{" PERIODIC
            ",\"weight\":1},{\"lengthscale\":0.7,\"weight\":0.6},{\"lengthscale\":2,\"weight\":0.3},{\"weight\":0.2}]"},
    /* approximated by states: the last ones */
    {"cosine*eq", "\"kernel\":\"cosine*eq\",\"lengthscale\":1.1,\"period\":2"},
    {"periodic*eq", "\"kernel\":\"periodic(harmonics=2)*eq\",\"lengthscale\":3," PERIODIC},
};
enum { KERNEL_CASES = sizeof kernel_cases / sizeof *kernel_cases, FIRST_COMPOSED = 3, EQ_CASES = 2 };

static const char *const start_names[] UNUSED = {"zero", "free", "stationary"};

/* A first-order and a second-order output, both driven by one force; the first has a private force with the same kernel. */
#define DECAY 2.5
#define MASS 0.8
#define DAMPING 2.0 /* half the damper over the mass */
#define TURNS 1.5   /* frequency of the second-order output */
#define ORIGIN (-0.25)

static UNUSED lf_model *composed_model(lf_context *ctx, const kernel_case *kernel, const char *start)
{
    char text[4096];
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"origin\":%g,\"forces\":[{%s}],"
             "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode\",\"coefficients\":[1,%g]},"
             "\"sensitivity\":[1.5],\"noise_variance\":0.01,\"private\":{%s,\"amplitude\":0.7}},"
             "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":%g,\"damper\":%g,\"spring\":%.17g},"
             "\"sensitivity\":[-4],\"noise_variance\":0.02}]}",
             start, ORIGIN, kernel->fields, DECAY, kernel->fields, MASS, 2 * DAMPING * MASS,
             MASS * (DAMPING * DAMPING + TURNS * TURNS));
    return parse_model(ctx, text);
}

static UNUSED int is_white(const kernel_case *kernel) { return strcmp(kernel->name, "white") == 0; }

/* The response of an output to an impulse at 0, and to a unit k-th initial value. */
static double green(int output, double t)
{
    return t < 0 ? 0 : output == 0 ? exp(-DECAY * t) : exp(-DAMPING * t) * sin(TURNS * t) / (MASS * TURNS);
}

static double motion(int output, int k, double t)
{
    return output == 0 ? exp(-DECAY * t)
           : k == 0    ? exp(-DAMPING * t) * (cos(TURNS * t) + DAMPING / TURNS * sin(TURNS * t))
                       : exp(-DAMPING * t) * sin(TURNS * t) / TURNS;
}

enum { RULE = 8, PANELS = 64 };
static const double rule_x[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
static const double rule_w[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

/* Nodes and weights of panels of at most `width` from a to b; their number. */
static int make_rule(double a, double b, double width, double *x, double *w)
{
    int panels = b > a ? (int)ceil((b - a) / width) : 0;
    assert_true(panels <= PANELS);
    for (int p = 0; p < panels; p++) {
        double half = (b - a) / panels / 2, middle = a + (2 * p + 1) * half;
        for (int i = 0; i < RULE; i++) {
            double sign = i % 2 ? 1 : -1;
            x[p * RULE + i] = middle + sign * half * rule_x[i / 2];
            w[p * RULE + i] = half * rule_w[i / 2];
        }
    }
    return panels * RULE;
}

/* int G_d(t - s) k(s, at) ds over a … t, split where k has a kink. */
static double inner_integral(const lf_force *force, int d, double from, double t, double at)
{
    double x[PANELS * RULE], w[PANELS * RULE], sum = 0, ends[] = {from, fmin(fmax(at, from), t), t};
    for (int part = 0; part < 2; part++) {
        int n = make_rule(ends[part], ends[part + 1], 0.5, x, w);
        for (int i = 0; i < n; i++) {
            sum += w[i] * green(d, t - x[i]) * lf_force_covariance(force, x[i] - ORIGIN, at - ORIGIN);
        }
    }
    return sum;
}

/* The covariance of output d at t with output e at z that one force causes with sensitivities 1. */
static double caused_covariance(const lf_force *force, int white, double from, int d, double t, int e, double z)
{
    double x[PANELS * RULE], w[PANELS * RULE], sum = 0, ends[] = {from, fmin(t, z), z};
    for (int part = 0; part < 2; part++) {
        int n = make_rule(ends[part], ends[part + 1], 0.5, x, w);
        for (int i = 0; i < n; i++) {
            sum += w[i] * green(e, z - x[i]) * (white ? green(d, t - x[i]) : inner_integral(force, d, from, t, x[i]));
        }
    }
    return sum;
}

/* The prior covariance of scaled outputs. */
static UNUSED double brute_covariance(const lf_model *model, int white, int d, double t, int e, double z)
{
    double from = model->initial == LF_INITIAL_STATIONARY ? fmin(t, z) - 11 : ORIGIN;
    double shared = caused_covariance(&model->forces[0], white, from, d, t, e, z);
    double sum = model->outputs[d].sensitivity[0] * model->outputs[e].sensitivity[0] * shared;
    if (d == 0 && e == 0) {
        sum += model->outputs[0].private_amplitude * model->outputs[0].private_amplitude * shared;
    }
    for (int k = 0; d == e && model->initial == LF_INITIAL_FREE && k < model->outputs[d].order; k++) {
        sum += model->outputs[d].initial_variance[k] * motion(d, k, t - ORIGIN) * motion(d, k, z - ORIGIN);
    }
    return sum;
}

#endif
