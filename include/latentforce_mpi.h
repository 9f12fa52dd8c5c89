/** @file
 * latentforce under MPI: processes that share the rows of a table. The library is liblatentforce_mpi, a small addition to liblatentforce,
 * which does not know of MPI.
 *
 *     MPI_Init(&argc, &argv);
 *     lf_context *ctx = lf_context_create();
 *     if (lf_context_set_communicator(ctx, MPI_COMM_WORLD) == LF_OK) {
 *         … the same calls on all processes …
 *     }
 *     lf_context_free(ctx);
 *     MPI_Finalize();
 */
#ifndef LATENTFORCE_MPI_H
#define LATENTFORCE_MPI_H

#include <mpi.h>

#include "latentforce.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The context belongs to one of the processes of a communicator; all of them call this, and from then on make the same calls with their
 * contexts in the same order, from the thread that initialised MPI (MPI_THREAD_FUNNELED is enough). Tables that are read with the
 * context are shared: each process has some of the rows. Files are written by process 0. lf_data_share() declares rows that
 * a program has added itself to be shared.
 *
 * The context uses a duplicate of the communicator, which it frees with itself; so all processes free it too, before MPI_Finalize(). Errors of
 * MPI are returned as LF_ERROR_IO, whatever the error handler of `comm` is; after one the processes cannot work together any longer,
 * and MPI_Abort() is what remains. Sums are added in the order of the ranks: their bits depend on the number of processes,
 * and not on the implementation of MPI, the network or which process runs where. */
LF_API lf_status lf_context_set_communicator(lf_context *ctx, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
