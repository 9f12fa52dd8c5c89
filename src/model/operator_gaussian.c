/* Smoothing of the force by a Gaussian of unit integral: v(x, lambda) = exp(-|lambda|^2 / 2 precision) e^{j lambda x}.
 * It has no start and no free motion; its transfer function lives with the columns (columns/response.c). */
#include "model/operator.h"

const lf_operator lf_operator_gaussian = {.name = "gaussian", .field = "precision", .positive = 1};
