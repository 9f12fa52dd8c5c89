/* Shapes of models, compared by short fits to the training rows. The score of a candidate is the log marginal likelihood plus the
 * log prior less the number of free parameters: the objective of a fit, with the penalty of Akaike (1974). A penalty that grows
 * with the rows, as in BIC, drops forces that predict. */
#ifndef LF_SELECT_CANDIDATES_H
#define LF_SELECT_CANDIDATES_H

#include "base/parallel.h"
#include "inference/optimise.h"
#include "select/select.h"

enum { LF_MOST_CANDIDATES = 32 };

/* What the candidates have in common, and what became of each. */
typedef struct lf_comparison {
    const lf_search *search;
    lf_structure base; /* what a candidate does not say; without models */
    double share;      /* of the usual iterations, at most 1 */
    double bytes;      /* that the largest takes */
    size_t count;
    lf_candidate candidates[LF_MOST_CANDIDATES];
    lf_structure each[LF_MOST_CANDIDATES]; /* start NULL: not compared yet, or refused; warm: after its fits so far */
    lf_model *next[LF_MOST_CANDIDATES];    /* after the present round */
    double objective[LF_MOST_CANDIDATES];  /* log likelihood + log prior of `warm` */
    size_t evaluations[LF_MOST_CANDIDATES];
    unsigned char active[LF_MOST_CANDIDATES];   /* goes on in the next round */
    unsigned char rejected[LF_MOST_CANDIDATES]; /* does not win, whatever its score */
    size_t iterations, round;                   /* of the present round; its number */
    lf_loop_failure *failure;
    int no_memory; /* for one of them; the choice among the others would be an accident */
} lf_comparison;

/* The structure of fits that are compared: by this engine, without checkpoints, which belong to the fit of what is chosen, and without the
 * prior of shares, which charges models by their number of forces. lf_structure_chosen: that of the one which is taken, as it will be fitted. */
lf_structure lf_structure_compared(const lf_structure *s, const char *engine);
void lf_structure_chosen(const lf_search *search, lf_structure *s);

/* A short fit of a structure from `begin`, with the restarts and iterations that the structure has. */
lf_status lf_short_fit(lf_context *ctx, const lf_search *search, const lf_structure *s, const lf_model *begin,
                       lf_monitor *monitor, lf_optimum *found);
/* The score of a model after its fit. */
double lf_fit_score(const lf_optimum *found);

/* Candidates like the best structure, evaluated by this engine (NULL: as the structure says). */
void lf_comparison_begin(const lf_search *search, const char *engine, lf_comparison *c);
void lf_comparison_clear(lf_comparison *c);

/* Adds a candidate, unless it is there already; its number. Whatever lf_initial_model understands can be a kernel. */
size_t lf_comparison_add(lf_comparison *c, const lf_candidate *candidate);

/* Fits the candidates from `first` on in rounds, after which those clearly behind end, but not `kept`: its score is that of a complete
 * comparison. Where a model with fewer forces is ahead of a candidate, the latter also starts from it. */
lf_status lf_comparison_run(lf_comparison *c, size_t first, size_t kept);

/* The candidate with the largest score that is not rejected; the first of equals. */
size_t lf_comparison_winner(const lf_comparison *c);

#endif
