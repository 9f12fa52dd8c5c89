/* The number of threads of a process that shares its machine with others. */
#ifndef MPI_NODE_THREADS_H
#define MPI_NODE_THREADS_H

#include <mpi.h>

/* The cores that this process may use, each divided by the number of processes on the same machine that may use it too; at least 1.
 * All processes of the communicator call it. */
int mpi_node_threads(MPI_Comm comm);

#endif
