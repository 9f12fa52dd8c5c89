/* Gaussian sites: readings whose likelihood is not Gaussian, as the engines compute with them.
 *
 * The posterior of the latent values f at the rows is approximated by q(f), proportional to prior(f) prod_i N(t_i | f_i, s_i): the posterior of
 * a model of Gaussian rows with the targets t and noise variances s, the sites, which every engine with lf_engine_evaluate_targets has. With
 * log Z its value and q(f_i) = N(m_i, v_i), the bound
 *
 *   L = log Z + sum_i E_q log p(y_i | f_i) - sum_i E_q log N(t_i | f_i, s_i)  <=  log p(y)
 *
 * is largest at the sites with 1 / s_i = -2 h_i and t_i / s_i = g_i - 2 h_i m_i, where g and h are the derivatives of the expectation by m and
 * v. There dL/dtheta is that of log Z with the sites held, and the derivatives by the numbers of a likelihood are those of the expectations.
 * m and v follow from the derivatives of log Z by the targets: m = t + s dlogZ/dt, v = s - s^2 ((dlogZ/dt)^2 - 2 dlogZ/ds).
 *
 * Khan and Lin (2017), Chang et al. (2020). */
#ifndef LF_ENGINE_SITES_H
#define LF_ENGINE_SITES_H

#include "engine/targets.h"
#include "latentforce.h"
#include "points/rows.h"

struct lf_engine;

typedef struct lf_sites {
    size_t n;          /* rows */
    double *y, *noise; /* (n) the sites, in the units of the scaled model, known inputs not subtracted */
    double *by_y, *by_noise, *mean, *variance;   /* (n) derivatives of log Z, and q at the rows */
    double *next_y, *next_noise;                 /* (n) where a full step leads */
    double *last_y, *last_noise;                 /* (n) before the last step */
    double *by_number, *by_variance, *by_offset; /* (outputs) of the expectations, by natural values */
    double *log_z_by_theta;                      /* (parameters) */
    int begun;                                   /* the sites are those of an evaluation before */
    double tolerance;                            /* of the last change of a site, in parts of its share of q */
    size_t evaluations;                          /* of the engine, in all */
} lf_sites;

/* For the rows of a model with likelihoods that are not Gaussian; fails where a reading is none of its likelihood. */
lf_status lf_sites_create(lf_context *ctx, const lf_model *model, const lf_rows *rows, lf_sites **sites);
void lf_sites_free(lf_sites *sites);
double lf_sites_bytes(const lf_sites *sites);

/* The bound at theta (NULL: at the parameters of the model) and, unless NULL, its gradient by theta. Leaves the sites there, from which the
 * next evaluation starts. */
lf_status lf_sites_evaluate(struct lf_engine *engine, const double *theta, double *bound, double *gradient);

/* What the next evaluation depends on beside theta: as many numbers as lf_sites_size says. */
size_t lf_sites_size(const lf_sites *sites);
void lf_sites_save(const lf_sites *sites, double *state);
void lf_sites_load(lf_sites *sites, const double *state);

/* The sites as rows: with `lend`, values and error variances of the rows of likelihoods become those of the sites, in the units of the
 * data, which lf_rows_scaled takes for what they are; without, what they were before. No evaluation may come between. */
void lf_sites_exchange(const lf_model *model, lf_sites *sites, lf_rows *rows, int lend);

#endif
