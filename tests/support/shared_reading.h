/* Reads files with one process and with several, and compares: the rows of the processes one behind the other are those of one process bit
 * for bit, with names, units, axes, notes, and the same message where the files are refused. */
#ifndef LF_TESTS_SHARED_READING_H
#define LF_TESTS_SHARED_READING_H

#include "data/data.h"
#include "processes.h"

enum { MOST_FILES = 8, NOTES_SIZE = 1 << 16 };

/* What a process has read. */
typedef struct reading {
    lf_status status;
    lf_data *data;
    char message[1024], *notes;
} reading;

typedef struct files {
    size_t count;
    const char *path[MOST_FILES];
    lf_read_options options;
    int lost_rank;         /* reads lost_path in place of the last file; -1: none */
    const char *lost_path; /* which does not exist; NULL: there is one file less */
    reading one, all[MOST_PROCESSES];
} files;

static void keep_note(void *user, lf_level level, const char *note)
{
    (void)level;
    char *notes = user;
    size_t used = strlen(notes);
    snprintf(notes + used, NOTES_SIZE - used, "%s\n", note);
}

static void read_share(lf_context *ctx, const files *f, int rank, reading *r)
{
    const char *path[MOST_FILES];
    memcpy(path, f->path, sizeof path);
    if (rank == f->lost_rank) {
        path[f->count - 1] = f->lost_path;
    }
    size_t count = path[f->count - 1] ? f->count : f->count - 1;
    *r = (reading){.notes = calloc(1, NOTES_SIZE)};
    lf_context_set_log(ctx, keep_note, r->notes);
    r->status = lf_data_read_files(ctx, count, path, &f->options, &r->data);
    snprintf(r->message, sizeof r->message, "%s", r->status ? lf_context_message(ctx) : "");
}

static void read_rank(lf_context *ctx, int rank, void *user)
{
    files *f = user;
    read_share(ctx, f, rank, &f->all[rank]);
}

static void release(reading *r)
{
    lf_data_free(r->data);
    free(r->notes);
    *r = (reading){0};
}

static void read_one(files *f)
{
    lf_context *ctx = lf_context_create();
    assert_non_null(ctx);
    f->options.size = sizeof f->options;
    f->lost_rank = -1;
    read_share(ctx, f, 0, &f->one);
    lf_context_free(ctx);
}

static int same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static int same_names(const lf_names *a, const lf_names *b)
{
    int same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++) {
        same = strcmp(a->name[i], b->name[i]) == 0;
    }
    return same;
}

/* What is different about names, units and axes; NULL: nothing. */
static const char *different_labels(const lf_data *a, const lf_data *b)
{
    if (a->input_dim != b->input_dim) {
        return "input_dim";
    }
    for (int k = 0; k < a->input_dim; k++) {
        const lf_axis *p = &a->axes[k], *q = &b->axes[k];
        if (!same_text(p->name, q->name) || !same_text(p->unit, q->unit) || !same_text(p->file_unit, q->file_unit) ||
            p->dated != q->dated || p->date_only != q->date_only || p->zoned != q->zoned || p->zone != q->zone ||
            p->zero != q->zero) {
            return "axes";
        }
    }
    for (int d = 0; d < a->outputs.count && d < b->outputs.count; d++) {
        if (strcmp(lf_data_output_unit(a, d), lf_data_output_unit(b, d)) != 0) {
            return "units";
        }
    }
    return !same_names(&a->outputs, &b->outputs)         ? "outputs"
           : !same_names(&a->replicates, &b->replicates) ? "replicates"
                                                         : NULL;
}

static int same_row(const lf_observation *a, const lf_observation *b, int p)
{
    return a->output == b->output && a->replicate == b->replicate &&
           memcmp(a->x, b->x, (size_t)p * sizeof *a->x) == 0 && memcmp(&a->y, &b->y, sizeof a->y) == 0 &&
           a->sd == b->sd && a->width == b->width && same_text(a->split, b->split);
}

/* What is different between the shares and the table of one process; NULL: nothing. whole: each process has all rows. */
static const char *different(const files *f, int count, int whole)
{
    size_t row = 0;
    for (int r = 0; r < count; r++) {
        const reading *mine = &f->all[r], *one = &f->one;
        if (mine->status != one->status || strcmp(mine->message, one->message) != 0) {
            return "message";
        }
        if ((r == 0 || !one->status) && strcmp(mine->notes, one->notes) != 0) {
            return "notes";
        }
        if (one->status) {
            continue;
        }
        const char *labels = different_labels(mine->data, one->data);
        if (labels || mine->data->shared == whole) {
            return labels ? labels : "shared";
        }
        row = whole ? 0 : row;
        for (size_t i = 0; i < mine->data->n; i++, row++) {
            lf_observation found = lf_data_row(mine->data, i), expected;
            if (row >= one->data->n) {
                return "number of rows";
            }
            expected = lf_data_row(one->data, row);
            if (!same_row(&found, &expected, one->data->input_dim)) {
                return "row";
            }
        }
        if ((r + 1 == count || whole) && row != one->data->n) {
            return "number of rows";
        }
    }
    return NULL;
}

/* Reads with one process and compares with several. Returns the largest number of processes that have rows. */
static int check_files(files *f, int *parts)
{
    int failures = 0;
    *parts = 0;
    read_one(f);
    for (size_t c = 0; c < process_count_number(); c++) {
        int count = process_counts[c], with_rows = 0;
        run_processes(count, read_rank, f);
        const char *what = different(f, count, f->options.whole);
        for (int r = 0; r < count; r++) {
            with_rows += f->all[r].data && f->all[r].data->n > 0;
        }
        *parts = with_rows > *parts ? with_rows : *parts;
        if (what) {
            failures++;
            print_error("%s with %d processes: %s differ\none: %s\n%s", f->path[0], count, what, f->one.message,
                        f->one.notes);
            for (int r = 0; r < count; r++) {
                print_error("process %d (%zu rows): %s\n%s", r, f->all[r].data ? f->all[r].data->n : 0,
                            f->all[r].message, f->all[r].notes);
            }
        }
        for (int r = 0; r < count; r++) {
            release(&f->all[r]);
        }
    }
    return failures;
}

#endif
