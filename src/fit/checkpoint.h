/* A fit put down in a file, so that it can be taken up again to the last bit. */
#ifndef LF_FIT_CHECKPOINT_H
#define LF_FIT_CHECKPOINT_H

#include "fit/run.h"

/* What a run needs to go on, copied at the end of an iteration. */
typedef struct lf_snapshot {
    lf_run_state state;
    size_t iterations, evaluations;
    size_t history_room;
    lf_iteration *history; /* (iterations) */
    double *optimiser;     /* (lf_optimiser_size) */
    double *prepared;      /* (parameters) where the engine was made */
} lf_snapshot;

/* Allocates on the first call. */
lf_status lf_snapshot_take(lf_context *ctx, const lf_run *run, lf_snapshot *snapshot);
void lf_snapshot_clear(lf_snapshot *snapshot);

/* Tells fits apart: data, model, seed and options, as far as the course of a fit depends on them. */
uint64_t lf_fit_fingerprint(const lf_context *ctx, const lf_model *model, const lf_data *data,
                            const lf_fit_options *options);

/* Atomically. `seconds` were spent so far. */
lf_status lf_checkpoint_write(lf_context *ctx, const char *path, uint64_t fingerprint, double seconds, size_t count,
                              const lf_run *runs, const lf_snapshot *snapshots);
/* Puts the runs, made as for a new fit, where the file says. *found 0: there is no such file. */
lf_status lf_checkpoint_read(lf_context *ctx, const char *path, uint64_t fingerprint, size_t count, lf_run *runs,
                             double *seconds, int *found);

#endif
