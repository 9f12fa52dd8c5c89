/* Names and notes of a shared table: those of all processes, in the order in which one process would find them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "data/shared_table.h"

typedef enum item_kind { ITEM_OUTPUT, ITEM_REPLICATE, ITEM_FOREIGN, ITEM_NOTE } item_kind;

/* A name or a note as it is exchanged; two texts with their NUL follow. */
typedef struct item_head {
    item_kind kind;
    int flag;           /* an output is not wanted; a note is given once for all files, plus twice its level */
    size_t file;        /* where it was found first */
    size_t text, other; /* lengths of the texts with their NUL; other: unit of an output, subject of a note; 0: none */
} item_head;

typedef struct item {
    item_head head;
    size_t order; /* among those of all processes, one behind the other */
    const char *text, *other;
} item;

/* ---- packing ---- */

typedef struct packet {
    char *bytes;
    size_t size, capacity;
    int failed;
} packet;

static void put(packet *p, const void *bytes, size_t count)
{
    if (p->failed || count == 0) {
        return;
    }
    if (p->size + count > p->capacity) {
        size_t capacity = 2 * p->capacity + count;
        char *grown = realloc(p->bytes, capacity);
        p->failed = !grown;
        if (!grown) {
            return;
        }
        p->bytes = grown;
        p->capacity = capacity;
    }
    memcpy(p->bytes + p->size, bytes, count);
    p->size += count;
}

static void put_item(packet *p, item_kind kind, int flag, size_t file, const char *text, const char *other)
{
    item_head head;
    memset(&head, 0, sizeof head);
    head.kind = kind;
    head.flag = flag;
    head.file = file;
    head.text = strlen(text) + 1;
    head.other = other ? strlen(other) + 1 : 0;
    put(p, &head, sizeof head);
    put(p, text, head.text);
    if (other) {
        put(p, other, head.other);
    }
}

static void pack(const lf_table_reader *t, packet *p)
{
    const lf_findings *f = &t->findings;
    const lf_data *data = t->data;
    for (int d = 0; d < data->outputs.count; d++) {
        const char *unit = lf_data_output_unit(data, d);
        put_item(p, ITEM_OUTPUT, d < t->unwanted_count && t->unwanted[d], f->outputs.file[d], data->outputs.name[d],
                 *unit ? unit : NULL);
    }
    for (int q = 0; q < data->replicates.count; q++) {
        put_item(p, ITEM_REPLICATE, 0, f->replicates.file[q], data->replicates.name[q], NULL);
    }
    for (int i = 0; i < t->foreign.count; i++) {
        put_item(p, ITEM_FOREIGN, 0, f->foreign.file[i], t->foreign.name[i], NULL);
    }
    for (size_t i = 0; i < f->note_count; i++) {
        if (!f->notes[i].subject && lf_process_rank(t->ctx) > 0) {
            continue; /* on headings and first rows, which all processes read */
        }
        put_item(p, ITEM_NOTE, f->notes[i].once + 2 * (int)f->notes[i].level, f->notes[i].file, f->notes[i].text,
                 f->notes[i].subject);
    }
}

static size_t unpack_one(const char *bytes, item *one)
{
    memcpy(&one->head, bytes, sizeof one->head);
    one->text = bytes + sizeof one->head;
    one->other = one->head.other ? one->text + one->head.text : NULL;
    return sizeof one->head + one->head.text + one->head.other;
}

/* By kind, file, process and order of the process. */
static int compare_items(const void *left, const void *right)
{
    const item *a = left, *b = right;
    const size_t keys[][2] = {
        {(size_t)a->head.kind, (size_t)b->head.kind}, {a->head.file, b->head.file}, {a->order, b->order}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i][0] != keys[i][1]) {
            return keys[i][0] < keys[i][1] ? -1 : 1;
        }
    }
    return 0;
}

static lf_status unpack(lf_context *ctx, const char *bytes, size_t size, item **items, size_t *count)
{
    item one;
    *count = 0;
    for (size_t at = 0; at < size; (*count)++) {
        at += unpack_one(bytes + at, &one);
    }
    *items = calloc(*count + 1, sizeof **items);
    if (!*items) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < *count; i++) {
        bytes += unpack_one(bytes, &(*items)[i]);
        (*items)[i].order = i;
    }
    qsort(*items, *count, sizeof **items, compare_items);
    return LF_OK;
}

/* ---- names ---- */

/* The names of one kind in the order of all processes. */
static lf_status list_names(lf_context *ctx, item_kind kind, const item *items, size_t count, lf_names *names)
{
    lf_status status = LF_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (items[i].head.kind == kind) {
            status = lf_names_add(names, items[i].text, items[i].head.text - 1) < 0 ? lf_no_memory(ctx) : LF_OK;
        }
    }
    return status;
}

/* The names take the place of those of this process; number (n): of each row. */
static lf_status replace_names(lf_context *ctx, lf_names *mine, lf_names *all, size_t n, int *number)
{
    int *moved = calloc((size_t)mine->count + 1, sizeof *moved);
    if (!moved) {
        return lf_no_memory(ctx);
    }
    for (int i = 0; i < mine->count; i++) {
        moved[i] = lf_names_find(all, mine->name[i], strlen(mine->name[i]));
    }
    for (size_t i = 0; i < n; i++) {
        number[i] = number[i] < 0 ? -1 : moved[number[i]];
    }
    free(moved);
    lf_names_clear(mine);
    *mine = *all;
    *all = (lf_names){0};
    return LF_OK;
}

/* Units, and which outputs are left out. */
static lf_status unite_outputs(lf_table_reader *t, const item *items, size_t count, int *same)
{
    lf_data *data = t->data;
    int outputs = data->outputs.count;
    lf_status status = LF_OK;
    free(t->unwanted);
    t->unwanted = calloc((size_t)outputs + 1, sizeof *t->unwanted);
    t->unwanted_count = t->unwanted ? outputs : 0;
    while (data->unit_count > 0) {
        free(data->units[--data->unit_count]);
    }
    if (!t->unwanted) {
        return lf_no_memory(t->ctx);
    }
    for (size_t i = 0; i < count && !status && items[i].head.kind == ITEM_OUTPUT; i++) {
        int d = lf_names_find(&data->outputs, items[i].text, items[i].head.text - 1);
        const char *unit = lf_data_output_unit(data, d);
        t->unwanted[d] = t->unwanted[d] || items[i].head.flag;
        if (items[i].other && *unit && strcmp(unit, items[i].other) != 0) {
            *same = 0;
        } else if (items[i].other && !*unit) {
            status = lf_data_set_output_unit(t->ctx, data, d, items[i].other);
        }
    }
    return status;
}

/* ---- notes ---- */

/* Notes with a subject that several processes found are given once, the first of them: for all files, or for each of them. */
static lf_status give_notes(lf_context *ctx, const item *items, size_t count)
{
    lf_names given = {0};
    lf_status status = LF_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const item *note = &items[i];
        if (note->head.kind != ITEM_NOTE) {
            continue;
        }
        int before = given.count, new = 1;
        if (note->other) {
            char key[1024];
            int length =
                snprintf(key, sizeof key, "%zu:%s", note->head.flag & 1 ? (size_t)0 : note->head.file + 1, note->other);
            status = lf_names_add(&given, key, length < (int)sizeof key ? (size_t)length : sizeof key - 1) < 0
                         ? lf_no_memory(ctx)
                         : LF_OK;
            new = given.count > before;
        }
        if (!status && new) {
            (note->head.flag >> 1 == LF_LEVEL_WARNING ? lf_warn : lf_note)(ctx, "%s", note->text);
        }
    }
    lf_names_clear(&given);
    return status;
}

lf_status lf_unite_names(lf_table_reader *t, int *same)
{
    lf_context *ctx = t->ctx;
    lf_data *data = t->data;
    packet p = {0};
    char *bytes = NULL;
    item *items = NULL;
    size_t size = 0, count = 0;
    lf_names outputs = {0}, replicates = {0}, foreign = {0};
    pack(t, &p);
    lf_status status =
        lf_shared_collect(t, p.failed ? lf_no_memory(ctx) : LF_OK, p.size, p.bytes, NULL, &size, (void **)&bytes);
    LF_TRY(status, unpack(ctx, bytes, size, &items, &count));
    LF_TRY(status, list_names(ctx, ITEM_OUTPUT, items, count, &outputs));
    LF_TRY(status, list_names(ctx, ITEM_REPLICATE, items, count, &replicates));
    LF_TRY(status, list_names(ctx, ITEM_FOREIGN, items, count, &foreign));
    LF_TRY(status, replace_names(ctx, &data->outputs, &outputs, data->n, data->output));
    LF_TRY(status, replace_names(ctx, &data->replicates, &replicates, data->n, data->replicate));
    LF_TRY(status, replace_names(ctx, &t->foreign, &foreign, 0, NULL));
    LF_TRY(status, unite_outputs(t, items, count, same));
    status = status || !*same ? status : give_notes(ctx, items, count);
    status = lf_agree(ctx, status);
    lf_names_clear(&outputs);
    lf_names_clear(&replicates);
    lf_names_clear(&foreign);
    free(items);
    free(bytes);
    free(p.bytes);
    return status;
}
