/* Operators: the linear map from the forces to an output. Each has its own file and a line in the table of operator.c.
 *
 * For an ODE a_0 f^(P) + … + a_P f = force the library needs the transfer function G(s) = 1 / (a_0 s^P + … + a_P) and
 * the free motions h_k(t), k < P: the solutions without force that start from f^(k)(0) = 1 with all other derivatives
 * 0. `gaussian`, a smoothing kernel of unit integral, has a transfer function and no free motions. */
#ifndef LF_MODEL_OPERATOR_H
#define LF_MODEL_OPERATOR_H

#include <complex.h>

#define LF_MAX_ORDER 12

/* The prior of a fit for one constant of an operator. Positive constants: log(constant) ~ N(log(centre), sd^2), with
 * the bounds low … high. Other constants: N(centre, sd^2); the optimiser works with constant / size. sd 0: no
 * prior. */
typedef struct lf_constant_prior {
    double centre, sd, low, high, size;
} lf_constant_prior;

struct lf_operator;

/* The constants of the operator of one output. */
typedef struct lf_constants {
    const struct lf_operator *op;
    int order, count, input_dim; /* P, constants, p */
    const double *value;         /* (count) */
} lf_constants;

typedef struct lf_operator {
    const char *name;
    int is_ode;
    int order;          /* P where the type determines it; 0: from the number of constants (ode), or none (gaussian) */
    int constant_count; /* where the type determines it; 0: from the model file */
    const char *const *constant_names; /* (constant_count), or NULL: numbered "coefficient0", … or "precision1", … */
    const char *field;                 /* key of the list of constants in the model file, if constant_names is NULL */
    int positive;                      /* constants are >= 0 and have the log transform */
    int first_coefficient;             /* ODE: constant i is the coefficient a_{i + first_coefficient} */

    /* G(j lambda) at the frequency lambda (p). Backward, given G = G(j lambda) and by_G = dL/dG:
     * by_constants[i] += Re(conj(by_G) dG/dconstant_i). */
    double complex (*transfer)(const lf_constants *constants, const double *lambda);
    void (*transfer_backward)(const lf_constants *constants, const double *lambda, double complex G,
                              double complex by_G, double *by_constants);
    /* The prior of constant i, for inputs over a range of length `span` with the typical spacing `gap`. */
    lf_constant_prior (*prior)(const double *constants, int i, double span, double gap);
    /* ODE: the free motions h (P) at time t and, unless NULL, dh (constants, P) with d h_k / d constant_i. */
    void (*motion)(const double *constants, int order, double t, double *h, double *dh);
} lf_operator;

extern const lf_operator lf_operator_ode1, lf_operator_ode2, lf_operator_ode, lf_operator_gaussian;

/* By name, or NULL. */
const lf_operator *lf_operator_find(const char *name);
/* All names, for messages: "ode1, ode2, …". */
const char *lf_operator_names(void);

/* The coefficients a_0 … a_P of an ODE operator. */
void lf_ode_coefficients(const lf_operator *op, const double *constants, int order, double *a);

/* `transfer` and `transfer_backward` of every ODE: G(s) = 1 / (a_0 s^P + … + a_P). */
double complex lf_ode_transfer(const lf_constants *constants, const double *lambda);
void lf_ode_transfer_backward(const lf_constants *constants, const double *lambda, double complex G,
                              double complex by_G, double *by_constants);

/* a_0 s^P + … + a_P. */
double complex lf_ode_polynomial(const double *a, int order, double complex s);

/* The P roots of a_0 s^P + … + a_P; 0 on success. */
int lf_ode_roots(const double *a, int order, double complex *roots);

/* The rates h_k'(t) (P) from the motions h_k(t): h_k' = h_{k-1} - (a_{P-k} / a_0) h_{P-1}. */
void lf_ode_motion_rate(const double *a, int order, const double *h, double *rate);

/* A scale for the roots: max_k |a_k / a_0|^(1/k). No root is larger than twice this. */
double lf_ode_rate(const double *a, int order);

/* square (2P + 1): coefficients of the square of the polynomial with coefficients b (P + 1). */
void lf_ode_square(const double *b, int order, double *square);

/* The free motions for any order: h (P) and, unless NULL, da (P + 1, P) with the derivatives d h_k / d a_j. */
void lf_ode_motion(const double *a, int order, double t, double *h, double *da);

#endif
