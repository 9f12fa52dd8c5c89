/* The step at which training rows were taken: the median distance between neighbouring inputs. */
#include <math.h>
#include <stdlib.h>

#include "points/rows.h"

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Times that differ by rounding alone are one time. */
static const double rounding = 1e-9;

/* Writes the distances within one replicate to `distance` (n); returns how many there are. */
static size_t distances(const lf_replicate *replicate, double least, double *distance)
{
    size_t n = replicate->points.n, count = 0;
    for (size_t i = 0; i < n; i++) {
        distance[i] = replicate->points.x[i];
    }
    qsort(distance, n, sizeof *distance, compare);
    for (size_t i = 1; i < n; i++) {
        double d = distance[i] - distance[i - 1];
        if (d > least) {
            distance[count++] = d;
        }
    }
    return count;
}

double lf_rows_step(const lf_rows *rows)
{
    size_t count = 0;
    int several_inputs = rows->count > 0 && rows->replicates[0].points.input_dim > 1;
    double *distance = several_inputs ? NULL : calloc(rows->n + 1, sizeof *distance), step = NAN;
    for (int r = 0; distance && r < rows->count; r++) {
        count += distances(&rows->replicates[r], rounding * (rows->latest - rows->earliest), distance + count);
    }
    if (count > 0) {
        qsort(distance, count, sizeof *distance, compare);
        step = distance[(count - 1) / 2];
    }
    free(distance);
    return step;
}
