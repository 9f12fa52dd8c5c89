/* f' + decay f = force.  h_0(t) = e^{-decay t}. */
#include <math.h>

#include "model/operator.h"

static void motion(const double *constants, int order, double t, double *h, double *dh)
{
    (void)order;
    h[0] = exp(-constants[0] * t);
    if (dh) {
        dh[0] = -t * h[0];
    }
}

static lf_constant_prior prior(const double *constants, int i, double span, double gap)
{
    (void)constants;
    (void)i;
    return (lf_constant_prior){.centre = 10 / span, .sd = 2, .low = 0.01 / span, .high = 4 / gap};
}

static const char *const names[] = {"decay"};

const lf_operator lf_operator_ode1 = {.name = "ode1",
                                      .is_ode = 1,
                                      .order = 1,
                                      .constant_count = 1,
                                      .constant_names = names,
                                      .positive = 1,
                                      .first_coefficient = 1,
                                      .prior = prior,
                                      .transfer = lf_ode_transfer,
                                      .transfer_backward = lf_ode_transfer_backward,
                                      .motion = motion};
