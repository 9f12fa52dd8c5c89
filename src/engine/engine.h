/* The interface that every engine implements: it turns a model and rows into a likelihood with its gradient, and into a
 * posterior. One folder each, one line in the table of src/engines.c. */
#ifndef LF_ENGINE_ENGINE_H
#define LF_ENGINE_ENGINE_H

#include "engine/posterior_class.h"
#include "engine/prior_mean.h"
#include "engine/sites.h"
#include "engine/targets.h"
#include "model/model.h"
#include "points/rows.h"

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

/* What an engine can do that others cannot. */
enum {
    LF_HAS_INDUCING = 1 << 0,     /* it approximates by inducing values; "auto" does not choose it */
    LF_HAS_STATES = 1 << 1,       /* it filters along time; its columns are the states of the filter */
    LF_ALLOWS_MEAN = 1 << 2,      /* models with known inputs, whose rows have a mean */
    LF_ALLOWS_EQUATIONS = 1 << 3, /* models given by equations */
    LF_ALLOWS_AVERAGES = 1 << 4,  /* rows that are means over an interval */
    LF_ALLOWS_DEVICE = 1 << 5,    /* it computes on the device that the options name */
    LF_PREDICTS_SUBMODELS =
        1 << 6, /* `predict` uses the model it is given: with some sensitivities, amplitudes and initial
                                     * variances set to 0 its mean is the part of the mean that the others contribute */
    LF_EXACT_IN_OUTPUTS =
        1 << 7,             /* its covariances of the readings of one output are exact, those between outputs are not */
    LF_GIVES_BOUND = 1 << 8 /* its log likelihood is a lower bound */
};

/* What an engine would take for a model, rows and options, and how it would share the rows. */
typedef struct lf_demand {
    double
        cost; /* floating-point operations of one likelihood with its gradient, counted as those of large matrix products; infinite
                    where the engine does not apply */
    int applies; /* memory was estimated; 0: it was not asked for, or the engine cannot be made */
    lf_memory_estimate memory;
    /* How several processes share the rows. Unless it is LF_WHOLE, which lets each of them do all the work, `evaluate` and `rounding`
     * compute a share of their results, which are then summed over the processes. */
    lf_distribution distribution;
    int resolves_lengthscales; /* the work grows with the number of lengthscales in the span of the inputs */
} lf_demand;

/* The interface of an engine. A function may be NULL where its comment says so. */
typedef struct lf_engine_class {
    const char *name;
    unsigned abilities;           /* LF_HAS_INDUCING … */
    lf_composed_support composed; /* which composed forces it supports */
    const lf_posterior_class *posterior;
    /* with_memory: also applies and memory, which take longer. Leaves no message in the context, and allocates little itself; fails only
     * without memory. */
    lf_status (*estimate)(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                          int with_memory, lf_demand *demand);
    /* Everything that does not depend on theta. The model and the rows outlive the state. */
    lf_status (*create)(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        void **state);
    void (*destroy)(void *state);
    /* The value at the model's parameters and, unless NULL, gradient[i] = d value / d(natural value of parameter i), those of noise
     * variances and offsets as they follow for targets of the rows. Other targets, and derivatives by the targets, are asked of a state
     * that was made for them (lf_rows.any_targets); by_y also of an engine that allows means. */
    lf_status (*evaluate)(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets, double *value,
                          double *gradient);
    void (*describe)(const void *state, lf_engine_info *info);
    /* Whether the parameters have moved to where its frequencies are too few, so that the state must be made again; NULL: they
     * never do. Negative: there was no memory to find out. */
    int (*needs_regrid)(const void *state, const lf_model *model);
    /* The largest difference of its covariances of outputs from the exact ones, relative to the largest; NULL: it is 0. */
    lf_status (*error_bound)(lf_context *ctx, const void *state, const lf_model *model, lf_error_bounds *bounds);
    /* The value at the model's parameters, which are those last evaluated if any were, and an estimate of its error by rounding;
     * NULL: there is none. */
    lf_status (*rounding)(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets, double *value,
                          double *error);
    /* What predictions need, independent of the state afterwards. After a failure it must still be freed. */
    lf_status (*posterior_create)(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets,
                                  void **posterior);
    /* The lower triangle of the prior covariance (n, n) of a scaled model at sorted points, as the engine has it; with LF_HAS_STATES of
     * models given by equations. NULL: only posteriors. */
    lf_status (*prior_covariance)(lf_context *ctx, const lf_model *model, const lf_engine_options *options,
                                  const lf_point_set *points, double *covariance);
    /* values (n): a draw from the prior of a model given by equations, made of the normals; NULL: covariances alone. */
    lf_status (*prior_draw)(lf_context *ctx, const lf_model *model, const lf_point_set *points,
                            lf_normal_source normals, void *data, double *values);
} lf_engine_class;

/* Whether an engine has an ability. */
static inline int lf_engine_is_able(const lf_engine_class *class, unsigned ability)
{
    return (class->abilities & ability) != 0;
}
/* Completes what `estimate` says: a cost, negative without memory, and whether memory was estimated, negative likewise. */
lf_status lf_demand_set(lf_demand *demand, double cost, int applies);

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
    double *y, *noise;  /* (rows) the targets of the last evaluation */
    lf_sites *sites;    /* of readings that are not Gaussian, with which the value is a bound; NULL: all are Gaussian */
    double *prepared;   /* theta for which the state was made */
    int noted;          /* a note has told of lost digits */
};

/* An engine for targets of the caller: whatever the rows, it assumes nothing of their values and of their noise. */
lf_status lf_engine_create_for_targets(lf_context *ctx, const lf_model *model, const lf_data *data,
                                       const lf_engine_options *options, lf_engine **engine);
/* lf_engine_evaluate with targets of the caller, in the units of the scaled model, known inputs not subtracted. NULL: those of the rows.
 * The gradient by theta is that at fixed targets: noise variances and offsets do not change them. */
lf_status lf_engine_evaluate_targets(lf_engine *engine, const double *theta, const lf_targets *targets,
                                     double *log_likelihood, double *gradient);
/* The targets at the parameters of the model, in engine->y and engine->noise; of_caller: NULL, or those given. */
lf_status lf_engine_set_targets(lf_engine *engine, const lf_targets *of_caller, lf_targets *targets);

/* Sets the parameters, and makes the state again where frequencies are too few for them. */
lf_status lf_engine_move(lf_engine *engine, const double *theta);
/* Makes the state again for theta, as if the engine had been created there. */
lf_status lf_engine_prepare(lf_engine *engine, const double *theta);
/* The largest of the bounds of lf_engine_error_bounds; NaN: one is not known. */
lf_status lf_engine_error_bound(lf_engine *engine, double *bound);

/* ---- in engine_memory.c ---- */

/* The bytes of as many engines as the context says, with their rows, while one of them evaluates. */
double lf_engine_bytes(const lf_context *ctx, const lf_rows *rows, const lf_memory_estimate *memory);
/* Bytes that the engine takes with one evaluation of a gradient, as estimated before it was made. */
double lf_engine_memory(const lf_engine *engine);

/* ---- in src/engines.c ---- */

/* The class that an engine choice comes to, with its reason. */
typedef struct lf_engine_choice {
    const lf_engine_class *class;
    double cost; /* and what follows: as lf_demand has them */
    lf_memory_estimate memory;
    lf_distribution distribution;
    int resolves_lengthscales;
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
/* The engine that the options name, or the exact one, where it has prior covariances of this model. */
lf_status lf_engine_of_prior(lf_context *ctx, const lf_model *model, const lf_engine_options *options,
                             const lf_engine_class **class);
/* The first engine of the table with an ability. One has it. */
const lf_engine_class *lf_engine_with(unsigned ability);

#endif
