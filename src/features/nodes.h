/* Frequencies and their quadrature weights: integral of F(lambda) over the line ~ sum_s weight_s Re F(lambda_s),
 * lambda_s >= 0, for F(-lambda) = conj F(lambda). */
#ifndef LF_FEATURES_NODES_H
#define LF_FEATURES_NODES_H

#include <complex.h>
#include <stddef.h>

#include "latentforce.h"
#include "model/model.h"

/* How frequencies are chosen. Stored posteriors hold the numbers: new rules go last. */
typedef enum lf_rule { LF_RULE_UNIFORM, LF_RULE_MC, LF_RULE_QMC, LF_RULE_ORTHOGONAL, LF_RULE_COUNT } lf_rule;
extern const char *const lf_rule_names[LF_RULE_COUNT];

typedef struct lf_nodes {
    size_t count;   /* S */
    int input_dim;  /* p */
    double *lambda; /* (S, p) */
    double *weight; /* (S) without the spectral density; sampled nodes: 1 / S, nothing else to multiply */
    double *base;   /* (S, p) sampled nodes: lambda = base / lengthscale; NULL: fixed frequencies */
    double step;    /* spacing of uniform nodes, lambda_s = s step; 0 when they are not uniform */
} lf_nodes;

/* What a set of nodes must resolve. */
typedef struct lf_band {
    double limit;  /* largest frequency */
    double period; /* the integrands vary with times up to this: uniform spacing 2 pi / period is enough */
} lf_band;

/* lambda_s = s h with h = 2 pi / period up to limit: the trapezoid rule. */
lf_status lf_nodes_uniform(lf_context *ctx, lf_band band, lf_nodes *nodes);

/* The same with a given number of nodes. */
lf_status lf_nodes_uniform_count(lf_context *ctx, double period, size_t count, lf_nodes *nodes);

/* `count` frequencies drawn from the density of a force kernel by a rule other than uniform (columns/sampled.c). They
 * follow the lengthscales, so that everything stays smooth in them. */
lf_status lf_nodes_sampled(lf_context *ctx, const lf_spectrum *kernel, int input_dim, size_t count, lf_rule rule,
                           uint64_t seed, lf_nodes *nodes);
/* The same from base samples (count, p) given at lengthscale 1. */
lf_status lf_nodes_from_base(lf_context *ctx, int input_dim, size_t count, const double *base, lf_nodes *nodes);

/* Gauss-Legendre panels on [0, limit], no longer than what waves over `span` and singularities at distance need: panels
 * shrink towards the poles. For integrands with sharp peaks, where a uniform step would be wasteful. */
lf_status lf_nodes_panels(lf_context *ctx, double limit, double span, size_t pole_count, const double complex *poles,
                          lf_nodes *nodes);

void lf_nodes_clear(lf_nodes *nodes);

/* Number of uniform nodes for a band, as a double (it may be astronomically large). */
double lf_band_count(lf_band band);

/* p_q times the quadrature weights: w (S), and dw/dlengthscale unless NULL. Fixed frequencies, one input; for sampled
 * nodes w = 1/S and the frequencies are moved to the lengthscale instead. */
void lf_nodes_weigh(lf_nodes *nodes, const lf_force *force, double *w, double *dw);

#endif
