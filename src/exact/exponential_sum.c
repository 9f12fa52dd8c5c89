/* Placement of the circles. A circle of radius R about a centre with real part d is accurate to rounding for times up
 * to T if R <= max(2/T, d/5) (d/5 for a stationary start), R is at most a fifth of the distance to roots outside it,
 * and R is more than three times the distance of the roots inside it. Two roots share a circle only if they are too
 * close for residues. */
#include "exact/exponential_sum.h"

#include <math.h>

#include "base/numbers.h"

/* A circle around one root or two, whose radius can be chosen between two limits. */
typedef struct cluster {
    double complex centre; /* in terms of alpha */
    double max_radius, min_radius;
    int single; /* contains one root, at its centre: the radius may be 0 */
} cluster;

typedef struct clusters {
    int count; /* clusters with Im >= 0 */
    cluster at[2];
} clusters;

static double radius_limit(double complex centre, lf_exponential_use use)
{
    double near = 0.2 * creal(centre);
    return use.stationary ? near : fmax(near, 2 / use.span);
}

static clusters find_clusters(const double *a, int order, lf_exponential_use use)
{
    if (order == 1) {
        double decay = a[1] / a[0];
        return (clusters){.count = 1, .at = {{.centre = decay, .max_radius = radius_limit(decay, use), .single = 1}}};
    }
    double half = 0.5 * a[1] / a[0], product = a[2] / a[0], discriminant = half * half - product;
    double gap = sqrt(fabs(discriminant)),
           common = radius_limit(half, use); /* gap: half the distance between the roots */
    if (gap <= 0.14 * common) {
        return (clusters){.count = 1, .at = {{.centre = half, .max_radius = common, .min_radius = 3.3 * gap}}};
    }
    if (discriminant < 0) {
        double complex centre = half + I * gap;
        return (clusters){
            .count = 1,
            .at = {{.centre = centre, .max_radius = fmin(radius_limit(centre, use), 0.4 * gap), .single = 1}}};
    }
    double fast = half + gap, slow = product / fast;
    return (clusters){.count = 2,
                      .at = {{.centre = fast, .max_radius = fmin(radius_limit(fast, use), 0.4 * gap), .single = 1},
                             {.centre = slow, .max_radius = fmin(radius_limit(slow, use), 0.4 * gap), .single = 1}}};
}

static double radius(const cluster *c, double scale)
{
    return scale == 0 && c->single ? 0 : fmax(scale * c->max_radius, c->min_radius);
}

static int all_single(const clusters *set)
{
    for (int k = 0; k < set->count; k++) {
        if (!set->at[k].single) {
            return 0;
        }
    }
    return 1;
}

/* The exponentials on the circles, scaled by `scale`; 0: residues. */
static void place_exponentials(const clusters *set, double scale, const double *a, int order, lf_exponentials *sum)
{
    *sum = (lf_exponentials){.order = order};
    for (int k = 0; k <= order; k++) {
        sum->a[k] = a[k];
    }
    int n = 0, exact = scale == 0;
    for (int k = 0; k < set->count; k++) {
        double complex centre = set->at[k].centre;
        double r = radius(&set->at[k], scale);
        int nodes = exact ? 1 : cimag(centre) == 0 ? LF_CIRCLE_NODES / 2 : LF_CIRCLE_NODES;
        for (int i = 0; i < nodes; i++, n++) {
            double angle = 2 * LF_PI * (i + 0.5) / LF_CIRCLE_NODES;
            double complex step = exact ? 0 : r * (cos(angle) + I * sin(angle));
            sum->alpha[n] = centre + step;
            if (exact) {
                double complex other = set->count == 2 ? set->at[1 - k].centre : conj(centre);
                sum->c[n] = 1 / (order == 1 ? a[0] : a[0] * (other - centre));
            } else { /* (s - centre) / (nodes p(s)), s = -alpha */
                sum->c[n] = -step / (LF_CIRCLE_NODES * lf_ode_polynomial(a, order, -sum->alpha[n]));
            }
        }
    }
    int conjugates = !exact || cimag(sum->alpha[0]) != 0;
    sum->distinct = n;
    sum->count = conjugates ? 2 * n : n;
    sum->weight = conjugates ? 2 : 1;
    for (int i = n; i < sum->count; i++) {
        sum->alpha[i] = conj(sum->alpha[i - n]);
        sum->c[i] = conj(sum->c[i - n]);
    }
}

/* The least distance between the circles of one side and the mirrored circles of the other, relative to the decay rate
 * or the inverse span. */
static double clearance(const clusters *a, double scale_a, const clusters *b, double scale_b, lf_exponential_use use)
{
    double least = INFINITY;
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < b->count; j++) {
            double complex alpha = a->at[i].centre, beta = b->at[j].centre;
            double ra = radius(&a->at[i], scale_a), rb = radius(&b->at[j], scale_b);
            double unit = use.stationary ? creal(alpha + beta) : fmax(1 / use.span, creal(alpha + beta));
            for (int k = 0; k < 2; k++, beta = conj(beta)) {
                double distance = cabs(alpha + beta);
                double gap = distance >= ra + rb ? distance - ra - rb : fabs(ra - rb) - distance;
                least = fmin(least, gap / unit);
            }
        }
    }
    return least;
}

void lf_exponentials_pair(const double *a, int order_a, const double *b, int order_b, lf_exponential_use use,
                          lf_exponentials *left, lf_exponentials *right)
{
    static const double scales[] = {0, 1, 0.55, 0.3, 0.16, 0.09};
    enum { COUNT = sizeof scales / sizeof *scales };
    clusters in_a = find_clusters(a, order_a, use), in_b = find_clusters(b, order_b, use);
    int from_a = use.gradient || !all_single(&in_a), from_b = use.gradient || !all_single(&in_b);
    double best = -INFINITY, scale_a = 1, scale_b = 1;
    const double enough = 0.3;
    for (int i = from_a; i < COUNT && best < enough; i++) {
        for (int j = from_b; j < COUNT && best < enough; j++) {
            double value = clearance(&in_a, scales[i], &in_b, scales[j], use);
            if (value > best) {
                best = value;
                scale_a = scales[i];
                scale_b = scales[j];
            }
        }
    }
    place_exponentials(&in_a, scale_a, a, order_a, left);
    place_exponentials(&in_b, scale_b, b, order_b, right);
}

void lf_exponentials_single(const double *a, int order, lf_exponential_use use, lf_exponentials *sum)
{
    clusters in_a = find_clusters(a, order, use);
    place_exponentials(&in_a, use.gradient || !all_single(&in_a) ? 1 : 0, a, order, sum);
}

double complex lf_exponentials_slope(const lf_exponentials *sum, int i, int k)
{
    double complex s = -sum->alpha[i], power = 1;
    for (int n = k; n < sum->order; n++) {
        power *= s;
    }
    return -sum->c[i] * power / lf_ode_polynomial(sum->a, sum->order, s);
}
