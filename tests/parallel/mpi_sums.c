/* Started by mpirun (test_mpi.sh): sums, copies and agreement of the processes of a communicator. Exit status 0: all is as it should be. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/processes.h"
#include "latentforce_mpi.h"

static int rank, count, failures;

static void expect(int true_value, const char *what)
{
    if (!true_value) {
        fprintf(stderr, "process %d of %d: %s\n", rank, count, what);
        failures++;
    }
}

/* What process r gives to a sum: numbers of many sizes, so that the order of additions is seen in the last bits. */
static double term(int r, size_t i)
{
    uint64_t bits = (i + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)(r + 1) * UINT64_C(0xD1B54A32D192ED03);
    bits ^= bits >> 29;
    double size = (double)(1 << (bits % 8));
    return size * ((double)(bits >> 11) / 4503599627370496.0 - 1);
}

static void sums_are_added_in_the_order_of_ranks(lf_context *ctx, size_t n)
{
    double *x = malloc((n + 1) * sizeof *x);
    size_t different = 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = term(rank, i);
    }
    expect(lf_sum(ctx, LF_OK, n, x) == LF_OK, "a sum fails");
    for (size_t i = 0; i < n; i++) {
        double sum = term(0, i);
        for (int r = 1; r < count; r++) {
            sum += term(r, i);
        }
        different += memcmp(&sum, &x[i], sizeof sum) != 0;
    }
    expect(different == 0, "a sum has other bits than the additions in the order of ranks");
    free(x);
}

static void copies_are_those_of_the_root(lf_context *ctx)
{
    enum { BYTES = 3000001 };
    char *x = malloc(BYTES);
    int same = 1;
    memset(x, rank, BYTES);
    expect(lf_broadcast(ctx, count - 1, BYTES, x) == LF_OK, "a broadcast fails");
    for (size_t i = 0; i < BYTES; i++) {
        same = same && x[i] == (char)(count - 1);
    }
    expect(same, "a broadcast brings other bytes than those of its root");
    free(x);
}

static void a_failure_is_that_of_all(lf_context *ctx)
{
    double x = 1;
    lf_status status = rank == count - 1 ? lf_fail(ctx, LF_ERROR_DATA, "row %d is wrong", rank) : LF_OK;
    char expected[64];
    snprintf(expected, sizeof expected, "row %d is wrong", count - 1);
    expect(lf_sum(ctx, status, 1, &x) == LF_ERROR_DATA, "a failure of one process is not that of all");
    expect(strcmp(lf_context_message(ctx), expected) == 0, "the message is not that of the process that failed");
}

/* Process 0 writes; where it cannot, all fail. */
static void files_are_written_once(lf_context *ctx)
{
    lf_data *data = NULL;
    double x = 0;
    expect(!lf_data_create(ctx, 1, &data) &&
               !lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = 1}),
           "there is no table");
    expect(lf_data_write(ctx, data, "/nowhere/at/all.csv") == LF_ERROR_IO,
           "a file that cannot be written is no failure");
    expect(strstr(lf_context_message(ctx), "/nowhere/at/all.csv") != NULL, "the message does not name the file");
    lf_data_free(data);
}

int main(int argc, char **argv)
{
    lf_context *ctx = lf_context_create(), *other = lf_context_create();
    expect(lf_context_set_communicator(ctx, MPI_COMM_WORLD) == LF_ERROR_ARGUMENT, "MPI is used before MPI_Init");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    expect(lf_context_set_communicator(ctx, MPI_COMM_NULL) == LF_ERROR_ARGUMENT, "MPI_COMM_NULL is accepted");
    expect(*lf_context_message(ctx) != '\0', "there is no message");
    expect(lf_context_set_communicator(ctx, MPI_COMM_WORLD) == LF_OK, "the communicator is refused");
    expect(lf_context_set_communicator(other, MPI_COMM_WORLD) == LF_OK, "the communicator is refused the second time");
    expect(lf_process_rank(ctx) == rank && lf_process_count(ctx) == count, "ranks are not those of the communicator");
    /* Below and above the length from which sums go in parts; pieces, the last of which is short. */
    const size_t lengths[] = {0, 1, 2, 512, 513, 1000, 5000003};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        sums_are_added_in_the_order_of_ranks(i % 2 ? ctx : other, lengths[i]);
    }
    copies_are_those_of_the_root(ctx);
    a_failure_is_that_of_all(ctx);
    sums_are_added_in_the_order_of_ranks(ctx, 10); /* it goes on after a failure */
    files_are_written_once(ctx);
    expect(lf_context_set_communicator(ctx, MPI_COMM_SELF) == LF_OK, "another communicator is refused");
    expect(lf_process_count(ctx) == 1, "another communicator has the processes of the first");
    lf_context_free(other);
    lf_context_free(ctx);
    int any = failures;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any > 0;
}
