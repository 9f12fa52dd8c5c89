/* Windows cut out of the rows of single outputs, as a gap would be. */
#ifndef LF_FIT_HELD_OUT_H
#define LF_FIT_HELD_OUT_H

#include "data/data.h"

/* Rows of one output (and replicate) between two times. The names belong to the data. */
typedef struct lf_window {
    const char *output, *replicate; /* replicate NULL: the data have none */
    double low, high;
} lf_window;

/* The median length of the gaps in single outputs of a series: more than five of the output's steps and a thirtieth of the span, at
 * most a quarter of the span; 0: there are none. Rows that an output lacks at its beginning or end are a gap too, where others have
 * rows there. */
lf_status lf_gap_length(lf_context *ctx, const lf_data *data, double *length);

/* Draws windows of this length in a quarter of the series (one for each output and replicate), but in at least four and at most 25 of
 * them; where outputs are more than six, in as many as hold a twentieth of the rows if these are more, and at most in 200. Windows in six
 * series or fewer do not overlap: what all outputs lack cannot be filled from others. Windows are to hold half of the rows that their length
 * promises; series where none is found have none. `windows` is to be freed. */
lf_status lf_draw_windows(lf_context *ctx, const lf_data *data, double length, uint64_t seed, size_t *count,
                          lf_window **windows);

/* The rows of `data` outside the windows (inside 0) or inside them. */
lf_status lf_cut_windows(lf_context *ctx, const lf_data *data, size_t count, const lf_window *windows, int inside,
                         lf_data **cut);

#endif
