/* What is expected of parameters before a fit: a weak prior on theta, and the limits within which computations are
 * possible and meaningful. Both scale with the inputs and the outputs, so that units do not matter. */
#ifndef LF_FIT_EXPECTATION_H
#define LF_FIT_EXPECTATION_H

#include "fit/survey.h"
#include "model/model.h"

typedef struct lf_expectation {
    double *mean, *sd;     /* (parameters) of theta; sd infinite: no prior */
    double *lower, *upper; /* (parameters) of theta; a bound of the model goes before a limit */
    double *size; /* (parameters) by how much theta moves when it moves a little: a fit works in units of this */
} lf_expectation;

/* What a fit is like, as far as it matters here. */
typedef struct lf_outlook {
    lf_prior prior; /* not LF_PRIOR_DEFAULT */
    int by_columns; /* the engine's work grows with the lengthscales in a span: these must not become too many */
} lf_outlook;

/* For the model as it stands: its sensitivities say how large sensitivities are. */
lf_status lf_expectation_create(lf_context *ctx, const lf_model *model, const lf_survey *survey, lf_outlook outlook,
                                lf_expectation *expectation);
void lf_expectation_clear(lf_expectation *expectation);

#endif
