/* Objective + gradient on the processes that mpirun started, with rows that each of them makes:
 *
 *     mpirun -n R build/bench/scaling ENGINE ROWS FEATURES [REPEATS]
 *
 * One line: the engine, processes, rows of all, columns M; then seconds to make the rows and to set up the engine, seconds per evaluation
 * (the best of REPEATS), bytes that a process gives to sums and receives from broadcasts in one evaluation, and the largest peak memory
 * of a process in MB, with what it had before the rows were made in brackets. */
#include <mpi.h>

#include "base/context.h"
#include "bench.h"
#include "latentforce_mpi.h"
#include "process.h"

enum { OUTPUTS = 4 };

static const char *const names[OUTPUTS] = {"a", "b", "c", "d"};
static const char *const text =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"zero\",\"forces\":[{\"kernel\":\"eq\","
    "\"lengthscale\":1},{\"kernel\":\"eq\",\"lengthscale\":0.5}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":"
    "\"ode1\",\"decay\":1},\"sensitivity\":[1,2],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":"
    "\"ode1\",\"decay\":0.5},\"sensitivity\":[2,-1],\"noise_variance\":0.1},{\"name\":\"c\",\"operator\":{\"type\":"
    "\"ode1\",\"decay\":0.8},\"sensitivity\":[1,1],\"noise_variance\":0.1},{\"name\":\"d\",\"operator\":{\"type\":"
    "\"ode1\",\"decay\":0.1},\"sensitivity\":[1,1],\"noise_variance\":0.1}]}";

/* The processes of a context, with a count of what passes. */
typedef struct counter {
    lf_processes inner;
    double bytes;
} counter;

static int counted_sum(void *user, size_t n, double *x)
{
    counter *c = user;
    c->bytes += (double)(n * sizeof *x);
    return c->inner.sum(c->inner.user, n, x);
}

static int counted_broadcast(void *user, int root, size_t bytes, void *x)
{
    counter *c = user;
    c->bytes += (double)bytes;
    return c->inner.broadcast(c->inner.user, root, bytes, x);
}

/* The context keeps the counter as its processes; `inner` still belongs to it. */
static void count_bytes(lf_context *ctx, counter *c)
{
    *c = (counter){.inner = ctx->processes};
    ctx->processes.user = c;
    ctx->processes.sum = counted_sum;
    ctx->processes.broadcast = counted_broadcast;
    ctx->processes.release = NULL;
}

static void stop_counting(lf_context *ctx, const counter *c) { ctx->processes = c->inner; }

/* Rows first … end - 1 of `rows`, in the order of time, on [0, 20]. */
static lf_data *make_rows(lf_context *ctx, size_t first, size_t end, size_t rows)
{
    lf_data *data;
    need(ctx, lf_data_create(ctx, 1, &data));
    for (size_t i = first; i < end; i++) {
        double x = 20.0 * (double)i / (double)rows, y = sin(2 * x + (double)(i % OUTPUTS)) + 0.3 * sin(1e4 * (double)i);
        need(ctx,
             lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = names[i % OUTPUTS], .x = &x, .y = y}));
    }
    need(ctx, lf_data_share(ctx, data));
    return data;
}

static double largest(double x)
{
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return x;
}

static double begin(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return seconds_now();
}

static void measure(lf_context *ctx, const char *engine_name, size_t rows, size_t features, size_t repeats)
{
    lf_model *model;
    lf_engine *engine;
    counter c;
    count_bytes(ctx, &c);
    need(ctx, lf_model_parse(ctx, text, "scaling", &model));
    size_t rank = (size_t)ctx->processes.rank, count = (size_t)ctx->processes.count, p = lf_parameter_count(model);
    double *gradient = calloc(p, sizeof *gradient), value, before = peak_bytes(), best = INFINITY, start = begin();
    lf_data *data = make_rows(ctx, rows * rank / count, rows * (rank + 1) / count, rows);
    double made = largest(seconds_now() - start);
    lf_engine_options options = {
        .size = sizeof options, .engine = engine_name, .nodes = "uniform", .features = features};
    start = begin();
    need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    double set_up = largest(seconds_now() - start);
    for (size_t i = 0; i < repeats; i++) {
        c.bytes = 0;
        start = begin();
        need(ctx, lf_engine_evaluate(engine, p, NULL, &value, gradient));
        best = fmin(best, largest(seconds_now() - start));
    }
    double peak = largest(peak_bytes()), least = largest(before), bytes = largest(c.bytes);
    if (rank == 0) {
        printf("%-8s %4zu %11zu %6zu  %8.2f %8.2f  %9.4f  %10.0f  %8.0f [%.0f]\n", engine_name, count, rows,
               lf_engine_describe(engine).columns, made, set_up, best, bytes, peak / 1e6, least / 1e6);
    }
    stop_counting(ctx, &c);
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
    free(gradient);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 4) {
        fputs("usage: mpirun -n R scaling ENGINE ROWS FEATURES [REPEATS]\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    lf_context *ctx = lf_context_create();
    lf_context_set_threads(ctx, 1);
    need(ctx, lf_context_set_communicator(ctx, MPI_COMM_WORLD));
    measure(ctx, argv[1], (size_t)strtod(argv[2], NULL), (size_t)strtod(argv[3], NULL),
            argc > 4 ? (size_t)strtod(argv[4], NULL) : 3);
    lf_context_free(ctx);
    MPI_Finalize();
    return 0;
}
