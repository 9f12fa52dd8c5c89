/* The interface that every engine implements: it turns a model and rows into a likelihood with its gradient, and into a
 * posterior. One folder each, one line in the table of src/engines.c. */
#ifndef LF_ENGINE_ENGINE_H
#define LF_ENGINE_ENGINE_H

#include "engine/prior_mean.h"
#include "model/model.h"
#include "points/rows.h"

struct json_t;

/* Composed forces (force_terms.h) that an engine supports: none, those that have a spectral density (without lines: not periodic,
 * cosine and constant without an envelope), those that have a spectrum (neither linear nor white), or all. */
typedef enum lf_composed_support {
    LF_COMPOSED_NONE,
    LF_COMPOSED_DENSITY,
    LF_COMPOSED_SPECTRAL,
    LF_COMPOSED_ALL
} lf_composed_support;

/* Independent standard normals z (n), the next ones at every call. */
typedef void (*lf_normal_source)(void *data, size_t n, double *z);

/* What an engine allocates, in bytes, as estimated. Rows are not counted here. */
typedef struct lf_memory_estimate {
    double state;     /* of an engine that has been evaluated */
    double work;      /* more during an evaluation with gradient on one thread */
    double thread;    /* more for each further thread */
    double posterior; /* more for a posterior and while it is computed, and for its text in a model */
    double diagnosis; /* more for predictions at the rows, which judge a fit */
} lf_memory_estimate;

typedef struct lf_engine_class {
    const char *name;
    int has_inducing; /* approximates by inducing values; "auto" does not choose it */
    /* How several processes share the rows. Unless it is LF_WHOLE, which lets each of them do all the work, `evaluate` and `rounding`
     * compute a share of their results, which are then summed over the processes. */
    lf_distribution distribution;
    /* Whether a model needs all rows of an output on one process where others do not (LF_BY_ROWS); NULL: no model does. */
    int (*needs_whole_outputs)(const lf_model *model);
    /* `predict` uses the model it is given: with some sensitivities, amplitudes and initial variances set to 0 its mean is the
     * part of the mean that the others contribute. */
    int predicts_submodels;
    /* Floating-point operations of one likelihood with its gradient, counted as those of large matrix products; infinite
     * where the engine does not apply, negative without memory. Leaves no message in the context. */
    double (*cost)(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options);
    /* Returns 0 where the engine does not apply, negative without memory. Leaves no message in the context, and allocates little itself. */
    int (*memory)(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                  lf_memory_estimate *memory);
    /* Everything that does not depend on theta. The model and the rows outlive the state. */
    lf_status (*create)(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        void **state);
    void (*destroy)(void *state);
    /* It evaluates models with known inputs, whose rows have a mean; models given by equations; rows that are means over an interval. */
    int allows_mean, allows_equations, allows_averages;
    int allows_device;            /* it computes on the device that the options name */
    lf_composed_support composed; /* which composed forces it supports */
    /* The value at the model's parameters and, unless NULL, gradient[i] = d value / d(natural value of parameter i). by_y, unless NULL:
     * d value / d(scaled row), one replicate after the other; asked only of an engine that allows means. */
    lf_status (*evaluate)(lf_context *ctx, void *state, const lf_model *model, double *value, double *gradient,
                          double *by_y);
    void (*describe)(const void *state, lf_engine_info *info);
    /* Whether its work grows with the number of lengthscales in the span of the inputs; NULL: it does not. */
    int (*resolves_lengthscales)(const lf_model *model, const lf_engine_options *options);
    /* Whether the parameters have moved to where its frequencies are too few, so that the state must be made again; NULL: they
     * never do. Negative: there was no memory to find out. */
    int (*needs_regrid)(const void *state, const lf_model *model);
    /* The largest difference of its covariances of outputs from the exact ones, relative to the largest; NULL: it is 0. */
    lf_status (*error_bound)(lf_context *ctx, const void *state, const lf_model *model, lf_error_bounds *bounds);
    /* The value at the model's parameters, which are those last evaluated if any were, and an estimate of its error by rounding;
     * NULL: there is none. */
    lf_status (*rounding)(lf_context *ctx, void *state, const lf_model *model, double *value, double *error);
    /* What predictions need, independent of the state afterwards. After a failure it must still be freed. */
    lf_status (*posterior_create)(lf_context *ctx, void *state, const lf_model *model, void **posterior);
    void (*posterior_free)(void *posterior);
    /* For the model file: a new JSON object (NULL: no memory), and the posterior of the model from it. */
    struct json_t *(*posterior_save)(const void *posterior);
    lf_status (*posterior_load)(lf_context *ctx, const lf_model *model, const struct json_t *state, int replicates,
                                void **posterior);
    /* Takes newer rows into a posterior, whose replicate is replicate[r] for those of r; after a failure it is as before.
     * NULL: the engine needs the old rows for that. */
    lf_status (*posterior_update)(lf_context *ctx, void *posterior, const lf_rows *rows, const int *replicate);
    /* The inputs between which it can predict. */
    void (*posterior_range)(const void *posterior, double *from, double *to);
    /* The last row of a replicate; NULL: not known. */
    double (*posterior_end)(const void *posterior, int replicate);
    /* About how many numbers `predict` allocates for so many points of a replicate; joint: with their covariance. */
    double (*predict_numbers)(const void *posterior, int replicate, size_t points, int joint);
    /* Mean, variance (n) and covariance (n, n), the latter two unless NULL, of one replicate at sorted points, of the
     * scaled model. */
    lf_status (*predict)(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                         const lf_point_set *points, double *mean, double *variance, double *covariance);
    /* Whether several processes have the posterior of a replicate together: all of them call `predict` with the same points. NULL: each
     * has it whole. */
    int (*predicts_together)(const void *posterior, int replicate);
    /* The prior covariance (n, n) of a scaled model given by equations, at sorted points; NULL: only posteriors. */
    lf_status (*prior_covariance)(lf_context *ctx, const lf_model *model, const lf_point_set *points,
                                  double *covariance);
    /* values (n): a draw from this prior, made of the normals; NULL where there are no prior covariances. */
    lf_status (*prior_draw)(lf_context *ctx, const lf_model *model, const lf_point_set *points,
                            lf_normal_source normals, void *data, double *values);
    /* z (n): the errors of the rows of a replicate, each predicted from the rows at earlier times, divided by their standard
     * deviations. NULL: the engine does not order its rows by time. */
    lf_status (*innovations)(lf_context *ctx, const void *posterior, int replicate, const lf_replicate *rows,
                             double *z);
} lf_engine_class;

/* The engine handle: a class, and its state for a model and rows. */
struct lf_engine {
    lf_context *ctx;
    const lf_engine_class *class;
    lf_model *model;
    lf_rows rows;
    char reason[256]; /* why this class */
    double cost;      /* of an evaluation, as the class estimates it */
    lf_memory_estimate memory;
    lf_engine_options options;
    char nodes[32], inducing_inputs[32], device[32]; /* what these fields of the options point to */
    void *state;
    lf_prior_mean mean;
    double *per_output; /* (D) numbers of rows, of all processes */
    double *prepared;   /* theta for which the state was made */
    int noted;          /* a note has told of lost digits */
};

/* Makes the state again for theta, as if the engine had been created there. */
lf_status lf_engine_prepare(lf_engine *engine, const double *theta);

/* ---- in engine_memory.c ---- */

/* The bytes of as many engines as the context says, with their rows, while one of them evaluates. */
double lf_engine_bytes(const lf_context *ctx, const lf_rows *rows, const lf_memory_estimate *memory);
/* How many of `threads` may each evaluate one of these engines without more memory than the limit, at least 1. */
int lf_threads_within_memory(lf_context *ctx, const lf_rows *rows, const lf_memory_estimate *memory, int threads);

/* ---- in src/engines.c ---- */

/* The class that an engine choice comes to, with its reason. */
typedef struct lf_engine_choice {
    const lf_engine_class *class;
    double cost;
    lf_memory_estimate memory;
    char reason[256];
} lf_engine_choice;

/* The class that the options name or, for "auto", the cheapest that applies and is within the memory of the context; what is not is
 * an error that names what would be. */
lf_status lf_engine_choose(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                           const lf_engine_options *options, lf_engine_choice *choice);
/* What the choice comes to where its estimate is not compared with the limit. *bytes: its estimate, infinite where the model cannot be
 * evaluated so. */
lf_status lf_engine_estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                             const lf_engine_options *options, lf_engine_choice *choice, double *bytes);
/* Appends to the message of an engine that refuses: "; use dense or kalman", those that can be made with the same options. None: nothing. */
void lf_engine_advise(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                      const char *refused);
/* By name, or NULL. */
const lf_engine_class *lf_engine_find(const char *name);

#endif
