/* The number of threads of a process that shares its machine with others. mpirun binds processes to cores, to sockets, or not at all: so the
 * cores are counted that this process may run on, and not those of the machine. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "node_threads.h"

#include <sched.h>
#include <unistd.h>

enum { CORES = 4096 }; /* at most, of a machine */

/* mine (CORES): 1 for each core that this process may run on. */
static void find_cores(int *mine)
{
#ifdef __linux__
    static cpu_set_t set[CORES / CPU_SETSIZE];
    if (sched_getaffinity(0, sizeof set, set) == 0) {
        for (size_t i = 0; i < CORES; i++) {
            mine[i] = CPU_ISSET_S(i, sizeof set, set) != 0;
        }
        return;
    }
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < CORES; i++) {
        mine[i] = i < (online < 1 ? 1 : online);
    }
}

int mpi_node_threads(MPI_Comm comm)
{
    static int mine[CORES], users[CORES];
    MPI_Comm node;
    double share = 0;
    find_cores(mine);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Allreduce(mine, users, CORES, MPI_INT, MPI_SUM, node);
    MPI_Comm_free(&node);
    for (int i = 0; i < CORES; i++) {
        share += mine[i] ? 1.0 / users[i] : 0;
    }
    return share < 2 ? 1 : (int)(share + 1e-6);
}
