/* What the rows of a step do to the state. */
#ifndef LF_KALMAN_MEASUREMENT_UPDATE_H
#define LF_KALMAN_MEASUREMENT_UPDATE_H

#include "kalman/filter.h"

/* The measurement update of a step; record may be NULL. */
lf_status lf_measurement_update(lf_filter *filter, size_t step, lf_filter_record *record, double *log_likelihood);

/* A whole step of a stretch: the mean alone moves. */
void lf_move_mean(const lf_filter *filter, const lf_stretch *stretch, size_t step, double *log_likelihood);

#endif
