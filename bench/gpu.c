/* The low-rank engine on a GPU: objective + gradient against the speed of dgemm on the same GPU, and against all cores of this machine.
 * Then each operation alone, for as many rows. Usage: gpu [ROWS [COLUMNS [ROWS ON THE PROCESSOR [DEVICE]]]]; with the device cpu the
 * processor alone is measured.
 *
 * Operations are counted as 3 N M^2 + M^3: dsyrk and dgemm over the rows, dpotrf and dpotri. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "device/device.h"

enum { OUTPUTS = 4, TILE = 32768, SQUARE = 8192 };

static const char *const names[OUTPUTS] = {"a", "b", "c", "d"};

static const char *const text =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"zero\",\"forces\":[{\"kernel\":\"eq\","
    "\"lengthscale\":0.5}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":3,"
    "\"spring\":1},\"sensitivity\":[1],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\","
    "\"mass\":1,\"damper\":0.2,\"spring\":2},\"sensitivity\":[2],\"noise_variance\":0.1},{\"name\":\"c\","
    "\"operator\":{\"type\":\"ode1\",\"decay\":0.8},\"sensitivity\":[1],\"noise_variance\":0.1},{\"name\":\"d\","
    "\"operator\":{\"type\":\"ode1\",\"decay\":0.1},\"sensitivity\":[1],\"noise_variance\":0.1}]}";

/* Times up to where so many frequencies suffice. */
static lf_data *make_data(lf_context *ctx, size_t n, size_t columns)
{
    lf_data *data;
    double span = 0.1 * (double)columns;
    need(ctx, lf_data_create(ctx, 1, &data));
    for (size_t i = 0; i < n; i++) {
        double t = span * (double)i / (double)n;
        need(ctx, lf_data_add(ctx, data,
                              &(lf_row){.size = sizeof(lf_row),
                                        .output = names[i % OUTPUTS],
                                        .x = &t,
                                        .y = sin(t) + 0.3 * sin(7.0 * (double)i)}));
    }
    return data;
}

static double counted(size_t n, size_t columns)
{
    double N = (double)n, M = (double)columns;
    return 3 * N * M * M + M * M * M;
}

typedef struct measured {
    double alone, both, value, *gradient; /* seconds without and with gradient */
} measured;

static measured measure(lf_context *ctx, const lf_model *model, size_t n, size_t columns, const char *device,
                        int repeats)
{
    lf_data *data = make_data(ctx, n, columns);
    lf_engine *engine;
    lf_engine_options options = {.size = sizeof(lf_engine_options),
                                 .engine = "lowrank",
                                 .nodes = "uniform",
                                 .features = columns / 2,
                                 .device = device};
    size_t count = lf_parameter_count(model);
    measured m = {.gradient = malloc(count * sizeof(double))};
    need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    BEST_OF(m.both, repeats, need(ctx, lf_engine_evaluate(engine, count, NULL, &m.value, m.gradient)));
    BEST_OF(m.alone, repeats, need(ctx, lf_engine_evaluate(engine, 0, NULL, &m.value, NULL)));
    lf_engine_free(engine);
    lf_data_free(data);
    return m;
}

/* Waits until all operations have ended. */
static void wait(lf_device *device, const double *x)
{
    double number;
    device->op->download(device, 1, 1, x, 1, &number, 1);
}

#define TIME(seconds, device, x, statement)                                                                            \
    do {                                                                                                               \
        statement;                                                                                                     \
        wait(device, x);                                                                                               \
        BEST_OF(seconds, 3, {                                                                                          \
            statement;                                                                                                 \
            wait(device, x);                                                                                           \
        });                                                                                                            \
    } while (0)

static void print_operation(const char *what, double seconds, double flops, double bytes)
{
    printf("  %-36s %9.4f s", what, seconds);
    printf(flops > 0 ? " %8.1f TFLOP/s\n" : " %8.0f GB/s\n", 1e-9 * (flops > 0 ? 1e-3 * flops : bytes) / seconds);
}

/* Each operation of one evaluation for n rows, from tiles; returns operations per second of a large dgemm. */
static double measure_operations(lf_context *ctx, const char *name, size_t n, size_t M)
{
    lf_device *d;
    need(ctx, lf_device_open(ctx, name, &d));
    const lf_device_class *op = d->op;
    double *X = op->allocate(d, TILE * M), *Y = op->allocate(d, TILE * M), *A = op->allocate(d, M * M), seconds;
    double *rows = op->allocate(d, TILE * 16), *nodes = op->allocate(d, 3 * M);
    op->fill(d, TILE * M, 1e-3, X);
    op->fill(d, TILE * M, 1e-3, Y);
    op->fill(d, TILE * 16, 0.5, rows);
    op->fill(d, 3 * M, 0.5, nodes);
    op->fill(d, M * M, 0, A);
    double N = (double)n, m = (double)M, all = N / TILE, matrix = 8 * N * m;
    lf_device_waves w = {.n = TILE,
                         .count = M / 2,
                         .input_dim = 1,
                         .order = 2,
                         .ld = TILE,
                         .t = rows,
                         .h = rows + TILE,
                         .lambda = nodes,
                         .G = nodes + M,
                         .row_scale = rows,
                         .V = X};
    printf("\noperations for %zu rows, %zu columns:\n", n, M);
    TIME(seconds, d, X, op->waves(d, &w));
    print_operation("waves", all * seconds, 0, matrix);
    TIME(seconds, d, A, op->syrk(d, LF_TRANSPOSED, M, TILE, 1e-9, X, TILE, 0, A, M));
    print_operation("dsyrk", all * seconds, N * m * m, 0);
    TIME(seconds, d, rows, op->gemm(d, LF_TRANSPOSED, LF_PLAIN, M, 1, TILE, 1, X, TILE, rows, TILE, 0, nodes, M));
    print_operation("product with a vector, transposed", all * seconds, 0, matrix);
    TIME(seconds, d, rows, op->gemm(d, LF_PLAIN, LF_PLAIN, TILE, 1, M, 1, X, TILE, nodes, M, 0, rows, TILE));
    print_operation("product with a vector", all * seconds, 0, matrix);
    TIME(seconds, d, Y, op->gemm(d, LF_PLAIN, LF_PLAIN, TILE, M, M, 1, X, TILE, A, M, 0, Y, TILE));
    print_operation("dgemm", all * seconds, 2 * N * m * m, 0);
    TIME(seconds, d, rows, op->add_products(d, TILE, M, X, Y, TILE, rows));
    print_operation("sums of products", all * seconds, 0, 2 * matrix);
    TIME(seconds, d, Y, op->to_adjoint(d, TILE, M, rows, rows + TILE, nodes, Y, TILE));
    print_operation("adjoint", all * seconds, 0, 2 * matrix);
    TIME(seconds, d, A, op->gemm(d, LF_TRANSPOSED, LF_PLAIN, M, 10, TILE, 1, Y, TILE, rows, TILE, 0, A, M));
    print_operation("products with 10 columns", all * seconds, 0, matrix);
    TIME(seconds, d, Y, op->conjugate_product(d, TILE, M / 2, X, Y, TILE));
    print_operation("conjugate product", all * seconds, 0, 3 * matrix);
    op->fill(d, M * M, 0, A);
    op->add_diagonal(d, M, 2, A, M);
    TIME(seconds, d, A, op->potrf(d, M, A, M)); /* of a diagonal matrix, whose factors stay above 1 */
    print_operation("dpotrf", seconds, m * m * m / 3, 0);
    TIME(seconds, d, A, op->potri(d, M, A, M));
    print_operation("dpotri", seconds, 2 * m * m * m / 3, 0);
    need(ctx, lf_device_status(ctx, d));
    double *arrays[] = {X, Y, A, rows, nodes};
    for (int i = 0; i < 5; i++) {
        op->release(d, arrays[i]);
    }
    double *B = op->allocate(d, 3 * (size_t)SQUARE * SQUARE), *C = B + (size_t)2 * SQUARE * SQUARE;
    op->fill(d, 3 * (size_t)SQUARE * SQUARE, 1e-3, B);
    TIME(seconds, d, C,
         op->gemm(d, LF_PLAIN, LF_PLAIN, SQUARE, SQUARE, SQUARE, 1, B, SQUARE, B + SQUARE * SQUARE, SQUARE, 0, C,
                  SQUARE));
    print_operation("dgemm, 8192 x 8192 x 8192", seconds, 2.0 * SQUARE * SQUARE * SQUARE, 0);
    need(ctx, lf_device_status(ctx, d));
    op->release(d, B);
    lf_device_close(d);
    return 2.0 * SQUARE * SQUARE * SQUARE / seconds;
}

static double largest_difference(const lf_model *model, const measured *a, const measured *b)
{
    double difference = fabs(a->value - b->value) / fabs(b->value), scale = 0;
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        scale = fmax(scale, fabs(b->gradient[i]));
    }
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        difference = fmax(difference, fabs(a->gradient[i] - b->gradient[i]) / scale);
    }
    return difference;
}

static measured measure_processor(lf_context *ctx, const lf_model *model, size_t n, size_t M)
{
    measured cpu = measure(ctx, model, n, M, "cpu", 1);
    printf("N = %zu, M = %zu on the processor: objective %.2f s, with gradient %.2f s, %.3f TFLOP/s\n", n, M, cpu.alone,
           cpu.both, 1e-12 * counted(n, M) / cpu.both);
    return cpu;
}

int main(int argc, char **argv)
{
    size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000, M = argc > 2 ? strtoul(argv[2], NULL, 10) : 4000;
    size_t fewer = argc > 3 ? strtoul(argv[3], NULL, 10) : 50000;
    const char *name = argc > 4 ? argv[4] : "gpu";
    lf_context *ctx = lf_context_create();
    lf_device *device;
    lf_model *model;
    if (lf_device_open(ctx, name, &device)) {
        printf("skipped: %s\n", lf_context_message(ctx));
        lf_context_free(ctx);
        return 0;
    }
    int there = device != NULL;
    lf_device_close(device);
    need(ctx, lf_model_parse(ctx, text, "bench", &model));
    if (!there) {
        free(measure_processor(ctx, model, fewer, M).gradient);
        lf_model_free(model);
        lf_context_free(ctx);
        return 0;
    }
    measured gpu = measure(ctx, model, rows, M, name, 3);
    printf("N = %zu, M = %zu on the GPU: objective %.3f s, with gradient %.3f s, %.1f TFLOP/s\n", rows, M, gpu.alone,
           gpu.both, 1e-12 * counted(rows, M) / gpu.both);
    fflush(stdout);
    double peak = measure_operations(ctx, name, rows, M);
    printf("\nshare of the speed of dgemm %.2f\n", counted(rows, M) / gpu.both / peak);
    fflush(stdout);
    if (fewer) {
        measured few = measure(ctx, model, fewer, M, name, 3), cpu = measure_processor(ctx, model, fewer, M);
        double flops = counted(fewer, M) / cpu.both;
        printf("on the GPU %.3f s\n", few.both);
        printf("ratio %.0f at this N, %.0f at N = %zu (scaled by operations); results differ by %.1g\n",
               cpu.both / few.both, counted(rows, M) / flops / gpu.both, rows, largest_difference(model, &few, &cpu));
        free(few.gradient);
        free(cpu.gradient);
    }
    free(gpu.gradient);
    lf_model_free(model);
    lf_context_free(ctx);
    return 0;
}
