/* How well outputs follow from each other at the same time, judged in blocks of time that took no part: the number of forces that many
 * outputs need follows from it. */
#ifndef LF_FIT_REDUNDANCY_H
#define LF_FIT_REDUNDANCY_H

#include "fit/data_summary.h"

enum { LF_MOST_COMPONENTS = 36, LF_COMPONENT_NUMBERS = 6 };

typedef struct lf_redundancy {
    int count;                         /* numbers of components compared; 0: there is nothing to compare */
    int numbers[LF_COMPONENT_NUMBERS]; /* of components, in increasing order */
    double
        errors[LF_COMPONENT_NUMBERS]; /* typical squared error of an output in units of its variance: geometric means */
    int chosen;                       /* index of the smallest number whose error is near the least */
} lf_redundancy;

/* For one input and more outputs than the least number compared; otherwise nothing is compared. The summary learns what others do not
 * explain of each output. */
lf_status lf_redundancy_find(lf_context *ctx, lf_data_summary *summary, lf_redundancy *redundancy);

/* The number of forces for many outputs that follows, at most `most`; with a note. *fewer: a number that may do as well; 0: none. */
int lf_redundancy_forces(lf_context *ctx, const lf_redundancy *redundancy, int most, int *fewer);

#endif
