/* What the fuzz targets share. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int fuzz_file(const uint8_t *bytes, size_t size, char path[64])
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    for (size_t done = 0; file >= 0 && done < size;) {
        ssize_t written = write(file, bytes + done, size - done);
        if (written <= 0) {
            abort();
        }
        done += (size_t)written;
    }
    if (file < 0) {
        abort();
    }
    snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

lf_context *fuzz_context(void)
{
    lf_context *ctx = lf_context_create();
    if (!ctx) {
        abort();
    }
    lf_set_threads(ctx, 1);
    return ctx;
}

void fuzz_check(const lf_context *ctx, lf_status status)
{
    if (status != LF_OK && *lf_message(ctx) == '\0') {
        fprintf(stderr, "status %d without a message\n", (int)status);
        abort();
    }
}
