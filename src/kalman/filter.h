/* The Kalman filter of one replicate, and a backward pass over its steps.
 *
 *   time update:         m = A m,   P = A P A' + Q
 *   measurement update:  S = H P H' + R,  K = P H' S^-1,  e = y - H m,  w = S^-1 e,  m += K e,
 *                        P = P - K S K'     (measurement_update.c)
 *                        log likelihood -= 1/2 [ e'w + log|S| + rows log 2 pi ]
 *
 * The rows of H are the measurements of the outputs observed at the step (state_space.h). All rows of a step are processed together.
 * Where the covariance has converged, steps move the mean alone (stretch.h). After a step, integrators are set to 0 whose intervals begin
 * there (timeline_averages.h). */
#ifndef LF_KALMAN_FILTER_H
#define LF_KALMAN_FILTER_H

#include "dynamics/timeline.h"
#include "dynamics/transition_table.h"
#include "kalman/stretch.h"

enum { LF_BLAS_MIN_ROWS = 16 }; /* rows of a step from which on BLAS is faster than loops over lanes */
enum { LF_PROBES = 2 };         /* of rounding errors */

/* Numbers for records, kept from one backward pass to the next: fresh memory takes longer to get than to fill. */
typedef struct lf_record_storage {
    double *numbers; /* (count) */
    size_t count;
} lf_record_storage;

typedef struct lf_filter {
    lf_context *ctx;
    const lf_state_space *space;
    const lf_timeline *timeline;
    lf_measurements measurements; /* of the outputs, then of the averages of the timeline (measured) */
    const double *y, *noise;      /* (rows) scaled values and noise variances, sorted as the rows */
    size_t cached;                /* transitions of the gaps 0 … cached - 1, which occur more than once, are cached */
    double *A, *Q;                /* (cached + 1, n, stride); the last slot is recomputed for every other gap */
    lf_transition_work transition_work;
    lf_transition_table table; /* of the gaps after the start */
    size_t max_rows;           /* the largest number of rows of a step */
    double *mean, *P;          /* (stride), (n, stride): current mean and covariance of the state */
    double *HP, *Kt;           /* (max_rows, stride) H P and K' */
    double *S;                 /* (max_rows, max_rows) its Cholesky factor */
    double *S_diagonal;        /* (max_rows) of S itself: the variances of the rows */
    double *e, *w;             /* (max_rows) */
    double *variance; /* (outputs) the largest variance of a reading of the output at the last time that it was read */
    size_t *read_at;  /* (outputs) the step of that, plus 1; 0: none yet */
    double *scratch;  /* (2, n, stride) */
    lf_stretch_search search;
    lf_record_storage *storage; /* of the caller; NULL: a backward pass has its own */
    /* for lf_filter_estimate_rounding, otherwise NULL: */
    double *probes;    /* (2 LF_PROBES + 2, stride) errors of P and of the mean, in turn, and work */
    double *magnitude; /* (3, max_rows) v and g of lf_rounding_error, and work */
    unsigned signs;    /* the state of the random signs of the probes */
    double rounding;   /* error of the log likelihood */
} lf_filter;

/* The filter starts from mean (stride) and P (n, stride) or, where they are NULL, from the prior. The timeline, y and
 * noise must outlive it. After a failure it must still be cleared. */
lf_status lf_filter_create(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline, const double *y,
                           const double *noise, const double *mean, const double *P, lf_filter *filter);
void lf_filter_clear(lf_filter *filter);

/* A and Q (n, stride) of a gap after the start, by its number. */
void lf_filter_transition(lf_filter *filter, size_t gap, double *A, double *Q);

/* The number of gaps whose transitions are kept, where a matrix has `size` entries. */
size_t lf_filter_cached_gaps(const lf_timeline *timeline, size_t size);
/* The largest number of rows of a step. */
size_t lf_filter_most_rows(const lf_timeline *timeline);

/* One step of the filter, as the backward pass needs it. */
typedef struct lf_filter_record {
    double *mean, *P;          /* (stride), (n, stride) after the measurement update */
    const double *A;           /* (n, stride) of the time update; NULL: no time update, the gap is 0 */
    double *A_copy;            /* (n, stride) storage for an A that is not cached */
    double *Kt;                /* (rows, stride) K' */
    double *w;                 /* (rows) */
    double *S_inverse;         /* (rows, rows) */
    const lf_stretch *stretch; /* P, Kt and S_inverse are those of this stretch; NULL: of the step */
} lf_filter_record;

/* Time and measurement update of one step; record may be NULL. */
lf_status lf_filter_step(lf_filter *filter, size_t step, lf_filter_record *record, double *log_likelihood);

/* From now on steps add to filter->rounding an estimate of what rounding does to the log likelihood (filter_rounding.c). */
lf_status lf_filter_estimate_rounding(lf_filter *filter);
/* Sets the integrators to 0 whose intervals begin after a step: entries of x (stride), rows and, unless only_rows, columns of X (n, stride).
 * Both may be NULL. */
void lf_filter_reset(const lf_filter *filter, size_t step, double *x, double *X, int only_rows);
/* Whether there are such integrators. */
static inline int lf_filter_resets(const lf_filter *filter, size_t step)
{
    const lf_timeline *t = filter->timeline;
    return t->first_reset && t->first_reset[step + 1] > t->first_reset[step];
}

/* For lf_filter_step: before and after a measurement update. A of the time update, or NULL. */
void lf_filter_begin_rounding(lf_filter *filter, size_t step, const double *A);
void lf_filter_end_rounding(lf_filter *filter, size_t step);

/* X (m, width) = S^-1 X, given the Cholesky factor L (m, ld) of S. */
void lf_filter_solve(size_t m, size_t ld, const double *L, size_t width, double *X);

/* Fails unless the log likelihood is finite. */
lf_status lf_filter_check(const lf_filter *filter, double log_likelihood);

/* Runs all steps of the timeline. */
lf_status lf_filter_run(lf_filter *filter, double *log_likelihood);

/* Runs all steps, then calls backward_step for each step in reverse order, with the record of the previous step (mean
 * and P only; NULL at the first step). Filter states are stored at checkpoints and recomputed between them. */
typedef lf_status (*lf_backward_step)(void *user, lf_filter *filter, size_t step, const lf_filter_record *record,
                                      const lf_filter_record *previous);
lf_status lf_filter_backward_pass(lf_filter *filter, lf_backward_step backward_step, void *user,
                                  double *log_likelihood);
/* Whether records need copies of transitions, because some are not cached. */
int lf_filter_copies_transitions(const lf_timeline *timeline, size_t cached);
/* The numbers of a record. `rows`: the largest number of a step. */
size_t lf_filter_record_numbers(size_t size, size_t stride, size_t rows, int copies);
/* How many steps a segment of it has: all, or those between two checkpoints. kept: with the storage of a caller. */
size_t lf_filter_segment(size_t steps, size_t record_numbers, size_t rows, int kept);

/* X = (I - K H)' X, X (n, stride). U (max_rows, stride) returns K'X of the old X. */
void lf_update_multiply_transposed(const lf_filter *filter, size_t step, const lf_filter_record *record, double *X,
                                   double *U);
/* U (max_rows, stride) = K'X and C (rows, rows) = K'X K, X symmetric. */
void lf_update_products(const lf_filter *filter, size_t step, const lf_filter_record *record, const double *X,
                        double *U, double *C);
/* X += factor (H'G + G'H) + H'B H, G (rows, stride), B (rows, rows) symmetric. (I - K H)' X (I - K H) is X with -1, U and C of the above. */
void lf_update_add(const lf_filter *filter, size_t step, double factor, const double *G, const double *B, double *X);

#endif
