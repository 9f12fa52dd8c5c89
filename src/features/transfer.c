/* G(j lambda) and the safe times.
 *
 * The bracket of v = G [wave - free motion] loses the factor prod_i min(1, |j lambda - s_i| t) over the roots s_i to
 * cancellation: near resonance and for small t. Where the factor is below CANCELLATION the robust form is used, so that
 * v has 14 digits, and its derivatives, which lose the square of the factor, have 12. */
#include "features/transfer.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"

#define CANCELLATION 1e-2

/* G at the frequency lambda (p). */
static double complex transfer(const lf_response *r, const double *lambda)
{
    if (!r->output) {
        return 1;
    }
    lf_constants constants = lf_output_constants(r->output, r->input_dim);
    return r->output->op->transfer(&constants, lambda);
}

/* The t with prod_i min(1, d_i t) = CANCELLATION, d_i = |j lambda - s_i|. */
static double safe_time(const lf_response *r, double lambda)
{
    if (!r->from_rest) {
        return -INFINITY;
    }
    int P = r->output->order;
    double d[LF_MAX_ORDER];
    for (int i = 0; i < P; i++) { /* insertion sort, ascending */
        double distance = cabs(lambda * I - r->roots[i]);
        int k = i;
        for (; k > 0 && d[k - 1] > distance; k--) {
            d[k] = d[k - 1];
        }
        d[k] = distance;
    }
    double product = 1, t = INFINITY;
    for (int k = 0; k < P; k++) { /* if the k + 1 nearest roots are closer than 1/t */
        product *= d[k];
        double ratio = CANCELLATION / product;
        t = k == 0 ? ratio : k == 1 ? sqrt(ratio) : pow(ratio, 1.0 / (k + 1));
        if (k + 1 == P || d[k + 1] * t >= 1) {
            break;
        }
    }
    return t;
}

lf_status lf_transfers_create(lf_context *ctx, const lf_response *r, lf_node_range range, lf_transfers *f)
{
    const lf_nodes *nodes = range.nodes;
    size_t first = range.first, count = range.count, p = (size_t)nodes->input_dim;
    f->G = malloc((count + 1) * sizeof *f->G);
    f->safe = lf_doubles(count, 1);
    if (!f->G || !f->safe) {
        lf_transfers_clear(f);
        return lf_no_memory(ctx);
    }
    for (size_t s = 0; s < count; s++) {
        f->G[s] = transfer(r, nodes->lambda + (first + s) * p);
        f->safe[s] = safe_time(r, nodes->lambda[(first + s) * p]);
    }
    return LF_OK;
}

void lf_transfers_clear(lf_transfers *f)
{
    free(f->G);
    free(f->safe);
    *f = (lf_transfers){0};
}
