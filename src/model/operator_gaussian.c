/* Smoothing of the force by a Gaussian of unit integral: G(j lambda) = exp(-sum_i lambda_i^2 / 2 precision_i), with one
 * precision for all inputs or one per input. It has no initial state and no free motions. */
#include <math.h>

#include "model/operator.h"

static int precision_index(const lf_constants *c, int input) { return c->count > 1 ? input : 0; }

static double complex transfer(const lf_constants *c, const double *lambda)
{
    double exponent = 0;
    for (int i = 0; i < c->input_dim; i++) {
        exponent += lambda[i] * lambda[i] / (2 * c->value[precision_index(c, i)]);
    }
    return exp(-exponent);
}

static void transfer_backward(const lf_constants *c, const double *lambda, double complex G, double complex by_G,
                              double *by_constants)
{
    for (int i = 0; i < c->input_dim; i++) {
        double z = lambda[i] / c->value[precision_index(c, i)];
        by_constants[precision_index(c, i)] += creal(conj(by_G) * G) * z * z / 2;
    }
}

static lf_constant_prior prior(const double *constants, int i, double span, double gap)
{
    (void)constants;
    (void)i;
    return (lf_constant_prior){
        .centre = pow(10 / span, 2), .sd = 3, .low = pow(0.3 / span, 2), .high = pow(4 / gap, 2)};
}

const lf_operator lf_operator_gaussian = {.name = "gaussian",
                                          .field = "precision",
                                          .positive = 1,
                                          .prior = prior,
                                          .transfer = transfer,
                                          .transfer_backward = transfer_backward};
