/* Matrices spread over the processes of a communicator, by ScaLAPACK. */
#ifndef MPI_BLOCK_CYCLIC_H
#define MPI_BLOCK_CYCLIC_H

#include <mpi.h>

#include "latentforce_processes.h"

/* All processes call it; the communicator outlives what it returns. NULL: there is no memory or no ScaLAPACK, or there is one process. */
lf_block_cyclic *mpi_block_cyclic_create(MPI_Comm comm);
/* All processes call it; NULL is fine. */
void mpi_block_cyclic_free(lf_block_cyclic *matrices);

#endif
