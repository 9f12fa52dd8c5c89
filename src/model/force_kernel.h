/* Force kernels, as covariance and as spectral density. Each has its own file and a line in the table of force_kernel.c.
 *
 * All functions are for lengthscale 1. For lengthscale l the covariance is k(r / l) and the density is l p(l lambda),
 * with k(r) = integral of p(lambda) e^{j lambda r}. */
#ifndef LF_MODEL_FORCE_KERNEL_H
#define LF_MODEL_FORCE_KERNEL_H

typedef struct lf_force_kernel {
    const char *name;
    double (*covariance)(double r);         /* k(r), r >= 0 */
    double (*covariance_slope)(double r);   /* k'(r) */
    double (*density)(double lambda);       /* p(lambda), one input */
    double (*density_slope)(double lambda); /* p'(lambda) */
    double (*quantile)(double u);           /* inverse of the distribution function of p, 0 < u < 1 */
    double (*reach)(double epsilon);        /* lag beyond which k(r) <= epsilon */
    double (*tail)(double epsilon);         /* lambda with mass epsilon of p beyond it, both sides together */
    double tail_power;                      /* p ~ lambda^-tail_power; 0: p falls faster than any power */
    double pole;                            /* distance of the nearest singularity of p from the real axis; 0: entire */
} lf_force_kernel;

extern const lf_force_kernel lf_force_kernel_eq, lf_force_kernel_matern12, lf_force_kernel_matern32,
    lf_force_kernel_matern52;

/* By name, or NULL. */
const lf_force_kernel *lf_force_kernel_find(const char *name);
/* All names, for messages: "eq, matern12, …". */
const char *lf_force_kernel_names(void);

#endif
