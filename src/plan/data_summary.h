/* Summary of the training rows: spans, gaps, sizes, time scales, noise. Starting values, priors and limits of a fit are computed
 * from it. */
#ifndef LF_PLAN_DATA_SUMMARY_H
#define LF_PLAN_DATA_SUMMARY_H

#include "latentforce.h"

enum { LF_MOST_COMPONENTS = 36, LF_COMPONENT_NUMBERS = 6 };

typedef struct lf_component_count {
    int count;                         /* numbers of components compared; 0: there is nothing to compare */
    int numbers[LF_COMPONENT_NUMBERS]; /* of components, in increasing order */
    double
        errors[LF_COMPONENT_NUMBERS]; /* typical squared error of an output in units of its variance: geometric means */
    int chosen;                       /* index of the smallest number whose error is near the least */
} lf_component_count;

typedef struct lf_output_summary {
    size_t n;
    double mean, sd;  /* of y; sd is 0 for a constant series */
    double first;     /* y at the first input, averaged over replicates */
    double noise;     /* variance of y that no smooth curve explains; known errors included */
    double timescale; /* lag at which the autocorrelation falls to 1/e (one input) */
    /* share of the variance that other outputs do not explain in blocks of time left out; 0: not known. By lf_component_count_find. */
    double unexplained;
} lf_output_summary;

typedef struct lf_data_summary {
    int input_dim, output_count;
    double *low, *high;         /* (p) limits of the inputs */
    double begin;               /* first time that a row is about: least input, less the width of an average */
    double *spread;             /* (p) standard deviations of the inputs */
    double gap;                 /* median distance between neighbouring inputs of a series (one input) */
    lf_output_summary *outputs; /* (D) */
    /* One input: the outputs standardised to mean 0 and sd 1 and interpolated on an even grid, replicate after
     * replicate. NULL for several inputs. */
    size_t replicate_count, grid_count;
    double *series; /* (D, replicates * grid) row by row */
    char *seen;     /* likewise: the output varies and was read within half a gap or half a step of the grid */
    lf_component_count components; /* of many outputs, by lf_component_count_find */
} lf_data_summary;

/* Outputs are numbered as in the model, where one is given, and as in the data otherwise. */
lf_status lf_data_summary_create(lf_context *ctx, const lf_data *data, const lf_model *model, lf_data_summary *summary);
void lf_data_summary_clear(lf_data_summary *summary);

/* Span of the first input; never 0. */
double lf_data_summary_span(const lf_data_summary *summary);

/* Lag at which the autocorrelation of a series on the grid (replicates * grid) falls to 1/e, between `gap` and a third
 * of the span. */
double lf_data_summary_timescale(const lf_data_summary *summary, const double *series);

/* The leading components of the standardised outputs: shares (D, count) row by row, such that component c explains the
 * variance sum_d shares[d][c]^2, and the time scale of each (count). count <= D. */
lf_status lf_principal_components(lf_context *ctx, const lf_data_summary *summary, int count, double *shares,
                                  double *timescales);

#endif
