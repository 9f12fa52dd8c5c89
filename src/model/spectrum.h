/* Force kernels, as covariance and as spectral density. Each has its own file and a line in the table of spectrum.c.
 *
 * All functions are for lengthscale 1. For lengthscale l the covariance is k(r / l) and the density is l p(l lambda),
 * with k(r) = integral of p(lambda) e^{j lambda r}. */
#ifndef LF_MODEL_SPECTRUM_H
#define LF_MODEL_SPECTRUM_H

typedef struct lf_spectrum {
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
} lf_spectrum;

extern const lf_spectrum lf_spectrum_eq, lf_spectrum_matern12, lf_spectrum_matern32, lf_spectrum_matern52;

/* By name, or NULL. */
const lf_spectrum *lf_spectrum_find(const char *name);
/* All names, for messages: "eq, matern12, …". */
const char *lf_spectrum_names(void);

#endif
