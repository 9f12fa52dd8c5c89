/* How far rounding may move a Gaussian log likelihood. */
#ifndef LF_BASE_ROUNDING_H
#define LF_BASE_ROUNDING_H

#include <stddef.h>

/* An estimate of the error of log N(e | 0, S), S = L L', w = S^-1 e. The entries of S are known to within eps sqrt(v_i v_j), v_i
 * being the largest variance that they were computed from, those of e to within eps g_i. To first order the error is at most
 *
 *   eps / 2 [ (sum_i sqrt(v_i) |w_i|)^2 + sum_i v_i (S^-1)_ii ] + eps sum_i g_i |w_i|
 *
 * 1 / L_ii^2 stands for (S^-1)_ii. v, w and g (n), g may be NULL: e is exact; L_ii is L[i * pitch]. */
double lf_rounding_error(size_t n, const double *v, const double *L, size_t pitch, const double *w, const double *g);

#endif
