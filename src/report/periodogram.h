/* The cumulative periodogram of a series, and Bartlett's test of it.
 *
 * With I_j = |sum_k (z_k - average) e^(-2 pi i j k / n)|^2 at j = 1 … m, m = (n - 1) / 2, the shares S_j = (I_1 + … + I_j) / (I_1 + … + I_m)
 * of white noise follow the straight line j / m. Their largest distance from it has the distribution of Kolmogorov and Smirnov for m - 1
 * uniform numbers. */
#ifndef LF_REPORT_PERIODOGRAM_H
#define LF_REPORT_PERIODOGRAM_H

#include <stddef.h>

enum { LF_LONGEST_PERIODOGRAM = 262144 }; /* of a longer series a stretch in the middle is taken */

typedef struct lf_periodogram {
    size_t rows;   /* n */
    size_t count;  /* m; 0: fewer than 8 numbers, or all are equal */
    double *share; /* (m) S_1 … S_m */
} lf_periodogram;

/* Returns 0 where there is no memory. */
int lf_periodogram_create(size_t n, const double *z, lf_periodogram *p);
void lf_periodogram_clear(lf_periodogram *p);

/* The largest |S_j - j / m|; NaN for an empty one. */
double lf_bartlett_distance(const lf_periodogram *p);
/* The probability that white noise is as far from the line, and the distance that it exceeds with this probability (0 < p < 0.3). */
double lf_bartlett_p(size_t count, double distance);
double lf_bartlett_bound(size_t count, double p);

/* Where there is more than in white noise: a band from f / 1.3 to 1.3 f, with at most a tenth of all frequencies, or, where that has less
 * than 70 % of the largest excess, all frequencies below or above one. */
typedef struct lf_periodogram_peak {
    int side;        /* 0: around the period; 1: longer periods; -1: shorter ones */
    double period;   /* in rows; of a band that of its average frequency */
    double share;    /* of the variance there; NaN: nowhere more than in white noise */
    double expected; /* in white noise */
} lf_periodogram_peak;

lf_periodogram_peak lf_periodogram_find_peak(const lf_periodogram *p);

#endif
