/* Timing for the benchmark programs. Each prints ratios measured within one run; none passes or fails. */
#ifndef LF_BENCH_H
#define LF_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "latentforce.h"

static inline double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Runs the statement `repeats` times and leaves the best time in `best`. */
#define BEST_OF(best, repeats, statement)                                                                              \
    do {                                                                                                               \
        (best) = 1e300;                                                                                                \
        for (int bench_repeat = 0; bench_repeat < (repeats); bench_repeat++) {                                         \
            double bench_start = seconds_now();                                                                        \
            statement;                                                                                                 \
            double bench_time = seconds_now() - bench_start;                                                           \
            (best) = bench_time < (best) ? bench_time : (best);                                                        \
        }                                                                                                              \
    } while (0)

/* A benchmark that cannot run is no benchmark. */
static inline void need(lf_context *ctx, lf_status status)
{
    if (status != LF_OK) {
        fprintf(stderr, "bench: %s\n", lf_message(ctx));
        exit(1);
    }
}

#endif
