/* Operations of the device "gpu" that no library has. Sums are formed in a fixed order, so that they have the same bits each time. */
#include "device/cuda_device.h"
#include "device/wave.h"

enum { THREADS = 256, MOST_BLOCKS = 1 << 16 };

/* Blocks for so many threads; kernels loop over what is left. */
static unsigned blocks_for(size_t count, size_t each)
{
    size_t blocks = (count + each - 1) / each;
    return (unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
}

/* A thread for each row, and a block in y for each of some columns. */
static dim3 grid_for(size_t n, size_t columns)
{
    return dim3(blocks_for(n, THREADS), (unsigned)(columns < 32768 ? columns : 32768));
}

#define EACH(i, count)                                                                                                 \
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;                                                          \
    i < (count);                                                                                                       \
    i += (size_t)gridDim.x * blockDim.x
#define EACH_COLUMN(j, count)                                                                                          \
    size_t j = blockIdx.y;                                                                                             \
    j < (count);                                                                                                       \
    j += gridDim.y

static __global__ void fill_kernel(size_t count, double value, double *x)
{
    for (EACH(i, count)) {
        x[i] = value;
    }
}

void lf_cuda_fill(lf_device *device, size_t count, double value, double *x)
{
    lf_cuda *cuda = count ? lf_cuda_begin(device) : NULL;
    if (cuda) {
        fill_kernel<<<blocks_for(count, THREADS), THREADS, 0, cuda->stream>>>(count, value, x);
        lf_cuda_launched(device, "fill");
    }
}

static __global__ void put_kernel(size_t count, const size_t *index, const double *values, double *X)
{
    for (EACH(i, count)) {
        X[index[i]] = values ? values[i] : 0;
    }
}

static __global__ void get_kernel(size_t count, const size_t *index, const double *X, double *values)
{
    for (EACH(i, count)) {
        values[i] = X[index[i]];
    }
}

/* Memory of the device with the indices, and room for as many values after them; NULL after a failure. Both have eight bytes. */
static double *upload_index(lf_device *device, size_t count, const size_t *index)
{
    static_assert(sizeof(size_t) == sizeof(double), "indices lie in memory of doubles");
    double *work = lf_cuda_allocate(device, 2 * count);
    lf_cuda_upload(device, count, 1, (const double *)index, count, work, count);
    return work;
}

void lf_cuda_put(lf_device *device, size_t count, const size_t *index, const double *values, double *X)
{
    lf_cuda *cuda = count ? lf_cuda_begin(device) : NULL;
    double *work = cuda ? upload_index(device, count, index) : NULL;
    if (work && values) {
        lf_cuda_upload(device, count, 1, values, count, work + count, count);
    }
    if (work && !device->status) {
        put_kernel<<<blocks_for(count, THREADS), THREADS, 0, cuda->stream>>>(count, (const size_t *)work,
                                                                             values ? work + count : NULL, X);
        lf_cuda_launched(device, "put");
    }
    lf_cuda_release(device, work);
}

void lf_cuda_get(lf_device *device, size_t count, const size_t *index, const double *X, double *values)
{
    lf_cuda *cuda = count ? lf_cuda_begin(device) : NULL;
    double *work = cuda ? upload_index(device, count, index) : NULL;
    if (work && !device->status) {
        get_kernel<<<blocks_for(count, THREADS), THREADS, 0, cuda->stream>>>(count, (const size_t *)work, X,
                                                                             work + count);
        lf_cuda_launched(device, "get");
        lf_cuda_download(device, count, 1, work + count, count, values, count);
    }
    lf_cuda_release(device, work);
}

static __global__ void mirror_kernel(size_t n, double *A, size_t lda)
{
    for (EACH_COLUMN(j, n)) {
        for (EACH(i, n)) {
            if (i > j) {
                A[i * lda + j] = A[j * lda + i];
            }
        }
    }
}

/* Copies the lower triangle onto the upper one. */
void lf_cuda_mirror(lf_device *device, size_t n, double *A, size_t lda)
{
    lf_cuda *cuda = n ? lf_cuda_begin(device) : NULL;
    if (cuda) {
        mirror_kernel<<<grid_for(n, n), THREADS, 0, cuda->stream>>>(n, A, lda);
        lf_cuda_launched(device, "mirror");
    }
}

static __global__ void add_diagonal_kernel(size_t n, double value, double *A, size_t lda)
{
    for (EACH(i, n)) {
        A[i * (lda + 1)] += value;
    }
}

void lf_cuda_add_diagonal(lf_device *device, size_t n, double value, double *A, size_t lda)
{
    lf_cuda *cuda = n ? lf_cuda_begin(device) : NULL;
    if (cuda) {
        add_diagonal_kernel<<<blocks_for(n, THREADS), THREADS, 0, cuda->stream>>>(n, value, A, lda);
        lf_cuda_launched(device, "add_diagonal");
    }
}

static __global__ void scale_rows_kernel(size_t n, size_t columns, const double *factor, double *X, size_t ld)
{
    for (EACH_COLUMN(j, columns)) {
        for (EACH(i, n)) {
            X[j * ld + i] *= factor[i];
        }
    }
}

void lf_cuda_scale_rows(lf_device *device, size_t n, size_t columns, const double *factor, double *X, size_t ld)
{
    lf_cuda *cuda = n && columns ? lf_cuda_begin(device) : NULL;
    if (cuda) {
        scale_rows_kernel<<<grid_for(n, columns), THREADS, 0, cuda->stream>>>(n, columns, factor, X, ld);
        lf_cuda_launched(device, "scale_rows");
    }
}

static __global__ void add_scaled_rows_kernel(size_t n, size_t columns, const double *factor, const double *X,
                                              size_t ldx, double *Y, size_t ldy)
{
    for (EACH_COLUMN(j, columns)) {
        for (EACH(i, n)) {
            Y[j * ldy + i] += factor[i] * X[j * ldx + i];
        }
    }
}

void lf_cuda_add_scaled_rows(lf_device *device, size_t n, size_t columns, const double *factor, const double *X,
                             size_t ldx, double *Y, size_t ldy)
{
    lf_cuda *cuda = n && columns ? lf_cuda_begin(device) : NULL;
    if (cuda) {
        add_scaled_rows_kernel<<<grid_for(n, columns), THREADS, 0, cuda->stream>>>(n, columns, factor, X, ldx, Y, ldy);
        lf_cuda_launched(device, "add_scaled_rows");
    }
}

enum { ROWS = 32, SLICES = 16 }; /* a block sums 32 rows; each of 16 threads of a row every 16th column */

static __global__ void add_products_kernel(size_t n, size_t columns, const double *X, const double *Y, size_t ld,
                                           double *sums)
{
    __shared__ double part[SLICES][ROWS];
    for (size_t first = (size_t)blockIdx.x * ROWS; first < n; first += (size_t)gridDim.x * ROWS) {
        size_t i = first + threadIdx.x;
        double sum = 0;
        for (size_t j = threadIdx.y; i < n && j < columns; j += SLICES) {
            sum += X[j * ld + i] * Y[j * ld + i];
        }
        part[threadIdx.y][threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.y == 0 && i < n) {
            for (int k = 1; k < SLICES; k++) {
                sum += part[k][threadIdx.x];
            }
            sums[i] += sum;
        }
        __syncthreads();
    }
}

void lf_cuda_add_products(lf_device *device, size_t n, size_t columns, const double *X, const double *Y, size_t ld,
                          double *sums)
{
    lf_cuda *cuda = n && columns ? lf_cuda_begin(device) : NULL;
    if (cuda) {
        add_products_kernel<<<blocks_for(n, ROWS), dim3(ROWS, SLICES), 0, cuda->stream>>>(n, columns, X, Y, ld, sums);
        lf_cuda_launched(device, "add_products");
    }
}

static __global__ void to_adjoint_kernel(size_t n, size_t columns, const double *residual, const double *noise,
                                         const double *mean, double *E, size_t ld)
{
    for (EACH_COLUMN(j, columns)) {
        for (EACH(i, n)) {
            E[j * ld + i] = (residual[i] * mean[j] - E[j * ld + i]) / noise[i];
        }
    }
}

void lf_cuda_to_adjoint(lf_device *device, size_t n, size_t columns, const double *residual, const double *noise,
                        const double *mean, double *E, size_t ld)
{
    lf_cuda *cuda = n && columns ? lf_cuda_begin(device) : NULL;
    if (cuda) {
        to_adjoint_kernel<<<grid_for(n, columns), THREADS, 0, cuda->stream>>>(n, columns, residual, noise, mean, E, ld);
        lf_cuda_launched(device, "to_adjoint");
    }
}

static __global__ void waves_kernel(lf_device_waves w)
{
    for (EACH_COLUMN(s, w.count)) {
        for (EACH(i, w.n)) {
            double re, im, scale = w.row_scale ? w.row_scale[i] : 1;
            lf_wave_entry(&w, i, s, &re, &im);
            w.V[s * w.ld + i] = scale * re;
            w.V[(w.count + s) * w.ld + i] = scale * im;
        }
    }
}

void lf_cuda_waves(lf_device *device, const lf_device_waves *w)
{
    lf_cuda *cuda = w->n && w->count ? lf_cuda_begin(device) : NULL;
    if (cuda) {
        waves_kernel<<<grid_for(w->n, w->count), THREADS, 0, cuda->stream>>>(*w);
        lf_cuda_launched(device, "waves");
    }
}

static __global__ void conjugate_product_kernel(size_t n, size_t count, const double *v, double *a, size_t ld)
{
    for (EACH_COLUMN(s, count)) {
        const double *v_re = v + s * ld, *v_im = v + (count + s) * ld;
        double *a_re = a + s * ld, *a_im = a + (count + s) * ld;
        for (EACH(i, n)) {
            double re = a_re[i], im = a_im[i];
            a_re[i] = re * v_re[i] + im * v_im[i];
            a_im[i] = re * v_im[i] - im * v_re[i];
        }
    }
}

void lf_cuda_conjugate_product(lf_device *device, size_t n, size_t count, const double *v, double *a, size_t ld)
{
    lf_cuda *cuda = n && count ? lf_cuda_begin(device) : NULL;
    if (cuda) {
        conjugate_product_kernel<<<grid_for(n, count), THREADS, 0, cuda->stream>>>(n, count, v, a, ld);
        lf_cuda_launched(device, "conjugate_product");
    }
}
