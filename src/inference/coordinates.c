/* Coordinates of parameters. */
#include "inference/coordinates.h"

#include <math.h>

lf_coordinate lf_coordinate_within(double lower, double upper)
{
    int above = isfinite(lower), below = isfinite(upper);
    return (lf_coordinate){.kind = above && below ? LF_COORDINATE_BETWEEN
                                   : above        ? LF_COORDINATE_ABOVE
                                   : below        ? LF_COORDINATE_BELOW
                                                  : LF_COORDINATE_SCALED,
                           .scale = 1,
                           .lower = lower,
                           .upper = upper};
}

double lf_coordinate_x(const lf_coordinate *c, double theta)
{
    switch (c->kind) {
    case LF_COORDINATE_ASINH:
        return asinh(exp(theta) / c->scale);
    case LF_COORDINATE_ABOVE:
        return log(theta - c->lower);
    case LF_COORDINATE_BELOW:
        return log(c->upper - theta);
    case LF_COORDINATE_BETWEEN:
        return log((theta - c->lower) / (c->upper - theta));
    default:
        return theta / c->scale;
    }
}

double lf_coordinate_theta(const lf_coordinate *c, double x)
{
    switch (c->kind) {
    case LF_COORDINATE_ASINH:
        return log(c->scale * sinh(x));
    case LF_COORDINATE_ABOVE:
        return c->lower + exp(x);
    case LF_COORDINATE_BELOW:
        return c->upper - exp(x);
    case LF_COORDINATE_BETWEEN: /* from the nearer limit, so that no digit of the distance to it is lost */
        return x < 0 ? c->lower + (c->upper - c->lower) * exp(x) / (1 + exp(x))
                     : c->upper - (c->upper - c->lower) * exp(-x) / (1 + exp(-x));
    default:
        return x * c->scale;
    }
}

double lf_coordinate_slope(const lf_coordinate *c, double theta)
{
    double value;
    switch (c->kind) {
    case LF_COORDINATE_ASINH:
        value = exp(theta);
        return hypot(value, c->scale) / value;
    case LF_COORDINATE_ABOVE:
        return theta - c->lower;
    case LF_COORDINATE_BELOW:
        return theta - c->upper;
    case LF_COORDINATE_BETWEEN:
        return (theta - c->lower) * (c->upper - theta) / (c->upper - c->lower);
    default:
        return c->scale;
    }
}

double lf_coordinate_log_jacobian(const lf_coordinate *c, double x, double *slope)
{
    switch (c->kind) {
    case LF_COORDINATE_ASINH: /* d theta / dx = coth x */
        *slope = -2 / sinh(2 * x);
        return -log(tanh(x));
    case LF_COORDINATE_ABOVE:
    case LF_COORDINATE_BELOW:
        *slope = 1;
        return x;
    case LF_COORDINATE_BETWEEN:
        *slope = -tanh(x / 2);
        return log(c->upper - c->lower) - fabs(x) - 2 * log1p(exp(-fabs(x)));
    default:
        *slope = 0;
        return log(c->scale);
    }
}
