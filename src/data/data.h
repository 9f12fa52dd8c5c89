/* The table of rows behind lf_data. A table holds observations (y finite, an output named in every row) or inputs (y
 * NaN in every row); replicates are named in every row or in none. */
#ifndef LF_DATA_DATA_H
#define LF_DATA_DATA_H

#include "data/names.h"
#include "latentforce.h"

/* What a row is for. */
typedef enum lf_split { LF_SPLIT_NONE, LF_SPLIT_TRAIN, LF_SPLIT_TEST } lf_split;

/* 1 and the split of that name; NULL names LF_SPLIT_NONE. 0: there is none. */
int lf_split_find(const char *name, lf_split *split);

struct lf_data {
    int input_dim; /* p */
    size_t n, capacity;
    int *output;          /* (n) -1: none */
    int *replicate;       /* (n) -1: none */
    double *x;            /* (n, p) */
    double *y;            /* (n) */
    double *sd;           /* (n) 0: none */
    unsigned char *split; /* (n) lf_split */
    lf_names outputs, replicates;
};

/* Adds a row that is known to be valid; its indices must be those of names the table has. */
lf_status lf_data_append(lf_context *ctx, lf_data *data, const lf_row *row);
/* Gives back memory held for rows to come. */
void lf_data_shrink(lf_data *data);

#endif
