/* A fit without windows of its rows, and how well it predicts them. Parameters that a fit has adapted to the rows of a window make it look
 * better than gaps are: only a refit shows that. */
#ifndef LF_VALIDATE_REFIT_H
#define LF_VALIDATE_REFIT_H

#include "plan/structure.h"
#include "validate/held_out.h"

/* The windows of a refit; those with the same number and length are the same. */
typedef struct lf_refit_windows {
    double length;
    size_t number;
    lf_progress_function
        progress; /* told of every iteration, which it may ask to be the last; NULL: `user` is a monitor */
    void *user;
} lf_refit_windows;

typedef struct lf_refit {
    lf_status status;
    char message[1024]; /* why it failed */
    size_t windows, count;
    lf_held_row *rows; /* (count) */
    size_t evaluations;
} lf_refit;

/* Fits the structure, from its values so far, to the rows outside the windows, and predicts those inside. Different refits may run in
 * parallel, each with a context of its own. */
void lf_refit_run(lf_context *worker, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                  const lf_refit_windows *windows, lf_refit *refit);
void lf_refit_clear(lf_refit *refit);

#endif
