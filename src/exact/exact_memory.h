/* What exact covariances and their gradients allocate beside the matrices they are given. */
#ifndef LF_EXACT_EXACT_MEMORY_H
#define LF_EXACT_EXACT_MEMORY_H

#include "exact/exact_covariance.h"

/* Times of points: different ones, and different distances between neighbours. */
typedef struct lf_time_count {
    double steps, gaps;
} lf_time_count;

/* Numbers for the covariances of `rows` points of one output and of forces, with gradient. */
double lf_exact_block_numbers(const lf_model *model, lf_exact_covariance kernel, double rows, lf_time_count times);

/* The same for all points of a set with themselves; they are taken in blocks of few outputs. */
double lf_exact_covariance_numbers(const lf_model *model, lf_exact_covariance kernel, const lf_point_set *points,
                                   lf_time_count times);

#endif
