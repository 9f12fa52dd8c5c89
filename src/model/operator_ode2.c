/* mass f'' + damper f' + spring f = force: overdamped, underdamped or critically damped.
 *
 * With a = -damper / 2 mass and D = a^2 - spring / mass, C = cosh(sqrt(D) t), S = sinh(sqrt(D) t) / sqrt(D):
 *   h_0 = e^{at} (C - a S),   h_1 = e^{at} S,
 * differentiated by (a, D); dS/dD = (t C - S) / 2D. Well inside the overdamped range the two real roots are used
 * instead, h_1 = (e^{s1 t} - e^{s2 t}) / (s1 - s2), where d h_0 / d s_i = -s_j d h_1 / d s_i. */
#include <math.h>

#include "model/operator.h"

/* h_0, h_1 and their derivatives by two intermediate variables: (a, D) or (s1, s2). */
typedef struct motion2 {
    double h0, h1;
    double dh0[2], dh1[2];
} motion2;

static motion2 overdamped(double s1, double s2, double t)
{
    double e1 = exp(s1 * t), e2 = exp(s2 * t), gap = s1 - s2;
    motion2 m = {.h0 = (s1 * e2 - s2 * e1) / gap, .h1 = (e1 - e2) / gap};
    m.dh1[0] = (t * e1 - m.h1) / gap;
    m.dh1[1] = (m.h1 - t * e2) / gap;
    m.dh0[0] = -s2 * m.dh1[0];
    m.dh0[1] = -s1 * m.dh1[1];
    return m;
}

static motion2 general(double a, double D, double t)
{
    double z = D * t * t, e = exp(a * t);
    double C, S, slope; /* slope = dS/dD */
    if (fabs(z) < 2) {  /* series: no cancellation at critical damping */
        double term = 1, C0 = 0, S0 = 0, slope0 = 0;
        for (int n = 0; n < 14; n++) { /* term = z^n / (2n)! */
            double odd = term / (2 * n + 1);
            C0 += term;
            S0 += odd;
            slope0 += (n + 1) * odd / ((2 * n + 2) * (2 * n + 3));
            term = odd * z / (2 * n + 2);
        }
        C = C0;
        S = t * S0;
        slope = t * t * t * slope0;
    } else { /* D < 0; D > 0 is handled by `overdamped` */
        double w = sqrt(-D);
        C = cos(w * t);
        S = sin(w * t) / w;
        slope = (t * C - S) / (2 * D);
    }
    motion2 m = {.h0 = e * (C - a * S), .h1 = e * S};
    m.dh1[0] = t * m.h1;
    m.dh1[1] = e * slope;
    m.dh0[0] = t * m.h0 - m.h1;
    m.dh0[1] = t * m.h1 / 2 - a * m.dh1[1];
    return m;
}

static void motion(const double *constants, int order, double t, double *h, double *dh)
{
    (void)order;
    double mass = constants[0], damper = constants[1], spring = constants[2];
    double a = -damper / (2 * mass), stiffness = spring / mass, D = a * a - stiffness;
    motion2 m;
    double du[3], dv[3]; /* derivatives of the two intermediate variables by mass, damper, spring */
    if (D > 0 && D * t * t >= 2) {
        double fast = a - sqrt(D), slow = stiffness / fast;
        double gap = mass * (slow - fast); /* ds/da_k = -s^{2-k} / (2 mass s + damper) */
        m = overdamped(slow, fast, t);
        for (int k = 0; k < 3; k++) {
            du[k] = -pow(slow, 2 - k) / gap;
            dv[k] = pow(fast, 2 - k) / gap;
        }
    } else {
        m = general(a, D, t);
        du[0] = -a / mass;
        du[1] = -1 / (2 * mass);
        du[2] = 0;
        dv[0] = (stiffness - 2 * a * a) / mass;
        dv[1] = -a / mass;
        dv[2] = -1 / mass;
    }
    h[0] = m.h0;
    h[1] = m.h1;
    if (dh) {
        for (int k = 0; k < 3; k++) {
            dh[2 * k] = m.dh0[0] * du[k] + m.dh0[1] * dv[k];
            dh[2 * k + 1] = m.dh1[0] * du[k] + m.dh1[1] * dv[k];
        }
    }
}

/* The mass has no prior: it only scales the sensitivities. */
static lf_constant_prior prior(const double *constants, int i, double span, double gap)
{
    double mass = constants[0];
    switch (i) {
    case 1:
        return (lf_constant_prior){
            .centre = mass * 20 / span, .sd = 2, .low = mass * 0.01 / span, .high = mass * 20 / gap};
    case 2:
        return (lf_constant_prior){.centre = mass * pow(10 / span, 2),
                                   .sd = 4,
                                   .low = mass * pow(0.05 / span, 2),
                                   .high = mass * pow(3 / gap, 2)};
    default:
        return (lf_constant_prior){0};
    }
}

static const char *const names[] = {"mass", "damper", "spring"};

const lf_operator lf_operator_ode2 = {.name = "ode2",
                                      .is_ode = 1,
                                      .order = 2,
                                      .constant_count = 3,
                                      .constant_names = names,
                                      .positive = 1,
                                      .prior = prior,
                                      .transfer = lf_ode_transfer,
                                      .transfer_backward = lf_ode_transfer_backward,
                                      .motion = motion};
