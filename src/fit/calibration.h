/* How far predictions in gaps can be trusted. Windows like the gaps of the data are cut out of the training rows, the model is fitted
 * anew to the rest, and its predictions are compared with the rows in the windows. */
#ifndef LF_FIT_CALIBRATION_H
#define LF_FIT_CALIBRATION_H

#include "fit/refit.h"

enum { LF_MOST_REFITS = 6 };

typedef struct lf_calibration {
    lf_context *ctx;
    const lf_training *training; /* of the fit */
    const lf_fit_options *options;
    const lf_model *start; /* of the fit, at its starting values */
    double length;         /* of the windows */
    size_t count;          /* of refits; 0: nothing to do */
    lf_refit *refits;      /* (count) */
} lf_calibration;

/* Plans the refits of a fit that starts with `start`; there are none unless the options or gaps in the data ask for them. What is given
 * must outlive the calibration. After a failure it must still be cleared. */
lf_status lf_calibration_create(lf_context *ctx, const lf_model *start, const lf_training *training,
                                const lf_fit_options *options, lf_calibration *calibration);
void lf_calibration_clear(lf_calibration *calibration);

/* Refit i. Different ones may run in parallel. */
void lf_calibration_refit(lf_calibration *calibration, size_t i);

/* Widens the predictions of the fitted model by what the rows in the windows need to be covered, and notes it. */
lf_status lf_calibration_apply(lf_calibration *calibration, lf_model *model, lf_fit_result *result);

/* lf_fit_in_stages with calibration. A fit with one start runs beside the refits, one with several starts before them. */
lf_status lf_fit_calibrated(lf_context *ctx, lf_model *model, const lf_training *training,
                            const lf_fit_options *options, lf_fit_result *result);

#endif
