/* Covariance blocks from response columns, one strip of frequencies after the other:
 *   K_ab += V_a diag(c_ab) V_b',   c_ab[s] = sum_q S_aq S_bq w_q[s]  (+ amplitude^2 w_private[s] if a = b). */
#include "exact/quadrature.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "exact/node_pass.h"

const char *lf_quadrature_obstacle(const lf_model *model)
{
    int spectral = 1;
    for (int q = 0; q < model->force_count; q++) {
        spectral = spectral && lf_force_has_spectrum(&model->forces[q]);
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        spectral = spectral && (!output->has_private || lf_force_has_spectrum(&output->private_force));
    }
    return model->input_dim > 1 ? "several inputs are not supported"
           : !spectral          ? "linear and white forces have no integrable spectrum"
                                : NULL;
}

double lf_quadrature_columns(const lf_model *model, double tolerance, double earliest, double latest)
{
    return 2 * lf_grids_count(model, (lf_grid_spec){.earliest = earliest, .latest = latest, .tolerance = tolerance});
}

/* target (n, 2 count) = source with column s and column count + s multiplied by c[s]. */
static void scale_columns(size_t n, size_t count, const double *c, const double *source, double *target)
{
    for (size_t s = 0; s < 2 * count; s++) {
        double factor = c[s < count ? s : s - count];
        for (size_t i = 0; i < n; i++) {
            target[s * n + i] = factor * source[s * n + i];
        }
    }
}

/* Adds the current strip to the block of two groups. */
static void add_block(lf_node_pass *pass, int ga, int gb, double *K, size_t ld)
{
    const lf_column_side *a = &pass->a, *b = pass->symmetric ? &pass->a : &pass->b;
    size_t count = pass->count, na = a->set->start[ga + 1] - a->set->start[ga];
    size_t nb = b->set->start[gb + 1] - b->set->start[gb];
    const double *Va = a->V + a->set->start[ga] * 2 * count, *Vb = b->V + b->set->start[gb] * 2 * count;
    double *block = K + b->set->start[gb] * ld + a->set->start[ga];
    if (!lf_node_pass_couple(pass, a->set->target[ga], b->set->target[gb])) {
        return;
    }
    if (Va != Vb) {
        scale_columns(nb, count, pass->c, Vb, pass->work);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)na, (int)nb, (int)(2 * count), 1, Va, (int)na,
                    pass->work, (int)nb, 1, block, (int)ld);
        return;
    }
    for (size_t s = 0; s < count; s++) {
        pass->c[s] = sqrt(pass->c[s]);
    }
    scale_columns(nb, count, pass->c, Vb, pass->work);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)na, (int)(2 * count), 1, pass->work, (int)na, 1, block,
                (int)ld);
}

static double force_variance(const lf_model *model, int target, double x)
{
    const lf_force *force = &model->forces[target - model->output_count];
    return force->kernel ? 1 : lf_force_covariance(force, x - model->origin, x - model->origin);
}

/* Covariances between forces are the kernel itself. */
static void force_blocks(const lf_model *model, const lf_point_set *A, const lf_point_set *B, double *K, size_t ld)
{
    for (int gb = 0; gb < B->group_count; gb++) {
        for (int ga = 0; ga < A->group_count; ga++) {
            if (!lf_target_is_force(model, A->target[ga]) || A->target[ga] != B->target[gb]) {
                continue;
            }
            const lf_force *force = &model->forces[A->target[ga] - model->output_count];
            for (size_t j = B->start[gb]; j < B->start[gb + 1]; j++) {
                for (size_t i = A->start[ga]; i < A->start[ga + 1]; i++) {
                    K[j * ld + i] = force->kernel
                                        ? force->kernel->covariance(fabs(A->x[i] - B->x[j]) / force->lengthscale[0])
                                        : lf_force_covariance(force, A->x[i] - model->origin, B->x[j] - model->origin);
                }
            }
        }
    }
}

lf_status lf_quadrature_matrix(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                               const lf_point_set *A, const lf_point_set *B, double *K, size_t ld)
{
    lf_node_pass pass;
    int more = 1;
    for (size_t j = 0; j < B->n; j++) {
        memset(K + j * ld, 0, A->n * sizeof *K);
    }
    lf_status status = lf_node_pass_create(ctx, model, kernel, A, B, 0, &pass);
    while (!status && !(status = lf_node_pass_next(ctx, &pass, &more)) && more) {
        for (int gb = 0; gb < B->group_count; gb++) {
            for (int ga = pass.symmetric ? gb : 0; ga < A->group_count; ga++) {
                if (!lf_target_is_force(model, A->target[ga]) || !lf_target_is_force(model, B->target[gb])) {
                    add_block(&pass, ga, gb, K, ld);
                }
            }
        }
    }
    if (!status) {
        force_blocks(model, A, B, K, ld);
    }
    lf_node_pass_clear(&pass);
    return status;
}

/* The columns of forces, [cos, sin], become their derivatives by time, [-lambda sin, lambda cos]. */
static void columns_to_slopes(const lf_node_pass *pass, const lf_column_side *side)
{
    const double *lambda = pass->grids.grids[pass->grid].lambda + pass->first;
    for (int g = 0; g < side->set->group_count; g++) {
        size_t n = side->set->start[g + 1] - side->set->start[g], count = pass->count;
        double *V = side->V + side->set->start[g] * 2 * count;
        for (size_t s = 0; s < count; s++) {
            for (size_t i = 0; i < n; i++) {
                double cosine = V[s * n + i];
                V[s * n + i] = -lambda[s] * V[(count + s) * n + i];
                V[(count + s) * n + i] = lambda[s] * cosine;
            }
        }
    }
}

lf_status lf_quadrature_slopes(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                               const lf_point_set *A, const lf_point_set *U, double *slopes, size_t ld)
{
    lf_node_pass pass;
    int more = 1;
    for (size_t j = 0; j < U->n; j++) {
        memset(slopes + j * ld, 0, A->n * sizeof *slopes);
    }
    lf_status status = lf_node_pass_create(ctx, model, kernel, A, U, 0, &pass);
    while (!status && !(status = lf_node_pass_next(ctx, &pass, &more)) && more) {
        columns_to_slopes(&pass, &pass.b);
        for (int gb = 0; gb < U->group_count; gb++) {
            for (int ga = 0; ga < A->group_count; ga++) {
                add_block(&pass, ga, gb, slopes, ld);
            }
        }
    }
    lf_node_pass_clear(&pass);
    return status;
}

lf_status lf_quadrature_diagonal(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                 const lf_point_set *A, double *k)
{
    lf_node_pass pass;
    int more = 1;
    lf_status status = lf_node_pass_create(ctx, model, kernel, A, A, 0, &pass);
    for (int g = 0; g < A->group_count; g++) {
        for (size_t i = A->start[g]; i < A->start[g + 1]; i++) {
            k[i] = lf_target_is_force(model, A->target[g]) ? force_variance(model, A->target[g], A->x[i]) : 0;
        }
    }
    while (!status && !(status = lf_node_pass_next(ctx, &pass, &more)) && more) {
        for (int g = 0; g < A->group_count; g++) {
            size_t n = A->start[g + 1] - A->start[g];
            const double *V = pass.a.V + A->start[g] * 2 * pass.count;
            if (lf_target_is_force(model, A->target[g]) || !lf_node_pass_couple(&pass, A->target[g], A->target[g])) {
                continue;
            }
            for (size_t s = 0; s < 2 * pass.count; s++) {
                double c = pass.c[s < pass.count ? s : s - pass.count];
                for (size_t i = 0; i < n; i++) {
                    k[A->start[g] + i] += c * V[s * n + i] * V[s * n + i];
                }
            }
        }
    }
    lf_node_pass_clear(&pass);
    return status;
}
