/* Which frequencies serve which forces: forces of similar lengthscales share one set of nodes, so that the columns of an
 * output are computed and multiplied once for all of them. */
#ifndef LF_COLUMNS_GRIDS_H
#define LF_COLUMNS_GRIDS_H

#include "columns/nodes.h"

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

/* Who shares a grid. */
typedef enum lf_sharing {
    LF_SHARE_WHEN_CHEAPER, /* whoever saves nodes by it */
    LF_SHARE_ALL,          /* one grid for all */
    LF_SHARE_NONE          /* one grid each */
} lf_sharing;

/* The nodes of a uniform grid: count (a whole number) and step. */
typedef struct lf_pin {
    double count, step;
} lf_pin;

/* What the frequencies must cover, and how well. */
typedef struct lf_demand {
    double earliest, latest; /* times */
    int with_forces;  /* covariances of outputs with forces are asked for: Matern forces then need higher frequencies */
    double tolerance; /* 0: 1e-13 for EQ, 1e-7 for Matern forces */
    lf_sharing sharing;
    lf_rule rule;
    size_t features;  /* S of each grid; 0: as many as the tolerance asks for (uniform) */
    double slack;     /* > 1: cover lengthscales and rates of decay that have moved by up to this factor */
    int graded;       /* panels may replace a uniform step where that saves nodes */
    uint64_t seed;    /* of sampled frequencies */
    int same_draws;   /* one draw for all forces, scaled by their lengthscales */
    size_t pin_count; /* uniform grids whose nodes were chosen before, in the order of the grids; 0: choose */
    lf_pin *pins;     /* (pin_count) owned */
} lf_demand;

/* From now on the demand means these very nodes, whatever becomes of the lengthscales. */
lf_status lf_demand_pin(lf_context *ctx, lf_demand *demand, const lf_grids *grids);
lf_status lf_demand_copy(lf_context *ctx, const lf_demand *from, lf_demand *to);
void lf_demand_clear(lf_demand *demand);

lf_status lf_grids_create(lf_context *ctx, const lf_model *model, lf_demand demand, lf_grids *grids);
void lf_grids_clear(lf_grids *grids);

/* The sensitivity of a target to a source: 0 where it does not act on it. */
double lf_source_sensitivity(const lf_model *model, int target, const lf_source *source);

/* Weights (or sampled frequencies) for the lengthscales the model has now. */
void lf_grids_update(lf_grids *grids);

/* Whether the parameters have moved to where nodes chosen by tolerance no longer meet it or, with slack, to where far
 * fewer would do. */
int lf_grids_outgrown(const lf_model *model, lf_demand demand, const lf_grids *grids);

/* How many uniform nodes that takes in all, without making them. */
double lf_grids_count(const lf_model *model, lf_demand demand);

#endif
