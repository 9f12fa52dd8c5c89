/* The posterior of a feature model: a Gaussian over the weights of its columns for each replicate, and predictions from
 * it.
 *
 * With the shared columns s and the private columns p of output d (features.h), G = Phi' Sigma^-1 Phi:
 *   L_d L_d' = I + G_pp,   F_d = (I + G_pp)^-1 G_ps,   A = I + sum_d (G_ss - G_sp F_d) = L L'.
 * A point with the row (phi_s, phi_p) has mean phi_s m + phi_p m_d and variance
 *   |L^-1 (phi_s - F_d' phi_p)|^2 + |L_d^-1 phi_p|^2. */
#ifndef LF_FEATURES_WEIGHTS_H
#define LF_FEATURES_WEIGHTS_H

#include "features/features.h"
#include "points/rows.h"

/* The private columns of one output. */
typedef struct lf_private_weights {
    size_t m;     /* number of columns */
    double *mean; /* (m) */
    double *F;    /* (m, M) column-major */
    double *L;    /* (m, m) lower triangle */
} lf_private_weights;

typedef struct lf_replicate_weights {
    double *mean;                /* (M) */
    double *L;                   /* (M, M) lower triangle */
    lf_private_weights *outputs; /* (D) */
} lf_replicate_weights;

typedef struct lf_weights {
    lf_model *model; /* a copy, which the features refer to */
    lf_grid_spec spec;
    lf_features features;
    int count;                        /* replicates */
    lf_replicate_weights *replicates; /* (count) */
    char device[32];                  /* where rows are whitened for variances (device/device.h); "" and "cpu": here */
    struct json_t *record;            /* a shorter form to store instead of the weights, or NULL */
} lf_weights;

/* The weights of one replicate before any data: means 0, L and L_d the identity. Clearing zeroed weights is
 * permitted. */
lf_status lf_replicate_weights_create(lf_context *ctx, const lf_features *features, lf_replicate_weights *weights);
void lf_replicate_weights_clear(lf_replicate_weights *weights, int outputs);

/* Copies the model, makes its features from the spec, and creates the replicates with prior weights; the engine fills
 * in the posterior. */
lf_status lf_weights_create(lf_context *ctx, const lf_model *model, lf_grid_spec spec, int replicates,
                            lf_weights **weights);
void lf_weights_free(lf_weights *weights);

/* Functions of lf_posterior_class (engine/posterior_class.h) for the feature engines, and what `describe` says. */
struct json_t *lf_weights_posterior_save(const void *posterior);
lf_status lf_weights_posterior_load(lf_context *ctx, const lf_model *model, const struct json_t *state, int replicates,
                                    void **posterior);
void lf_weights_posterior_free(void *posterior);
void lf_weights_posterior_range(const void *posterior, double *from, double *to);
double lf_weights_predict_numbers(const void *posterior, int replicate, size_t points, int joint);
lf_status lf_weights_predict(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                             const lf_point_set *points, double *mean, double *variance, double *covariance);

/* sums[i] += sum_j X_ij Y_ij, for X and Y (n, columns), column-major. */
void lf_add_products(size_t n, size_t columns, const double *X, const double *Y, double *sums);

/* Adds the products of private rows (n, m) to K (n, n), lower triangle: the covariances of an output with itself and
 * with its rate. Columns that a target does not have are 0 in its rows. */
void lf_add_private_products(const lf_model *model, const lf_point_set *points, size_t n, size_t m, const double *rows,
                             double *K);

#endif
