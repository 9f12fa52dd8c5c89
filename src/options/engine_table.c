/* The options of a log posterior, a posterior, or of what else an engine computes: those of a fit that say how. */
#include "options/options.h"

static const char *const engine_names[] = {"prior",    "engine",          "nodes", "features", "tolerance",
                                           "inducing", "inducing-inputs", "seed",  "device",   "horizon"};
enum { ENGINE_NAMES = sizeof engine_names / sizeof *engine_names };

static const lf_option coordinates = {
    .name = "coordinates",
    .group = "engine",
    .argument = "C",
    .type = "choice",
    .fallback = "unconstrained",
    .values = "theta, unconstrained",
    .help = "coordinates of the free parameters: theta (logarithms of positive values, within bounds) or unconstrained "
            "(every real number is allowed; the density includes the Jacobian)"};

static const lf_option *engine_option(size_t index)
{
    return index < ENGINE_NAMES ? lf_fit_option_find(engine_names[index]) : index == ENGINE_NAMES ? &coordinates : NULL;
}

const lf_verb lf_engine_verb = {"engine", "an engine", ENGINE_NAMES + 1, engine_option};
