/* Force kernels. One file each, one line in the table of spectrum.c.
 *
 * All functions are at lengthscale 1: for lengthscale l the covariance is k(r / l) and the density l p(l lambda),
 * k(r) = integral of p(lambda) e^{j lambda r}. */
#ifndef LF_MODEL_SPECTRUM_H
#define LF_MODEL_SPECTRUM_H

typedef struct lf_spectrum {
    const char *name;
    double (*covariance)(double r);       /* k(r), r >= 0 */
    double (*covariance_slope)(double r); /* k'(r) */
    double (*density)(double lambda);     /* p(lambda), one input */
    double (*density_slope)(double lambda);
    double (*quantile)(double u);    /* inverse of the distribution function of p, 0 < u < 1 */
    double (*reach)(double epsilon); /* r beyond which k(r) <= epsilon */
    double (*tail)(double epsilon);  /* lambda beyond which the mass of p on both sides is <= epsilon */
    double tail_power;               /* p ~ lambda^-tail_power; 0: faster than any power */
    double pole;                     /* distance of the nearest singularity of p from the real axis; 0: entire */
} lf_spectrum;

extern const lf_spectrum lf_spectrum_eq, lf_spectrum_matern12, lf_spectrum_matern32, lf_spectrum_matern52;

/* By name, or NULL. */
const lf_spectrum *lf_spectrum_find(const char *name);
/* All names, for messages: "eq, matern12, …". */
const char *lf_spectrum_names(void);

#endif
