/* The tables of show for a model given by equations, and for known inputs. */
#ifndef CLI_SHOW_EQUATIONS_H
#define CLI_SHOW_EQUATIONS_H

#include <stdio.h>

#include "latentforce.h"

/* Equations, constants, quantities, modes, forces, outputs and known inputs. Returns an exit status. */
int cli_show_equations(lf_context *ctx, FILE *stream, const lf_model *model);

/* The table of known inputs, with gains where outputs have operators; nothing without such inputs. Returns an exit status. */
int cli_show_known_inputs(lf_context *ctx, FILE *stream, const lf_model *model);

#endif
