/* Tables that several processes share (lf_data.shared): each has some of the rows, all have the same names, axes and units. */
#ifndef LF_DATA_SHARE_H
#define LF_DATA_SHARE_H

#include "base/processes.h"
#include "data/data.h"

/* Rows of a sample, at most about. A sample with all rows gives the choices that one process makes. */
enum { LF_MOST_GATHERED = 1 << 20 };

/* The number of rows of all processes. */
lf_status lf_data_total(lf_context *ctx, const lf_data *data, size_t *total);

/* A table with the rows of a shared one, shared in another way. With LF_WHOLE it is no longer shared. Rows keep their order. */
lf_status lf_data_redistribute(lf_context *ctx, const lf_data *data, lf_distribution distribution, lf_data **other);

/* A table on every process with all rows of a shared one or, where these are more than `most`, with some of them, which do not depend on
 * how they are shared: with one input, all rows in 64 even windows; with several, rows chosen by their fingerprints. */
lf_status lf_data_sample(lf_context *ctx, const lf_data *data, size_t most, lf_data **sample);

#endif
