/* lf_data_share: the same names, in the same order, on all processes. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/processes.h"
#include "data/share.h"

/* The names one after another, each with its end. *text is to be freed. */
static lf_status join_names(lf_context *ctx, const lf_names *names, char **text, size_t *length)
{
    *length = 0;
    for (int i = 0; i < names->count; i++) {
        *length += strlen(names->name[i]) + 1;
    }
    char *to = *text = malloc(*length + 1);
    if (!to) {
        return lf_no_memory(ctx);
    }
    for (int i = 0; i < names->count; i++) {
        size_t size = strlen(names->name[i]) + 1;
        memcpy(to, names->name[i], size);
        to += size;
    }
    return LF_OK;
}

/* Adds the names of one process to `all`. */
static lf_status add_names(lf_context *ctx, int root, const char *mine, size_t length, lf_names *all)
{
    size_t size = length;
    lf_status status = lf_broadcast(ctx, root, sizeof size, &size);
    char *theirs = status ? NULL : malloc(size + 1);
    status = lf_agree(ctx, status || theirs ? status : lf_no_memory(ctx));
    if (!status && root == lf_process_rank(ctx)) {
        memcpy(theirs, mine, size);
    }
    LF_TRY(status, lf_broadcast(ctx, root, size, theirs));
    for (size_t at = 0; !status && at < size; at += strlen(theirs + at) + 1) {
        status = lf_names_add(all, theirs + at, strlen(theirs + at)) < 0 ? lf_no_memory(ctx) : LF_OK;
    }
    free(theirs);
    return status;
}

/* The names become those of all processes; index (names of this process): where each of them has gone. */
static lf_status unite_names(lf_context *ctx, lf_names *names, int **index)
{
    lf_names all = {0};
    char *mine = NULL;
    size_t length = 0;
    *index = calloc((size_t)names->count + 1, sizeof **index);
    lf_status status = *index ? join_names(ctx, names, &mine, &length) : lf_no_memory(ctx);
    status = lf_agree(ctx, status);
    for (int root = 0; !status && root < lf_process_count(ctx); root++) {
        status = lf_agree(ctx, add_names(ctx, root, mine, length, &all));
    }
    for (int i = 0; !status && i < names->count; i++) {
        (*index)[i] = lf_names_find(&all, names->name[i], strlen(names->name[i]));
    }
    if (!status) {
        lf_names_clear(names);
        *names = all;
    } else {
        lf_names_clear(&all);
    }
    free(mine);
    return status;
}

static void renumber(size_t n, int *number, const int *index)
{
    for (size_t i = 0; i < n; i++) {
        number[i] = number[i] < 0 ? -1 : index[number[i]];
    }
}

/* Units go with their outputs. */
static lf_status move_units(lf_context *ctx, lf_data *data, const int *index)
{
    char **units = calloc((size_t)data->outputs.count + 1, sizeof *units);
    if (!units) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < data->unit_count; d++) {
        units[index[d]] = data->units[d];
    }
    free(data->units);
    data->units = units;
    data->unit_count = data->outputs.count;
    return LF_OK;
}

lf_status lf_data_share(lf_context *ctx, lf_data *data)
{
    int *outputs = NULL, *replicates = NULL;
    lf_status status = unite_names(ctx, &data->outputs, &outputs);
    if (!status) {
        renumber(data->n, data->output, outputs);
        status = data->unit_count ? move_units(ctx, data, outputs) : LF_OK;
    }
    status = lf_agree(ctx, status);
    LF_TRY(status, unite_names(ctx, &data->replicates, &replicates));
    if (!status) {
        renumber(data->n, data->replicate, replicates);
        data->shared = LF_BY_ROWS;
    }
    free(outputs);
    free(replicates);
    return status;
}

int lf_data_is_shared(const lf_data *data) { return data->shared != LF_WHOLE; }
