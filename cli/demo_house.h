/* The house of latentforce demo: readings made from a known model, so that what is found can be compared with the truth. */
#ifndef CLI_DEMO_HOUSE_H
#define CLI_DEMO_HOUSE_H

#include "latentforce.h"

enum { CLI_HOUSE_FORCES = 2 };
extern const char *const cli_house_force_names[CLI_HOUSE_FORCES];

typedef struct cli_house {
    lf_model *truth;
    lf_data *readings; /* the hidden window is marked test */
    size_t hidden;     /* how many of them are */
    size_t times;
    double *x;     /* (times) hours */
    double *force; /* (forces, times) what drove the rooms */
} cli_house;

/* Both return an exit status and print what went wrong; `house` is to be released in either case. */
int cli_house_simulate(lf_context *ctx, cli_house *house);
/* The model that made the readings, the readings, and the forces as outputs sun and occupants. */
int cli_house_write(lf_context *ctx, const cli_house *house, const char *model, const char *data, const char *forces);
void cli_house_free(cli_house *house);

#endif
