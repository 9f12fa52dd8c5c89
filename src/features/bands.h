/* What the nodes of a force must resolve: the band of uniform frequencies, and the runs of them where its density is not
 * negligible. Lines of a spectrum have nodes of their own (nodes.h). */
#ifndef LF_FEATURES_BANDS_H
#define LF_FEATURES_BANDS_H

#include "features/grid_spec.h"
#include "features/nodes.h"

/* The properties of a model, besides its forces, that determine the frequencies. */
typedef struct lf_model_traits {
    double span;
    double decay;  /* slowest, of a stationary start; infinite otherwise */
    double corner; /* largest; 0 when all forces are EQ */
    int order;     /* largest */
} lf_model_traits;

lf_model_traits lf_model_traits_of(const lf_model *model, lf_grid_spec spec);
double lf_span_of(const lf_model *model, lf_grid_spec spec);
/* What gaussian operators add to the correlation length of a force: the covariance of two outputs is smoothed by two
 * operators, together by a Gaussian of variance 2 / precision. */
double lf_smoothing_reach(const lf_model *model, double epsilon);

/* Zero for a force without a density. */
lf_band lf_band_of(const lf_model *model, const lf_force *force, lf_grid_spec spec, const lf_model_traits *traits);
lf_band lf_band_union(lf_band a, lf_band b);

/* The runs of uniform frequencies of a band at which the density of a force is not negligible, in ascending order; there must be
 * room for as many as the force has atoms. One run for a plain force, and where grids are shared. Returns their number. */
int lf_band_runs(const lf_force *force, lf_grid_spec spec, lf_band band, lf_run *runs);
double lf_runs_count(int count, const lf_run *runs);

#endif
