/* The seam between engines and everything else: an engine turns a model and rows into a likelihood with its gradient,
 * and into a posterior. One file each, one line in the table of engine.c. */
#ifndef LF_ENGINE_ENGINE_H
#define LF_ENGINE_ENGINE_H

#include "data/names.h"
#include "exact/points.h"
#include "model/model.h"

/* The rows of one replicate, sorted by output and scaled by the model. */
typedef struct lf_replicate {
    lf_point_set points;
    double *y;        /* (n) raw, in sorted order */
    double *variance; /* (n) known error variance, raw units */
} lf_replicate;

typedef struct lf_rows {
    int count; /* replicates */
    lf_replicate *replicates;
    lf_names names;          /* of the replicates; one empty name when the data have none */
    size_t n;                /* rows in all */
    double earliest, latest; /* of the first input */
} lf_rows;

lf_status lf_rows_create(lf_context *ctx, const lf_model *model, const lf_data *data, lf_rows *rows);
void lf_rows_clear(lf_rows *rows);
void lf_replicate_clear(lf_replicate *replicate);
/* `to` zeroed before; after a failure it must still be cleared. */
lf_status lf_replicate_copy(lf_context *ctx, const lf_model *model, const lf_replicate *from, lf_replicate *to);
/* Of a replicate under the model: scaled values (y - offset) / scale and noise variances sigma^2 + (sd / scale)^2. */
void lf_rows_scaled(const lf_model *model, const lf_replicate *replicate, double *y, double *noise);

typedef struct lf_engine_class {
    const char *name;
    int has_inducing; /* options about inducing values mean something to it */
    /* Everything that does not depend on theta. The model and the rows outlive the state. */
    lf_status (*create)(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        void **state);
    void (*destroy)(void *state);
    /* The value at the model's parameters and, unless NULL, gradient[i] = d value / d(natural value of parameter i). */
    lf_status (*evaluate)(lf_context *ctx, void *state, const lf_model *model, double *value, double *gradient);
    void (*describe)(const void *state, lf_engine_info *info);
    /* What it asked of its frequencies; NULL: the engine has none. */
    const struct lf_demand *(*demand)(const void *state);
    /* Whether the parameters have moved to where its frequencies no longer do, so that it must be made anew. */
    int (*outgrown)(const void *state, const lf_model *model);
    /* How far its covariances of outputs may be from the exact ones, relative to the largest; NULL: see `demand`. */
    lf_status (*error_bound)(lf_context *ctx, const void *state, const lf_model *model, double *bound);
    /* What predictions need, independent of the engine afterwards. */
    lf_status (*condition)(lf_context *ctx, void *state, const lf_model *model, void **posterior);
    void (*forget)(void *posterior);
    /* For the model file: a new JSON object (NULL: no memory), and the posterior of the model from it. */
    struct json_t *(*save)(const void *posterior);
    lf_status (*load)(lf_context *ctx, const lf_model *model, const struct json_t *state, int replicates,
                      void **posterior);
    /* Takes newer rows into a posterior, whose replicate is replicate[r] for those of r; after a failure it is as before.
     * NULL: the engine needs the old rows for that. */
    lf_status (*continue_with)(lf_context *ctx, void *posterior, const lf_rows *rows, const int *replicate);
    /* The inputs between which it can predict. */
    void (*range)(const void *posterior, double *from, double *to);
    /* Mean, variance (n) and covariance (n, n), the latter two unless NULL, of one replicate at sorted points, of the
     * scaled model. */
    lf_status (*predict)(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                         const lf_point_set *points, double *mean, double *variance, double *covariance);
} lf_engine_class;

extern const lf_engine_class lf_engine_dense, lf_engine_lowrank, lf_engine_fourier;
extern const lf_engine_class lf_engine_dtc, lf_engine_variational, lf_engine_fitc, lf_engine_pitc;
extern const lf_engine_class lf_engine_dense, lf_engine_lowrank, lf_engine_fourier, lf_engine_kalman;

struct lf_engine {
    lf_context *ctx;
    const lf_engine_class *class;
    lf_model *model;
    lf_rows rows;
    char reason[256]; /* why this class */
    lf_engine_options options;
    char nodes[32], placement[32]; /* what options.nodes and options.placement point to */
    void *state;
    double *prepared; /* theta for which the state was made */
};

/* Makes the state anew for theta, as if the engine had been created there. */
lf_status lf_engine_prepare(lf_engine *engine, const double *theta);

/* Chooses the class that the options name or, for "auto", the cheapest that applies; says why. */
lf_status lf_engine_choose(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                           const lf_engine_options *options, const lf_engine_class **class, char *reason, size_t size);
/* By name, or NULL. */
const lf_engine_class *lf_engine_find(const char *name);

#endif
