/* Covariances of Matern forces where numbers are extreme: very fast and very slow operators, lengthscales of 1e-6, spans of
 * 65536 lengthscales, unstable equations, repeated inputs, times near 1.7e9. Reference: partial fractions and closed forms
 * in extended precision.
 *
 * With f_a = int_0^t e^{-a (t - p)} u(p) dp and Cov u = e^{-b |r|}, t >= s,
 *
 *   Cov[f_a(t), f_c(s)] = [E(a) - e^{-a t} (e^{-b s} - e^{-c s}) / (c - b)] / (a + b) + [E(b) - E(a)] / (a - b),
 *   E(x) = e^{-x (t - s)} (1 - e^{-(c + x) s}) / (c + x)
 *
 * The Matern kernels are (1 - b d/db) e^{-b r} and (1 - b d/db + b^2/3 d^2/db^2) e^{-b r}: all of this is computed with
 * Taylor series in b. */
#include <complex.h>
#include <float.h>

#include "support.h"

#include "model/model.h"

typedef long double complex number;

/* value, first derivative, half the second one, by b */
typedef struct series {
    number v[3];
} series;

static series constant(number x) { return (series){{x, 0, 0}}; }
static series variable(number x) { return (series){{x, 1, 0}}; }
static series scaled(series x, number f) { return (series){{f * x.v[0], f * x.v[1], f * x.v[2]}}; }
static series sum(series x, series y) { return (series){{x.v[0] + y.v[0], x.v[1] + y.v[1], x.v[2] + y.v[2]}}; }
static series minus(series x, series y) { return sum(x, scaled(y, -1)); }
static series times(series x, series y)
{
    return (series){
        {x.v[0] * y.v[0], x.v[0] * y.v[1] + x.v[1] * y.v[0], x.v[0] * y.v[2] + x.v[1] * y.v[1] + x.v[2] * y.v[0]}};
}
static series over(series x, series y)
{
    series q;
    q.v[0] = x.v[0] / y.v[0];
    q.v[1] = (x.v[1] - q.v[0] * y.v[1]) / y.v[0];
    q.v[2] = (x.v[2] - q.v[0] * y.v[2] - q.v[1] * y.v[1]) / y.v[0];
    return q;
}
static series exponential(series x)
{
    number e = cexpl(x.v[0]);
    return (series){{e, e * x.v[1], e * (x.v[2] + 0.5L * x.v[1] * x.v[1])}};
}
/* 1 - e^{-x} */
static series risen(series x)
{
    series e = exponential(scaled(x, -1));
    number small = 0, term = 1;
    for (int k = 1; k < 25; k++) {
        term *= -x.v[0] / k;
        small -= term;
    }
    return (series){{cabsl(x.v[0]) < 0.5L ? small : 1 - e.v[0], -e.v[1], -e.v[2]}};
}

typedef struct lag_and_time {
    long double lag, s; /* s: the earlier time since the origin; infinite: stationary */
} lag_and_time;

static series memory_term(series x, number c, lag_and_time p)
{
    series rate = sum(x, constant(c)), e = exponential(scaled(x, -p.lag));
    return over(isinf(p.s) ? e : times(e, risen(scaled(rate, p.s))), rate);
}

static series outputs(number a, number c, series b, lag_and_time p)
{
    series A = constant(a), start = constant(0);
    if (!isinf(p.s)) {
        series gap = minus(exponential(scaled(b, -p.s)), constant(cexpl(-c * p.s)));
        start = over(scaled(gap, cexpl(-a * (p.lag + p.s))), minus(constant(c), b));
    }
    return sum(over(minus(memory_term(A, c, p), start), sum(A, b)),
               over(minus(memory_term(b, c, p), memory_term(A, c, p)), minus(A, b)));
}

/* The output later than the force, and earlier. */
static series output_force(number a, series b, lag_and_time p)
{
    number e = cexpl(-a * p.lag);
    series A = constant(a), past = constant(e);
    if (!isinf(p.s)) {
        past = minus(past, scaled(exponential(scaled(b, -p.s)), cexpl(-a * (p.lag + p.s))));
    }
    return sum(over(past, sum(A, b)), over(minus(exponential(scaled(b, -p.lag)), constant(e)), minus(A, b)));
}
static series force_output(number a, series b, lag_and_time p)
{
    series rate = sum(constant(a), b), e = exponential(scaled(b, -p.lag));
    return over(isinf(p.s) ? e : times(e, risen(scaled(rate, p.s))), rate);
}

static long double matern(int nu2, number b, series k)
{
    return creall(nu2 == 1 ? k.v[0] : nu2 == 3 ? k.v[0] - b * k.v[1] : k.v[0] - b * k.v[1] + 2 * b * b / 3 * k.v[2]);
}

typedef struct system_case {
    const char *coefficients;
    int order;
    number root[3];
    double sensitivity, longest; /* the longest time */
    int stable;
} system_case;

/* Covariance of two of output, force, rate (0, 1, 2); `unit` is the sum of the moduli of its terms. */
static long double covariance(const system_case *c, int nu2, long double l, int later, int earlier, lag_and_time p,
                              long double *unit)
{
    number weight[3], b = sqrtl(nu2) / l;
    series B = variable(b), k = exponential(scaled(B, -p.lag));
    long double total = 0;
    number own[2][3], force[2]; /* each target is sum own_i f_i + force u */
    for (int i = 0; i < c->order; i++) {
        weight[i] = c->sensitivity;
        for (int j = 0; j < c->order; j++) {
            weight[i] /= j == i ? 1 : c->root[i] - c->root[j];
        }
    }
    for (int side = 0; side < 2; side++) {
        int target = side ? earlier : later;
        force[side] = target == 1 ? 1 : target == 2 && c->order == 1 ? c->sensitivity : 0;
        for (int i = 0; i < c->order; i++) {
            own[side][i] = target == 0 ? weight[i] : target == 2 ? weight[i] * c->root[i] : 0;
        }
    }
    series all = scaled(k, force[0] * force[1]);
    *unit = fabsl(matern(nu2, b, all));
    for (int i = 0; i < c->order; i++) {
        series parts[2] = {scaled(output_force(-c->root[i], B, p), own[0][i] * force[1]),
                           scaled(force_output(-c->root[i], B, p), own[1][i] * force[0])};
        for (int j = 0; j < 2; j++) {
            all = sum(all, parts[j]);
            *unit += fabsl(matern(nu2, b, parts[j]));
        }
        for (int j = 0; j < c->order; j++) {
            series part = scaled(outputs(-c->root[i], -c->root[j], B, p), own[0][i] * own[1][j]);
            all = sum(all, part);
            *unit += fabsl(matern(nu2, b, part));
        }
    }
    total = matern(nu2, b, all);
    return total;
}

static void test_extremes(void **state)
{
    if (LDBL_MANT_DIG < 64) {
        skip(); /* no extended precision here */
    }
    long double damped = sqrtl(400 - 0x1p-20L);
    const system_case cases[] = {
        {"1,10000000", 1, {-1e7L}, 1e7, 65536, 1},
        {"1,1", 1, {-1}, 1, 65536, 1},
        {"1,0.0009765625", 1, {-0x1p-10L}, 1, 65536, 1},
        {"1,-0.5", 1, {0.5L}, 1, 40, 0},
        {"1,0.001953125,400", 2, {-0x1p-10L + damped * I, -0x1p-10L - damped * I}, 20, 1024, 1},
        {"1,1048576.0009765625,1024", 2, {-0x1p-10L, -0x1p20L}, 1e6, 65536, 1},
        {"1,-0.125,-0.375", 2, {0.6775822L, -0.5525822L}, 1, 30, 0},
        {"1,1041,17424,16384", 3, {-1, -16, -1024}, 1e4, 65536, 1},
    };
    static const double lengthscales[] = {0.8, 1e-6, 3000};
    static const double since[] = {0, 0.25, 0.25, 0.25 + 0x1p-20, 1, 1.5, 10, 39, 1024, 65536};
    enum { TIMES = sizeof since / sizeof *since, N = 3 * TIMES };
    lf_context *ctx = *state;
    double worst = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        system_case c = cases[k];
        if (k == 6) { /* x^2 - x / 8 - 3 / 8 */
            c.root[0] = (0.125L + sqrtl(0.015625L + 1.5L)) / 2;
            c.root[1] = (0.125L - sqrtl(0.015625L + 1.5L)) / 2;
        }
        for (int trial = 0; trial < 18; trial++) {
            int nu2 = 1 + 2 * (trial % 3), stationary = trial / 3 % 2, n = 0;
            double l = lengthscales[trial / 6], origin = trial % 2 ? 1.7e9 : 0, x[N], K[N * N];
            int target[N];
            if (stationary && !c.stable) {
                continue;
            }
            char text[1024];
            snprintf(text, sizeof text,
                     "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"origin\":%.17g,\"forces\":[{"
                     "\"kernel\":\"matern%d2\",\"lengthscale\":%.17g}],\"outputs\":[{\"name\":\"a\",\"operator\":{"
                     "\"type\":\"ode\",\"coefficients\":[%s]},\"sensitivity\":[%.17g],\"noise_variance\":1}]}",
                     stationary ? "stationary" : "zero", origin, nu2, l, c.coefficients, c.sensitivity);
            lf_model *model = parse_model(ctx, text);
            for (int i = 0; i < N; i++) {
                if (since[i % TIMES] <= c.longest) {
                    target[n] = i / TIMES;
                    x[n++] = origin + since[i % TIMES];
                }
            }
            lf_point_list points = {.n = (size_t)n, .target = target, .x = x};
            assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
            /* A rate is the small difference of larger terms where the operator is faster than the force: its error is
             * relative to the fastest root times the output. */
            double size[N], fastest = 0;
            for (int i = 0; i < c.order; i++) {
                fastest = fmax(fastest, (double)cabsl(c.root[i]));
            }
            for (int i = 0; i < n; i++) {
                int output = i % (n / 3);
                size[i] = fmax(sqrt(K[i * n + i]), target[i] == 2 ? fastest * sqrt(K[output * n + output]) : 0);
            }
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    int later = x[i] >= x[j] ? i : j, earlier = later == i ? j : i;
                    lag_and_time p = {(long double)x[later] - x[earlier],
                                      stationary ? (long double)INFINITY : (long double)x[earlier] - origin};
                    long double unit, expected = covariance(&c, nu2, l, target[later], target[earlier], p, &unit);
                    /* the reference has 18 digits of the largest of its terms */
                    double scale = size[i] * size[j], lost = (double)(1e-17L * unit);
                    double error = fmax(0, fabs((double)(K[i * n + j] - expected)) - lost);
                    error = scale > 0 ? error / scale : error;
                    if (!(error <= 1e-11)) {
                        print_error("%s nu %d/2 l %g %s origin %g: targets %d %d at %.9g %.9g: %.17g instead of %.17Lg "
                                    "(%.2g of the scale)\n",
                                    c.coefficients, nu2, l, stationary ? "stationary" : "zero", origin, target[later],
                                    target[earlier], x[later] - origin, x[earlier] - origin, K[i * n + j], expected,
                                    error);
                    }
                    worst = fmax(worst, error);
                }
            }
            lf_model_free(model);
        }
    }
    assert_near(worst, 0, 1e-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_extremes)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
