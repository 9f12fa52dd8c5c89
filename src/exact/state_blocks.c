/* The partition of a matrix into blocks of few states. */
#include <stdlib.h>

#include "base/context.h"
#include "exact/state_march.h"

int lf_force_states_estimate(const lf_force *force)
{
    enum { EQ_STATES = 22 }; /* at the tolerance of covariances, 1e-10 */
    lf_atom atoms[LF_MAX_ATOMS];
    int states = 0;
    lf_force_atoms(force, atoms);
    for (int i = 0; i < lf_force_atom_count(force); i++) {
        const lf_force_kernel *e = atoms[i].envelope;
        int each = !e                             ? 1
                   : e == &lf_force_kernel_linear ? 2
                   : e == &lf_force_kernel_eq     ? EQ_STATES
                                                  : (int)(e->tail_power / 2);
        states += (atoms[i].frequency > 0 ? 2 : 1) * each;
    }
    return states;
}

int lf_state_march_states(const lf_model *model, int output)
{
    const lf_output *o = &model->outputs[output];
    return o->op->is_ode ? o->order + (o->has_private ? lf_force_states_estimate(&o->private_force) : 0) : 0;
}

/* Divides the groups that have states into chunks of few states: chunk[g], or -1. Forces are in chunk 0. */
static int make_chunks(const lf_model *model, const lf_point_set *set, int *chunk)
{
    int chunks = 1, states = 0;
    for (int g = 0; g < set->group_count; g++) {
        int target = set->target[g], d = lf_target_output(model, target);
        chunk[g] = lf_target_has_states(model, target) ? 0 : -1;
        if (chunk[g] < 0 || d < 0) {
            continue;
        }
        int size = lf_state_march_states(model, d);
        if (states > 0 && states + size > LF_CHUNK_STATES) {
            chunks++;
            states = 0;
        }
        chunk[g] = chunks - 1;
        states += size;
    }
    return chunks;
}

static lf_group_list list_groups(const lf_point_set *set, const int *chunk, int which, int *groups)
{
    lf_group_list list = {.set = set, .group = groups};
    for (int g = 0; g < set->group_count; g++) {
        if (chunk[g] == which) {
            groups[list.count++] = g;
        }
    }
    return list;
}

lf_status lf_state_blocks(lf_context *ctx, const lf_model *model, const lf_point_set *A, const lf_point_set *B,
                          size_t keep, lf_state_block apply, void *user)
{
    int diagonal = B == NULL;
    B = diagonal ? A : B;
    size_t na = (size_t)A->group_count, nb = (size_t)B->group_count;
    int *work = calloc(2 * (na + nb) + 1, sizeof *work);
    if (!work) {
        return lf_no_memory(ctx);
    }
    int *chunk_a = work, *chunk_b = work + na, *groups_a = work + na + nb, *groups_b = groups_a + na;
    int count_a = make_chunks(model, A, chunk_a), count_b = make_chunks(model, B, chunk_b);
    lf_status status = LF_OK;
    for (int b = 0; !status && b < count_b; b++) {
        lf_group_list list_b = list_groups(B, chunk_b, b, groups_b);
        for (int a = A == B ? b : 0; !status && a < (diagonal ? b + 1 : count_a); a++) {
            lf_group_list list_a = list_groups(A, chunk_a, a, groups_a);
            lf_state_march march;
            if (list_a.count && list_b.count) {
                status = lf_state_march_create(ctx, model, list_a, list_b, A == B && a == b, keep, &march);
                LF_TRY(status, apply(ctx, &march, user));
                lf_state_march_clear(&march);
            }
        }
    }
    free(work);
    return status;
}
