/* The interface of the posterior of an engine: what predictions need, of all replicates, of the scaled model. */
#ifndef LF_ENGINE_POSTERIOR_CLASS_H
#define LF_ENGINE_POSTERIOR_CLASS_H

#include "model/model.h"
#include "points/rows.h"

struct json_t;

/* What can be asked of a posterior, and what it takes. */
typedef struct lf_posterior_facts {
    double from, to; /* the inputs between which it can predict */
    double end;      /* the last row of the replicate; NAN: not known */
    double numbers;  /* about how many numbers `predict` allocates for the points */
    int together; /* several processes have the replicate together: all of them call `predict` with the same points */
} lf_posterior_facts;

typedef struct lf_posterior_class {
    void (*free)(void *posterior);
    /* For the model file: a new JSON object (NULL: no memory), and the posterior of the model from it. */
    struct json_t *(*save)(const void *posterior);
    lf_status (*load)(lf_context *ctx, const lf_model *model, const struct json_t *state, int replicates,
                      void **posterior);
    /* Takes newer rows into a posterior, whose replicate is replicate[r] for those of r; after a failure it is as before.
     * NULL: the engine needs the old rows for that. */
    lf_status (*update)(lf_context *ctx, void *posterior, const lf_rows *rows, const int *replicate);
    /* Of one replicate; numbers: for so many points, joint: with their covariance. */
    lf_posterior_facts (*describe)(const void *posterior, int replicate, size_t points, int joint);
    /* Mean, variance (n) and covariance (n, n), the latter two unless NULL, of one replicate at sorted points. */
    lf_status (*predict)(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                         const lf_point_set *points, double *mean, double *variance, double *covariance);
    /* z (n): the errors of the rows of a replicate, each predicted from the rows at earlier times, divided by their standard
     * deviations. NULL: the engine does not order its rows by time. */
    lf_status (*innovations)(lf_context *ctx, const void *posterior, int replicate, const lf_replicate *rows,
                             double *z);
} lf_posterior_class;

#endif
