/* Predictions of outputs, rates, forces or states, and how they are written. */
#ifndef CLI_PREDICTION_H
#define CLI_PREDICTION_H

#include "latentforce.h"
#include "options/points.h"
#include "options/settings.h"

typedef struct cli_prediction {
    const lf_model *model;
    lf_posterior *posterior;
    int first, count; /* range of targets: outputs, forces, rates or states */
    cli_points points;
    int named_replicates;
    double *mean, *variance; /* (n) */
    double *samples;         /* (samples, n) */
} cli_prediction;

/* Writes settings->output, in CSV or JSON. Returns an exit status. */
int cli_write_prediction(lf_context *ctx, const cli_settings *settings, const cli_prediction *result);

#endif
