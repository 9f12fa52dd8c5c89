/* Linear algebra of the device "gpu", by cuBLAS and cuSOLVER. */
#include "device/cuda_device.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int check_blas(lf_device *device, cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS) {
        lf_device_fail(device, status == CUBLAS_STATUS_ALLOC_FAILED ? LF_ERROR_MEMORY : LF_ERROR_NUMERIC,
                       "device gpu: %s of cuBLAS failed: %s", what, cublasGetStatusString(status));
    }
    return device->status == LF_OK;
}

static int check_solver(lf_device *device, cusolverStatus_t status, const char *what)
{
    if (status != CUSOLVER_STATUS_SUCCESS) {
        lf_device_fail(device, status == CUSOLVER_STATUS_ALLOC_FAILED ? LF_ERROR_MEMORY : LF_ERROR_NUMERIC,
                       "device gpu: %s of cuSOLVER failed with status %d", what, (int)status);
    }
    return device->status == LF_OK;
}

/* Sizes are integers in cuBLAS. */
static lf_cuda *begin(lf_device *device, size_t largest)
{
    if (largest > INT_MAX) {
        lf_device_fail(device, LF_ERROR_UNSUPPORTED, "device gpu: a matrix with %zu rows is too large", largest);
    }
    return lf_cuda_begin(device);
}

static size_t most(size_t a, size_t b, size_t c)
{
    size_t larger = a > b ? a : b;
    return larger > c ? larger : c;
}

static cublasOperation_t blas(lf_transposition a) { return a == LF_TRANSPOSED ? CUBLAS_OP_T : CUBLAS_OP_N; }

/* cuBLAS refuses 0 for a matrix without elements. */
static int leading(size_t ld) { return ld ? (int)ld : 1; }

void lf_cuda_gemm(lf_device *device, lf_transposition a, lf_transposition b, size_t m, size_t n, size_t k, double alpha,
                  const double *A, size_t lda, const double *B, size_t ldb, double beta, double *C, size_t ldc)
{
    lf_cuda *cuda = m && n ? begin(device, most(lda, ldb, most(m, n, k))) : NULL;
    if (!cuda) {
        return;
    }
    if (n == 1 && k > 0) { /* the product with a vector reads A once */
        int rows = (int)(a == LF_TRANSPOSED ? k : m), columns = (int)(a == LF_TRANSPOSED ? m : k);
        check_blas(device,
                   cublasDgemv(cuda->blas, blas(a), rows, columns, &alpha, A, (int)lda, B,
                               b == LF_TRANSPOSED ? (int)ldb : 1, &beta, C, 1),
                   "dgemv");
        return;
    }
    check_blas(device,
               cublasDgemm(cuda->blas, blas(a), blas(b), (int)m, (int)n, (int)k, &alpha, A, leading(lda), B,
                           leading(ldb), &beta, C, (int)ldc),
               "dgemm");
}

void lf_cuda_syrk(lf_device *device, lf_transposition a, size_t n, size_t k, double alpha, const double *A, size_t lda,
                  double beta, double *C, size_t ldc)
{
    lf_cuda *cuda = n ? begin(device, most(lda, n, k)) : NULL;
    if (cuda) {
        check_blas(device,
                   cublasDsyrk(cuda->blas, CUBLAS_FILL_MODE_LOWER, blas(a), (int)n, (int)k, &alpha, A, leading(lda),
                               &beta, C, (int)ldc),
                   "dsyrk");
    }
}

void lf_cuda_trsm(lf_device *device, lf_side side, lf_transposition a, size_t m, size_t n, const double *L, size_t ldl,
                  double *B, size_t ldb)
{
    lf_cuda *cuda = m && n ? begin(device, most(ldl, ldb, n)) : NULL;
    const double one = 1;
    if (cuda) {
        check_blas(device,
                   cublasDtrsm(cuda->blas, side == LF_LEFT ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
                               CUBLAS_FILL_MODE_LOWER, blas(a), CUBLAS_DIAG_NON_UNIT, (int)m, (int)n, &one, L, (int)ldl,
                               B, (int)ldb),
                   "dtrsm");
    }
}

/* The answer of cuSOLVER, which is 0 if all went well. */
static int read_info(lf_device *device, const double *info)
{
    double copy = 0;
    int answer;
    lf_cuda_download(device, 1, 1, info, 1, &copy, 1);
    memcpy(&answer, &copy, sizeof answer); /* an integer in the memory of a double */
    return answer;
}

int lf_cuda_potrf(lf_device *device, size_t n, double *A, size_t lda)
{
    lf_cuda *cuda = n ? begin(device, most(lda, n, 0)) : NULL;
    size_t on_device = 0, on_host = 0;
    if (!cuda ||
        !check_solver(device,
                      cusolverDnXpotrf_bufferSize(cuda->solver, NULL, CUBLAS_FILL_MODE_LOWER, (int64_t)n, CUDA_R_64F, A,
                                                  (int64_t)lda, CUDA_R_64F, &on_device, &on_host),
                      "potrf")) {
        return 1;
    }
    double *work = lf_cuda_allocate(device, on_device / sizeof(double) + 2), *info = work;
    void *work_here = malloc(on_host + 1);
    int answer = 0;
    if (!work_here) {
        lf_device_fail(device, LF_ERROR_MEMORY, "out of memory");
    }
    if (!device->status) {
        info = work + on_device / sizeof(double) + 1;
        check_solver(device,
                     cusolverDnXpotrf(cuda->solver, NULL, CUBLAS_FILL_MODE_LOWER, (int64_t)n, CUDA_R_64F, A,
                                      (int64_t)lda, CUDA_R_64F, work, on_device, work_here, on_host, (int *)info),
                     "potrf");
        answer = read_info(device, info);
    }
    lf_cuda_release(device, work);
    free(work_here);
    return answer == 0 || device->status != LF_OK;
}

void lf_cuda_potri(lf_device *device, size_t n, double *L, size_t ldl)
{
    lf_cuda *cuda = n ? begin(device, most(ldl, n, 0)) : NULL;
    int size = 0;
    if (!cuda ||
        !check_solver(device,
                      cusolverDnDpotri_bufferSize(cuda->solver, CUBLAS_FILL_MODE_LOWER, (int)n, L, (int)ldl, &size),
                      "potri")) {
        return;
    }
    double *work = lf_cuda_allocate(device, (size_t)size + 1), *info = work + size;
    if (!device->status) {
        check_solver(
            device,
            cusolverDnDpotri(cuda->solver, CUBLAS_FILL_MODE_LOWER, (int)n, L, (int)ldl, work, size, (int *)info),
            "potri");
        if (read_info(device, info)) {
            lf_device_fail(device, LF_ERROR_NUMERIC, "a matrix to be inverted is singular");
        }
        lf_cuda_mirror(device, n, L, ldl);
    }
    lf_cuda_release(device, work);
}
