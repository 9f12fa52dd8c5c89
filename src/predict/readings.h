/* New readings of an output, from the distribution of its latent value. */
#ifndef LF_PREDICT_READINGS_H
#define LF_PREDICT_READINGS_H

#include "model/model.h"

/* f ~ N(mean, variance) at a point, in the units of the data or of the link. */
typedef struct lf_latent {
    double mean, variance;
} lf_latent;

/* Whether a target is an output whose f is not in the units of its readings. */
static inline int lf_target_has_link(const lf_model *model, int target)
{
    return target < model->output_count && !lf_likelihood_is_direct(lf_output_likelihood(&model->outputs[target]));
}
/* The reading y of an output with the known standard error sd. */
lf_reading lf_reading_of(const lf_output *output, double y, double sd);
/* The quantiles at which probability `level` lies between them: of a new reading or, noise_free, of its mean. */
void lf_reading_interval(const lf_likelihood *likelihood, const lf_reading *r, lf_latent f, double level,
                         int noise_free, double *lower, double *upper);
/* The site of a reading at which the distribution of f, with the reading, is f: as mean and variance. */
lf_latent lf_reading_site(const lf_likelihood *likelihood, const lf_reading *r, lf_latent f);
/* The distribution of f without the reading; f: with it. */
lf_latent lf_reading_without(const lf_likelihood *likelihood, const lf_reading *r, lf_latent f);
/* The score of a reading (lf_likelihood_score) that is predicted without it; f: with it. */
double lf_reading_left_out(const lf_likelihood *likelihood, const lf_reading *r, lf_latent f);
/* A Gaussian error and noise that are as far from the prediction, and widen its interval as much, as those of the reading, f having its
 * variance: what calibration needs of a reading. */
void lf_reading_as_gaussian(const lf_likelihood *likelihood, const lf_reading *r, lf_latent f, double *error,
                            double *noise);

#endif
