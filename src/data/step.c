/* The step at which rows were taken, the median distance between neighbouring inputs of a replicate; and how many distances differ. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "data/share.h"

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

/* The distances between neighbours within replicates, sorted. Returns their number. */
static size_t find_distances(size_t n, const moment *moments, double *distance)
{
    size_t count = 0;
    for (size_t i = 1; i < n; i++) {
        double d = moments[i].x - moments[i - 1].x, size = fmax(fabs(moments[i].x), fabs(moments[i - 1].x));
        if (moments[i].replicate == moments[i - 1].replicate && d > rounding * size) {
            distance[count++] = d;
        }
    }
    qsort(distance, count, sizeof *distance, compare_numbers);
    return count;
}

/* Those of one replicate after another, each with its own transitions. */
static size_t count_gaps(size_t n, const moment *moments, double *distance)
{
    size_t gaps = 0;
    for (size_t first = 0, end; first < n; first = end) {
        double largest = 0;
        for (end = first; end < n && moments[end].replicate == moments[first].replicate; end++) {
            largest = fmax(largest, fabs(moments[end].x));
        }
        size_t count = find_distances(end - first, moments + first, distance);
        for (size_t i = 0; i < count; i++) {
            gaps += i == 0 || distance[i] - distance[i - 1] > rounding * largest;
        }
    }
    return gaps;
}

int lf_data_find_step(const lf_data *data, double *step, size_t *gaps, size_t *steps)
{
    *step = NAN;
    *gaps = *steps = 0;
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
        *gaps = count_gaps(data->n, moments, distance);
        size_t count = find_distances(data->n, moments, distance);
        *steps = count + 1;
        *step = count > 0 ? distance[(count - 1) / 2] : (double)NAN;
    }
    free(moments);
    free(distance);
    return done;
}

double lf_data_step(const lf_data *data)
{
    double step;
    size_t gaps, steps;
    int done = lf_data_find_step(data, &step, &gaps, &steps);
    errno = done ? errno : ENOMEM;
    return step;
}

lf_status lf_data_step_of_all(lf_context *ctx, const lf_data *data, double *step)
{
    lf_data *sample = NULL;
    lf_status status = lf_data_is_shared(data) ? lf_data_sample(ctx, data, LF_MOST_GATHERED, &sample) : LF_OK;
    *step = status ? (double)NAN : lf_data_step(sample ? sample : data);
    lf_data_free(sample);
    return status;
}
