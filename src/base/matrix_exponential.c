/* Scaling and squaring: exp(A) = (exp(A / 2^k))^(2^k) with |A / 2^k| <= 1/2 and a Taylor polynomial of degree 14, whose
 * remainder is 2e-17. */
#include "base/matrix_exponential.h"

#include <math.h>
#include <string.h>

enum { DEGREE = 14 };

static void multiply(int n, const double complex *A, const double complex *B, double complex *C)
{
    for (int i = 0; i < n; i++) {
        double re[LF_EXPONENTIAL_MAX] = {0}, im[LF_EXPONENTIAL_MAX] = {0};
        for (int k = 0; k < n; k++) {
            double ar = creal(A[i * n + k]), ai = cimag(A[i * n + k]);
            for (int j = 0; j < n; j++) {
                double br = creal(B[k * n + j]), bi = cimag(B[k * n + j]);
                re[j] += ar * br - ai * bi;
                im[j] += ar * bi + ai * br;
            }
        }
        for (int j = 0; j < n; j++) {
            C[i * n + j] = re[j] + I * im[j];
        }
    }
}

void lf_matrix_exponential(int n, const double complex *A, double complex *result)
{
    double complex scaled[LF_EXPONENTIAL_MAX * LF_EXPONENTIAL_MAX], product[LF_EXPONENTIAL_MAX * LF_EXPONENTIAL_MAX];
    double norm = 0;
    for (int i = 0; i < n; i++) {
        double row = 0;
        for (int j = 0; j < n; j++) {
            row += cabs(A[i * n + j]);
        }
        norm = fmax(norm, row);
    }
    int squarings = 0;
    if (norm > 0.5 && norm < 1e300) {
        squarings = (int)ceil(log2(norm / 0.5));
    }
    double factor = ldexp(1, -squarings);
    for (int i = 0; i < n * n; i++) {
        scaled[i] = factor * A[i];
        result[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        result[i * n + i] = 1;
    }
    for (int k = DEGREE; k > 0; k--) { /* Horner: result = I + scaled result / k */
        multiply(n, scaled, result, product);
        for (int i = 0; i < n * n; i++) {
            result[i] = product[i] / k;
        }
        for (int i = 0; i < n; i++) {
            result[i * n + i] += 1;
        }
    }
    for (int k = 0; k < squarings; k++) {
        multiply(n, result, result, product);
        memcpy(result, product, (size_t)(n * n) * sizeof *result);
    }
}
