/* The table of rows behind lf_data. A table holds observations (y is finite and every row names an output) or inputs (y
 * is NaN in every row, except for readings of known inputs, whose rows name these). Either every row names a replicate or none does. */
#ifndef LF_DATA_DATA_H
#define LF_DATA_DATA_H

#include "base/axis.h"
#include "data/names.h"
#include "latentforce.h"

/* Use of a row; the codes of lf_data_codes(). */
typedef enum lf_split { LF_SPLIT_NONE, LF_SPLIT_TRAIN, LF_SPLIT_TEST } lf_split;

/* Finds a split by name; NULL: LF_SPLIT_NONE. Returns 0 for an unknown name. */
int lf_split_find(const char *name, lf_split *split);

struct lf_data {
    int input_dim; /* p */
    /* lf_distribution: the rows are those of this process, which it shares with the others; names, axes and units are the same on all. 0: it
     * has all rows. */
    int shared;
    size_t n, capacity;
    int32_t *output;                  /* (n) index in `outputs`; -1: none */
    int32_t *replicate;               /* (n) index in `replicates`; -1: none */
    double *x;                        /* (n, p) */
    double *y;                        /* (n) */
    double *sd;                       /* (n) known standard error of y; 0: none */
    double *width;                    /* (capacity) y is the mean over this time before x; 0: not said. NULL: all 0 */
    int32_t *split;                   /* (n) lf_split */
    lf_names outputs, replicates;     /* in order of appearance */
    lf_axis *axes;                    /* (p) what the inputs measure */
    int unit_count;                   /* outputs beyond these have no unit */
    char *headings[LF_HEADING_COUNT]; /* of the columns of the files; NULL: the usual ones */
    char **units;                     /* (unit_count) of the outputs; NULL: not known */
    const char *empty;                /* lf_data_info.empty */
};

/* One row by numbers. */
typedef struct lf_observation {
    int output;        /* index into the output names; -1: the row names no output (inputs only) */
    int replicate;     /* index into the replicate names; -1: the row names none */
    const double *x;   /* (p) */
    double y;          /* NaN for inputs */
    double sd;         /* known standard error of y; 0 when not given */
    const char *split; /* "train", "test" or NULL: not marked */
    double width;      /* y is the mean over this time before x; 0: as the equations say, else the value at x */
} lf_observation;
/* A row by number, from 0; its x belongs to the table. There is no such row: x is NULL and y is NaN. */
lf_observation lf_data_row(const lf_data *data, size_t row);
/* The least and the largest of each input in the rows of outputs. */
lf_status lf_data_limits(lf_context *ctx, const lf_data *data, const lf_model *model, double *low, double *high);

/* Marks a row "train", "test", or NULL: not marked. */
lf_status lf_data_set_split(lf_context *ctx, lf_data *data, size_t row, const char *split);
/* Whether a table is shared between processes. */
int lf_data_is_shared(const lf_data *data);
/* A 64-bit hash of the rows of this process. */
uint64_t lf_data_fingerprint(const lf_data *data);
/* The hash of one row. */
uint64_t lf_data_row_fingerprint(const lf_data *data, size_t row);
/* The step of a table that processes share. */
lf_status lf_data_step_of_all(lf_context *ctx, const lf_data *data, double *step);
/* The largest first input of each replicate. */
lf_status lf_data_ends(lf_context *ctx, const lf_data *data, const struct lf_model *model, double *last);

/* The median distance between neighbouring inputs of a replicate; NaN with several inputs, where all inputs are equal, or without
 * memory, and then errno is ENOMEM. */
double lf_data_step(const lf_data *data);
/* lf_data_step; the number of different distances between neighbouring inputs, summed over replicates; the number of all these
 * distances, and one. Returns 0 when there is no memory. */
int lf_data_find_step(const lf_data *data, double *step, size_t *gaps, size_t *steps);

/* Appends a row without checking it. Its output and replicate must be indices of names in the table, or -1. */
lf_status lf_data_append(lf_context *ctx, lf_data *data, const lf_observation *row);
/* Sets the width of a row: a mean over this time before its x. For tables with one input. */
lf_status lf_data_set_width(lf_context *ctx, lf_data *data, size_t row, double width);
/* The unit of the values of an output; "": not known. */
const char *lf_data_output_unit(const lf_data *data, int output);
/* Says in which unit the values of an output are; NULL: not known. */
lf_status lf_data_set_output_unit(lf_context *ctx, lf_data *data, int output, const char *unit);
/* lf_data_select; it is an error where no row of an output is left, and the message says why. */
lf_status lf_data_choose(lf_context *ctx, const lf_data *data, const lf_model *model, const char *rows,
                         lf_data **chosen);
/* The headings of the table; they are copied. */
lf_status lf_data_set_headings(lf_context *ctx, lf_data *data, const char *const heading[LF_HEADING_COUNT]);
/* Copies axes, units and headings; the tables have the same inputs and outputs. */
lf_status lf_data_copy_labels(lf_context *ctx, const lf_data *from, lf_data *to);
/* A new table with the rows for which keep returns 1, and with the outputs and replicates that these name. */
typedef int (*lf_keep_function)(const void *user, const lf_data *data, size_t row);
lf_status lf_data_pick(lf_context *ctx, const lf_data *data, lf_keep_function keep, const void *user, lf_data **picked);
/* The same with the rows of a list, which name no replicate there. */
lf_status lf_data_take_alone(lf_context *ctx, const lf_data *data, size_t count, const size_t *rows, lf_data **taken);
/* A new table without rows, with the inputs, the names and the units of another. */
lf_status lf_data_like(lf_context *ctx, const lf_data *data, lf_data **other);
/* A new table with all rows of another: row i of one is row i of the other. */
lf_status lf_data_copy(lf_context *ctx, const lf_data *data, lf_data **copy);
/* When a row begins: an average begins before it is read. model: for the averages of its equations; NULL: none. */
double lf_data_begin(const lf_data *data, const lf_model *model, size_t row);
/* Whether a row is one of an output of the model, and not before the origin of an output that starts there. */
int lf_data_has_started(const lf_data *data, const lf_model *model, size_t row);
/* Releases the unused capacity. */
void lf_data_shrink(lf_data *data);

#endif
