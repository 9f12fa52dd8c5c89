/* A stranger's program for several processes: the log likelihood of rows of which each process has made one. */
#include <latentforce_mpi.h>
#include <latentforce_processes.h>
#include <math.h>
#include <stdio.h>

static const char *const text =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"input_dim\": 1, \"origin\": 0.0, \"initial\": \"zero\","
    " \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 0.5}],"
    " \"outputs\": [{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 1.0}, \"sensitivity\": [2.0],"
    " \"noise_variance\": 0.1, \"offset\": 0, \"scale\": 1}]}";

static lf_status work(lf_context *ctx, int rank, double *value)
{
    const lf_engine_options options = {.size = sizeof options, .engine = "lowrank", .features = 10};
    const double x = 0.5 + rank;
    lf_model *model = NULL;
    lf_data *data = NULL;
    lf_engine *engine = NULL;
    lf_status status = lf_context_set_communicator(ctx, MPI_COMM_WORLD);
    status = status ? status : lf_model_parse(ctx, text, "text", &model);
    status = status ? status : lf_data_create(ctx, 1, &data);
    status =
        status ? status : lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = 1.0});
    status = status ? status : lf_data_share(ctx, data);
    status = status ? status : lf_engine_create(ctx, model, data, &options, &engine);
    status = status ? status : lf_engine_evaluate(engine, 0, NULL, value, NULL);
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
    return status;
}

int main(int argc, char **argv)
{
    int rank = 0, failed = 1;
    double value = NAN;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    lf_context *ctx = lf_context_create();
    if (ctx && work(ctx, rank, &value) == LF_OK && isfinite(value)) {
        failed = 0;
        if (rank == 0) {
            printf("%s %.10g\n", lf_version(), value);
        }
    } else {
        fprintf(stderr, "mpi_consumer: %s\n", ctx ? lf_context_message(ctx) : "out of memory");
    }
    lf_context_free(ctx);
    MPI_Finalize();
    return failed;
}
