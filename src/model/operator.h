/* Operators: what stands between the forces and an output. One file each, one line in the table of operator.c.
 *
 * An ODE a_0 f^(P) + … + a_P f = force is known to the rest of the library by its transfer function
 * G(s) = 1 / (a_0 s^P + … + a_P) and its free motions h_k(t), k < P: the motion that starts from f^(k)(0) = 1 with all
 * other derivatives 0. `gaussian` (smoothing kernel of unit integral) has a transfer function and no free motions. */
#ifndef LF_MODEL_OPERATOR_H
#define LF_MODEL_OPERATOR_H

#include <complex.h>

#define LF_MAX_ORDER 12

/* What a fit assumes about a constant of an operator. Of constants that are positive the logarithm is normal about log(centre),
 * within low … high; others are normal about centre, and change by about `size`. sd 0: nothing. */
typedef struct lf_constant_prior {
    double centre, sd, low, high, size;
} lf_constant_prior;

struct lf_operator;

/* The constants of one output's operator. */
typedef struct lf_constants {
    const struct lf_operator *op;
    int order, count, input_dim; /* P, constants, p */
    const double *value;         /* (count) */
} lf_constants;

typedef struct lf_operator {
    const char *name;
    int is_ode;
    int order;          /* P when the type fixes it; 0: from the number of constants (ode), or none (gaussian) */
    int constant_count; /* when the type fixes it; 0: from the file */
    const char *const *constant_names; /* (constant_count), or NULL: numbered "coefficient0", … or "precision1", … */
    const char *field;                 /* for a list of constants: its name in the model file */
    int positive;                      /* constants are >= 0 and move as logarithms */
    int first_coefficient;             /* ODE: constant i is the coefficient a_{i + first_coefficient} */

    /* G(j lambda) at the frequency lambda (p), and by_constants[i] += Re(conj(by_G) dG/dconstant_i) where it has the value G. */
    double complex (*transfer)(const lf_constants *constants, const double *lambda);
    void (*transfer_backward)(const lf_constants *constants, const double *lambda, double complex G,
                              double complex by_G, double *by_constants);
    /* Of constant i, for inputs that span `span` and whose typical distance is `gap`. */
    lf_constant_prior (*prior)(const double *constants, int i, double span, double gap);
    /* ODE: h_k(t) into h (P), and, unless dh is NULL, d h_k / d constant_i into dh (constants, P). */
    void (*motion)(const double *constants, int order, double t, double *h, double *dh);
} lf_operator;

extern const lf_operator lf_operator_ode1, lf_operator_ode2, lf_operator_ode, lf_operator_gaussian;

const lf_operator *lf_operator_find(const char *name);
const char *lf_operator_names(void);

/* The coefficients a_0 … a_P of an ODE operator. */
void lf_ode_coefficients(const lf_operator *op, const double *constants, int order, double *a);

/* The transfer function of every ODE, 1 / (a_0 s^P + … + a_P), and its derivatives. */
double complex lf_ode_transfer(const lf_constants *constants, const double *lambda);
void lf_ode_transfer_backward(const lf_constants *constants, const double *lambda, double complex G,
                              double complex by_G, double *by_constants);

/* a_0 s^P + … + a_P. */
double complex lf_ode_polynomial(const double *a, int order, double complex s);

/* The P roots of a_0 s^P + … + a_P; 0 on success. */
int lf_ode_roots(const double *a, int order, double complex *roots);

/* The rates h_k'(t) (P) from the motions h_k(t): h_k' = h_{k-1} - (a_{P-k} / a_0) h_{P-1}. */
void lf_ode_motion_rate(const double *a, int order, const double *h, double *rate);

/* The size of the roots: max_k |a_k / a_0|^(1/k), within a factor 2 of the largest. */
double lf_ode_rate(const double *a, int order);

/* Coefficients (2P + 1) of the square of a polynomial with coefficients b (P + 1). */
void lf_ode_square(const double *b, int order, double *square);

/* The free motions of any order from the coefficients: h (P) and, unless NULL, d h_k / d a_j into da (P + 1, P). */
void lf_ode_motion(const double *a, int order, double t, double *h, double *da);

#endif
