/* Formulas of force kernels: "quasiperiodic(24h) + matern32", "cosine(12)*eq", "0.3*periodic(7d, harmonics=6)".
 *
 *   sum     = product { "+" product }
 *   product = factor { "*" factor }
 *   factor  = number | "(" sum ")" | name [ "(" [ argument { "," argument } ] ")" ]
 *
 * Names: eq (rbf, se), matern12, matern32, matern52, constant, linear, white, cosine, periodic, and quasiperiodic, which is
 * periodic times an envelope: matern32, or the one among its arguments. Arguments: lengthscale=, period=, period_lengthscale=,
 * harmonics=; one argument without a name is the period of what has one, otherwise the lengthscale. A number as factor is a
 * weight. Products are multiplied out. */
#ifndef LF_MODEL_KERNEL_FORMULA_H
#define LF_MODEL_KERNEL_FORMULA_H

#include "base/axis.h"
#include "model/force_terms.h"

/* The terms of a formula; what it leaves open is NaN (weights: 1). Lengths and periods are converted to the unit of the axis: those
 * with a unit of time from that, plain numbers from the unit of files, and periods must be given. NULL: the formula is that of a
 * model file, where units are refused. On failure the message quotes the formula. */
lf_status lf_kernel_parse(lf_context *ctx, const char *formula, const lf_axis *axis, int *count,
                          lf_force_term terms[LF_MAX_TERMS]);

/* Whether a formula can be one of a command line, whatever the unit of the data. */
lf_status lf_kernel_check(lf_context *ctx, const char *formula);

/* The formula of terms, without values: "periodic*matern32 + eq"; to be freed. NULL when there is no memory. */
char *lf_kernel_formula(int count, const lf_force_term *terms);

#endif
