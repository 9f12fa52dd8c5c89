/* The inducing-variable engines dtc, variational, fitc and pitc: their state, and declarations shared by their
 * files. */
#ifndef LF_INDUCING_INDUCING_H
#define LF_INDUCING_INDUCING_H

#include "engine/engine.h"
#include "inducing/inducing_system.h"

extern const lf_engine_class lf_engine_dtc, lf_engine_variational, lf_engine_fitc, lf_engine_pitc;

typedef struct lf_inducing {
    const lf_rows *rows;
    lf_inducing_method method;
    lf_inducing_kernel kernel;
    lf_inducing_system *systems; /* (replicates) */
} lf_inducing;

/* Brings kernel and systems to the current parameters of the model. Systems are recreated where their compressed rows
 * are no longer accurate. */
lf_status lf_inducing_prepare(lf_context *ctx, lf_inducing *engine, const lf_targets *targets);

/* What lf_engine_class.estimate says of a method; negative: no memory. */
double lf_inducing_cost(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        lf_inducing_method method);
int lf_inducing_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                       lf_inducing_method method, lf_memory_estimate *memory);

/* The kernel without rows, for estimates: its inducing inputs and its nodes. 0: it does not apply; negative: no memory. No message. */
int lf_inducing_trial(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                      lf_inducing_kernel *kernel);

lf_status lf_inducing_posterior_create(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets,
                                       void **posterior);

/* The posterior, common to the four engines, and functions of its class. */
extern const lf_posterior_class lf_inducing_posterior_class;
struct json_t *lf_inducing_posterior_save(const void *posterior);
lf_status lf_inducing_posterior_load(lf_context *ctx, const lf_model *model, const struct json_t *state, int replicates,
                                     void **posterior);
lf_status lf_inducing_predict(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                              const lf_point_set *points, double *mean, double *variance, double *covariance);
/* What `describe` says: about how many numbers a prediction allocates, and the inputs between which it is possible. */
double lf_inducing_predict_numbers(const void *posterior, int replicate, size_t points, int joint);
void lf_inducing_posterior_range(const void *posterior, double *from, double *to);

#endif
