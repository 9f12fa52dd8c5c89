/* The spectrum of all series of a table over one input, pooled over outputs, relative to its background. */
#ifndef LF_START_CYCLE_SPECTRUM_H
#define LF_START_CYCLE_SPECTRUM_H

#include "latentforce.h"

typedef struct lf_cycle_spectrum {
    int output_count;   /* D */
    double span;        /* of the longest series */
    double frequency;   /* between frequencies: LF_OVERSAMPLING per 1 / span */
    size_t count;       /* F; 0: no output has enough rows */
    size_t *limit;      /* (D) frequencies of an output below that of two typical gaps; 0: too few rows */
    double *replicates; /* (D) series of an output with enough rows */
    double *power;      /* (D, F) share of the variance that a sinusoid explains, averaged over replicates */
    double *background; /* (D, F) the power of noise, on average */
    double *
        excess; /* (F) power / background, averaged over the outputs that reach the frequency, such that noise has average 1 */
    double
        *shape; /* (F) of the gamma distribution that the excess of noise follows: the number of independent series */
} lf_cycle_spectrum;

/* Outputs are numbered as in the data, whose rows are observations. Empty for several inputs. */
lf_status lf_cycle_spectrum_create(lf_context *ctx, const lf_data *data, lf_cycle_spectrum *spectrum);
void lf_cycle_spectrum_clear(lf_cycle_spectrum *spectrum);

#endif
