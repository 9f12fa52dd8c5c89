/* What a model consists of, part by part: what the public functions of a model (parts.c) and the rest of the library ask it. Numbers of parts are
 * those of the model, unless a comment says what happens with others. */
#ifndef LF_MODEL_ACCESS_H
#define LF_MODEL_ACCESS_H

#include "latentforce.h"

/* ---- reading and writing ---- */

/* A model given by equations. Values that the text does not give are NaN until they are set, or found by a fit; `name` stands for the file
 * in messages. */
lf_status lf_model_from_equations(lf_context *ctx, const char *text, const char *name, lf_model **model);
/* The same from a file; "-" is standard input. */
lf_status lf_model_read_equations(lf_context *ctx, const char *path, lf_model **model);
/* Makes a model given by equations one that needs no fit: it starts at time 0. Fails with the names of what has no value. */
lf_status lf_model_complete(lf_context *ctx, lf_model *model, const char *name);
/* The text of a model file, to be released with free(). */
lf_status lf_model_text(lf_context *ctx, const lf_model *model, char **text);

/* ---- inputs, outputs, forces ---- */

/* What an input measures, and how the model standardises it. */
lf_label lf_model_input(const lf_model *model, int input);
/* The heading of an input in files. `text` has `size` bytes. */
void lf_model_input_heading(const lf_model *model, int input, size_t size, char *text);
/* Indices by name, or -1. */
int lf_model_find_output(const lf_model *model, const char *name);
int lf_model_find_known(const lf_model *model, const char *name);
/* Variance of the noise of an output in the units of the data: scale^2 * noise_variance. Of Student-t noise that of the normal noise with the same 95 %
 * interval; 0 for a likelihood without noise. */
double lf_model_noise_variance(const lf_model *model, int output);
/* An output by number; its name is "" where there is none of this number. */
lf_output_info lf_model_output(const lf_model *model, int output);
/* The name of an operator's constant, "damper". */
const char *lf_model_constant_name(const lf_model *model, int output, int constant);
const char *lf_model_known_unit(const lf_model *model, int known); /* "": not known */
const char *lf_model_known_between(const lf_model *model, int known);
/* The name of a force: that of the equations, or "force1" … `text` has `size` bytes. */
void lf_model_force_name(const lf_model *model, int force, size_t size, char *text);
/* Whether a force is white: it has no value at an instant, so that predictions of it fail. 0 for a number that is no force. */
int lf_model_force_is_white(const lf_model *model, int force);
/* Whether a posterior is stored in it. */
int lf_model_has_posterior(const lf_model *model);
/* From now on the `count` forces from `force` on are copies of the first: they share its lengthscales, and each keeps its own
 * sensitivities. They must have the same kernel and as many lengthscales. */
lf_status lf_model_tie_copies(lf_context *ctx, lf_model *model, int force, int count);
/* From now on the inputs are standardised by the mean and the standard deviation that they have in the rows of `data` (the
 * training rows); an input that does not vary there keeps scale 1. For several inputs; a stored posterior is dropped. */
lf_status lf_model_standardise(lf_context *ctx, lf_model *model, const lf_data *data);
/* Gives every force `count` inputs of inducing values, placed over the inputs of the data ("even", "data", "kmeans"; NULL as in
 * lf_engine_options). They become parameters ("force1.inducing1", …), fixed until freed. */
lf_status lf_model_place_inducing(lf_context *ctx, lf_model *model, const lf_data *data, size_t count,
                                  const char *inducing_inputs);

/* ---- equations ---- */

/* The text of the equations of a model; NULL: its outputs have operators. */
const char *lf_model_equations(const lf_model *model);
int lf_model_state_count(const lf_model *model);
/* "Tw" or "x'". `text` has `size` bytes. */
void lf_model_state_name(const lf_model *model, int state, size_t size, char *text);
/* The number of constants and, in *first, that of the first among the parameters, which the others follow. */
size_t lf_model_constants(const lf_model *model, size_t *first);
/* White forces: the noise of the process, and no targets of predictions. The standard deviation of one is the parameter "NAME.sd". */
int lf_model_white_count(const lf_model *model);
const char *lf_model_white_name(const lf_model *model, int white);
int lf_model_quantity_count(const lf_model *model);
const char *lf_model_quantity_name(const lf_model *model, int quantity);
/* The value of a quantity at the parameters of the model, and its standard error; NaN where none is known. */
lf_status lf_model_quantity_value(lf_context *ctx, const lf_model *model, int quantity, double *value);
double lf_model_quantity_error(const lf_model *model, int quantity);

/* A mode of a model given by equations: an eigenvalue of its system, or a pair of conjugate ones. */
typedef struct lf_mode {
    double real;              /* per unit of time; the mode decays if it is negative */
    double imaginary;         /* >= 0; radians per unit of time */
    double time_constant;     /* -1 / real; infinite where real is 0, negative where the mode grows */
    double natural_frequency; /* of a pair: its absolute value, radians per unit of time; NaN of a single one */
    double damping_ratio;     /* of a pair: -real / absolute value; NaN of a single one */
} lf_mode;
/* The modes, the slowest first. `count` is how many there are; at most `capacity` are stored, and lf_model_state_count() are enough. */
lf_status lf_model_modes(lf_context *ctx, const lf_model *model, int capacity, lf_mode *modes, int *count);

/* ---- parameters ---- */

size_t lf_parameter_count(const lf_model *model);
/* A parameter by number, without its unit, its owner and its searched range; its name is "" where there is none of this number. */
lf_parameter lf_parameter_get(const lf_model *model, size_t index);
/* The number of a parameter by name, of value or of theta. */
lf_status lf_parameter_find(lf_context *ctx, const lf_model *model, const char *name, size_t *index);
/* Gives a parameter a value, in natural units. */
lf_status lf_parameter_set(lf_context *ctx, lf_model *model, size_t index, double value);
/* From now on an optimiser must not (fixed 1) or may (0) move a parameter. */
void lf_parameter_fix(lf_model *model, size_t index, int fixed);
/* Bounds between which an optimiser keeps the value. */
lf_status lf_parameter_bound(lf_context *ctx, lf_model *model, size_t index, double lower, double upper);
/* From now on `index` copies `leader`; both must have the same transform. */
lf_status lf_parameter_tie(lf_context *ctx, lf_model *model, size_t index, size_t leader);
/* All parameters as theta (lf_parameter_count()). */
void lf_model_theta(const lf_model *model, double *theta);
/* The range of values that the fit searched, as the provenance has it. 0: it is not known; then both are NaN. */
int lf_parameter_searched(const lf_model *model, size_t index, double *lower, double *upper);
/* The unit of a parameter; "" where it has none or it is not known. */
void lf_parameter_unit(const lf_model *model, size_t index, char unit[LF_UNIT_SIZE]);

/* ---- provenance ---- */

/* Notes where a model came from: any JSON text. */
lf_status lf_model_set_provenance(lf_context *ctx, lf_model *model, const char *json);
/* The JSON text that was set; NULL when there is none, or no memory, and then errno is ENOMEM. To be released with free(). */
char *lf_model_provenance(const lf_model *model);
/* A word of the command that the provenance shows, from 0; NULL after the last, and where there is none. */
const char *lf_model_command(const lf_model *model, size_t word);
/* Whether the fit in the provenance calibrated the intervals by windows left out, widened or not: 1 or 0. */
int lf_model_is_calibrated(const lf_model *model);

#endif
