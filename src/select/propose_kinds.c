/* The operators and kernels that the options ask to compare, all of them together, with the default number of forces. */
#include "base/context.h"
#include "select/proposer.h"

static const char *const operators[] = {"ode1", "ode2"};
static const char *const kernels[] = {"eq", "matern52", "matern32", "matern12"};

#define COUNT(list) (sizeof(list) / sizeof *(list))
_Static_assert(COUNT(operators) * (COUNT(kernels) + 1) <= LF_MOST_PROPOSALS, "there must be room for all");

/* kernel NULL: the default ones; otherwise as --force-kernel gives it. */
static void add(const lf_search *search, const char *operator_type, const char *kernel, lf_proposals *list)
{
    lf_shape_options *shape = &lf_proposals_add(search, list)->s.shape;
    if (kernel) {
        *shape = search->best->shape;
        shape->force_kernel = kernel;
        lf_fill_shape(shape, search->problem->summary->output_count, search->problem->training->input_dim);
    }
    shape->operator_type = operator_type ? operator_type : shape->operator_type;
}

static lf_status propose(const lf_search *search, lf_proposals *list)
{
    unsigned asked = search->plan->compared;
    int inputs = search->problem->training->input_dim;
    list->asked = 1;
    if (!(asked & (LF_OPEN_OPERATOR | LF_OPEN_KERNEL))) {
        return LF_OK;
    }
    if (inputs > 1 && (asked & LF_OPEN_OPERATOR)) {
        return lf_fail(search->ctx, LF_ERROR_UNSUPPORTED,
                       "with %d inputs there is no choice of operators: gaussian is the only one", inputs);
    }
    for (size_t o = 0; o < (asked & LF_OPEN_OPERATOR ? COUNT(operators) : 1); o++) {
        const char *operator_type = asked & LF_OPEN_OPERATOR ? operators[o] : NULL;
        add(search, operator_type, NULL, list);
        for (size_t k = 0; k < (asked & LF_OPEN_KERNEL ? COUNT(kernels) : 0); k++) {
            add(search, operator_type, kernels[k], list);
        }
    }
    return LF_OK;
}

const lf_proposer lf_propose_kinds = {.name = "operators and kernels", .propose = propose};
