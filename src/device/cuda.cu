/* The device "gpu": CUDA. Here are the GPU itself and its memory. */
#include "device/cuda_device.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int lf_cuda_check(lf_device *device, cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        lf_device_fail(device, error == cudaErrorMemoryAllocation ? LF_ERROR_MEMORY : LF_ERROR_NUMERIC,
                       "device gpu: %s failed: %s", what, cudaGetErrorString(error));
        cudaGetLastError(); /* an error that does not last is not to be found by the next call */
    }
    return device->status == LF_OK;
}

int lf_cuda_launched(lf_device *device, const char *what) { return lf_cuda_check(device, cudaGetLastError(), what); }

lf_cuda *lf_cuda_begin(lf_device *device)
{
    lf_cuda *cuda = (lf_cuda *)device->state;
    return !device->status && lf_cuda_check(device, cudaSetDevice(cuda->number), "the choice of the GPU") ? cuda : NULL;
}

static void open_libraries(lf_device *device, lf_cuda *cuda)
{
    if (!lf_cuda_check(device, cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking), "a stream")) {
        return;
    }
    for (int i = 0; i < LF_CUDA_STAGES; i++) {
        lf_cuda_check(device, cudaMallocHost((void **)&cuda->stage[i], LF_CUDA_STAGE * sizeof(double)),
                      "page-locked memory");
        lf_cuda_check(device, cudaEventCreateWithFlags(&cuda->copied[i], cudaEventDisableTiming), "an event");
    }
    cublasStatus_t blas = cublasCreate(&cuda->blas);
    blas = blas ? blas : cublasSetStream(cuda->blas, cuda->stream);
    cusolverStatus_t solver = cusolverDnCreate(&cuda->solver);
    solver = solver ? solver : cusolverDnSetStream(cuda->solver, cuda->stream);
    if (blas || solver) {
        lf_device_fail(device, LF_ERROR_MEMORY, "device gpu: cuBLAS and cuSOLVER could not be opened: %s, status %d",
                       cublasGetStatusString(blas), (int)solver);
    }
}

/* Freed memory stays with the process, because engines allocate the same again for every evaluation. */
static void open_pool(lf_device *device, lf_cuda *cuda)
{
    cudaMemPool_t pool;
    uint64_t keep = UINT64_MAX;
    lf_cuda_check(device, cudaDeviceGetAttribute(&cuda->pools, cudaDevAttrMemoryPoolsSupported, cuda->number),
                  "a question about memory pools");
    if (cuda->pools && lf_cuda_check(device, cudaDeviceGetDefaultMemPool(&pool, cuda->number), "a memory pool")) {
        lf_cuda_check(device, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "a memory pool");
    }
}

static void open_gpu(lf_device *device, const char *rest, int rank)
{
    (void)rest;
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error || count == 0) {
        lf_device_fail(device, LF_ERROR_UNSUPPORTED, "no GPU was found: %s",
                       error ? cudaGetErrorString(error) : "there is none");
        cudaGetLastError();
        return;
    }
    lf_cuda *cuda = (lf_cuda *)calloc(1, sizeof *cuda);
    device->state = cuda;
    if (!cuda) {
        lf_device_fail(device, LF_ERROR_MEMORY, "out of memory");
        return;
    }
    cuda->number = rank % count;
    if (lf_cuda_begin(device)) {
        open_pool(device, cuda);
        open_libraries(device, cuda);
    }
}

static void close_gpu(lf_device *device)
{
    lf_cuda *cuda = (lf_cuda *)device->state;
    if (!cuda) {
        return;
    }
    cudaSetDevice(cuda->number);
    if (cuda->stream) {
        cudaStreamSynchronize(cuda->stream);
    }
    if (cuda->solver) {
        cusolverDnDestroy(cuda->solver);
    }
    if (cuda->blas) {
        cublasDestroy(cuda->blas);
    }
    for (int i = 0; i < LF_CUDA_STAGES; i++) {
        if (cuda->copied[i]) {
            cudaEventDestroy(cuda->copied[i]);
        }
        if (cuda->stage[i]) {
            cudaFreeHost(cuda->stage[i]);
        }
    }
    if (cuda->stream) {
        cudaStreamDestroy(cuda->stream);
    }
    free(cuda);
}

/* What the GPU has left, and what the process keeps without using it. */
static double available(lf_device *device)
{
    lf_cuda *cuda = lf_cuda_begin(device);
    size_t left = 0, total = 0;
    uint64_t reserved = 0, used = 0;
    cudaMemPool_t pool;
    if (!cuda || !lf_cuda_check(device, cudaMemGetInfo(&left, &total), "a question about memory")) {
        return 0;
    }
    if (cuda->pools && lf_cuda_check(device, cudaDeviceGetDefaultMemPool(&pool, cuda->number), "a memory pool")) {
        lf_cuda_check(device, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved),
                      "a question about a memory pool");
        lf_cuda_check(device, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used),
                      "a question about a memory pool");
    }
    return (double)left + (double)(reserved - used);
}

double *lf_cuda_allocate(lf_device *device, size_t count)
{
    lf_cuda *cuda = lf_cuda_begin(device);
    double *x = NULL;
    size_t bytes = (count ? count : 1) * sizeof *x;
    if (!cuda) {
        return NULL;
    }
    cudaError_t error =
        cuda->pools ? cudaMallocAsync((void **)&x, bytes, cuda->stream) : cudaMalloc((void **)&x, bytes);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        double left = available(device);
        lf_device_fail(device, LF_ERROR_MEMORY, "device gpu: no memory for %.3g GB, it has %.3g GB left",
                       1e-9 * (double)bytes, 1e-9 * left);
        return NULL;
    }
    return lf_cuda_check(device, error, "an allocation") ? x : NULL;
}

/* Also after a failure. */
void lf_cuda_release(lf_device *device, double *x)
{
    lf_cuda *cuda = (lf_cuda *)device->state;
    if (x) {
        cudaSetDevice(cuda->number);
        lf_cuda_check(device, cuda->pools ? cudaFreeAsync(x, cuda->stream) : cudaFree(x), "the release of memory");
    }
}

/* The next buffer, once its last upload has ended; NULL after a failure. */
static double *take_stage(lf_device *device, lf_cuda *cuda)
{
    cuda->next = (cuda->next + 1) % LF_CUDA_STAGES;
    int ended = lf_cuda_check(device, cudaEventSynchronize(cuda->copied[cuda->next]), "an upload");
    return ended ? cuda->stage[cuda->next] : NULL;
}

/* Up to LF_CUDA_STAGE numbers: m rows of n columns. */
static void upload_piece(lf_device *device, lf_cuda *cuda, size_t m, size_t n, const double *host, size_t ld_host,
                         double *X, size_t ld)
{
    double *stage = take_stage(device, cuda);
    if (!stage) {
        return;
    }
    for (size_t j = 0; j < n; j++) {
        memcpy(stage + j * m, host + j * ld_host, m * sizeof *stage);
    }
    lf_cuda_check(device,
                  cudaMemcpy2DAsync(X, ld * sizeof *X, stage, m * sizeof *X, m * sizeof *X, n, cudaMemcpyHostToDevice,
                                    cuda->stream),
                  "an upload");
    lf_cuda_check(device, cudaEventRecord(cuda->copied[cuda->next], cuda->stream), "an upload");
}

void lf_cuda_upload(lf_device *device, size_t m, size_t n, const double *host, size_t ld_host, double *X, size_t ld)
{
    lf_cuda *cuda = lf_cuda_begin(device);
    if (!cuda || m == 0 || n == 0) {
        return;
    }
    if (m <= LF_CUDA_STAGE) {
        size_t together = LF_CUDA_STAGE / m;
        for (size_t j = 0; !device->status && j < n; j += together) {
            size_t columns = n - j < together ? n - j : together;
            upload_piece(device, cuda, m, columns, host + j * ld_host, ld_host, X + j * ld, ld);
        }
        return;
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; !device->status && i < m; i += LF_CUDA_STAGE) {
            size_t rows = m - i < LF_CUDA_STAGE ? m - i : LF_CUDA_STAGE;
            upload_piece(device, cuda, rows, 1, host + j * ld_host + i, rows, X + j * ld + i, rows);
        }
    }
}

void lf_cuda_download(lf_device *device, size_t m, size_t n, const double *X, size_t ld, double *host, size_t ld_host)
{
    lf_cuda *cuda = lf_cuda_begin(device);
    if (!cuda || m == 0 || n == 0) {
        return;
    }
    cudaError_t error = m == ld && m == ld_host
                            ? cudaMemcpyAsync(host, X, m * n * sizeof *X, cudaMemcpyDeviceToHost, cuda->stream)
                            : cudaMemcpy2DAsync(host, ld_host * sizeof *X, X, ld * sizeof *X, m * sizeof *X, n,
                                                cudaMemcpyDeviceToHost, cuda->stream);
    lf_cuda_check(device, error, "a download");
    lf_cuda_check(device, cudaStreamSynchronize(cuda->stream), "a computation"); /* of anything before it */
}

/* In the order of lf_device_class. */
const lf_device_class lf_device_cuda = {"gpu",
                                        open_gpu,
                                        close_gpu,
                                        available,
                                        lf_cuda_allocate,
                                        lf_cuda_release,
                                        lf_cuda_upload,
                                        lf_cuda_download,
                                        lf_cuda_fill,
                                        lf_cuda_put,
                                        lf_cuda_get,
                                        lf_cuda_gemm,
                                        lf_cuda_syrk,
                                        lf_cuda_trsm,
                                        lf_cuda_potrf,
                                        lf_cuda_potri,
                                        lf_cuda_add_diagonal,
                                        lf_cuda_scale_rows,
                                        lf_cuda_add_products,
                                        lf_cuda_add_scaled_rows,
                                        lf_cuda_to_adjoint,
                                        lf_cuda_waves,
                                        lf_cuda_conjugate_product};
