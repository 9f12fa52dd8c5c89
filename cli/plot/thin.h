/* Which points of a chart are drawn where there are too many: the one rule of reports and plots. */
#ifndef CLI_THIN_H
#define CLI_THIN_H

#include <stddef.h>

typedef struct cli_point {
    double x, y;
    size_t index; /* of its mark in `keep` */
} cli_point;

/* Marks about `most` of the points (n) at most, all of them if there are no more: each of most / 2 equal parts of low … high keeps its least
 * and its largest y, so that no outlier is lost. Prints an error and returns an exit status. */
int cli_thin(size_t n, const cli_point *points, double low, double high, size_t most, char *keep);

#endif
