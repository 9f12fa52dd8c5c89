/* What the programs latentforce and latentforce-mpi have in common: all but main. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "latentforce.h"

/* Several processes that run the same command. */
typedef struct cli_processes {
    int rank, count;                    /* of this process, of processes; process 0 alone prints and writes files */
    int threads;                        /* where --threads is not given; 0: as many as the machine has */
    lf_status (*join)(lf_context *ctx); /* gives a context its processes */
} cli_processes;

/* The first call of main: what must be so before libraries start. May start the program again. */
void cli_prepare(char **argv);
/* Runs the command line. Returns an exit status. processes NULL: there is only this one. */
int cli_main(int argc, char **argv, const cli_processes *processes);

#endif
