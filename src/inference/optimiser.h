/* A bounded quasi-Newton minimiser that asks for values instead of calling a function: L-BFGS-B 3.0. All of its state is
 * plain numbers, so that a run can be put down and taken up again to the last bit. */
#ifndef LF_INFERENCE_OPTIMISER_H
#define LF_INFERENCE_OPTIMISER_H

#include "latentforce.h"

typedef struct lf_optimiser lf_optimiser;

/* What it wants next. */
typedef enum lf_request {
    LF_REQUEST_VALUE,     /* value and gradient at the point */
    LF_REQUEST_NOTHING,   /* a step was finished; look, and go on */
    LF_REQUEST_STOP_GOOD, /* an optimum */
    LF_REQUEST_STOP_BAD   /* no lower value can be found along any direction it knows */
} lf_request;

/* Starts at x (n), moved into the bounds; infinite bounds are none. It stops where no entry of the projected gradient is
 * larger than the smallest one, or where the value no longer changes in its last digits. */
lf_status lf_optimiser_create(lf_context *ctx, size_t n, const double *x, const double *lower, const double *upper,
                              double smallest_gradient, lf_optimiser **optimiser);
void lf_optimiser_free(lf_optimiser *optimiser);

/* After LF_REQUEST_VALUE, value and gradient (n) are those at the point; otherwise they are ignored. */
lf_request lf_optimiser_next(lf_optimiser *optimiser, double value, const double *gradient);
/* (n) the point that a value is wanted of or, after a finished step, the best so far. */
const double *lf_optimiser_point(const lf_optimiser *optimiser);
/* Of the last finished step: its number, the value there, the largest entry of the projected gradient. */
size_t lf_optimiser_steps(const lf_optimiser *optimiser);
double lf_optimiser_value(const lf_optimiser *optimiser);
double lf_optimiser_gradient_norm(const lf_optimiser *optimiser);
/* Why it stopped, in words. */
const char *lf_optimiser_reason(const lf_optimiser *optimiser);

/* Its state as lf_optimiser_size numbers, and back into an optimiser made with the same arguments. */
size_t lf_optimiser_size(const lf_optimiser *optimiser);
void lf_optimiser_save(const lf_optimiser *optimiser, double *state);
void lf_optimiser_load(lf_optimiser *optimiser, const double *state);

#endif
