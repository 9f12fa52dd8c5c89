/* The inputs of a forecast: predict --ahead, and --from, --to, --step. */
#ifndef CLI_FORECAST_H
#define CLI_FORECAST_H

#include "latentforce.h"
#include "options/points.h"
#include "options/settings.h"

/* Fills `rows` with the inputs that the settings ask for. A forecast has replicates, those of `training` or of the posterior, where they end at
 * different inputs. Exactly one of training and posterior is given; a stored posterior must
 * reach all of the inputs. Returns an exit status. */
int cli_forecast_points(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                        const lf_posterior *posterior, cli_points *rows);

#endif
