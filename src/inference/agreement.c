/* Choices of several processes. */
#include "inference/agreement.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"

lf_status lf_agree_values(lf_context *ctx, lf_status status, lf_model *model)
{
    if (lf_process_count(ctx) == 1) {
        return status;
    }
    size_t count = status ? 0 : model->parameter_count;
    double *values = lf_doubles(count, 1);
    status = lf_agree(ctx, status || values ? status : lf_no_memory(ctx));
    for (size_t i = 0; !status && i < count; i++) {
        values[i] = *model->parameters[i].value;
    }
    LF_TRY(status, lf_broadcast(ctx, 0, count * sizeof *values, values));
    for (size_t i = 0; !status && i < count; i++) {
        *model->parameters[i].value = values[i];
    }
    free(values);
    return status;
}

lf_status lf_agree_number(lf_context *ctx, lf_status status, double number, const char *what)
{
    double first = number;
    status = lf_agree(ctx, status);
    LF_TRY(status, lf_broadcast(ctx, 0, sizeof first, &first));
    if (!status && first != number) {
        status = lf_fail(ctx, LF_ERROR_IO, "process %d has another %s than the first: %g, not %g", lf_process_rank(ctx),
                         what, number, first);
    }
    return lf_agree(ctx, status);
}
