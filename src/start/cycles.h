/* Periods that the training rows may repeat with: candidates for periodic forces. Whether a force is added is decided by fits. */
#ifndef LF_START_CYCLES_H
#define LF_START_CYCLES_H

#include "latentforce.h"

enum { LF_MOST_CYCLES = 3 };

typedef struct lf_cycle {
    double period;      /* in the unit of the input */
    double cycles;      /* periods in the longest series */
    double power;       /* of the period and its harmonics, relative to the background */
    double false_alarm; /* probability that noise with the same background has such a peak anywhere */
    double coherence;   /* time over which the cycle keeps its phase, as seen: at most the longest series */
    int harmonics;      /* 1 (a sinusoid) to 4 that the peak consists of */
    int natural;        /* the period is a day, a week or a year, from which it cannot be distinguished */
    double *share; /* (D) share of the variance of each output, about; 0 where it is not seen. Belongs to lf_cycles. */
} lf_cycle;

typedef struct lf_cycles {
    int count;
    lf_cycle cycle[LF_MOST_CYCLES]; /* the surest first */
    double *share;                  /* (LF_MOST_CYCLES, D) */
} lf_cycles;

/* Cycles in the observations of a table with one input, outputs numbered as in the table; none for several inputs. */
lf_status lf_cycles_find(lf_context *ctx, const lf_data *data, lf_cycles *cycles);
void lf_cycles_clear(lf_cycles *cycles);

#endif
