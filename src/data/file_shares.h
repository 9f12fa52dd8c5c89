/* The parts of data files that each of several processes reads.
 *
 * The bytes of all files, one file after another, are cut into as many ranges of equal length as there are processes. A line of a plain file is
 * read by the process whose range its first byte is in: no quoted field extends over a line end, so that every line end ends a row. A gzip
 * file is read whole, by the process whose range its middle byte is in. Where one file is standard input or a pipe, process 0 reads all of them. */
#ifndef LF_DATA_FILE_SHARES_H
#define LF_DATA_FILE_SHARES_H

#include <stddef.h>

#include "latentforce.h"

typedef struct lf_file_shares {
    size_t count;
    size_t *size;         /* (count) bytes; 0 for a file that cannot be opened */
    unsigned char *whole; /* (count) the file cannot be cut */
    int alone;            /* process 0 reads all files */
    size_t low, high;     /* the range of this process */
} lf_file_shares;

/* The sizes are those that process 0 finds. After a failure, too, lf_file_shares_clear must follow. */
lf_status lf_file_shares_find(lf_context *ctx, size_t count, const char *const *paths, lf_file_shares *shares);
/* This process reads the lines of a file that begin in [from, stop); none where stop is 0. */
void lf_file_share(const lf_file_shares *shares, size_t file, size_t *from, size_t *stop);
/* Fails where this process finds another size than process 0: the files are not the same. */
lf_status lf_file_share_check(lf_context *ctx, const lf_file_shares *shares, size_t file, const char *path);
void lf_file_shares_clear(lf_file_shares *shares);

#endif
