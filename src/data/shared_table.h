/* A table of which each of several processes has read its share: what they find out together, which is what one process would find. Functions
 * here are called by all of them. What is exchanged depends on the numbers of outputs, replicates, notes and processes, not on that of rows. */
#ifndef LF_DATA_SHARED_TABLE_H
#define LF_DATA_SHARED_TABLE_H

#include <stdint.h>

#include "data/table_reader.h"

/* All shares are read: names, units, what is left out, counts and notes become those of the whole table, and the rows refer to them.
 * alone: only process 0 has read anything. *same is 0 where the shares contradict each other, as rows of one file do that is refused. */
lf_status lf_table_unite(lf_table_reader *t, int alone, int *same);
/* Its part: names and units in the order in which one process would find them, and notes. */
lf_status lf_unite_names(lf_table_reader *t, int *same);

/* For a table that is not shared these leave x as it is. `status`: that of this process so far; a failure is that of all. */
lf_status lf_shared_sum(const lf_table_reader *t, lf_status status, size_t n, double *x);
/* x (n) becomes the least over the processes. */
lf_status lf_shared_least(const lf_table_reader *t, lf_status status, size_t n, double *x);
/* What the processes have, one behind the other: *all (*total bytes), to be freed; size (count of processes) or NULL: bytes of each. */
lf_status lf_shared_collect(const lf_table_reader *t, lf_status status, size_t bytes, const void *mine, size_t *size,
                            size_t *total, void **all);

/* How many of the rows of this process are among the first `most` of the table. */
size_t lf_shared_head(const lf_table_reader *t, size_t most);

/* A hash of the place of a value: the numbers of its output and replicate, and its time. */
uint64_t lf_hash_place(int output, int replicate, double x);

#endif
