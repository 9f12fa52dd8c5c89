/* Leading components of the standardised series.
 *
 * Components are the eigenvectors of the D x D covariance Z Z' / n of the standardised, interpolated outputs Z:
 * shares[d][c] = sqrt(eigenvalue c) * eigenvector c at d. */
#include <math.h>
#include <stdlib.h>

#include <cblas.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "plan/data_summary.h"

/* Eigenvalues (D), ascending, and eigenvectors (D, D), one in each column. */
static lf_status decompose(lf_context *ctx, const lf_data_summary *summary, double *values, double *vectors)
{
    int D = summary->output_count;
    size_t length = summary->replicate_count * summary->grid_count;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, D, (int)length, 1.0 / (double)length, summary->series,
                (int)length, 0, vectors, D);
    int info = lf_symmetric_eigen((size_t)D, vectors, values);
    if (info) {
        return info == LF_LAPACK_NO_MEMORY
                   ? lf_no_memory(ctx)
                   : lf_fail(ctx, LF_ERROR_NUMERIC, "the principal components of the outputs could not be computed");
    }
    return LF_OK;
}

/* Several inputs: outputs are seldom observed at the same places. Every output takes part in every component, with
 * signs that distinguish components. */
static void spread_evenly(const lf_data_summary *summary, int count, double *shares)
{
    for (int d = 0; d < summary->output_count; d++) {
        for (int c = 0; c < count; c++) {
            int flipped = c > 0 && (d >> (c - 1)) & 1;
            shares[d * count + c] = (flipped ? -1 : 1) / sqrt((double)count);
        }
    }
}

lf_status lf_principal_components(lf_context *ctx, const lf_data_summary *summary, int count, double *shares,
                                  double *timescales)
{
    if (!summary->series) {
        spread_evenly(summary, count, shares);
        return LF_OK;
    }
    size_t D = (size_t)summary->output_count, length = summary->replicate_count * summary->grid_count;
    double *values = lf_doubles(D, 1), *vectors = lf_doubles(D, D), *series = lf_doubles(length, 1);
    lf_status status = values && vectors && series ? decompose(ctx, summary, values, vectors) : lf_no_memory(ctx);
    for (size_t c = 0; !status && c < (size_t)count; c++) {
        double *vector = vectors + (D - 1 - c) * D, sum = 0;
        for (size_t d = 0; d < D; d++) {
            sum += vector[d];
        }
        for (size_t d = 0; d < D; d++) { /* the sign of an eigenvector is anyone's choice */
            shares[d * (size_t)count + c] = sqrt(fmax(values[D - 1 - c], 0)) * (sum < 0 ? -vector[d] : vector[d]);
        }
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)length, (int)D, 1, summary->series, (int)length, vector, 1, 0,
                    series, 1);
        timescales[c] = lf_data_summary_timescale(summary, series);
    }
    free(values);
    free(vectors);
    free(series);
    return status;
}
