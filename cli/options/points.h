/* Lists of points at which a model is evaluated, and functions that make them. */
#ifndef CLI_POINTS_H
#define CLI_POINTS_H

#include "latentforce.h"

/* Points as arrays. Targets are numbered: outputs, forces, rates of the outputs, states. Before cli_points_append expands a list, target or replicate may be NULL: all of
 * them. */
typedef struct cli_points {
    size_t n;
    int input_dim;  /* p */
    int *target;    /* (n) */
    int *replicate; /* (n) */
    double *x;      /* (n, p) */
    double *width;  /* (n) as of lf_points_add(); NULL: all 0 */
    int shorten;    /* means begin with the model at the earliest; points that nobody listed have it */
} cli_points;

/* Functions that return int print an error and return an exit status. */

/* Rows that are readings of known inputs of the model are no points.

 * The rows of a file of inputs. Targets are the outputs of the model, replicates those of the file. */
int cli_points_from_inputs(const lf_model *model, const lf_data *inputs, int ignore_outputs, cli_points *rows);
/* The distinct x of a table, in ascending (lexicographic) order, for every target and replicate. */
int cli_points_distinct(const lf_model *model, const lf_data *table, cli_points *rows);
/* n evenly spaced x from low (p) to high (p); n x n for two inputs. */
int cli_points_grid(int input_dim, const double *low, const double *high, size_t n, cli_points *rows);

/* Appends `rows` to `points` for every replicate, every target first … first + count - 1 and every row, in this order
 * of nesting. Rows with targets or replicates are not repeated for those. */
int cli_points_append(cli_points *points, const cli_points *rows, int first, int count, int replicates);
/* Leaves out the points of white forces, which have no values; those before point `from` stay. */
int cli_points_drop_white(lf_context *ctx, const lf_model *model, size_t from, cli_points *points);

/* Replaces the replicates of `rows`, which are those of `file`, by the replicates of the posterior with the same
 * labels; `named`: the posterior has labels. `path` and `source` name the file and the origin of the posterior in
 * messages. */
int cli_points_match_replicates(cli_points *rows, const lf_data *file, const char *path, const lf_posterior *posterior,
                                int named, const char *source);

/* The points as a handle, which the caller frees. */
int cli_points_make(lf_context *ctx, const lf_model *model, const cli_points *points, lf_points **made);
/* Predicts at the points. */
int cli_points_predict(lf_context *ctx, const lf_model *model, lf_posterior *posterior, const cli_points *points,
                       lf_prediction wanted);
void cli_points_free(cli_points *points);

#endif
