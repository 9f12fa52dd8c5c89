/* The simulated data of latentforce demo: temperatures of a house from a known model, so that results can be compared
 * with the truth. */
#ifndef CLI_DEMO_HOUSE_H
#define CLI_DEMO_HOUSE_H

#include "latentforce.h"

enum { CLI_HOUSE_FORCES = 2 };
extern const char *const cli_house_force_names[CLI_HOUSE_FORCES];

typedef struct cli_house {
    lf_model *truth;
    lf_data *readings; /* the withheld ones are marked test */
    size_t hidden;     /* number of withheld readings */
    size_t times;      /* number of times */
    double *x;         /* (times) hours */
    double *force;     /* (forces, times) the simulated forces */
} cli_house;

/* They print an error and return an exit status; the caller frees the house in any case. */
int cli_house_simulate(lf_context *ctx, cli_house *house);
/* Writes the true model, the readings, and the forces as outputs named sun and occupants. */
int cli_house_write(lf_context *ctx, const cli_house *house, const char *model, const char *data, const char *forces);
/* For each true force the largest absolute correlation with a recovered force. The sign and the scale of a force are
 * not identifiable: they can be exchanged with those of its sensitivities. */
int cli_house_compare_forces(lf_context *ctx, const cli_house *house, lf_posterior *posterior, const lf_model *model,
                             double *best);
void cli_house_free(cli_house *house);

#endif
