/* The gradient of the quadrature, for L with dL/dK = G, strip by strip:
 *   dL/dV_a += (G_ab V_b) diag(c_ab),   dL/dc_ab = column sums of V_a o (G_ab V_b);
 * from V to the constants of the operators (lf_response_backward), from c to sensitivities and lengthscales. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/node_pass.h"
#include "exact/quadrature.h"
#include "features/features.h"

/* From dL/dc_ab on the strip to sensitivities, amplitudes and lengthscales. */
static void backward_coupling(const lf_node_pass *pass, int a, int b, const double *dc, double *gradient)
{
    const lf_model *model = pass->model;
    for (int i = 0; i < pass->grids.source_count; i++) {
        const lf_source *source = &pass->grids.sources[i];
        int drives = source->index >= 0 || (a == b && source->output == a);
        if (source->grid != pass->grid || !drives || lf_node_pass_leaves_out(pass, source, a, b)) {
            continue;
        }
        double sa = lf_source_sensitivity(model, a, source), sb = lf_source_sensitivity(model, b, source);
        double by_w = 0, by_kernel[4 * LF_MAX_TERMS] = {0};
        size_t S = pass->grids.grids[source->grid].count;
        int parameters = lf_force_parameter_count(source->force);
        for (size_t s = 0; s < pass->count; s++) {
            by_w += dc[s] * source->w[pass->first + s];
            for (int k = 0; k < parameters; k++) {
                by_kernel[k] += dc[s] * source->dw[(size_t)k * S + pass->first + s];
            }
        }
        if (source->index >= 0) {
            if (!lf_target_is_force(model, a)) {
                gradient[lf_index_sensitivity(model, a) + source->index] += sb * by_w;
            }
            if (!lf_target_is_force(model, b)) {
                gradient[lf_index_sensitivity(model, b) + source->index] += sa * by_w;
            }
            for (int k = 0; k < parameters; k++) {
                gradient[lf_index_kernel(model, source->index) + k] += sa * sb * by_kernel[k];
            }
        } else {
            gradient[lf_index_private_amplitude(model, a)] += 2 * sa * by_w;
            for (int k = 0; k < parameters; k++) {
                gradient[lf_index_private_kernel(model, a) + k] += sa * sa * by_kernel[k];
            }
        }
    }
}

/* One block: adds its contribution to the adjoints of both sides and to the parameters that enter through c_ab. */
static void backward_block(lf_node_pass *pass, int ga, int gb, const double *G, size_t ld, double *dc, double *gradient)
{
    lf_column_side *b = pass->symmetric ? &pass->a : &pass->b;
    const lf_point_set *A = pass->a.set, *B = b->set;
    size_t count = pass->count, na = A->start[ga + 1] - A->start[ga], nb = B->start[gb + 1] - B->start[gb];
    size_t at_a = A->start[ga] * 2 * count, at_b = B->start[gb] * 2 * count;
    const double *block = G + B->start[gb] * ld + A->start[ga];
    const double *Va = pass->a.V + at_a, *Vb = b->V + at_b;
    double *X = pass->work;
    lf_node_pass_couple(pass, A->target[ga], B->target[gb]);

    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)na, (int)(2 * count), (int)nb, 1, block, (int)ld, Vb,
                (int)nb, 0, X, (int)na);
    memset(dc, 0, count * sizeof *dc);
    for (size_t s = 0; s < 2 * count; s++) {
        size_t node = s < count ? s : s - count;
        double factor = (pass->symmetric ? 2 : 1) * pass->c[node];
        double *adjoint = pass->a.adjoint + at_a + s * na;
        for (size_t i = 0; i < na; i++) {
            dc[node] += Va[s * na + i] * X[s * na + i];
            adjoint[i] += factor * X[s * na + i];
        }
    }
    backward_coupling(pass, A->target[ga], B->target[gb], dc, gradient);
    if (!pass->symmetric) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)nb, (int)(2 * count), (int)na, 1, block, (int)ld, Va,
                    (int)na, 0, X, (int)nb);
        for (size_t s = 0; s < 2 * count; s++) {
            for (size_t i = 0; i < nb; i++) {
                b->adjoint[at_b + s * nb + i] += pass->c[s < count ? s : s - count] * X[s * nb + i];
            }
        }
    }
}

/* From dL/dV of one side to the constants of its operators and to the frequencies of lines (count): those of a composed force, which has the
 * grid for itself, follow its periods. */
static lf_status backward_side(lf_context *ctx, const lf_node_pass *pass, lf_column_side *side, double *by_lambda,
                               double *gradient)
{
    const lf_point_set *set = side->set;
    lf_status status = LF_OK;
    for (int g = 0; !status && g < set->group_count; g++) {
        if (!lf_target_is_force(pass->model, set->target[g])) {
            size_t at = set->start[g] * 2 * pass->count;
            status = lf_response_backward(ctx, &side->responses[g], lf_node_pass_range(pass), side->V + at,
                                          side->adjoint + at,
                                          gradient + lf_index_constants(pass->model, set->target[g]), by_lambda);
        }
    }
    return status;
}

/* by_lambda (S of the grid), complete with the last strip. */
static void backward_lines(const lf_node_pass *pass, const double *by_lambda, double *gradient)
{
    const lf_nodes *nodes = &pass->grids.grids[pass->grid];
    for (int i = 0; i < pass->grids.source_count; i++) {
        const lf_source *source = &pass->grids.sources[i];
        if (source->grid == pass->grid && nodes->lines && pass->first + pass->count == nodes->count) {
            lf_source_backward_frequencies(pass->model, source, nodes, by_lambda, gradient);
        }
    }
}

/* Covariances between forces: the derivative of k(|x - z| / l) by l. */
static void backward_forces(const lf_model *model, const lf_point_set *A, const lf_point_set *B, const double *G,
                            size_t ld, double *gradient)
{
    for (int gb = 0; gb < B->group_count; gb++) {
        for (int ga = 0; ga < A->group_count; ga++) {
            if (!lf_target_is_force(model, A->target[ga]) || A->target[ga] != B->target[gb]) {
                continue;
            }
            int q = A->target[ga] - model->output_count;
            double l = model->forces[q].lengthscale[0], slope = 0;
            for (size_t j = B->start[gb]; j < B->start[gb + 1]; j++) {
                for (size_t i = A->start[ga]; i < A->start[ga + 1]; i++) {
                    double r = fabs(A->x[i] - B->x[j]) / l;
                    slope -= G[j * ld + i] * model->forces[q].kernel->covariance_slope(r) * r / l;
                }
            }
            gradient[lf_index_kernel(model, q)] += slope;
        }
    }
}

static void clear_adjoint(lf_column_side *side, size_t count)
{
    memset(side->adjoint, 0, side->set->n * 2 * count * sizeof *side->adjoint);
}

lf_status lf_quadrature_gradient(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                 const lf_point_set *A, const lf_point_set *B, const double *G, size_t ld,
                                 double *gradient)
{
    lf_node_pass pass;
    int more = 1;
    lf_status status = lf_node_pass_create(ctx, model, kernel, A, B, 1, &pass);
    size_t most = 1;
    for (int g = 0; !status && g < pass.grids.grid_count; g++) {
        most = pass.grids.grids[g].count > most ? pass.grids.grids[g].count : most;
    }
    double *dc = lf_doubles(LF_STRIP, 1), *by_lambda = lf_doubles(most, 1);
    if (!status && !(dc && by_lambda)) {
        status = lf_no_memory(ctx);
    }
    while (!status && !(status = lf_node_pass_next(ctx, &pass, &more)) && more) {
        double *moves = pass.grids.grids[pass.grid].lines ? by_lambda : NULL;
        if (moves && pass.first == 0) {
            memset(moves, 0, most * sizeof *moves);
        }
        moves = moves ? moves + pass.first : NULL;
        clear_adjoint(&pass.a, pass.count);
        if (!pass.symmetric) {
            clear_adjoint(&pass.b, pass.count);
        }
        for (int gb = 0; gb < B->group_count; gb++) {
            for (int ga = 0; ga < A->group_count; ga++) {
                if (!lf_target_is_force(model, A->target[ga]) || !lf_target_is_force(model, B->target[gb])) {
                    backward_block(&pass, ga, gb, G, ld, dc, gradient);
                }
            }
        }
        status = backward_side(ctx, &pass, &pass.a, moves, gradient);
        if (!status && !pass.symmetric) {
            status = backward_side(ctx, &pass, &pass.b, moves, gradient);
        }
        if (!status && moves) {
            backward_lines(&pass, by_lambda, gradient);
        }
    }
    if (!status) {
        backward_forces(model, A, B, G, ld, gradient);
    }
    free(dc);
    free(by_lambda);
    lf_node_pass_clear(&pass);
    return status;
}
