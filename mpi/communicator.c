/* The processes of a context (lf_processes) by MPI.
 *
 * A sum must have the same bits on all processes, and on every run with as many of them. MPI's own sums promise neither: the order of
 * additions is free, and implementations choose it by the sizes of messages and by the network. So MPI only moves numbers here, and
 * each entry is added in the order of the ranks,
 *
 *     x = ((x_0 + x_1) + x_2) + … ,
 *
 * short arrays by every process for itself, after all have all of them; long ones in pieces, of which each process adds its part
 * and sends the sums to the others. So a process sends and receives about 2 n numbers, however many processes there are. */
#include <stdlib.h>
#include <string.h>

#include "block_cyclic.h"
#include "latentforce_mpi.h"
#include "latentforce_processes.h"

enum {
    SHORT = 512,          /* numbers: of fewer, all processes send all to all */
    PIECE = 1 << 21,      /* numbers of a long array that are added at a time */
    MOST_BYTES = 1 << 30, /* of a broadcast; counts of MPI are of type int */
};

/* The processes as this one sees them. Everything is allocated before the first sum: a process without memory could not tell the others. */
typedef struct communicator {
    MPI_Comm comm; /* a duplicate: messages of the caller do not meet ours */
    int rank, count;
    double *received; /* (room) */
    size_t room;
    int *length, *start;       /* (count) of the parts of a piece */
    int *each, *received_at;   /* (count) the part of this process, from each */
    lf_block_cyclic *matrices; /* NULL: not spread */
} communicator;

/* sum (n) = the sum of x (count, n) over its rows, in their order. */
static void add_in_order(int count, size_t n, const double *x, double *sum)
{
    memcpy(sum, x, n * sizeof *sum);
    for (int r = 1; r < count; r++) {
        for (size_t i = 0; i < n; i++) {
            sum[i] += x[(size_t)r * n + i];
        }
    }
}

static int sum_short(communicator *c, int n, double *x)
{
    int failed = MPI_Allgather(x, n, MPI_DOUBLE, c->received, n, MPI_DOUBLE, c->comm);
    if (!failed) {
        add_in_order(c->count, (size_t)n, c->received, x);
    }
    return failed;
}

/* Process r adds the entries start[r] … start[r] + length[r] - 1. */
static int sum_piece(communicator *c, int n, double *x)
{
    for (int r = 0; r < c->count; r++) {
        c->start[r] = (int)((long long)n * r / c->count);
        c->length[r] = (int)((long long)n * (r + 1) / c->count) - c->start[r];
    }
    int mine = c->length[c->rank];
    for (int r = 0; r < c->count; r++) {
        c->each[r] = mine;
        c->received_at[r] = r * mine;
    }
    int failed =
        MPI_Alltoallv(x, c->length, c->start, MPI_DOUBLE, c->received, c->each, c->received_at, MPI_DOUBLE, c->comm);
    if (failed) {
        return failed;
    }
    add_in_order(c->count, (size_t)mine, c->received, x + c->start[c->rank]);
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, c->length, c->start, MPI_DOUBLE, c->comm);
}

static int sum(void *user, size_t n, double *x)
{
    communicator *c = user;
    int failed = 0;
    if (n <= SHORT && n * (size_t)c->count <= c->room) {
        return sum_short(c, (int)n, x);
    }
    for (size_t done = 0, piece; !failed && done < n; done += piece) {
        piece = n - done < PIECE ? n - done : PIECE;
        failed = sum_piece(c, (int)piece, x + done);
    }
    return failed;
}

static int broadcast(void *user, int root, size_t bytes, void *x)
{
    communicator *c = user;
    int failed = 0;
    for (size_t done = 0, piece; !failed && done < bytes; done += piece) {
        piece = bytes - done < MOST_BYTES ? bytes - done : MOST_BYTES;
        failed = MPI_Bcast((char *)x + done, (int)piece, MPI_BYTE, root, c->comm);
    }
    return failed;
}

static void release(void *user)
{
    communicator *c = user;
    int finalized = 1;
    MPI_Finalized(&finalized);
    mpi_block_cyclic_free(c->matrices);
    if (!finalized && c->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&c->comm);
    }
    free(c->received);
    free(c->length);
    free(c);
}

/* NULL: no memory. */
static communicator *allocate(int rank, int count)
{
    communicator *c = calloc(1, sizeof *c);
    if (!c) {
        return NULL;
    }
    *c = (communicator){.comm = MPI_COMM_NULL, .rank = rank, .count = count, .room = PIECE + (size_t)count};
    c->received = malloc(c->room * sizeof *c->received);
    c->length = malloc(4 * (size_t)count * sizeof *c->length);
    if (!c->received || !c->length) {
        release(c);
        return NULL;
    }
    c->start = c->length + count;
    c->each = c->start + count;
    c->received_at = c->each + count;
    return c;
}

/* Duplicates the communicator; fails where one of the processes could not allocate its c. */
static lf_status duplicate(lf_context *ctx, MPI_Comm comm, communicator *c)
{
    MPI_Comm copy = MPI_COMM_NULL;
    int lacks = !c, any_lacks = 1;
    int failed = MPI_Comm_dup(comm, &copy);
    failed = failed ? failed : MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    failed = failed ? failed : MPI_Allreduce(&lacks, &any_lacks, 1, MPI_INT, MPI_MAX, copy);
    if (failed) {
        return lf_context_fail(ctx, LF_ERROR_IO, "MPI could not duplicate the communicator");
    }
    if (any_lacks) {
        MPI_Comm_free(&copy);
        return lf_context_fail(ctx, LF_ERROR_MEMORY, "out of memory");
    }
    c->comm = copy;
    return LF_OK;
}

/* How many of the processes are on this machine; 0: not known. */
static int count_on_machine(MPI_Comm comm)
{
    MPI_Comm machine;
    int count = 0;
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine)) {
        return 0;
    }
    MPI_Comm_size(machine, &count);
    MPI_Comm_free(&machine);
    return count;
}

static lf_status check(lf_context *ctx, MPI_Comm comm)
{
    int initialized = 0, finalized = 1;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return !initialized || finalized
               ? lf_context_fail(ctx, LF_ERROR_ARGUMENT,
                                 "lf_context_set_communicator: call it between MPI_Init and MPI_Finalize")
           : comm == MPI_COMM_NULL
               ? lf_context_fail(
                     ctx, LF_ERROR_ARGUMENT,
                     "lf_context_set_communicator: the communicator is MPI_COMM_NULL; give one with this process")
               : LF_OK;
}

lf_status lf_context_set_communicator(lf_context *ctx, MPI_Comm comm)
{
    int rank = 0, count = 1;
    lf_status status = check(ctx, comm);
    if (status) {
        return status;
    }
    if (MPI_Comm_rank(comm, &rank) || MPI_Comm_size(comm, &count)) {
        return lf_context_fail(ctx, LF_ERROR_ARGUMENT, "lf_context_set_communicator: the communicator is not valid");
    }
    communicator *c = allocate(rank, count);
    lf_processes processes = {.size = sizeof processes,
                              .rank = rank,
                              .count = count,
                              .user = c,
                              .sum = sum,
                              .broadcast = broadcast,
                              .release = release};
    status = duplicate(ctx, comm, c);
    if (!status) {
        processes.matrices = c->matrices = mpi_block_cyclic_create(c->comm);
        processes.on_machine = count_on_machine(c->comm);
        status = lf_context_set_processes(ctx, &processes);
    }
    if (status && c) {
        release(c);
    }
    return status;
}
