/* Copies of a force: independent processes with the same covariance, each with its own sensitivities. R copies give the
 * covariance of outputs d and d' the factor sum_r S_dr S_d'r, a matrix of rank R; one force gives rank 1. */
#include <string.h>

#include "base/context.h"
#include "model/model.h"

lf_status lf_model_tie_copies(lf_context *ctx, lf_model *model, int force, int count)
{
    if (force < 0 || count < 1 || force > model->force_count - count) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "forces %d to %d cannot be copies: the model has %d forces", force + 1,
                       force + count, model->force_count);
    }
    const lf_force *first = &model->forces[force];
    lf_status status = LF_OK;
    for (int q = force + 1; !status && q < force + count; q++) {
        const lf_force *copy = &model->forces[q];
        int parameters = lf_force_parameter_count(first);
        if (strcmp(lf_force_kernel_text(copy), lf_force_kernel_text(first)) != 0 ||
            lf_force_parameter_count(copy) != parameters) {
            status = lf_fail(ctx, LF_ERROR_MODEL,
                             "force%d cannot be a copy of force%d: their kernels or numbers of lengthscales differ",
                             q + 1, force + 1);
        }
        for (int k = 0; !status && k < parameters; k++) {
            status =
                lf_parameter_tie(ctx, model, (size_t)(copy->first_parameter + k), (size_t)(first->first_parameter + k));
        }
    }
    return status;
}
