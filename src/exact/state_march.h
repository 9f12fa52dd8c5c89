/* Covariances through the state space of Matern and composed forces and ODEs (dynamics/state_space.h), exact but for eq envelopes. With the rows
 * c of the points, the states x and t >= s,
 *
 *   Cov[c_a'x(t), c_b'x(s)] = c_a' exp(F (t - s)) P(s) c_b,    P(s) = Cov[x(s)]
 *
 * All points are sorted by time. The columns X_j = Cov[x(t), c_j'x(t_j)] of the points passed so far are carried from
 * each time to the next by the transition of the gap. No exponential grows and no difference of large numbers occurs,
 * whatever the rates: distant, equal or repeated roots need no special treatment.
 *
 * This header is private to state_covariance.c and state_gradient.c. */
#ifndef LF_EXACT_STATE_MARCH_H
#define LF_EXACT_STATE_MARCH_H

#include "dynamics/timeline.h"
#include "dynamics/transition.h"

/* One block of a covariance matrix: some groups of two point sets. */
typedef struct lf_state_march {
    lf_state_space space;
    lf_timeline timeline;
    lf_transition_work work;
    int symmetric;         /* both sides are the same points */
    int lower;             /* they are parts of the same set: only the lower triangle of the matrix is wanted */
    size_t n;              /* points: first those of side A, then, unless symmetric, those of side B */
    size_t side_a;         /* points of side A */
    lf_point_set points;   /* (n) its `order` is the row (A) or column (B) of the whole matrix */
    double *rows;          /* (n, stride) c_j, in the order of the timeline */
    size_t *step;          /* (n) the step of each point, in the order of the timeline */
    size_t first_separate; /* gaps from this one on are not kept */
    double *A, *Q;   /* (first_separate + 1, n, stride) transitions of the distinct gaps; the last is for others */
    int whole;       /* covariances between forces are included: a force is composed */
    int constant;    /* the covariance of the states is the same at all times */
    double *P;       /* (n, stride) covariance of the states at the current step */
    double *scratch; /* (2, n, stride) */
} lf_state_march;

/* Some groups of a set. */
typedef struct lf_group_list {
    const lf_point_set *set;
    int count;
    const int *group;
} lf_group_list;

/* symmetric: the groups of a only, which are those of b. keep: the largest number of transitions to keep. After a failure it
 * must still be cleared. */
lf_status lf_state_march_create(lf_context *ctx, const lf_model *model, lf_group_list a, lf_group_list b, int symmetric,
                                size_t keep, lf_state_march *march);
/* Fails where composed forces have so many states that this number of matrices would take more than a gigabyte. */
lf_status lf_state_march_check(lf_context *ctx, const lf_state_march *march, double matrices);
void lf_state_march_clear(lf_state_march *march);

/* The transition of the gap before a step; NULL: there is no gap. */
const double *lf_state_march_transition(lf_state_march *march, size_t step, const double **Q);
/* Moves march->P from the step before to this one. */
void lf_state_march_advance(lf_state_march *march, const double *A, const double *Q);

/* X = A X for columns begin … end - 1 of X (states, pitch). */
void lf_state_march_columns(const lf_sparsity *sparsity, const double *A, size_t begin, size_t end, size_t pitch,
                            double *X);

/* Calls `apply` for each block of a matrix between two sets; A == B: of its lower triangle;
 * B NULL: of the diagonal. */
typedef lf_status (*lf_state_block)(lf_context *ctx, lf_state_march *march, void *user);
lf_status lf_state_blocks(lf_context *ctx, const lf_model *model, const lf_point_set *A, const lf_point_set *B,
                          size_t keep, lf_state_block apply, void *user);

/* The states of an output, with those of its private force: 0 unless it is an ODE. */
int lf_state_march_states(const lf_model *model, int output);
/* Outputs are taken together up to this number of states: transitions of more states cost more than they save. */
enum { LF_CHUNK_STATES = 8 };
/* Whether a force has states: a Matern force, or any force of a model with a composed one. */
int lf_force_has_states(const lf_model *model, const lf_force *force);
/* About how many states a force has. */
int lf_force_states_estimate(const lf_force *force);
/* Whether a target has states: such a force, an ODE or its rate. */
int lf_target_has_states(const lf_model *model, int target);

#endif
