/* The covariance of a composed force, a sum of terms. Each is an envelope times a modulation:
 *
 *   k(r) = sum_i a_i e_i(r / l_i) m_i(r),   a_i = weight_i / (sum of the weights)
 *
 *   e: 1 (constant), eq, matern12, matern32, matern52
 *   m: 1, cos(2 pi r / T) (cosine), or periodic, the first H harmonics of exp(-2 sin^2(pi r / T) / p^2):
 *      sum_h w_h cos(2 pi h r / T), w_h ~ I_h(1 / p^2) (twice that for h > 0), scaled to m(0) = 1
 *
 * so that every term is a sum of atoms, v e(r / l) cos(omega r), which is all that engines need to know. Two envelopes are
 * special: linear, (t - t0) (s - t0) / l^2, is not a function of r; white has the spectral density 1 / (2 pi) everywhere and
 * no variance. Composed forces are for one input. A plain force has no terms: it is a single envelope. */
#ifndef LF_MODEL_FORCE_TERMS_H
#define LF_MODEL_FORCE_TERMS_H

#include <stddef.h>

#include "latentforce.h"
#include "model/force_kernel.h"

enum {
    LF_MAX_TERMS = 16,
    LF_MAX_HARMONICS = 40,
    LF_DEFAULT_HARMONICS = 4,
    LF_MAX_ATOMS = LF_MAX_TERMS * (LF_MAX_HARMONICS + 1)
};

/* Envelopes that are no kernels of plain forces; of their functions there are none. */
extern const lf_force_kernel lf_force_kernel_linear, lf_force_kernel_white;

typedef enum lf_modulation { LF_MODULATION_NONE, LF_MODULATION_COSINE, LF_MODULATION_PERIODIC } lf_modulation;

typedef struct lf_force_term {
    const lf_force_kernel *envelope; /* NULL: 1 */
    lf_modulation modulation;
    int harmonics;             /* H of a periodic term */
    double lengthscale;        /* l, where there is an envelope other than white */
    double period;             /* T, where there is a modulation */
    double period_lengthscale; /* p of a periodic term */
    double weight;
} lf_force_term;

typedef struct lf_atom {
    const lf_force_kernel *envelope; /* NULL: 1, a line in the spectrum */
    double lengthscale;              /* 1 where the envelope has none */
    double frequency;                /* omega >= 0, radians per unit of the input */
    double variance;                 /* v */
} lf_atom;

struct lf_force;

int lf_force_is_composed(const struct lf_force *force);
/* Whether an envelope of the force is this one (NULL: 1). */
int lf_force_has_envelope(const struct lf_force *force, const lf_force_kernel *envelope);

/* Whether the force is stationary with a variance: no envelope is linear or white. */
int lf_force_has_spectrum(const struct lf_force *force);

/* Whether a term alone is the kernel of a plain force. */
int lf_term_is_plain(const lf_force_term *term);
/* Gives a force copies of the terms (1 … LF_MAX_TERMS) and the formula that belongs to them; it is composed from now on. */
lf_status lf_force_compose(lf_context *ctx, struct lf_force *force, int count, const lf_force_term *terms);

/* One parameter of the kernel of a force. */
typedef struct lf_force_parameter {
    double *value;
    const char *what; /* "lengthscale", "period", "period_lengthscale", "weight" */
    int term;         /* from 0; -1: the force is plain or has one term */
    int number;       /* of the lengthscale, from 1, where a plain force has several; -1: it has one */
    int fixed; /* by default: periods, and the weight of the first term, which only sets the unit of the others */
} lf_force_parameter;

/* Their number, and each of them. In theta they follow each other from lf_index_kernel() on. */
int lf_force_parameter_count(const struct lf_force *force);
lf_force_parameter lf_force_parameter_at(const struct lf_force *force, int i);

/* The atoms of a force over one input, composed or plain; atoms must have room for lf_force_atom_count() of them. */
int lf_force_atom_count(const struct lf_force *force);
void lf_force_atoms(const struct lf_force *force, lf_atom *atoms);
/* gradient[i] += derivative by kernel parameter i, given the derivatives by lengthscale, frequency and variance of each atom;
 * each may be NULL: 0. */
void lf_force_atoms_backward(const struct lf_force *force, const double *by_lengthscale, const double *by_frequency,
                             const double *by_variance, double *gradient);

/* The covariance of the force at times t and s, both counted from the origin of the model. Infinite for a white force at
 * t = s. */
double lf_force_covariance(const struct lf_force *force, double t, double s);

/* The spectral density of an atom that is no line and not linear, p(lambda) with k(r) = int p(lambda) e^{j lambda r}; its
 * derivatives go into *by_lengthscale and *by_frequency unless they are NULL. */
double lf_atom_density(const lf_atom *atom, double lambda, double *by_lengthscale, double *by_frequency);

#endif
