/* A model given by equations, ready to be fitted: what the text leaves open is found from the training rows. */
#ifndef LF_START_EQUATIONS_START_H
#define LF_START_EQUATIONS_START_H

#include "plan/structure.h"

/* Whether the model is given by equations and has values that are not known. */
int lf_system_is_open(const lf_model *model);

/* Sets the origin (NULL: the first row of an output), and every value of the model that is NaN. `data` has the rows of outputs and known
 * inputs, the summary is that of the outputs. Time scales of the constants are compared by the likelihood of their values, computed with the engine
 * options; those a decade apart become other starts, because the most likely start need not lead to the best optimum. */
lf_status lf_system_starting_values(lf_context *ctx, const lf_data *data, const lf_data_summary *summary,
                                    const lf_engine_options *options, const double *origin, lf_model *model,
                                    lf_starts *starts);

#endif
