/* Lists of points to ask a model about, and the ways to make them. */
#ifndef CLI_POINTS_H
#define CLI_POINTS_H

#include "latentforce.h"

/* An owned, growing lf_points. As a list still to be expanded, target or replicate may be NULL: every one. */
typedef struct cli_points {
    size_t n;
    int input_dim;  /* p */
    int *target;    /* (n) */
    int *replicate; /* (n) */
    double *x;      /* (n, p) */
} cli_points;

/* All return an exit status and print what went wrong. */

/* The rows of a file of inputs: targets are outputs of the model, replicates those of the file. */
int cli_points_from_inputs(const lf_model *model, const lf_data *inputs, int ignore_outputs, cli_points *rows);
/* The distinct x of a table, in ascending (lexicographic) order, for every target and replicate. */
int cli_points_distinct(const lf_data *table, cli_points *rows);
/* n evenly spaced x from low to high (p); n x n of them for two inputs. */
int cli_points_grid(int input_dim, const double *low, const double *high, size_t n, cli_points *rows);

/* Appends `rows` to `points` for every replicate, target of first … first + count - 1, and row, in that nesting;
 * what the rows name themselves is not repeated. */
int cli_points_append(cli_points *points, const cli_points *rows, int first, int count, int replicates);

/* Replicates of the file that `rows` came from, by label, become those of the posterior; `named`: it has labels. The
 * paths stand in the message for that file and for where the posterior comes from. */
int cli_points_match_replicates(cli_points *rows, const lf_data *file, const char *path, const lf_posterior *posterior,
                                int named, const char *source);

/* The least and the largest of every input (p) of a table or list that is not empty. */
void cli_data_limits(const lf_data *table, double *low, double *high);
void cli_points_limits(const cli_points *points, double *low, double *high);

lf_points cli_points_view(const cli_points *points);
void cli_points_free(cli_points *points);

#endif
