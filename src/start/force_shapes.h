/* The forces of a model that is made for data: by kernels, names or formulas, and by periods. */
#ifndef LF_START_FORCE_SHAPES_H
#define LF_START_FORCE_SHAPES_H

#include "model/model.h"
#include "options/options.h"

/* The kernel of shared force q that the options ask for; those of periods follow after all of them and have none here. */
const char *lf_shape_kernel(const lf_shape_options *options, const char *kernel, int q);

/* A force with a kernel given by its name or its formula. What the formula leaves open is NaN. */
lf_status lf_make_force(lf_context *ctx, const char *kernel, const lf_data *data, lf_force *force);
/* Forces for each period: two let several outputs have different phases. */
int lf_period_copies(int outputs);
/* A force that repeats with the period, in the unit of the input, and changes its shape slowly. */
lf_status lf_make_periodic_force(lf_context *ctx, double period, int harmonics, lf_force *force);

#endif
