/* Nodes: frequencies and quadrature weights of one grid, the first link of the chain that features.h describes.
 *   integral of F(lambda) over the real line ~ sum_s weight_s Re F(lambda_s),
 * lambda_s >= 0, for F(-lambda) = conj F(lambda).
 *
 * Uniform nodes and panels are fixed frequencies, to be weighted by the spectral density of a force (lf_nodes_weigh).
 * Sampled nodes are drawn from the spectral density and follow the lengthscales of their force. Line nodes, which come
 * after all others, are the lines in the spectrum of a composed force: their frequencies follow its periods, and they are exact. */
#ifndef LF_FEATURES_NODES_H
#define LF_FEATURES_NODES_H

#include <complex.h>
#include <stddef.h>

#include "latentforce.h"
#include "model/model.h"

/* Rule by which frequencies are chosen. Stored posteriors contain these numbers, so new rules are added at the end. */
typedef enum lf_rule { LF_RULE_UNIFORM, LF_RULE_MC, LF_RULE_QMC, LF_RULE_ORTHOGONAL, LF_RULE_COUNT } lf_rule;
extern const char *const lf_rule_names[LF_RULE_COUNT];

typedef struct lf_nodes {
    size_t count;   /* S */
    int input_dim;  /* p */
    double *lambda; /* (S, p) */
    double *weight; /* (S) without the spectral density; sampled nodes: 1 / S, which is the complete weight */
    double *base;   /* (S, p) sampled nodes: lambda = base / lengthscale; NULL for fixed frequencies */
    double step;    /* spacing of uniform nodes, lambda_s = s step, perhaps with gaps (lf_nodes_runs); 0 for others */
    size_t lines;   /* how many of the nodes are lines; the grid then serves one force */
} lf_nodes;

/* Consecutive uniform nodes s = first … first + count - 1; both are integers. */
typedef struct lf_run {
    double first, count;
} lf_run;

/* What a set of uniform nodes must resolve. */
typedef struct lf_band {
    double limit;  /* largest frequency */
    double period; /* longest time that the integrands depend on: the spacing 2 pi / period resolves it */
} lf_band;

/* lambda_s = s h with h = 2 pi / period up to limit: the trapezoid rule. */
lf_status lf_nodes_uniform(lf_context *ctx, lf_band band, lf_nodes *nodes);

/* The same with a given number of nodes instead of a limit. */
lf_status lf_nodes_uniform_count(lf_context *ctx, double period, size_t count, lf_nodes *nodes);

/* The same in runs, which must not overlap and be in ascending order. */
lf_status lf_nodes_runs(lf_context *ctx, double period, int run_count, const lf_run *runs, lf_nodes *nodes);
/* Appends line nodes; lf_nodes_weigh places them. */
lf_status lf_nodes_append_lines(lf_context *ctx, size_t lines, lf_nodes *nodes);
/* The number of lines in the spectrum of a force. */
size_t lf_force_lines(const lf_force *force);

/* `count` frequencies drawn from the density of a force kernel by a rule other than uniform (sampled_nodes.c). They are
 * scaled by the lengthscales, so that covariances are smooth functions of these. */
lf_status lf_nodes_sampled(lf_context *ctx, const lf_force_kernel *kernel, int input_dim, size_t count, lf_rule rule,
                           uint64_t seed, lf_nodes *nodes);
/* The same from given samples base (count, p) at lengthscale 1. */
lf_status lf_nodes_from_base(lf_context *ctx, int input_dim, size_t count, const double *base, lf_nodes *nodes);

/* Gauss-Legendre panels on [0, limit], short enough for waves over times up to `span`, and shorter near the poles of
 * the integrand. For integrands with sharp peaks, which would need a very small uniform step. */
lf_status lf_nodes_panels(lf_context *ctx, double limit, double span, size_t pole_count, const double complex *poles,
                          lf_nodes *nodes);

void lf_nodes_clear(lf_nodes *nodes);

/* Number of uniform nodes for a band; a double, because it may exceed any integer type. */
double lf_band_count(lf_band band);

/* Weights w (S) of a force and, unless NULL, dw (S, kernel parameters), column-major, their derivatives by each parameter of
 * its kernel (lf_force_parameter_at). Fixed frequencies (one input): quadrature weight times spectral density. Line nodes:
 * the variance of the line; its frequency is set, and dw does not contain the derivative through it
 * (lf_nodes_lines_backward). Sampled nodes: w = 1 / S, dw is not set, and the frequencies are recomputed as base / lengthscale. */
void lf_nodes_weigh(lf_nodes *nodes, const lf_force *force, double *w, double *dw);
/* gradient[i] += derivative by kernel parameter i of the force, given the derivatives by the frequencies of the lines (lines). */
void lf_nodes_lines_backward(const lf_force *force, const double *by_lambda, double *gradient);

#endif
