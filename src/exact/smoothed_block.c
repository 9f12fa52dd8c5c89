/* The forces that couple two targets, and sums over the entries of a block. With r = x - z, the covariance of the
 * derivatives of order i and j is (-1)^j K^(i + j)(r). */
#include "exact/smoothed_block.h"

#include <math.h>

#include "exact/smoothed_matern.h"
#include "model/model.h"

int lf_target_is_smoothed(const lf_model *model, int target)
{
    int d = lf_target_output(model, target);
    return d < 0 || !model->outputs[d].op->is_ode;
}

/* A Matern force that drives two targets. */
typedef struct coupling {
    const lf_force *force;
    int index;     /* q of a shared force, -1 for the private one */
    double Sa, Sb; /* sensitivities */
    double V;      /* of both operators together */
    int order_a, order_b;
} coupling;

static double sensitivity(const lf_model *model, int target, int q)
{
    int d = lf_target_output(model, target);
    return d < 0 ? lf_target_force(model, target) == q : model->outputs[d].sensitivity[q];
}

static double smoothing(const lf_model *model, int target)
{
    int d = lf_target_output(model, target);
    return d < 0 ? 0 : 1 / model->outputs[d].constants[0];
}

/* Coupling number k of two targets: the shared forces, then the private force. Returns 0 after the last; force is NULL
 * where there is nothing to add. */
static int find_coupling(const lf_model *model, int a, int b, int k, coupling *c)
{
    int d = lf_target_output(model, a), e = lf_target_output(model, b);
    *c = (coupling){.V = smoothing(model, a) + smoothing(model, b),
                    .order_a = lf_target_is_rate(model, a),
                    .order_b = lf_target_is_rate(model, b)};
    if (k > model->force_count || !lf_target_is_smoothed(model, a) || !lf_target_is_smoothed(model, b) ||
        (d < 0 && e < 0)) {
        return 0;
    }
    if (k < model->force_count) {
        c->force = &model->forces[k];
        c->index = k;
        c->Sa = sensitivity(model, a, k);
        c->Sb = sensitivity(model, b, k);
    } else if (d == e && model->outputs[d].has_private) {
        c->force = &model->outputs[d].private_force;
        c->index = -1;
        c->Sa = c->Sb = model->outputs[d].private_amplitude;
    }
    if (c->force && c->force->kernel->tail_power == 0) {
        c->force = NULL;
    }
    return 1;
}

static double covariance(const coupling *c, double r)
{
    lf_smoothed K = lf_smoothed_matern(c->force->kernel, c->force->lengthscale[0], c->V, fabs(r));
    int order = c->order_a + c->order_b;
    double value = order == 0 ? K.value : order == 1 ? (r < 0 ? -K.slope : K.slope) : K.curvature;
    return c->Sa * c->Sb * (c->order_b ? -value : value);
}

static void add_blocks(const lf_model *model, const lf_point_set *A, const lf_point_set *B, int slopes, double *K,
                       size_t ld)
{
    coupling c;
    for (int gb = 0; gb < B->group_count; gb++) {
        for (int ga = A == B ? gb : 0; ga < A->group_count; ga++) {
            int lower = A == B && ga == gb;
            for (int k = 0; find_coupling(model, A->target[ga], B->target[gb], k, &c); k++) {
                if (!c.force || c.Sa == 0 || c.Sb == 0) {
                    continue;
                }
                c.order_b += slopes;
#pragma omp parallel for schedule(dynamic, 8) if (A->n * B->n > 1024)
                for (size_t j = B->start[gb]; j < B->start[gb + 1]; j++) {
                    for (size_t i = lower ? j : A->start[ga]; i < A->start[ga + 1]; i++) {
                        K[j * ld + i] += covariance(&c, A->x[i] - B->x[j]);
                    }
                }
            }
        }
    }
}

void lf_smoothed_add(const lf_model *model, const lf_point_set *A, const lf_point_set *B, double *K, size_t ld)
{
    add_blocks(model, A, B, 0, K, ld);
}

void lf_smoothed_slopes(const lf_model *model, const lf_point_set *A, const lf_point_set *U, double *slopes, size_t ld)
{
    add_blocks(model, A, U, 1, slopes, ld);
}

void lf_smoothed_diagonal(const lf_model *model, const lf_point_set *A, double *k)
{
    coupling c;
    for (int g = 0; g < A->group_count; g++) {
        double variance = 0;
        for (int i = 0; find_coupling(model, A->target[g], A->target[g], i, &c); i++) {
            variance += c.force && c.Sa != 0 ? covariance(&c, 0) : 0;
        }
        for (size_t i = A->start[g]; i < A->start[g + 1]; i++) {
            k[i] += variance;
        }
    }
}

/* sum_mn G[m,n] times K, dK/dl and dK/dV over a block. */
typedef struct block_sums {
    double value, by_lengthscale, by_V;
} block_sums;

static block_sums add_up(const coupling *c, const lf_point_set *A, int ga, const lf_point_set *B, int gb,
                         const double *G, size_t ld)
{
    enum { CHUNKS = 16 }; /* a fixed number, so that the sums do not depend on the number of threads */
    block_sums partial[CHUNKS] = {{0}}, sums = {0};
    size_t first = B->start[gb], n = B->start[gb + 1] - first;
#pragma omp parallel for schedule(dynamic) if (A->n * B->n > 1024)
    for (size_t chunk = 0; chunk < CHUNKS; chunk++) {
        block_sums sum = {0};
        for (size_t j = first + chunk * n / CHUNKS; j < first + (chunk + 1) * n / CHUNKS; j++) {
            for (size_t i = A->start[ga]; i < A->start[ga + 1]; i++) {
                double g = G[j * ld + i];
                lf_smoothed K =
                    lf_smoothed_matern(c->force->kernel, c->force->lengthscale[0], c->V, fabs(A->x[i] - B->x[j]));
                sum.value += g * K.value;
                sum.by_lengthscale += g * K.by_lengthscale;
                sum.by_V += g * K.curvature / 2;
            }
        }
        partial[chunk] = sum;
    }
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        sums.value += partial[chunk].value;
        sums.by_lengthscale += partial[chunk].by_lengthscale;
        sums.by_V += partial[chunk].by_V;
    }
    return sums;
}

static void add_precision(const lf_model *model, int target, double by_V, double *gradient)
{
    double s = smoothing(model, target);
    if (s > 0) {
        gradient[lf_index_constants(model, target)] -= by_V * s * s;
    }
}

static void add_gradient(const lf_model *model, int a, int b, const coupling *c, block_sums sums, double *gradient)
{
    int output_a = !lf_target_is_force(model, a), output_b = !lf_target_is_force(model, b);
    if (c->index < 0) {
        gradient[lf_index_private_amplitude(model, a)] += 2 * c->Sa * sums.value;
        gradient[lf_index_private_kernel(model, a)] += c->Sa * c->Sb * sums.by_lengthscale;
    } else {
        gradient[lf_index_kernel(model, c->index)] += c->Sa * c->Sb * sums.by_lengthscale;
        if (output_a) {
            gradient[lf_index_sensitivity(model, a) + c->index] += c->Sb * sums.value;
        }
        if (output_b) {
            gradient[lf_index_sensitivity(model, b) + c->index] += c->Sa * sums.value;
        }
    }
    add_precision(model, a, c->Sa * c->Sb * sums.by_V, gradient);
    add_precision(model, b, c->Sa * c->Sb * sums.by_V, gradient);
}

void lf_smoothed_gradient(const lf_model *model, const lf_point_set *A, const lf_point_set *B, const double *G,
                          size_t ld, double *gradient)
{
    coupling c;
    for (int gb = 0; gb < B->group_count; gb++) {
        for (int ga = 0; ga < A->group_count; ga++) {
            int a = A->target[ga], b = B->target[gb];
            for (int k = 0; find_coupling(model, a, b, k, &c); k++) {
                if (c.force && (c.Sa != 0 || c.Sb != 0)) {
                    add_gradient(model, a, b, &c, add_up(&c, A, ga, B, gb, G, ld), gradient);
                }
            }
        }
    }
}
