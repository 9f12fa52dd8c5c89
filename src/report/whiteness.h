/* Whether the errors of predictions from earlier rows are independent: autocorrelation and cumulative periodogram. */
#ifndef LF_REPORT_WHITENESS_H
#define LF_REPORT_WHITENESS_H

#include "report/evidence.h"

enum { LF_LEAST_ROWS = 20 };    /* fewer rows do not allow a judgement */
#define LF_SIGNIFICANT 0.001    /* there are many outputs and several tests */
#define LF_PERIODOGRAM_FAR 0.15 /* a distance that matters */

/* Tests output d by its rows (n), which are in the order of replicates and then of time. */
lf_status lf_test_whiteness(const lf_evidence *e, int d, size_t n, const lf_diagnosed_row *rows,
                            lf_output_diagnosis *output);

/* The known input, linear between its readings, that jumps where the residuals z (n) of these rows are outliers; -1: none does. */
int lf_find_jumps(const lf_evidence *e, size_t n, const lf_diagnosed_row *rows, const double *z);

#endif
