/* Which frequencies serve which forces: forces of similar lengthscales share one set of nodes, so that the columns of an
 * output are computed and multiplied once for all of them. */
#ifndef LF_FEATURES_GRIDS_H
#define LF_FEATURES_GRIDS_H

#include "features/grid_spec.h"
#include "features/nodes.h"

/* A force of the model, shared or private. */
typedef struct lf_source {
    const lf_force *force;
    int index;    /* q of a shared force, -1 for a private one */
    int output;   /* the output a private force belongs to, -1 for a shared one */
    lf_band band; /* what it needs */
    int grid;     /* which grid serves it */
    double *w;    /* (S of its grid) weights times its spectral density */
    double *dw;   /* (S) by its lengthscale */
} lf_source;

typedef struct lf_grids {
    int source_count, grid_count;
    lf_source *sources;
    lf_nodes *grids;
} lf_grids;

lf_status lf_grids_create(lf_context *ctx, const lf_model *model, lf_grid_spec spec, lf_grids *grids);
void lf_grids_clear(lf_grids *grids);

/* The sensitivity of a target to a source: 0 where it does not act on it. */
double lf_source_sensitivity(const lf_model *model, int target, const lf_source *source);

/* Weights (or sampled frequencies) for the lengthscales the model has now. */
void lf_grids_update(lf_grids *grids);

/* Whether the parameters have moved to where nodes chosen by tolerance no longer meet it or, with regrid_factor, to where far
 * fewer would do. */
int lf_grids_need_regrid(const lf_model *model, lf_grid_spec spec, const lf_grids *grids);

/* How many uniform nodes that takes in all, without making them. */
double lf_grids_count(const lf_model *model, lf_grid_spec spec);

#endif
