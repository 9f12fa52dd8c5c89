/* Test of equal scatter. The rows of all replicates, in the order of time, are cut into G blocks of N_g rows, at least 20 each. With
 * the ranks of |z| and their average R_g in block g, the statistic of Kruskal and Wallis
 *
 *   H = 12 / (N (N + 1)) sum_g N_g (R_g - (N + 1) / 2)^2
 *
 * is chi-squared with G - 1 degrees of freedom where the scatter is the same everywhere. Ranks do not depend on single outliers. */
#include "report/scatter.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "report/residual_tests.h"
#include "report/whiteness.h"

#define RATIO_FAR 3.0 /* of median |z| between blocks: a ratio that matters */
enum { LEAST_IN_BLOCK = 20, MOST_BLOCKS = 10 };

typedef struct scattered_row {
    double x, size; /* |z| */
    size_t place;   /* in the order of x */
} scattered_row;

static int compare(double a, double b) { return a < b ? -1 : a > b; }

static int compare_x(const void *left, const void *right)
{
    return compare(((const scattered_row *)left)->x, ((const scattered_row *)right)->x);
}

static int compare_size(const void *left, const void *right)
{
    return compare(((const scattered_row *)left)->size, ((const scattered_row *)right)->size);
}

/* The block, of `blocks`, that place i of n belongs to. */
static size_t block_of(size_t i, size_t n, size_t blocks) { return i * blocks / n; }

/* The first place of a block. */
static size_t first_of(size_t block, size_t n, size_t blocks) { return (block * n + blocks - 1) / blocks; }

lf_status lf_test_scatter(lf_context *ctx, size_t n, const double *z, const lf_diagnosed_row *rows,
                          lf_output_diagnosis *output)
{
    size_t blocks = n / LEAST_IN_BLOCK < MOST_BLOCKS ? n / LEAST_IN_BLOCK : MOST_BLOCKS;
    double ranks[MOST_BLOCKS] = {0}, middle[MOST_BLOCKS], median[MOST_BLOCKS], statistic = 0, N = (double)n;
    size_t counted[MOST_BLOCKS] = {0}, least = 0, most = 0;
    if (blocks < 2) {
        return LF_OK;
    }
    scattered_row *list = calloc(n, sizeof *list);
    if (!list) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < n; i++) {
        list[i] = (scattered_row){.x = rows[i].x, .size = fabs(z[i])};
    }
    qsort(list, n, sizeof *list, compare_x);
    for (size_t i = 0; i < n; i++) {
        list[i].place = i;
    }
    for (size_t g = 0; g < blocks; g++) {
        middle[g] = list[(first_of(g, n, blocks) + first_of(g + 1, n, blocks)) / 2].x;
    }
    qsort(list, n, sizeof *list, compare_size);
    for (size_t i = 0; i < n; i++) { /* by size, so that the middle row of a block is its median */
        size_t g = block_of(list[i].place, n, blocks), count = first_of(g + 1, n, blocks) - first_of(g, n, blocks);
        ranks[g] += (double)(i + 1) / (double)count;
        median[g] = counted[g] == count / 2 ? list[i].size : median[g];
        counted[g]++;
    }
    for (size_t g = 0; g < blocks; g++) {
        statistic += (double)counted[g] * pow(ranks[g] - 0.5 * (N + 1), 2) * 12 / (N * (N + 1));
        least = median[g] < median[least] ? g : least;
        most = median[g] > median[most] ? g : most;
    }
    free(list);
    output->scatter_p = lf_chi_squared_tail((int)blocks - 1, statistic);
    output->scatter_ratio = median[least] > 0 ? median[most] / median[least] : (double)INFINITY;
    output->scatter_least_at = middle[least];
    output->scatter_most_at = middle[most];
    output->uneven_scatter = output->scatter_p < LF_SIGNIFICANT && output->scatter_ratio >= RATIO_FAR;
    return LF_OK;
}
