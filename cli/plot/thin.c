/* Thins the points of a chart: each of many short intervals keeps the least and the largest. */
#include "plot/thin.h"

#include <stdlib.h>

#include "message.h"

int cli_thin(size_t n, const cli_point *points, double low, double high, size_t most, char *keep)
{
    const size_t none = (size_t)-1;
    size_t intervals = most / 2;
    for (size_t i = 0; n <= most && i < n; i++) {
        keep[points[i].index] = 1;
    }
    size_t *extreme = n > most ? malloc(2 * intervals * sizeof *extreme) : NULL; /* (intervals, 2) least, largest */
    if (n <= most || !extreme) {
        return n <= most ? CLI_DONE : cli_no_memory();
    }
    for (size_t k = 0; k < 2 * intervals; k++) {
        extreme[k] = none;
    }
    for (size_t i = 0; i < n; i++) {
        double share = high > low ? (points[i].x - low) / (high - low) : 0;
        size_t interval = share > 0 ? (size_t)(share * (double)intervals) : 0;
        size_t *pair = extreme + 2 * (interval < intervals ? interval : intervals - 1);
        pair[0] = pair[0] == none || points[i].y < points[pair[0]].y ? i : pair[0];
        pair[1] = pair[1] == none || points[i].y > points[pair[1]].y ? i : pair[1];
    }
    for (size_t k = 0; k < 2 * intervals; k++) {
        if (extreme[k] != none) {
            keep[points[extreme[k]].index] = 1;
        }
    }
    free(extreme);
    return CLI_DONE;
}
