/* Grids: the nodes for all forces of a model, chosen according to a grid spec.
 *
 * A source is a force of the model, shared or private. A grid is one set of nodes (nodes.h) that serves one or more
 * sources; each source has its own weights on it, w = quadrature weight times spectral density. Response columns depend
 * on the grid and not on the force, so sources on one grid share them. */
#ifndef LF_FEATURES_GRIDS_H
#define LF_FEATURES_GRIDS_H

#include "features/grid_spec.h"
#include "features/nodes.h"

typedef struct lf_source {
    const lf_force *force;
    int index;    /* q of a shared force, -1 for a private one */
    int output;   /* the output of a private force, -1 for a shared one */
    size_t lines; /* in its spectrum */
    lf_band band; /* what its nodes must resolve */
    int grid;     /* index of its grid */
    double *w;    /* (S of its grid) quadrature weight times spectral density; NULL: not computed */
    double *
        dw; /* (S, kernel parameters), column-major: derivatives of w by the parameters of its kernel; a plain force: (S),
                     by its lengthscale */
} lf_source;

typedef struct lf_grids {
    int source_count, grid_count;
    lf_source *sources; /* (source_count) the shared forces in order, then the private ones by output */
    lf_nodes *grids;    /* (grid_count) */
} lf_grids;

lf_status lf_grids_create(lf_context *ctx, const lf_model *model, lf_grid_spec spec, lf_grids *grids);
/* The same without weights, and the weights of one source. */
lf_status lf_grids_place(lf_context *ctx, const lf_model *model, lf_grid_spec spec, lf_grids *grids);
lf_status lf_grids_weigh(lf_context *ctx, lf_grids *grids, int source);
void lf_grids_clear(lf_grids *grids);

/* The sensitivity of a target to a source; 0 if the source does not drive it. */
double lf_source_sensitivity(const lf_model *model, int target, const lf_source *source);

/* Recomputes weights, or sampled frequencies, for the current lengthscales of the model. */
void lf_grids_update(lf_grids *grids);

/* Whether nodes chosen by tolerance must be chosen again: at the current parameters they miss the tolerance or, with
 * regrid_factor > 1, far fewer would be enough. -1: there is no memory to find out. */
int lf_grids_need_regrid(const lf_model *model, lf_grid_spec spec, const lf_grids *grids);

/* The total number of uniform nodes that lf_grids_create would choose for the spec; -1: no memory. */
double lf_grids_count(const lf_model *model, lf_grid_spec spec);

#endif
