/* Coordinates x of one parameter theta: bijections with their Jacobian. theta is the logarithm of a positive parameter, the value of another. */
#ifndef LF_INFERENCE_COORDINATES_H
#define LF_INFERENCE_COORDINATES_H

typedef enum lf_coordinate_kind {
    LF_COORDINATE_SCALED, /* theta = scale x, any x; scale 1 is the identity */
    LF_COORDINATE_ASINH,  /* e^theta = scale sinh x, x > 0: linear in the value below the scale, logarithmic above it */
    LF_COORDINATE_ABOVE,  /* theta = lower + e^x */
    LF_COORDINATE_BELOW,  /* theta = upper - e^x */
    LF_COORDINATE_BETWEEN /* theta = lower + (upper - lower) / (1 + e^-x) */
} lf_coordinate_kind;

typedef struct lf_coordinate {
    lf_coordinate_kind kind;
    double scale, lower, upper; /* those that the kind names */
} lf_coordinate;

/* The coordinate that may be any number while theta is between two limits, of which either may be infinite. */
lf_coordinate lf_coordinate_within(double lower, double upper);

double lf_coordinate_x(const lf_coordinate *c, double theta);
double lf_coordinate_theta(const lf_coordinate *c, double x);
/* d theta / dx at theta. */
double lf_coordinate_slope(const lf_coordinate *c, double theta);
/* log |d theta / dx| at x; *slope: its derivative by x. */
double lf_coordinate_log_jacobian(const lf_coordinate *c, double x, double *slope);

#endif
