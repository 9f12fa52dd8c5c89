/* The candidates of a comparison: the best structure so far and those that are proposed in its place, with their fits. Short fits run in
 * rounds: successive halving (Jamieson and Talwalkar 2016). */
#ifndef LF_SELECT_CANDIDATES_H
#define LF_SELECT_CANDIDATES_H

#include "base/parallel.h"
#include "inference/optimise.h"
#include "select/proposer.h"
#include "validate/refit.h"

enum { LF_MOST_CANDIDATES = LF_MOST_PROPOSALS + 1, LF_MOST_ROUNDS = 3 };

typedef struct lf_trial {
    const lf_proposal *proposal; /* NULL: the best structure so far */
    lf_structure s;              /* start NULL: not made yet, or refused; warm: after its fits so far */
    lf_model *next;              /* after the present round */
    lf_candidate fitted;         /* the numbers of its short fit, without texts; score -infinite: none */
    double objective;            /* log likelihood + log prior of `warm` */
    double penalty;
    lf_refit refit;
    size_t evaluations;
    int active, kept; /* it goes on in the next round; in all of them */
    int compared;     /* it has been fitted as often as it will be */
} lf_trial;

typedef struct lf_candidates {
    const lf_search *search;
    lf_score_kind score;
    size_t rounds;
    double iterations[LF_MOST_ROUNDS], behind[LF_MOST_ROUNDS];
    size_t round;
    double share;  /* of the usual iterations, at most 1 */
    double bytes;  /* that the largest takes */
    double length; /* of the windows of refits */
    int greedy;    /* one candidate at a time */
    int patience;  /* of a chain (proposer.h) */
    int linked;    /* a chain has begun, */
    size_t link;   /* and this is the best of it, */
    size_t since;  /* which so many were no better than */
    size_t tried;  /* candidates so far */
    size_t count, incumbent;
    lf_trial each[LF_MOST_CANDIDATES];
    lf_loop_failure *failure;
    int no_memory; /* for one of them; the choice among the others would be an accident */
} lf_candidates;

/* Without candidates. To be cleared. */
lf_candidates lf_candidates_begin(const lf_search *search, const lf_proposer *proposer);
/* The best structure so far is the first candidate, unless it is one of the proposals and has not been compared yet. */
lf_status lf_candidates_add_best(lf_candidates *set, const lf_proposals *list);
void lf_candidates_clear(lf_candidates *set);

/* Adds a proposal, unless its shape is there already: then it returns 0. */
int lf_candidates_add(lf_candidates *set, const lf_proposal *proposal);

/* Whether two models differ in the number of their forces only. Both shapes are filled. */
int lf_same_kind(const lf_shape_options *a, const lf_shape_options *b);

/* The candidates to come add something to the first one, which has been fitted. */
void lf_candidates_add_to_best(lf_candidates *set);

/* The candidate with the largest score less its penalty; the first of equals. */
size_t lf_candidates_winner(const lf_candidates *set);
/* It becomes the only candidate, beside the best of a chain. */
void lf_candidates_reduce(lf_candidates *set, size_t winner);
/* The last candidate becomes part of the chain. Returns 0 where this ends it. */
int lf_candidates_link(lf_candidates *set);

/* The model of a candidate at its starting values. */
lf_status lf_candidate_make(lf_context *ctx, const lf_candidates *set, const lf_proposal *proposal, lf_structure *s);

/* ---- in rounds.c ---- */

/* Fits the candidates that have not been compared yet. Where a model with fewer forces is ahead of one, that one also starts from it.
 * LF_ERROR_CANCELLED: stopped before there was anything to compare. */
lf_status lf_candidates_run(lf_candidates *set);

/* ---- in score.c ---- */

/* Of a short fit. */
double lf_score_of_fit(const lf_optimum *found);
/* Of a refit: each model has intervals as wide as it needs. -infinite: there is none. */
double lf_score_of_refit(const lf_refit *refit);

#endif
