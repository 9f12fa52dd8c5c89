/* The stages of a fit of a given model to training rows. lf_fit() in fit.c runs them in order. */
#ifndef LF_FIT_FIT_MODEL_H
#define LF_FIT_FIT_MODEL_H

#include "fit/monitor.h"
#include "fit/prior.h"
#include "fit/run.h"
#include "fit/system_model.h"

/* The training rows of a fit, their summary, the monitor, and starts. */
typedef struct lf_training {
    const lf_data *data;
    const lf_data_summary *summary; /* outputs numbered as in the model */
    lf_monitor *monitor;
    const lf_starts *starts; /* for restarts, before random ones; NULL: none */
    const lf_model
        *reference; /* the model at its starting values, which give the prior its sizes; NULL: as it is fitted */
    const lf_data *observed; /* the rows of outputs alone; NULL: there are no others */
    const lf_data
        *share;    /* several processes: the rows of this one, of which likelihoods are sums; NULL: those of `data` */
    int in_stages; /* the fit may begin with a part of the times (first_stage.h) */
} lf_training;

/* The rows that likelihoods are made of. */
const lf_data *lf_training_rows(const lf_training *training);

/* The options of the optimisation with every default filled in. */
lf_fit_options lf_fit_defaults(const lf_model *model, const lf_fit_options *options);

/* Prior and limits of the model as it stands, for the engine that the options select. */
lf_status lf_fit_prior(lf_context *ctx, const lf_model *model, const lf_training *training,
                       const lf_fit_options *options, lf_prior *prior);

/* Maximises the log marginal likelihood plus the log prior over the parameters that are neither fixed nor tied, within their
 * bounds, from the values the model has; the best parameters found become those of the model. Restarts run in parallel, each
 * on one thread, so that the result does not depend on the number of threads. A model that an engine refuses is an error and
 * stays as it was. */
lf_status lf_fit_model(lf_context *ctx, lf_model *model, const lf_training *training, const lf_fit_options *options,
                       lf_fit_result *result);

/* Standard errors at an optimum, from the inverse of the Hessian of the objective (Laplace's approximation), which takes two
 * evaluations for every free parameter. They are kept in the model until its parameters change. Parameters on a bound count as
 * fixed, those that the result lists too. A parameter that the data do not determine gets none; the result, unless NULL, lists
 * these. LF_ERROR_CANCELLED: none is set. */
lf_status lf_standard_errors(lf_context *ctx, lf_model *model, const lf_training *training,
                             const lf_fit_options *options, lf_fit_result *result);

/* Holds the parameters "NAME=VALUE" of --fix at these values and those of "NAME" at the values they have, and frees those of --free. */
lf_status lf_fix_parameters(lf_context *ctx, const lf_fit_options *options, lf_model *model);

/* The operations of one evaluation of a model, without constant factors, and the engine that needs fewest: that of the options or, unless
 * they name one, the filter. Depends on data and options only. Infinite: the model cannot be evaluated; the fit will say why. */
lf_status lf_count_operations(lf_context *ctx, const lf_model *model, const lf_training *training,
                              const lf_fit_options *options, double *operations, const char **engine);
/* The share of its iterations that a comparison of shapes can afford, at most 1. */
double lf_affordable_share(double operations);
/* Whether several numbers of forces are compared although that was not asked for, where an evaluation is cheap: no number is given, and
 * outputs are few. */
int lf_forces_may_be_compared(const lf_training *training, const lf_fit_options *options);
/* Whether an evaluation is cheap enough for that. Where the rows are too many, a note says so. */
int lf_forces_are_affordable(lf_context *ctx, const lf_training *training, double operations);
/* Notes what was compared, by which criterion, and what was chosen. */
void lf_note_choice(lf_context *ctx, const lf_fit_result *result);

/* A model with this shape, at its starting values, with the known inputs of the options. */
lf_status lf_shaped_model(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                          const lf_shape_options *shape, lf_model **model);

/* A chosen model: at its starting values, and after its short fit. */
typedef struct lf_chosen {
    lf_model *start, *best;
} lf_chosen;
void lf_chosen_clear(lf_chosen *chosen);

/* The shape of a model, chosen by short fits to the training rows with a share of the usual iterations: first operators and kernels
 * together, then the number of forces. The default shape is among the candidates, which are listed in the result. The fields of
 * `shape` that were chosen are set. A comparison may end before it is complete; the monitor then says so. */
lf_status lf_select_shape(lf_context *ctx, const lf_training *training, const lf_fit_options *options, double share,
                          lf_shape_options *shape, lf_fit_result *result, lf_chosen *chosen);

/* Adds forces that repeat where a cycle is seen in the rows of outputs and short fits are better with it, and notes what was tried. The
 * reference is the model at its starting values; NULL: it has not been fitted yet. Where fits were made, both are replaced, and the model
 * has the values of its short fit. */
lf_status lf_choose_cycles(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                           lf_model **model, lf_model **reference);

/* The parameters of a run become those of the model; what the run reports goes into the result. */
lf_status lf_fit_result_fill(lf_context *ctx, lf_run *run, const lf_prior *prior, lf_model *model,
                             lf_fit_result *result);
/* Notes another optimum of equations that is as good as the best one, which has the values of the model. */
lf_status lf_note_other_optimum(lf_context *ctx, const lf_model *model, size_t count, lf_run *runs, size_t best);
/* Releases what the result holds, not the struct itself. */
void lf_fit_result_clear(lf_fit_result *result);

/* Free parameters up to which standard errors are computed by default. A limit of time would make the model depend on the machine. */
enum { LF_FEW_FREE = 100 };

/* Marks sensitivities that were fitted as uncertain, by as much as the prior allows. */
void lf_mark_sensitivities_uncertain(const lf_prior *prior, lf_model *model);

/* Stores how the fit went in the model: nothing that depends on time or on the number of threads. taken: options that were taken
 * because of a limit. They are added to the command, which then gives the model without a limit. */
struct lf_fallback;
lf_status lf_fit_add_provenance(lf_context *ctx, const lf_fit_options *options, const lf_fit_result *result,
                                const struct lf_fallback *taken, lf_model *model);

#endif
