/* Devices: memory and the operations on it that engines are made of. One of them is a GPU (cuda.cu). The other is the processor, with BLAS
 * in ordinary memory (host.c): as "cpu" it runs what is written once for both; as "host" it stands for a GPU, so that what runs on devices
 * can be tested without one.
 *
 * Matrices are column-major doubles in the memory of the device; ld is the distance of their columns. Operations are begun in order and
 * may return before they end; only downloads wait. A failure is kept: later operations do nothing, and lf_device_status reports it. So a
 * sequence of operations is checked once, at its end. The same operations give the same bits each time. */
#ifndef LF_DEVICE_DEVICE_H
#define LF_DEVICE_DEVICE_H

#include "latentforce.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lf_device lf_device;

typedef enum lf_transposition { LF_PLAIN, LF_TRANSPOSED } lf_transposition;
typedef enum lf_side { LF_LEFT, LF_RIGHT } lf_side;

/* Response columns of one grid (features/response.h), each times a scale that is part of G, and each row times its own:
 *   row_scale_i G_s [ e^{j lambda_s' t_i} - sum_k (j lambda_s)^k h_k(t_i) ]. */
typedef struct lf_device_waves {
    size_t n, count;         /* rows, nodes S */
    int input_dim, order;    /* p; free motions to subtract, 0: none */
    size_t ld;               /* of t, h and V */
    const double *t;         /* (n, p) */
    const double *h;         /* (n, order) */
    const double *lambda;    /* (p, S) */
    const double *G;         /* (2, S) Re and Im */
    const double *row_scale; /* (n); NULL: 1 */
    double *V;               /* (n, 2 S) Re of all nodes, then Im */
} lf_device_waves;

/* Pointers are to memory of the device unless they are called host. */
typedef struct lf_device_class {
    const char *name;
    /* rest: what follows "NAME:" in the name of the device. rank: of this process, where several share a machine. A failure is kept
     * like any other; close is called after it too. */
    void (*open)(lf_device *device, const char *rest, int rank);
    void (*close)(lf_device *device);

    /* ---- memory ---- */
    double (*available)(lf_device *device); /* bytes */
    double *(*allocate)(lf_device *device, size_t count);
    void (*release)(lf_device *device, double *x);
    void (*upload)(lf_device *device, size_t m, size_t n, const double *host, size_t ld_host, double *X, size_t ld);
    void (*download)(lf_device *device, size_t m, size_t n, const double *X, size_t ld, double *host, size_t ld_host);
    void (*fill)(lf_device *device, size_t count, double value, double *x);
    /* X[index_i] = host_i, host NULL: 0; and the other way. */
    void (*put)(lf_device *device, size_t count, const size_t *host_index, const double *host, double *X);
    void (*get)(lf_device *device, size_t count, const size_t *host_index, const double *X, double *host);

    /* ---- linear algebra: lower triangles L ---- */
    /* C (m, n) = alpha op(A) op(B) + beta C, op(A) (m, k). */
    void (*gemm)(lf_device *device, lf_transposition a, lf_transposition b, size_t m, size_t n, size_t k, double alpha,
                 const double *A, size_t lda, const double *B, size_t ldb, double beta, double *C, size_t ldc);
    /* C (n, n) = alpha op(A) op(A)' + beta C, op(A) (n, k), lower triangle. */
    void (*syrk)(lf_device *device, lf_transposition a, size_t n, size_t k, double alpha, const double *A, size_t lda,
                 double beta, double *C, size_t ldc);
    /* B (m, n) = op(L)^-1 B or B op(L)^-1. */
    void (*trsm)(lf_device *device, lf_side side, lf_transposition a, size_t m, size_t n, const double *L, size_t ldl,
                 double *B, size_t ldb);
    /* A = L L' in place. Returns 0 if A is not positive definite, which is no failure of the device. */
    int (*potrf)(lf_device *device, size_t n, double *A, size_t lda);
    /* L becomes (L L')^-1, both triangles. */
    void (*potri)(lf_device *device, size_t n, double *L, size_t ldl);
    void (*add_diagonal)(lf_device *device, size_t n, double value, double *A, size_t lda);

    /* ---- rows (n, columns) ---- */
    /* X_ij *= factor_i. */
    void (*scale_rows)(lf_device *device, size_t n, size_t columns, const double *factor, double *X, size_t ld);
    /* sums_i += sum_j X_ij Y_ij. */
    void (*add_products)(lf_device *device, size_t n, size_t columns, const double *X, const double *Y, size_t ld,
                         double *sums);
    /* Y_ij += factor_i X_ij. */
    void (*add_scaled_rows)(lf_device *device, size_t n, size_t columns, const double *factor, const double *X,
                            size_t ldx, double *Y, size_t ldy);
    /* E_ij = (residual_i mean_j - E_ij) / noise_i. */
    void (*to_adjoint)(lf_device *device, size_t n, size_t columns, const double *residual, const double *noise,
                       const double *mean, double *E, size_t ld);
    void (*waves)(lf_device *device, const lf_device_waves *waves);
    /* conj(a) v in place of a, both (n, 2 count) as in lf_device_waves. */
    void (*conjugate_product)(lf_device *device, size_t n, size_t count, const double *v, double *a, size_t ld);
} lf_device_class;

struct lf_device {
    const lf_device_class *op;
    void *state;
    int here;         /* "cpu": its memory is that of the program, which may compute there what no operation does */
    lf_status status; /* of the first operation that failed */
    char message[256];
};

/* "gpu"; "host" and "host:BYTES", which has this much memory, are for tests. *device is NULL for "cpu" and NULL: no device. */
lf_status lf_device_open(lf_context *ctx, const char *name, lf_device **device);
/* The same, but a device that is `here` for "cpu" and NULL. */
lf_status lf_device_open_any(lf_context *ctx, const char *name, lf_device **device);
void lf_device_close(lf_device *device);
/* Whether a name asks for a device, which may not exist. */
int lf_device_is_named(const char *name);

/* The failure of the first operation that failed, with its message. */
lf_status lf_device_status(lf_context *ctx, const lf_device *device);
/* Keeps a failure, unless there is an earlier one; for implementations. */
void lf_device_fail(lf_device *device, lf_status status, const char *format, ...) LF_PRINTF(3, 4);

extern const lf_device_class lf_device_host;
extern const lf_device_class lf_device_cuda; /* where the library was built with CUDA */

#ifdef __cplusplus
}
#endif

#endif
