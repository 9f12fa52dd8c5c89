/* The devices "cpu" and "host": ordinary memory, BLAS and loops. It says how each operation is meant. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "device/device.h"
#include "device/wave.h"

enum { HEADER = 8 }; /* numbers before each allocation, which hold its size and keep its alignment */

typedef struct host_memory {
    double limit, used; /* bytes */
} host_memory;

static void open_host(lf_device *device, const char *rest, int rank)
{
    (void)rank;
    char *end;
    double limit = *rest ? strtod(rest, &end) : INFINITY;
    host_memory *memory = calloc(1, sizeof *memory);
    device->state = memory;
    if (!memory) {
        lf_device_fail(device, LF_ERROR_MEMORY, "out of memory");
    } else if (*rest && (*end || !(limit > 0))) {
        lf_device_fail(device, LF_ERROR_ARGUMENT, "device host: its memory must be a number of bytes, found '%s'",
                       rest);
    } else {
        memory->limit = limit;
    }
}

static void close_host(lf_device *device) { free(device->state); }

static double available(lf_device *device)
{
    const host_memory *memory = device->state;
    return memory->limit - memory->used;
}

static double *allocate(lf_device *device, size_t count)
{
    host_memory *memory = device->state;
    double bytes = (double)count * sizeof(double);
    double *x = device->status || bytes > available(device) ? NULL : lf_doubles_unset(count + HEADER, 1);
    if (!x) {
        lf_device_fail(device, LF_ERROR_MEMORY,
                       device->here ? "out of memory" : "device host: no memory for %.3g bytes, it has %.3g left",
                       bytes, available(device));
        return NULL;
    }
    x[0] = bytes;
    memory->used += bytes;
    for (size_t i = 0; !device->here && i < count; i++) { /* what is not set is not used */
        x[HEADER + i] = NAN;
    }
    return x + HEADER;
}

static void release(lf_device *device, double *x)
{
    host_memory *memory = device->state;
    if (x) {
        memory->used -= x[-HEADER];
        free(x - HEADER);
    }
}

static void copy(size_t m, size_t n, const double *from, size_t ld_from, double *to, size_t ld_to)
{
    for (size_t j = 0; m && j < n; j++) {
        memcpy(to + j * ld_to, from + j * ld_from, m * sizeof *to);
    }
}

static void upload(lf_device *device, size_t m, size_t n, const double *host, size_t ld_host, double *X, size_t ld)
{
    if (!device->status) {
        copy(m, n, host, ld_host, X, ld);
    }
}

static void download(lf_device *device, size_t m, size_t n, const double *X, size_t ld, double *host, size_t ld_host)
{
    if (!device->status) {
        copy(m, n, X, ld, host, ld_host);
    }
}

static void fill(lf_device *device, size_t count, double value, double *x)
{
    for (size_t i = 0; !device->status && i < count; i++) {
        x[i] = value;
    }
}

static void put(lf_device *device, size_t count, const size_t *index, const double *values, double *X)
{
    for (size_t i = 0; !device->status && i < count; i++) {
        X[index[i]] = values ? values[i] : 0;
    }
}

static void get(lf_device *device, size_t count, const size_t *index, const double *X, double *values)
{
    for (size_t i = 0; !device->status && i < count; i++) {
        values[i] = X[index[i]];
    }
}

static CBLAS_TRANSPOSE blas(lf_transposition a) { return a == LF_TRANSPOSED ? CblasTrans : CblasNoTrans; }

static void gemm(lf_device *device, lf_transposition a, lf_transposition b, size_t m, size_t n, size_t k, double alpha,
                 const double *A, size_t lda, const double *B, size_t ldb, double beta, double *C, size_t ldc)
{
    if (device->status || !m || !n) {
        return;
    }
    if (n == 1 && b == LF_PLAIN) {
        int rows = (int)(a == LF_PLAIN ? m : k), columns = (int)(a == LF_PLAIN ? k : m);
        cblas_dgemv(CblasColMajor, blas(a), rows, columns, alpha, A, (int)lda, B, 1, beta, C, 1);
    } else if (k || beta != 1) {
        cblas_dgemm(CblasColMajor, blas(a), blas(b), (int)m, (int)n, (int)k, alpha, A, (int)lda, B, (int)ldb, beta, C,
                    (int)ldc);
    }
}

static void syrk(lf_device *device, lf_transposition a, size_t n, size_t k, double alpha, const double *A, size_t lda,
                 double beta, double *C, size_t ldc)
{
    if (!device->status && n) {
        cblas_dsyrk(CblasColMajor, CblasLower, blas(a), (int)n, (int)k, alpha, A, (int)lda, beta, C, (int)ldc);
    }
}

static void trsm(lf_device *device, lf_side side, lf_transposition a, size_t m, size_t n, const double *L, size_t ldl,
                 double *B, size_t ldb)
{
    if (device->status || !m || !n) {
        return;
    }
    if (side == LF_LEFT && n == 1) {
        cblas_dtrsv(CblasColMajor, CblasLower, blas(a), CblasNonUnit, (int)m, L, (int)ldl, B, 1);
    } else {
        cblas_dtrsm(CblasColMajor, side == LF_LEFT ? CblasLeft : CblasRight, CblasLower, blas(a), CblasNonUnit, (int)m,
                    (int)n, 1, L, (int)ldl, B, (int)ldb);
    }
}

static int potrf(lf_device *device, size_t n, double *A, size_t lda)
{
    return device->status || !n || LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)n, A, (int)lda) == 0;
}

static void potri(lf_device *device, size_t n, double *L, size_t ldl)
{
    if (device->status || !n) {
        return;
    }
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (int)n, L, (int)ldl)) {
        lf_device_fail(device, LF_ERROR_NUMERIC, "a matrix to be inverted is singular");
    }
    lf_mirror(n, L, ldl);
}

static void add_diagonal(lf_device *device, size_t n, double value, double *A, size_t lda)
{
    for (size_t i = 0; !device->status && i < n; i++) {
        A[i * (lda + 1)] += value;
    }
}

static void scale_rows(lf_device *device, size_t n, size_t columns, const double *factor, double *X, size_t ld)
{
    size_t rows = device->status ? 0 : n;
#pragma omp parallel for schedule(static) if (n * columns > 10000)
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < rows; i++) {
            X[j * ld + i] *= factor[i];
        }
    }
}

static void add_products(lf_device *device, size_t n, size_t columns, const double *X, const double *Y, size_t ld,
                         double *sums)
{
    for (size_t j = 0; !device->status && j < columns; j++) {
        for (size_t i = 0; i < n; i++) {
            sums[i] += X[j * ld + i] * Y[j * ld + i];
        }
    }
}

static void add_scaled_rows(lf_device *device, size_t n, size_t columns, const double *factor, const double *X,
                            size_t ldx, double *Y, size_t ldy)
{
    for (size_t j = 0; !device->status && j < columns; j++) {
        for (size_t i = 0; i < n; i++) {
            Y[j * ldy + i] += factor[i] * X[j * ldx + i];
        }
    }
}

static void to_adjoint(lf_device *device, size_t n, size_t columns, const double *residual, const double *noise,
                       const double *mean, double *E, size_t ld)
{
    size_t rows = device->status ? 0 : n;
#pragma omp parallel for schedule(static) if (n * columns > 10000)
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < rows; i++) {
            E[j * ld + i] = (residual[i] * mean[j] - E[j * ld + i]) / noise[i];
        }
    }
}

static void waves(lf_device *device, const lf_device_waves *w)
{
    for (size_t s = 0; !device->status && s < w->count; s++) {
        double *re = w->V + s * w->ld, *im = w->V + (w->count + s) * w->ld;
        for (size_t i = 0; i < w->n; i++) {
            double scale = w->row_scale ? w->row_scale[i] : 1;
            lf_wave_entry(w, i, s, &re[i], &im[i]);
            re[i] *= scale;
            im[i] *= scale;
        }
    }
}

static void conjugate_product(lf_device *device, size_t n, size_t count, const double *v, double *a, size_t ld)
{
    for (size_t s = 0; !device->status && s < count; s++) {
        const double *v_re = v + s * ld, *v_im = v + (count + s) * ld;
        double *a_re = a + s * ld, *a_im = a + (count + s) * ld;
        for (size_t i = 0; i < n; i++) {
            double re = a_re[i] * v_re[i] + a_im[i] * v_im[i];
            a_im[i] = a_re[i] * v_im[i] - a_im[i] * v_re[i];
            a_re[i] = re;
        }
    }
}

const lf_device_class lf_device_host = {.name = "host",
                                        .open = open_host,
                                        .close = close_host,
                                        .available = available,
                                        .allocate = allocate,
                                        .release = release,
                                        .upload = upload,
                                        .download = download,
                                        .fill = fill,
                                        .put = put,
                                        .get = get,
                                        .gemm = gemm,
                                        .syrk = syrk,
                                        .trsm = trsm,
                                        .potrf = potrf,
                                        .potri = potri,
                                        .add_diagonal = add_diagonal,
                                        .scale_rows = scale_rows,
                                        .add_products = add_products,
                                        .add_scaled_rows = add_scaled_rows,
                                        .to_adjoint = to_adjoint,
                                        .waves = waves,
                                        .conjugate_product = conjugate_product};
