/* latentforce-mpi: the program as one of several processes, started by mpirun. All of them run the same command with the same words; process 0
 * prints and writes files.
 *
 * What fails in the library fails on all processes (base/processes.h), and process 0 says so. What fails in the program itself, on
 * one process alone, leaves the others waiting for it: so a process that has failed waits a little for the others to end too, and
 * otherwise ends all of them. Standard error stays open on every process, for what is said by others than this program: a
 * sanitizer, the C library, MPI. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "latentforce_mpi.h"
#include "message.h"
#include "node_threads.h"
#include "program.h"

static lf_status join(lf_context *ctx) { return lf_context_set_communicator(ctx, MPI_COMM_WORLD); }

/* Waits for all processes to come here. 0: they did not within the time; limit 0: none. */
static int wait_for_others(double limit)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    double began = MPI_Wtime();
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    while (!done && (limit == 0 || MPI_Wtime() - began < limit)) {
        nanosleep(&pause, NULL);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    return done;
}

/* The exit status of all processes: the largest. The first that failed says why; process 0 has done so. */
static int agree(int rank, int status)
{
    int all = status, first = 0, failed_rank = status ? rank : INT_MAX;
    if (!wait_for_others(status ? 5 : 0)) {
        cli_print_held_error();
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    MPI_Allreduce(&status, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&failed_rank, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (status && first == rank) {
        cli_print_held_error();
    }
    return all;
}

/* Results are printed by process 0. */
static int discard_standard_output(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return null < 0 || dup2(null, STDOUT_FILENO) < 0 ? cli_fail("/dev/null: cannot be opened") : CLI_DONE;
}

int main(int argc, char **argv)
{
    cli_prepare(argv);
    int provided, rank, count, status = CLI_DONE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    cli_processes processes = {.rank = rank, .count = count, .threads = mpi_node_threads(MPI_COMM_WORLD), .join = join};
    if (rank > 0) {
        cli_hold_errors();
        status = discard_standard_output();
    }
    status = status ? status : cli_main(argc, argv, &processes);
    status = agree(rank, status);
    MPI_Finalize();
    return status;
}
