/* Measurements in a process of its own, because the peak memory of one would hide that of the next. The process that starts them must not
 * have used threads. */
#ifndef LF_BENCH_PROCESS_H
#define LF_BENCH_PROCESS_H

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes of memory that this process has now, and the most it has had. */
static inline double resident_bytes(void)
{
    long pages = 0, all;
    FILE *file = fopen("/proc/self/statm", "r");
    int read = file ? fscanf(file, "%ld %ld", &all, &pages) : 0;
    if (file) {
        fclose(file);
    }
    return read == 2 ? (double)pages * (double)sysconf(_SC_PAGESIZE) : 0;
}

static inline double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* Runs work(input, result) in another process, which ends after so many seconds. Returns 0, and leaves the result (size bytes) as it
 * was, where it did not come to its end. The result must be small enough for a pipe. */
static inline int run_apart(void (*work)(const void *, void *), const void *input, void *result, size_t size,
                            double limit)
{
    int ends[2];
    char buffer[4096];
    fflush(stdout);
    if (size > sizeof buffer || pipe(ends)) {
        return 0;
    }
    pid_t child = fork();
    if (child == 0) {
        alarm((unsigned)fmin(ceil(limit), 1e6));
        work(input, result);
        _exit(write(ends[1], result, size) == (ssize_t)size ? 0 : 1);
    }
    close(ends[1]);
    int done = child > 0 && read(ends[0], buffer, size) == (ssize_t)size;
    close(ends[0]);
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    if (done) {
        memcpy(result, buffer, size);
    }
    return done;
}

#endif
