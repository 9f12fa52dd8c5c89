/* Whether residuals scatter equally along the time. */
#ifndef LF_REPORT_SCATTER_H
#define LF_REPORT_SCATTER_H

#include "report/evidence.h"

/* Sets scatter_p, scatter_ratio, the places of least and most scatter, and uneven_scatter, from the standardised residuals z (n) of the
 * rows of an output. Without 40 rows nothing is known. */
lf_status lf_test_scatter(lf_context *ctx, size_t n, const double *z, const lf_diagnosed_row *rows,
                          lf_output_diagnosis *output);

#endif
