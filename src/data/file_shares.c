/* Cuts the bytes of data files into one range per process. */
#include "data/file_shares.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/processes.h"

/* A file that cannot be opened is reported when it is read, after errors in the files before it. */
static void look_at(const char *path, size_t *size, unsigned char *whole, int *alone)
{
    struct stat info;
    int there = stat(path, &info) == 0, regular = there && S_ISREG(info.st_mode);
    if (strcmp(path, "-") == 0 || (there && !regular && !S_ISDIR(info.st_mode))) {
        *alone = 1;
        return;
    }
    FILE *file = regular ? fopen(path, "rb") : NULL;
    if (file) {
        unsigned char magic[2];
        *size = (size_t)info.st_size;
        *whole = fread(magic, 1, 2, file) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
    }
    if (file) {
        fclose(file);
    }
}

/* Where the range of a process begins. */
static size_t range_begin(size_t total, int rank, int count)
{
    size_t r = (size_t)rank, n = (size_t)count;
    return total / n * r + total % n * r / n;
}

lf_status lf_file_shares_find(lf_context *ctx, size_t count, const char *const *paths, lf_file_shares *shares)
{
    int rank = lf_process_rank(ctx), processes = lf_process_count(ctx);
    *shares = (lf_file_shares){
        .count = count, .size = calloc(count, sizeof *shares->size), .whole = calloc(count, sizeof *shares->whole)};
    lf_status status = lf_agree(ctx, shares->size && shares->whole ? LF_OK : lf_no_memory(ctx));
    if (status) {
        return status;
    }
    for (size_t i = 0; i < count && rank == 0; i++) {
        look_at(paths[i], &shares->size[i], &shares->whole[i], &shares->alone);
    }
    status = lf_broadcast(ctx, 0, count * sizeof *shares->size, shares->size);
    LF_TRY(status, lf_broadcast(ctx, 0, count, shares->whole));
    LF_TRY(status, lf_broadcast(ctx, 0, sizeof shares->alone, &shares->alone));
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += shares->size[i];
    }
    shares->low = range_begin(total, rank, processes);
    shares->high = range_begin(total, rank + 1, processes);
    return status;
}

void lf_file_share(const lf_file_shares *shares, size_t file, size_t *from, size_t *stop)
{
    size_t begin = 0, size = shares->size[file];
    for (size_t i = 0; i < file; i++) {
        begin += shares->size[i];
    }
    *from = *stop = 0;
    if (shares->alone) {
        *stop = SIZE_MAX;
    } else if (shares->whole[file]) {
        size_t middle = begin + size / 2;
        *stop = middle >= shares->low && middle < shares->high ? SIZE_MAX : 0;
    } else if (begin < shares->high && begin + size > shares->low) {
        *from = shares->low > begin ? shares->low - begin : 0;
        *stop = shares->high >= begin + size ? SIZE_MAX : shares->high - begin;
    }
}

lf_status lf_file_share_check(lf_context *ctx, const lf_file_shares *shares, size_t file, const char *path)
{
    struct stat info;
    if (shares->alone || stat(path, &info) != 0 || (size_t)info.st_size == shares->size[file]) {
        return LF_OK;
    }
    return lf_fail(ctx, LF_ERROR_IO,
                   "%s: has %zu bytes here, and %zu for process 0; every process must see the same files", path,
                   (size_t)info.st_size, shares->size[file]);
}

void lf_file_shares_clear(lf_file_shares *shares)
{
    free(shares->size);
    free(shares->whole);
    *shares = (lf_file_shares){0};
}
