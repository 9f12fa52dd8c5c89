/* a_0 f^(P) + … + a_P f = force, any order.
 *
 * Let chi(s) = s^P + b_1 s^{P-1} + … + b_P, b_k = a_k / a_0, and r_i the function with Laplace transform s^i /
 * chi(s)^2, i < 2P: the last column of exp(C t) for the companion matrix C of chi^2. Everything is linear in r:
 *   g_i = L^-1[s^i / chi]   = sum_j b_j r_{P-j+i}
 *   h_k                     = sum_{i <= P-1-k} b_i g_{P-1-k-i}
 *   d h_k / d b_j           = [j <= P-1-k] g_{P-1-k-j} - sum_{i <= P-1-k} b_i r_{2P-1-j-k-i}
 * and repeated roots need no special case. Time is scaled by lf_ode_rate so that the matrix is balanced. */
#include <math.h>

#include "base/matrix_exponential.h"
#include "model/operator.h"

_Static_assert(2 * LF_MAX_ORDER + 1 <= LF_EXPONENTIAL_MAX, "companion matrices must fit");

double lf_ode_rate(const double *a, int order)
{
    double rate = 0;
    for (int k = 1; k <= order; k++) {
        rate = fmax(rate, pow(fabs(a[k] / a[0]), 1.0 / k));
    }
    return rate;
}

void lf_ode_square(const double *b, int order, double *square)
{
    for (int i = 0; i <= 2 * order; i++) {
        square[i] = 0;
    }
    for (int i = 0; i <= order; i++) {
        for (int j = 0; j <= order; j++) {
            square[i + j] += b[i] * b[j];
        }
    }
}

void lf_ode_motion(const double *a, int order, double t, double *h, double *da)
{
    int P = order, n = 2 * P;
    double rate = lf_ode_rate(a, P);
    if (rate == 0) { /* f^(P) = force: any time scale serves */
        rate = t > 0 ? 1 / t : 1;
    }
    double b[LF_MAX_ORDER + 1], square[2 * LF_MAX_ORDER + 1];
    for (int k = 0; k <= P; k++) {
        b[k] = a[k] / a[0] * pow(rate, -k);
    }
    lf_ode_square(b, P, square);

    double complex C[4 * LF_MAX_ORDER * LF_MAX_ORDER] = {0}, exponential[4 * LF_MAX_ORDER * LF_MAX_ORDER];
    for (int k = 0; k < n; k++) {
        if (k + 1 < n) {
            C[k * n + k + 1] = rate * t;
        }
        C[(n - 1) * n + k] = -square[n - k] * rate * t;
    }
    lf_matrix_exponential(n, C, exponential);
    double r[2 * LF_MAX_ORDER], g[LF_MAX_ORDER];
    for (int i = 0; i < n; i++) {
        r[i] = creal(exponential[i * n + n - 1]);
    }
    for (int i = 0; i < P; i++) {
        g[i] = 0;
        for (int j = 0; j <= P; j++) {
            g[i] += b[j] * r[P - j + i];
        }
    }
    for (int k = 0; k < P; k++) {
        int top = P - 1 - k;
        double unit = pow(rate, -k);
        h[k] = 0;
        for (int i = 0; i <= top; i++) {
            h[k] += b[i] * g[top - i];
        }
        h[k] *= unit;
        if (!da) {
            continue;
        }
        da[k] = 0; /* by a_0, through all b_j = a_j / a_0 */
        for (int j = 1; j <= P; j++) {
            double by_b = j <= top ? g[top - j] : 0;
            for (int i = 0; i <= top; i++) {
                by_b -= b[i] * r[P - j + top - i];
            }
            by_b *= unit;
            da[j * P + k] = by_b * pow(rate, -j) / a[0];
            da[k] -= by_b * b[j] / a[0];
        }
    }
}

static void motion(const double *constants, int order, double t, double *h, double *dh)
{
    lf_ode_motion(constants, order, t, h, dh);
}

/* The leading coefficient has no prior: it only scales the sensitivities. */
static lf_constant_prior prior(const double *constants, int i, double span, double gap)
{
    (void)gap;
    double leading = fabs(constants[0]);
    return i == 0 ? (lf_constant_prior){0}
                  : (lf_constant_prior){.sd = leading * pow(100 / span, i), .size = leading * pow(10 / span, i)};
}

const lf_operator lf_operator_ode = {.name = "ode",
                                     .is_ode = 1,
                                     .field = "coefficients",
                                     .prior = prior,
                                     .transfer = lf_ode_transfer,
                                     .transfer_backward = lf_ode_transfer_backward,
                                     .motion = motion};
