/* Formulas of force kernels: "quasiperiodic(24h) + matern32", "cosine(12)*eq", "0.3*periodic(7d, harmonics=6)".
 *
 *   sum     = product { "+" product }
 *   product = factor { "*" factor }
 *   factor  = number | "(" sum ")" | name [ "(" [ argument { "," argument } ] ")" ]
 *
 * Names: eq (rbf, se), matern12, matern32, matern52, constant, linear, white, cosine, periodic, and quasiperiodic, which is
 * periodic times an envelope: matern32, or the one among its arguments. Arguments: lengthscale=, period=, period_lengthscale=,
 * harmonics=; the first argument without a name is the period of what has one, otherwise the lengthscale. A number as factor
 * is a weight. Products are multiplied out. */
#ifndef LF_MODEL_KERNEL_FORMULA_H
#define LF_MODEL_KERNEL_FORMULA_H

#include "model/force_terms.h"

/* The terms of a formula; what it leaves open is NaN (weights: 1). Lengths and periods may have a unit of time, which is converted to
 * `unit`, that of the input (NULL: it has none, and units are refused). On failure the message quotes the formula. */
lf_status lf_kernel_parse(lf_context *ctx, const char *formula, const char *unit, int *count,
                          lf_force_term terms[LF_MAX_TERMS]);

/* Whether a formula is one name of a plain kernel, which lf_force_kernel_find() knows. */
int lf_kernel_is_plain(const char *formula);

/* The formula of terms, without values: "periodic*matern32 + eq"; to be freed. NULL when there is no memory. */
char *lf_kernel_formula(int count, const lf_force_term *terms);

#endif
