/* The posterior behind lf_posterior: that of the scaled model, with what its predictions need in the units of the data. */
#ifndef LF_PREDICT_POSTERIOR_H
#define LF_PREDICT_POSTERIOR_H

#include "data/names.h"
#include "engine/scaled_posterior.h"
#include "predict/sensitivity_uncertainty.h"

struct lf_posterior {
    lf_context *ctx;
    lf_scaled_posterior scaled;
    lf_names replicates;
    double first, last;   /* training input; NaN where it is not known */
    double *ends;         /* (replicates) the last of each; NULL: not known */
    size_t count;         /* of training rows; 0: not known */
    size_t columns;       /* of the engine, as lf_engine_info has them; 0: not known */
    uint64_t fingerprint; /* of the training rows */
    size_t hash_count;    /* rows of this process; 0: they are not known one by one */
    uint64_t *hashes;     /* (hash_count) lf_data_row_fingerprint of each */
    int shared;           /* processes share the training rows */
    double step;          /* median distance between neighbouring inputs; NaN: not known */
    lf_known_set *known;  /* (replicates) readings of the known inputs; NULL: the prior mean is 0 */
    lf_replicate *rows;   /* (replicates) where sensitivities are uncertain; NULL: not needed, or forgotten */
    lf_sensitivity_uncertainty *uncertainty; /* of these rows, made when it is first needed */
};

/* The number of the replicate of this name; -1: there is none. */
int lf_posterior_find_replicate(const lf_posterior *posterior, const char *name);

/* Facts, as lf_posterior_info has them. The span and the rows: 0 where they are not known. */
void lf_posterior_range(const lf_posterior *posterior, double *from, double *to);
int lf_posterior_span(const lf_posterior *posterior, double *first, double *last);
int lf_posterior_rows(const lf_posterior *posterior, size_t *count, uint64_t *fingerprint);
double lf_posterior_last(const lf_posterior *posterior, int replicate);
double lf_posterior_step(const lf_posterior *posterior);
const char *lf_posterior_engine(const lf_posterior *posterior);
int lf_posterior_replicate_count(const lf_posterior *posterior);
const char *lf_posterior_replicate_name(const lf_posterior *posterior, int replicate);
/* The readings of a known input in a replicate, in the order of time: x and value (the result) belong to the posterior and are valid until readings
 * are added or it is released. */
size_t lf_posterior_readings(const lf_posterior *posterior, int replicate, int known, const double **x,
                             const double **value);
/* Whether the training rows name replicates: 1 or 0. */
int lf_posterior_is_named(const lf_posterior *posterior);

/* Sets how far beyond the rows, of one input, the engine reaches: as far as the horizon (as in the data; NULL: none), and as the inputs x (n). */
lf_status lf_set_reach(lf_context *ctx, const lf_model *model, const lf_data *rows, const char *horizon, size_t n,
                       const double *x, lf_engine_options *engine);

#endif
