/* The table of operators, and functions common to all linear ODEs: coefficients, characteristic polynomial, roots. */
#include "model/operator.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static const lf_operator *const operators[] = {&lf_operator_ode1, &lf_operator_ode2, &lf_operator_ode,
                                               &lf_operator_gaussian};

const lf_operator *lf_operator_find(const char *name)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(operators[i]->name, name) == 0) {
            return operators[i];
        }
    }
    return NULL;
}

const char *lf_operator_names(void) { return "ode1, ode2, ode, gaussian"; }

void lf_ode_coefficients(const lf_operator *op, const double *constants, int order, double *a)
{
    a[0] = 1;
    for (int k = op->first_coefficient; k <= order; k++) {
        a[k] = constants[k - op->first_coefficient];
    }
}

double complex lf_ode_polynomial(const double *a, int order, double complex s)
{
    double complex value = a[0];
    for (int k = 1; k <= order; k++) {
        value = value * s + a[k];
    }
    return value;
}

double complex lf_ode_transfer(const lf_constants *c, const double *lambda)
{
    double a[LF_MAX_ORDER + 1];
    lf_ode_coefficients(c->op, c->value, c->order, a);
    return 1 / lf_ode_polynomial(a, c->order, lambda[0] * I);
}

/* dG/da_k = -s^{P-k} G^2, with s^m = j^m lambda^m. */
void lf_ode_transfer_backward(const lf_constants *c, const double *lambda, double complex G, double complex by_G,
                              double *by_constants)
{
    static const double unit_re[4] = {1, 0, -1, 0}, unit_im[4] = {0, 1, 0, -1};
    double power[LF_MAX_ORDER + 1] = {1};
    for (int m = 1; m <= c->order; m++) {
        power[m] = power[m - 1] * lambda[0];
    }
    for (int i = 0; i < c->count; i++) {
        int m = c->order - i - c->op->first_coefficient;
        double complex s = power[m] * unit_re[m % 4] + power[m] * unit_im[m % 4] * I;
        by_constants[i] -= creal(conj(by_G) * s * G * G);
    }
}

int lf_ode_roots(const double *a, int order, double complex *roots)
{
    if (order == 1) {
        roots[0] = -a[1] / a[0];
        return 0;
    }
    if (order == 2) {
        double half = -0.5 * a[1] / a[0], product = a[2] / a[0], discriminant = half * half - product;
        if (discriminant < 0) {
            roots[0] = half + I * sqrt(-discriminant);
            roots[1] = conj(roots[0]);
        } else { /* the larger root first, the other from the product of both: no cancellation */
            double large = half + copysign(sqrt(discriminant), half);
            roots[0] = large;
            roots[1] = large == 0 ? 0 : product / large;
        }
        return 0;
    }
    double companion[LF_MAX_ORDER * LF_MAX_ORDER] = {0}, re[LF_MAX_ORDER], im[LF_MAX_ORDER];
    for (int k = 0; k < order; k++) {
        companion[k * order + order - 1] = -a[order - k] / a[0]; /* last row, column-major */
        if (k) {
            companion[k * order + k - 1] = 1;
        }
    }
    double work[16 * LF_MAX_ORDER];
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', order, companion, order, re, im, NULL, 1, NULL, 1, work,
                           sizeof work / sizeof *work)) {
        return 1;
    }
    for (int k = 0; k < order; k++) {
        roots[k] = re[k] + I * im[k];
    }
    return 0;
}

void lf_ode_motion_rate(const double *a, int order, const double *h, double *rate)
{
    for (int k = 0; k < order; k++) {
        rate[k] = (k ? h[k - 1] : 0) - a[order - k] / a[0] * h[order - 1];
    }
}
