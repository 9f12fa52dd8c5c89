/* What is required of the frequencies of a model: the times to cover, the accuracy, the rule that chooses them. */
#ifndef LF_FEATURES_GRID_SPEC_H
#define LF_FEATURES_GRID_SPEC_H

#include "features/nodes.h"
#include "points/rows.h"

struct json_t;
struct lf_grids;

/* Who shares a grid. */
typedef enum lf_sharing {
    LF_SHARE_WHEN_CHEAPER, /* whoever saves nodes by it */
    LF_SHARE_ALL,          /* one grid for all */
    LF_SHARE_NONE          /* one grid each */
} lf_sharing;

/* The nodes of a uniform grid: count (a whole number) and step. */
typedef struct lf_frozen_grid {
    double count, step;
} lf_frozen_grid;

/* What the frequencies must cover, and how well. */
typedef struct lf_grid_spec {
    double earliest, latest; /* times */
    int with_forces;  /* covariances of outputs with forces are asked for: Matern forces then need higher frequencies */
    double tolerance; /* 0: 1e-13 for EQ, 1e-7 for Matern forces */
    lf_sharing sharing;
    lf_rule rule;
    size_t features;        /* S of each grid; 0: as many as the tolerance asks for (uniform) */
    double regrid_factor;   /* > 1: cover lengthscales and rates of decay that have moved by up to this factor */
    int graded;             /* panels may replace a uniform step where that saves nodes */
    uint64_t seed;          /* of sampled frequencies */
    int same_draws;         /* one draw for all forces, scaled by their lengthscales */
    size_t frozen_count;    /* uniform grids whose nodes were chosen before, in the order of the grids; 0: choose */
    lf_frozen_grid *frozen; /* (frozen_count) owned */
} lf_grid_spec;

/* From now on the spec means these very nodes, whatever becomes of the lengthscales. */
lf_status lf_grid_spec_freeze(lf_context *ctx, lf_grid_spec *spec, const struct lf_grids *grids);
lf_status lf_grid_spec_copy(lf_context *ctx, const lf_grid_spec *from, lf_grid_spec *to);
void lf_grid_spec_clear(lf_grid_spec *spec);

/* The spec of a feature engine, from its rows and options. */
lf_status lf_grid_spec_create(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                              const lf_engine_options *options, lf_grid_spec *spec);

/* Whether the number of nodes grows with the number of lengthscales in the span: uniform nodes, chosen by tolerance. */
int lf_grid_spec_resolves_lengthscales(const lf_model *model, const lf_engine_options *options);

/* The rule of that name (NULL and "auto": uniform, the choice for one input); 0 when there is none. */
int lf_rule_find(const char *name, lf_rule *rule);
/* Whether nodes of that name are drawn from the spectral density. */
int lf_rule_is_sampled(const char *name);

/* For the model file: a new JSON object (NULL: no memory), and back. */
struct json_t *lf_grid_spec_save(const lf_grid_spec *spec);
lf_status lf_grid_spec_load(lf_context *ctx, const struct json_t *object, lf_grid_spec *spec);

#endif
