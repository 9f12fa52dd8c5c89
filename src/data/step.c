/* The step at which rows were taken: the median distance between neighbouring inputs of a replicate. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "data/data.h"

typedef struct moment {
    int replicate;
    double x;
} moment;

static int compare_moments(const void *left, const void *right)
{
    const moment *a = left, *b = right;
    if (a->replicate != b->replicate) {
        return a->replicate < b->replicate ? -1 : 1;
    }
    return (a->x > b->x) - (a->x < b->x);
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Times that differ by rounding alone, relative to the largest, are one time. */
static const double rounding = 1e-12;

static double median_distance(size_t n, const moment *moments, double *distance)
{
    size_t count = 0;
    for (size_t i = 1; i < n; i++) {
        double d = moments[i].x - moments[i - 1].x, size = fmax(fabs(moments[i].x), fabs(moments[i - 1].x));
        if (moments[i].replicate == moments[i - 1].replicate && d > rounding * size) {
            distance[count++] = d;
        }
    }
    qsort(distance, count, sizeof *distance, compare_numbers);
    return count > 0 ? distance[(count - 1) / 2] : (double)NAN;
}

int lf_data_find_step(const lf_data *data, double *step)
{
    *step = NAN;
    if (data->input_dim > 1) {
        return 1;
    }
    moment *moments = calloc(data->n + 1, sizeof *moments);
    double *distance = calloc(data->n + 1, sizeof *distance);
    int done = moments && distance;
    if (done) {
        for (size_t i = 0; i < data->n; i++) {
            moments[i] = (moment){.replicate = data->replicate[i], .x = data->x[i]};
        }
        qsort(moments, data->n, sizeof *moments, compare_moments);
        *step = median_distance(data->n, moments, distance);
    }
    free(moments);
    free(distance);
    return done;
}

double lf_data_step(const lf_data *data)
{
    double step;
    int done = lf_data_find_step(data, &step);
    errno = done ? errno : ENOMEM;
    return step;
}
