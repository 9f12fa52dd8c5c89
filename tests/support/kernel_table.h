/* The table of kernels that tests go through, with their covariances by formulas that share nothing with the library; models with forces
 * of every kernel; and the covariances of their outputs by brute force: Green's functions times the covariance of the forces, integrated by
 * Gauss and Legendre's rule, which shares nothing with states or frequencies. */
#ifndef LF_TESTS_KERNEL_TABLE_H
#define LF_TESTS_KERNEL_TABLE_H

#include "base/gauss_legendre.h"
#include "model/model.h"
#include "support.h"

/* A term: an envelope, times a cosine where it has a period, or times harmonics of a period where it has these. */
typedef struct kernel_part {
    const char *envelope; /* NULL: 1 */
    double lengthscale, weight;
    double period, period_lengthscale;
    int harmonics;
} kernel_part;

enum { MOST_PARTS = 4 };
typedef struct kernel_case {
    kernel_part parts[MOST_PARTS]; /* up to the first that is 0, but for the first */
    int gaps; /* between the nodes of the lowrank engine; the fourier engine fills them, and takes seconds */
} kernel_case;

#define PERIODIC(H) .period = 1.7, .period_lengthscale = 0.9, .harmonics = H
static const kernel_case kernel_cases[] = {
    {.parts = {{"eq", 0.6}}},
    {.parts = {{"matern12", 0.8}}},
    {.parts = {{"matern32", 0.8}}},
    {.parts = {{"matern52", 0.8}}},
    {.parts = {{PERIODIC(4)}}},
    {.parts = {{.period = 2.3, .period_lengthscale = 0.4, .harmonics = 7}}},
    {.parts = {{.period = 1.3}}},
    {.parts = {{"constant"}}},
    {.parts = {{"linear", 1.5}}},
    {.parts = {{"white"}}},
    {.parts = {{"eq", 3, PERIODIC(2)}}},
    {.parts = {{"eq", 15, PERIODIC(2)}}, .gaps = 1},
    {.parts = {{"matern12", 2, PERIODIC(2)}}},
    {.parts = {{"matern32", 2, PERIODIC(4)}}},
    {.parts = {{"matern52", 2, PERIODIC(1)}}},
    {.parts = {{"eq", 1.1, .period = 2}}},
    {.parts = {{"matern32", 1.1, .period = 0.9}}},
    {.parts = {{"eq", 0.9, 1}, {"eq", 1.3, 0.6, .period = 0.7}}},
    {.parts = {{"eq", 5, 1, PERIODIC(1)}, {"matern32", 0.8, 2}}},
    {.parts = {{.weight = 1, PERIODIC(4)}, {"eq", 0.8, 2}, {"constant", .weight = 0.5}}},
    {.parts = {{.weight = 1, PERIODIC(1)}, {"matern12", 0.7, 0.6}, {"linear", 2, 0.3}, {"constant", .weight = 0.2}}},
};
enum { KERNEL_CASES = sizeof kernel_cases / sizeof *kernel_cases };

static int part_count(const kernel_case *kernel)
{
    int count = 1;
    while (count < MOST_PARTS && kernel->parts[count].weight > 0) {
        count++;
    }
    return count;
}

/* Whether the envelope of any part begins like this. */
static UNUSED int has_envelope(const kernel_case *kernel, const char *name)
{
    int has = 0;
    for (int i = 0; i < part_count(kernel); i++) {
        const char *envelope = kernel->parts[i].envelope;
        has = has || (envelope && strncmp(envelope, name, strlen(name)) == 0);
    }
    return has;
}

static UNUSED int is_rough(const kernel_case *kernel) { return has_envelope(kernel, "matern"); }
static UNUSED int is_white(const kernel_case *kernel) { return has_envelope(kernel, "white"); }
/* By states. */
static UNUSED int is_approximate(const kernel_case *kernel) { return has_envelope(kernel, "eq"); }
/* A white force has no variance, and the covariance of a linear one is no function of the lag. */
static UNUSED int has_spectrum(const kernel_case *kernel)
{
    return !is_white(kernel) && !has_envelope(kernel, "linear");
}

static UNUSED int is_plain(const kernel_case *kernel)
{
    return part_count(kernel) == 1 && kernel->parts[0].period == 0 && (is_rough(kernel) || is_approximate(kernel));
}

/* Lines in its spectrum. */
static UNUSED int line_count(const kernel_case *kernel)
{
    int lines = 0;
    for (int i = 0; i < part_count(kernel); i++) {
        const kernel_part *part = &kernel->parts[i];
        lines += !part->envelope || strcmp(part->envelope, "constant") == 0 ? part->harmonics + 1 : 0;
    }
    return lines;
}

/* The members of a force with this kernel in a model file. */
static void force_fields(const kernel_case *kernel, size_t size, char *text)
{
    char formula[256] = "", values[512] = "";
    int count = part_count(kernel);
    for (int i = 0; i < count; i++) {
        const kernel_part *part = &kernel->parts[i];
        size_t f = strlen(formula), v = strlen(values);
        const char *product = part->envelope && part->period > 0 ? "*" : "", *sum = i ? " + " : "";
        f += (size_t)snprintf(formula + f, sizeof formula - f, "%s%s%s", sum, part->envelope ? part->envelope : "",
                              product);
        if (part->harmonics) {
            snprintf(formula + f, sizeof formula - f, "periodic(harmonics=%d)", part->harmonics);
        } else if (part->period > 0) {
            snprintf(formula + f, sizeof formula - f, "cosine");
        }
        v += (size_t)snprintf(values + v, sizeof values - v, "%s", count == 1 ? "" : i ? ",{" : ",\"terms\":[{");
        const struct {
            const char *name;
            double value;
        } members[] = {{"lengthscale", part->lengthscale},
                       {"period", part->period},
                       {"period_lengthscale", part->period_lengthscale},
                       {"weight", count > 1 ? part->weight : 0}};
        for (size_t k = 0, found = count == 1; k < 4; k++) {
            if (members[k].value > 0) {
                v += (size_t)snprintf(values + v, sizeof values - v, "%s\"%s\":%.17g", found ? "," : "",
                                      members[k].name, members[k].value);
                found = 1;
            }
        }
        snprintf(values + v, sizeof values - v, "%s", count == 1 ? "" : i + 1 < count ? "}" : "}]");
    }
    snprintf(text, size, "\"kernel\":\"%s\"%s", formula, values);
}

/* ---- covariances by formula ---- */

/* exp(-2 sin^2(pi r / T) / p^2), of which the Fourier series is cut off after H harmonics and scaled to 1 at 0. */
static double repeat(const kernel_part *part, double r)
{
    enum { POINTS = 256 };
    double pi = acos(-1), p = part->period_lengthscale, sum = 0, total = 0;
    for (int h = 0; h <= part->harmonics; h++) {
        double weight = 0;
        for (int i = 0; i < POINTS; i++) {
            double s = sin(pi * i / POINTS);
            weight += exp(-2 * s * s / (p * p)) * cos(2 * pi * h * i / POINTS) * (h ? 2 : 1);
        }
        sum += weight * cos(2 * pi * h * r / part->period);
        total += weight;
    }
    return sum / total;
}

static double envelope_at(const kernel_part *part, double t, double s)
{
    const char *name = part->envelope ? part->envelope : "constant";
    double z = part->lengthscale > 0 ? fabs(t - s) / part->lengthscale : 0;
    if (strcmp(name, "constant") == 0) {
        return 1;
    }
    if (strcmp(name, "linear") == 0) {
        return t * s / (part->lengthscale * part->lengthscale);
    }
    double r = z * sqrt(strcmp(name, "matern52") == 0 ? 5 : 3);
    return strcmp(name, "eq") == 0         ? exp(-z * z)
           : strcmp(name, "matern12") == 0 ? exp(-z)
           : strcmp(name, "matern32") == 0 ? (1 + r) * exp(-r)
                                           : (1 + r + r * r / 3) * exp(-r);
}

/* At times counted from the origin; not of a white force. */
static UNUSED double formula_covariance(const kernel_case *kernel, double t, double s)
{
    double sum = 0, total = 0;
    for (int i = 0; i < part_count(kernel); i++) {
        const kernel_part *part = &kernel->parts[i];
        double weight = part->weight > 0 ? part->weight : 1;
        sum += weight * envelope_at(part, t, s) *
               (part->harmonics    ? repeat(part, t - s)
                : part->period > 0 ? cos(2 * acos(-1) * (t - s) / part->period)
                                   : 1);
        total += weight;
    }
    return sum / total;
}

/* ---- models ---- */

static const char *const start_names[] UNUSED = {"zero", "free", "stationary"};

/* A first-order and a second-order output, both driven by one force; the first has a private force with the same kernel. */
#define DECAY 2.5
#define MASS 0.8
#define DAMPING 2.0 /* half the damper over the mass */
#define TURNS 1.5   /* frequency of the second-order output */
#define ORIGIN (-0.25)

static UNUSED lf_model *composed_model(lf_context *ctx, const kernel_case *kernel, const char *start)
{
    char text[4096], fields[1024];
    force_fields(kernel, sizeof fields, fields);
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"origin\":%g,\"forces\":[{%s}],"
             "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode\",\"coefficients\":[1,%g]},"
             "\"sensitivity\":[1.5],\"noise_variance\":0.01,\"private\":{%s,\"amplitude\":0.7}},"
             "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":%g,\"damper\":%g,\"spring\":%.17g},"
             "\"sensitivity\":[-4],\"noise_variance\":0.02}]}",
             start, ORIGIN, fields, DECAY, fields, MASS, 2 * DAMPING * MASS,
             MASS * (DAMPING * DAMPING + TURNS * TURNS));
    return parse_model(ctx, text);
}

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

enum { RULE = LF_GAUSS_POINTS, PANELS = 32 };

/* Nodes and weights of panels of at most `width` from a to b; their number. */
static int make_rule(double a, double b, double width, double *x, double *w)
{
    int panels = b > a ? (int)ceil((b - a) / width) : 0;
    assert_true(panels <= PANELS);
    for (int p = 0; p < panels; p++) {
        double half = (b - a) / panels / 2, middle = a + (2 * p + 1) * half;
        for (int i = 0; i < RULE; i++) {
            double sign = i % 2 ? 1 : -1;
            x[p * RULE + i] = middle + sign * half * lf_gauss_x[i / 2];
            w[p * RULE + i] = half * lf_gauss_w[i / 2];
        }
    }
    return panels * RULE;
}

/* The covariance of a force by its atoms, which are checked by formula_covariance(); that takes longer. */
typedef struct atom_list {
    int count;
    lf_atom atoms[64];
} atom_list;

static double atoms_covariance(const atom_list *list, double t, double s)
{
    double sum = 0, r = fabs(t - s);
    for (int i = 0; i < list->count; i++) {
        const lf_atom *atom = &list->atoms[i];
        double l = atom->lengthscale;
        double e = !atom->envelope                             ? 1
                   : atom->envelope == &lf_force_kernel_linear ? t * s / (l * l)
                                                               : atom->envelope->covariance(r / l);
        sum += atom->variance * e * (atom->frequency > 0 ? cos(atom->frequency * r) : 1);
    }
    return sum;
}

/* int G_d(t - s) k(s, at) ds over a … t, split where k has a kink. */
static double inner_integral(const atom_list *force, int d, double from, double t, double at)
{
    double x[PANELS * RULE], w[PANELS * RULE], sum = 0, ends[] = {from, fmin(fmax(at, from), t), t};
    for (int part = 0; part < 2; part++) {
        int n = make_rule(ends[part], ends[part + 1], 1, x, w);
        for (int i = 0; i < n; i++) {
            sum += w[i] * green(d, t - x[i]) * atoms_covariance(force, x[i] - ORIGIN, at - ORIGIN);
        }
    }
    return sum;
}

/* The covariance of output d at t with output e at z that one force causes with sensitivities 1. */
static double caused_covariance(const atom_list *force, int white, double from, int d, double t, int e, double z)
{
    double x[PANELS * RULE], w[PANELS * RULE], sum = 0, ends[] = {from, fmin(t, z), z};
    for (int part = 0; part < 2; part++) {
        int n = make_rule(ends[part], ends[part + 1], 1, x, w);
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
    atom_list list = {.count = lf_force_atom_count(&model->forces[0])};
    assert_true(list.count <= 64);
    lf_force_atoms(&model->forces[0], list.atoms);
    double shared = caused_covariance(&list, white, from, d, t, e, z);
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
