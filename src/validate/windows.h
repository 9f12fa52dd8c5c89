/* Windows cut out of the rows of single outputs, as a gap would be. */
#ifndef LF_VALIDATE_WINDOWS_H
#define LF_VALIDATE_WINDOWS_H

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

/* Windows to be cut out, and the rows outside and inside of them (lf_data_pick). */
typedef struct lf_cut {
    size_t count;
    const lf_window *windows; /* (count) */
} lf_cut;
int lf_outside_windows(const void *cut, const lf_data *data, size_t row);
int lf_inside_windows(const void *cut, const lf_data *data, size_t row);

#endif
