/* Checkpoints: the state of a fit in a file, from which it continues to the last bit. */
#ifndef LF_INFERENCE_CHECKPOINT_H
#define LF_INFERENCE_CHECKPOINT_H

#include "inference/run.h"

/* The state of a run at the end of an iteration. */
typedef struct lf_snapshot {
    lf_run_state state;
    size_t iterations, evaluations;
    size_t history_room;
    lf_iteration *history; /* (iterations) */
    double *optimiser;     /* (lf_optimiser_size) */
    double *prepared;      /* what the log posterior saves, such as theta for which its engine was made */
} lf_snapshot;

/* Allocates on the first call. */
lf_status lf_snapshot_take(lf_context *ctx, const lf_run *run, lf_snapshot *snapshot);
void lf_snapshot_clear(lf_snapshot *snapshot);

/* A hash of everything that the course of a fit depends on: data, model, seed, plan and structure. */
uint64_t lf_fit_fingerprint(const lf_context *ctx, const lf_model *model, const lf_data *data, const lf_fit_plan *plan,
                            const lf_structure *s);

/* Writes atomically. `seconds`: the time spent so far. */
lf_status lf_checkpoint_write(lf_context *ctx, const char *path, uint64_t fingerprint, double seconds, size_t count,
                              const lf_run *runs, const lf_snapshot *snapshots);
/* Sets the runs, made as for a new fit, to the state in the file. *found 0: there is no such file. */
lf_status lf_checkpoint_read(lf_context *ctx, const char *path, uint64_t fingerprint, size_t count, lf_run *runs,
                             double *seconds, int *found);

#endif
