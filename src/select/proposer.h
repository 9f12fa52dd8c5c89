/* What proposers say: which structures are compared with the best one so far, and why. select.c compares them. */
#ifndef LF_SELECT_PROPOSER_H
#define LF_SELECT_PROPOSER_H

#include "select/select.h"

enum { LF_MOST_PROPOSALS = 16 };

typedef struct lf_proposal {
    lf_structure
        s; /* without models: shape and engine of a model that is made. With `extend`: those of the best structure */
    /* What is added to the models of the best structure; NULL: a model is made. */
    lf_status (*extend)(lf_context *ctx, const lf_problem *problem, const void *detail, lf_model *model);
    const void *detail;
    double penalty;   /* of the score, beside 1 for each free parameter */
    int kept;         /* all rounds of a comparison fit it */
    int follows;      /* it changes what the proposal before it added, and is compared where that was taken */
    char what[96];    /* of an extension: "forces that repeat with 24 h" */
    char seen[200];   /* for notes: "a cycle of 24 h is seen", or what it takes the place of */
    char option[128]; /* what asks for it where a comparison is too expensive; empty: nothing */
} lf_proposal;

typedef struct lf_proposals {
    size_t count;
    lf_proposal each[LF_MOST_PROPOSALS]; /* the best structure so far may be one of them */
    int asked;                           /* by the options: it is compared whatever it costs */
    void *details;                       /* what the proposals point to */
    void (*release)(void *details);
} lf_proposals;

typedef enum lf_score_kind {
    LF_BY_POSTERIOR, /* of short fits: log likelihood + log prior - free parameters - penalty */
    LF_BY_HELD_OUT   /* of refits without windows: the mean log density of the rows in these */
} lf_score_kind;

typedef struct lf_proposer {
    const char *name;
    lf_status (*propose)(const lf_search *search, lf_proposals *list); /* none: it does not apply */
    lf_score_kind score;
    int greedy; /* one proposal after the other, each on the best so far; 0: all of them side by side */
    /* greedy: not 0: the proposals are a chain, in which each begins with the values of the best one before it. Unless it was asked for it
     * ends after so many in a row that are no better. */
    int patience;
    const char *taken, *refused, *undone; /* notes of extensions: what is done, and the option that leaves it out */
} lf_proposer;

/* The proposers in their order; NULL after the last. */
const lf_proposer *lf_proposer_at(size_t index);

/* Room for one more proposal, like the best structure so far; NULL: there is none. */
lf_proposal *lf_proposals_add(const lf_search *search, lf_proposals *list);
void lf_proposals_clear(lf_proposals *list);

/* The shape of the best structure with all that it leaves open. */
lf_shape_options lf_best_shape(const lf_search *search);
/* Whether numbers of forces are compared: they were asked for, or nothing speaks against it. */
int lf_compares_forces(const lf_search *search);

/* Fewer forces of many outputs, where principal components suggest that they may do. */
extern const lf_proposer lf_propose_components;
/* Operators and kernels that the options ask to compare. */
extern const lf_proposer lf_propose_kinds;
/* Numbers of forces of few outputs. */
extern const lf_proposer lf_propose_forces;
/* White forces in place of those that vary as fast as the readings can show. */
extern const lf_proposer lf_propose_white;
/* Forces that repeat, with periods that the rows show. */
extern const lf_proposer lf_propose_cycles;

#endif
