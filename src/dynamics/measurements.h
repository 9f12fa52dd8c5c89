/* The measurements of the outputs: linear functions h_d'x of the states, with few entries that differ from 0,
 *
 *   h_d'x = sum_e value_e x_(state_e),   e = start_d … start_(d+1) - 1 */
#ifndef LF_DYNAMICS_MEASUREMENTS_H
#define LF_DYNAMICS_MEASUREMENTS_H

#include <stddef.h>

typedef struct lf_measurements {
    int *start;    /* (D + 1) */
    int *state;    /* (entries) */
    double *value; /* (entries) */
    int vary;      /* the values depend on parameters */
} lf_measurements;

/* h_d'x. */
static inline double lf_measure(const lf_measurements *measurements, int d, const double *x)
{
    double sum = 0;
    for (int e = measurements->start[d]; e < measurements->start[d + 1]; e++) {
        sum += measurements->value[e] * x[measurements->state[e]];
    }
    return sum;
}

/* x += factor h_d. */
static inline void lf_measure_backward(const lf_measurements *measurements, int d, double factor, double *x)
{
    for (int e = measurements->start[d]; e < measurements->start[d + 1]; e++) {
        x[measurements->state[e]] += measurements->value[e] * factor;
    }
}

/* X (n, stride) += factor h_d h_e'. */
static inline void lf_measure_pair_backward(const lf_measurements *measurements, int d, int other, double factor,
                                            size_t stride, double *X)
{
    for (int e = measurements->start[d]; e < measurements->start[d + 1]; e++) {
        lf_measure_backward(measurements, other, measurements->value[e] * factor,
                            X + (size_t)measurements->state[e] * stride);
    }
}

#endif
