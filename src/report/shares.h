/* The shares of the parts of an output in its variance. */
#ifndef LF_REPORT_SHARES_H
#define LF_REPORT_SHARES_H

#include "report/evidence.h"

/* The shares of output d and the variances of its forces, from its rows (n); NaN where the rows do not vary. */
lf_status lf_find_shares(const lf_evidence *e, const lf_diagnosed_row *rows, size_t n, int from_prior,
                         lf_output_diagnosis *output);

/* shares (p) of variables in the variance of their sum, from their covariance C (p, p), which is overwritten. With S = C^(1/2), the
 * symmetric root,
 *
 *   share_k = (sum_j S_kj)^2 / (sum_ij C_ij):
 *
 * the sum is a combination of the p uncorrelated variables that are closest to the given ones, and the shares are the squares of its
 * coefficients. They are not negative and add up to 1; those of uncorrelated variables are their variances. NaN where the sum does not
 * vary. Returns 0, or a code of LAPACK. */
int lf_variance_shares(size_t p, double *C, double *shares);

#endif
