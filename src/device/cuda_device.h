/* What the files of the CUDA device share. For .cu files only. */
#ifndef LF_DEVICE_CUDA_DEVICE_H
#define LF_DEVICE_CUDA_DEVICE_H

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include "device/device.h"

enum { LF_CUDA_STAGES = 8, LF_CUDA_STAGE = 1 << 18 }; /* page-locked buffers, and numbers in each */

/* A GPU as one engine uses it: a stream of its own, in which operations follow one another. */
typedef struct lf_cuda {
    int number; /* of the GPU */
    int pools;  /* it has memory pools: freed memory is kept for the next allocation */
    cudaStream_t stream;
    cublasHandle_t blas;
    cusolverDnHandle_t solver;
    double *stage[LF_CUDA_STAGES];      /* what is uploaded goes through these, so that the processor can go on */
    cudaEvent_t copied[LF_CUDA_STAGES]; /* the last upload from the buffer has ended */
    int next;
} lf_cuda;

/* The state, with its GPU made that of this thread; NULL after a failure. */
lf_cuda *lf_cuda_begin(lf_device *device);
/* Keeps a failure of a call; 1 if there is none. */
int lf_cuda_check(lf_device *device, cudaError_t error, const char *what);
/* The same for the launch of a kernel. */
int lf_cuda_launched(lf_device *device, const char *what);

double *lf_cuda_allocate(lf_device *device, size_t count);
void lf_cuda_release(lf_device *device, double *x);
void lf_cuda_upload(lf_device *device, size_t m, size_t n, const double *host, size_t ld_host, double *X, size_t ld);
void lf_cuda_download(lf_device *device, size_t m, size_t n, const double *X, size_t ld, double *host, size_t ld_host);

/* ---- in cuda_algebra.cu ---- */
void lf_cuda_gemm(lf_device *device, lf_transposition a, lf_transposition b, size_t m, size_t n, size_t k, double alpha,
                  const double *A, size_t lda, const double *B, size_t ldb, double beta, double *C, size_t ldc);
void lf_cuda_syrk(lf_device *device, lf_transposition a, size_t n, size_t k, double alpha, const double *A, size_t lda,
                  double beta, double *C, size_t ldc);
void lf_cuda_trsm(lf_device *device, lf_side side, lf_transposition a, size_t m, size_t n, const double *L, size_t ldl,
                  double *B, size_t ldb);
int lf_cuda_potrf(lf_device *device, size_t n, double *A, size_t lda);
void lf_cuda_potri(lf_device *device, size_t n, double *L, size_t ldl);

/* ---- in cuda_kernels.cu ---- */
void lf_cuda_fill(lf_device *device, size_t count, double value, double *x);
void lf_cuda_put(lf_device *device, size_t count, const size_t *index, const double *values, double *X);
void lf_cuda_get(lf_device *device, size_t count, const size_t *index, const double *X, double *values);
void lf_cuda_mirror(lf_device *device, size_t n, double *A, size_t lda);
void lf_cuda_add_diagonal(lf_device *device, size_t n, double value, double *A, size_t lda);
void lf_cuda_scale_rows(lf_device *device, size_t n, size_t columns, const double *factor, double *X, size_t ld);
void lf_cuda_add_products(lf_device *device, size_t n, size_t columns, const double *X, const double *Y, size_t ld,
                          double *sums);
void lf_cuda_add_scaled_rows(lf_device *device, size_t n, size_t columns, const double *factor, const double *X,
                             size_t ldx, double *Y, size_t ldy);
void lf_cuda_to_adjoint(lf_device *device, size_t n, size_t columns, const double *residual, const double *noise,
                        const double *mean, double *E, size_t ld);
void lf_cuda_waves(lf_device *device, const lf_device_waves *waves);
void lf_cuda_conjugate_product(lf_device *device, size_t n, size_t count, const double *v, double *a, size_t ld);

#endif
