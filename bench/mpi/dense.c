/* One objective with its gradient of an exact model whose matrix ScaLAPACK spreads over the processes: against Cholesky factor and inverse of
 * a matrix of the same size on the same grid, and against one process with as many threads. Started by mpirun; the argument is the number
 * of rows. */
#include <mpi.h>
#include <sys/resource.h>

#include "../bench.h"
#include "base/block_cyclic.h"
#include "base/context.h"
#include "base/memory.h"
#include "latentforce_mpi.h"

static const char *const model_text =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.9},{\"kernel\":"
    "\"eq\",\"lengthscale\":0.4}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1.3},"
    "\"sensitivity\":[1,-0.5],\"noise_variance\":0.2},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1.2,"
    "\"damper\":0.8,\"spring\":2},\"sensitivity\":[0.7,2],\"noise_variance\":0.1,\"private\":{\"kernel\":\"eq\","
    "\"lengthscale\":0.6,\"amplitude\":0.7}},{\"name\":\"c\",\"operator\":{\"type\":\"ode1\",\"decay\":0.4},"
    "\"sensitivity\":[2,1],\"noise_variance\":0.05}]}";

static int rank, count;

/* Waits for all processes, asleep: a barrier of MPI spins, and takes the cores of those that still work. */
static void wait_for_all(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
        nanosleep(&pause, NULL);
    }
}

/* Seconds of a value with its gradient. */
static double evaluate(lf_context *ctx, int rows, int repeats)
{
    lf_model *model;
    lf_data *data;
    lf_engine *engine;
    lf_engine_options options = {.size = sizeof options, .engine = "dense"};
    const char *const names[] = {"a", "b", "c"};
    need(ctx, lf_model_parse(ctx, model_text, "bench", &model));
    need(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < rows; i++) {
        double x = 20.0 * (i / 3) / (rows / 3.0) + 1e-3 * sin(i);
        need(ctx, lf_data_add(ctx, data,
                              &(lf_row){.size = sizeof(lf_row),
                                        .output = names[i % 3],
                                        .x = &(double){fabs(x)},
                                        .y = sin(x + i % 3)}));
    }
    need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    size_t n = lf_parameter_count(model);
    double *theta = malloc(2 * n * sizeof *theta), value, best;
    lf_model_theta(model, theta);
    BEST_OF(best, repeats, need(ctx, lf_engine_evaluate(engine, n, theta, &value, theta + n)));
    free(theta);
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
    return best;
}

/* Seconds of pdpotrf, and of pdpotri after it, of an (n, n) matrix. */
static void factor_and_invert_spread(lf_context *ctx, size_t n, int repeats, double best[2])
{
    lf_dealt rows = lf_dealt_rows(ctx, n), columns = lf_dealt_columns(ctx, n);
    size_t ld = lf_dealt_count(rows), width = lf_dealt_count(columns), minor;
    double *A = lf_doubles(ld, width);
    best[0] = best[1] = 1e300;
    for (int k = 0; k < repeats; k++) {
        for (size_t j = 0; j < width; j++) {
            for (size_t i = 0; i < ld; i++) {
                double r = (double)lf_dealt_index(rows, i) - (double)lf_dealt_index(columns, j);
                A[j * ld + i] = r == 0 ? 2 : 1 / (1 + fabs(r));
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        double start = seconds_now();
        need(ctx, lf_spread_cholesky(ctx, LF_OK, n, A, &minor));
        double between = seconds_now();
        need(ctx, lf_spread_inverse(ctx, LF_OK, n, A));
        best[0] = fmin(best[0], between - start);
        best[1] = fmin(best[1], seconds_now() - between);
    }
    free(A);
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 8000, repeats = rows > 4000 ? 2 : 4;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    lf_context *ctx = lf_context_create(), *alone = lf_context_create();
    need(ctx, lf_context_set_communicator(ctx, MPI_COMM_WORLD));
    lf_context_set_threads(ctx, 1);
    lf_context_set_threads(alone, (size_t)count);
    if (!lf_is_spread(ctx, (size_t)rows)) {
        fprintf(stderr, "bench: matrices are not spread; start several processes, with ScaLAPACK\n");
        return 1;
    }
    double floor[2], together = evaluate(ctx, rows, repeats), single = 0;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    factor_and_invert_spread(ctx, (size_t)rows, repeats, floor);
    if (rank == 0) {
        single = evaluate(alone, rows, repeats);
    }
    wait_for_all();
    if (rank == 0) {
        printf("%d rows, %d processes: value + gradient %.2f s, %.0f MB in a process\n", rows, count, together,
               (double)usage.ru_maxrss / 1024);
        printf("  to pdpotrf (%.2f s) + pdpotri (%.2f s): %.2f\n", floor[0], floor[1],
               together / (floor[0] + floor[1]));
        printf("  to one process with %d threads (%.2f s): %.2f\n", count, single, together / single);
    }
    lf_context_free(alone);
    lf_context_free(ctx);
    MPI_Finalize();
    return 0;
}
