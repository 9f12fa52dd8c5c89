/* Likelihoods: the density of one reading y given the latent value f of its output, both in the units of the data or of the link.
 *
 * Inference needs the expectation of the log density under f ~ N(m, v) with its derivatives, predictions need moments and quantiles of a new
 * reading under the same f. One file for each likelihood, one line in the table of likelihood.c. */
#ifndef LF_LIKELIHOOD_LIKELIHOOD_H
#define LF_LIKELIHOOD_LIKELIHOOD_H

/* X(name in the source, name in model files and options). The first is the default, which needs no approximation. */
#define LF_LIKELIHOODS_BESIDE_GAUSSIAN(X)                                                                              \
    X(student, "student")                                                                                              \
    X(poisson, "poisson")                                                                                              \
    X(negative_binomial, "negative-binomial")                                                                          \
    X(bernoulli, "bernoulli")                                                                                          \
    X(gamma, "gamma")
#define LF_LIKELIHOODS(X) X(gaussian, "gaussian") LF_LIKELIHOODS_BESIDE_GAUSSIAN(X)

#define LF_LIKELIHOOD_NAME(name, text) ", " text
#define LF_LIKELIHOOD_NAMES "gaussian" LF_LIKELIHOODS_BESIDE_GAUSSIAN(LF_LIKELIHOOD_NAME)

/* What a likelihood has beside f. */
typedef struct lf_reading {
    double y;
    double noise;  /* variance, of a likelihood with noise */
    double number; /* its own number; not used where it has none */
} lf_reading;

/* A log density or its expectation, with derivatives. Those that a likelihood does not have are 0. */
typedef struct lf_log_density {
    double value;
    double by_mean; /* by f, or by the mean of f */
    double by_variance;
    double by_noise, by_number;
} lf_log_density;

/* A new reading and its mean given f, over f ~ N(m, v). */
typedef struct lf_moments {
    double mean;
    double variance;     /* of the mean given f */
    double variance_new; /* of a new reading */
} lf_moments;

typedef struct lf_likelihood {
    const char *name;
    const char *number;                        /* the name of its number; NULL: it has none */
    double number_start, number_centre;        /* where a fit starts, and the centre of the prior … */
    double number_sd, number_low, number_high; /* … with the sd of its logarithm; limits */
    int has_noise;                             /* a noise variance is one of its parameters */
    int discrete;                              /* y has probabilities instead of a density */
    const char *readings;                      /* what y can be, for messages */
    int (*allows)(double y);
    /* log p(y | f). */
    lf_log_density (*log_density)(const lf_reading *r, double f);
    /* E log p(y | f), or a lower bound of it; f ~ N(m, v). */
    lf_log_density (*expectation)(const lf_reading *r, double m, double v);
    /* Mean m and variance v of f from which an iteration starts. */
    void (*start)(const lf_reading *r, double *m, double *v);
    double (*link)(double mean);      /* f of a mean; increasing */
    double (*inverse_link)(double f); /* the mean of f */
    lf_moments (*moments)(const lf_reading *r, double m, double v);
    /* P(Y <= y), f ~ N(m, v). */
    double (*distribution)(const lf_reading *r, double m, double v, double y);
    /* log p(y), f ~ N(m, v). */
    double (*log_predictive)(const lf_reading *r, double m, double v);
} lf_likelihood;

#define LF_DECLARE(name, text) extern const lf_likelihood lf_likelihood_##name;
LF_LIKELIHOODS(LF_DECLARE)
#undef LF_DECLARE

/* One that model files and options may name, "negbinomial" too; NULL: there is none of this name. */
const lf_likelihood *lf_likelihood_find(const char *name);

/* Whether f is the mean of y itself, in the units of the data. */
int lf_likelihood_is_direct(const lf_likelihood *likelihood);
/* The standard normal number as probable as the reading: the quantile of P(Y < y) + P(Y = y) / 2. */
double lf_likelihood_score(const lf_likelihood *likelihood, const lf_reading *r, double m, double v);
/* The least y that a new reading does not exceed with this probability, f ~ N(m, v). */
double lf_likelihood_quantile(const lf_likelihood *likelihood, const lf_reading *r, double m, double v,
                              double probability);

/* ---- in quadrature.c ---- */

/* E g(f), f ~ N(m, v), where g varies over distances of `width` or more. */
double lf_normal_average(double m, double v, double width, double (*g)(const void *data, double f), const void *data);
/* E log p(y | f) and its derivatives: those of the quadrature, so that they belong to its value exactly. */
lf_log_density lf_expect_by_quadrature(const lf_likelihood *likelihood, const lf_reading *r, double m, double v);
/* log E p(y | f). */
double lf_log_predictive_by_quadrature(const lf_likelihood *likelihood, const lf_reading *r, double m, double v,
                                       double width);

#endif
