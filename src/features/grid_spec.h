/* Grid specs: the requirements on the frequencies of a model, that is the times to cover, the accuracy and the rule.
 *
 * A feature engine makes a spec from its rows and options (lf_grid_spec_create); lf_grids_create (grids.h) chooses
 * nodes that meet it. lf_grid_spec_freeze then stores the chosen uniform nodes in the spec, so that the same nodes can
 * be made again later, for a posterior or from a model file, whatever the lengthscales are then. */
#ifndef LF_FEATURES_GRID_SPEC_H
#define LF_FEATURES_GRID_SPEC_H

#include "features/nodes.h"
#include "points/rows.h"

struct json_t;
struct lf_grids;

/* Which forces share a grid. */
typedef enum lf_sharing {
    LF_SHARE_WHEN_CHEAPER, /* those for which a common grid needs fewer nodes */
    LF_SHARE_ALL,          /* one grid for all forces */
    LF_SHARE_NONE          /* one grid per force */
} lf_sharing;

/* Which covariances of rough (Matern) forces nodes are for. */
typedef enum lf_rough {
    LF_ROUGH_ALL,
    LF_ROUGH_SMOOTHED, /* those with an output of a gaussian operator, whose transfer function ends the tail */
    LF_ROUGH_NONE      /* these forces have no nodes */
} lf_rough;

/* The nodes of a uniform grid, lambda_s = s step, s < count; count is an integer, 0 for a force whose spectrum has lines only. */
typedef struct lf_frozen_grid {
    double count, step;
} lf_frozen_grid;

/* A run of the nodes of a grid that has gaps; the runs of a grid have its count together. */
typedef struct lf_frozen_run {
    double grid; /* an integer */
    lf_run run;
} lf_frozen_run;

typedef struct lf_grid_spec {
    double earliest, latest; /* times to cover */
    int with_forces;         /* covariances of outputs with forces are needed: higher frequencies for Matern forces */
    double tolerance;        /* 0: 1e-13 for EQ, 1e-7 for Matern forces */
    lf_sharing sharing;
    lf_rule rule;
    size_t features;      /* S of each grid; 0: as many as the tolerance requires (uniform rule) */
    double regrid_factor; /* > 1: the nodes also serve lengthscales and decay rates that differ by up to this factor */
    lf_rough rough;       /* which covariances of Matern forces the nodes serve */
    int graded;           /* panels may replace uniform nodes where they are fewer */
    uint64_t seed;        /* of sampled frequencies */
    int same_draws;       /* all forces use one draw, scaled by their lengthscales */
    size_t frozen_count;  /* grids with frozen nodes, in the order of lf_grids; 0: nodes are chosen */
    lf_frozen_grid *frozen; /* (frozen_count) owned */
    size_t run_count;       /* of all grids with gaps */
    lf_frozen_run *runs;    /* (run_count) owned, by grid */
} lf_grid_spec;

/* Stores the nodes of uniform grids in the spec; grids made from it have these nodes from then on. */
lf_status lf_grid_spec_freeze(lf_context *ctx, lf_grid_spec *spec, const struct lf_grids *grids);
lf_status lf_grid_spec_copy(lf_context *ctx, const lf_grid_spec *from, lf_grid_spec *to);
void lf_grid_spec_clear(lf_grid_spec *spec);

/* The spec of a feature engine, from its rows and options. The default tolerance of an engine is 1e-10 for EQ forces
 * and 1e-5 if there are Matern forces. */
lf_status lf_grid_spec_create(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                              const lf_engine_options *options, lf_grid_spec *spec);

/* Whether the number of nodes grows with span / lengthscale: uniform nodes chosen by tolerance. */
int lf_grid_spec_resolves_lengthscales(const lf_model *model, const lf_engine_options *options);

/* Finds a rule by name; NULL and "auto": uniform, the default for one input. Returns 0 for an unknown name. */
int lf_rule_find(const char *name, lf_rule *rule);
/* Whether the rule of this name draws nodes from the spectral density. */
int lf_rule_is_sampled(const char *name);

/* Conversion to JSON for the model file (NULL: no memory), and back. */
struct json_t *lf_grid_spec_save(const lf_grid_spec *spec);
/* The nodes are those of the forces of the model, on as many grids as `sharing` (LF_SHARE_ALL or LF_SHARE_NONE) makes. */
lf_status lf_grid_spec_load(lf_context *ctx, const lf_model *model, lf_sharing sharing, const struct json_t *object,
                            lf_grid_spec *spec);
/* The number of nodes of a source (grids.h), with its lines, by a spec that was loaded. */
size_t lf_grid_spec_nodes(const lf_grid_spec *spec, const lf_force *force, int source);
/* Fails where the forces of the model have no features with this rule. */
lf_status lf_check_features(lf_context *ctx, const lf_model *model, lf_rule rule);
/* More columns than this are refused: 7 GiB per matrix. */
#define LF_MAX_COLUMNS 30000

#endif
