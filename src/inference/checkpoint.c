/* Checkpoints: JSON with the numbers of each run as base64. The optimiser's numbers are an image of its memory, so the
 * file is for the program and the kind of machine that wrote it; a checksum guards it. */
#include "inference/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/output_file.h"
#include "base/processes.h"
#include "data/data.h"
#include "inference/agreement.h"
#include "model/json_read.h"

_Static_assert(sizeof(lf_iteration) == 4 * sizeof(double), "histories are stored as numbers");

/* FNV-1a. */
static uint64_t hash(uint64_t value, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        value = (value ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    }
    return value;
}

static uint64_t hash_text(uint64_t value, const char *text)
{
    return text ? hash(value, text, strlen(text) + 1) : hash(value, "", 1);
}

#define HASH_START 0xcbf29ce484222325u

uint64_t lf_fit_fingerprint(const lf_context *ctx, const lf_model *model, const lf_data *data, const lf_fit_plan *plan,
                            const lf_structure *s)
{
    const lf_engine_options *engine = &s->fitting;
    uint64_t h = hash_text(HASH_START, LF_VERSION);
    h = hash(h, &ctx->seed, sizeof ctx->seed);
    for (int d = 0; d < data->outputs.count; d++) {
        h = hash_text(h, data->outputs.name[d]);
    }
    h = hash(h, data->output, data->n * sizeof *data->output);
    h = hash(h, data->replicate, data->n * sizeof *data->replicate);
    h = hash(h, data->x, data->n * (size_t)data->input_dim * sizeof *data->x);
    h = hash(h, data->y, data->n * sizeof *data->y);
    h = hash(h, data->sd, data->n * sizeof *data->sd);
    h = data->width ? hash(h, data->width, data->n * sizeof *data->width) : h;
    h = hash(h, &model->initial, sizeof model->initial);
    h = hash(h, &model->origin, sizeof model->origin);
    for (int q = 0; q < model->force_count; q++) {
        h = hash_text(h, lf_force_kernel_text(&model->forces[q]));
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        h = hash_text(h, output->op->name);
        h = hash(h, &output->scale, sizeof output->scale);
        h = hash_text(h, output->has_private ? lf_force_kernel_text(&output->private_force) : NULL);
    }
    if (model->inputs) {
        h = hash(h, model->inputs, (size_t)model->input_dim * sizeof *model->inputs);
    }
    for (size_t i = 0; i < model->parameter_count; i++) {
        const lf_parameter_entry *entry = &model->parameters[i];
        h = hash_text(h, entry->name);
        h = hash(h, entry->value, sizeof *entry->value);
        h = hash(h, &entry->lower, sizeof entry->lower);
        h = hash(h, &entry->upper, sizeof entry->upper);
        h = hash(h, &entry->fixed, sizeof entry->fixed);
        h = hash(h, &entry->tied_to, sizeof entry->tied_to);
    }
    h = hash_text(hash_text(h, engine->engine), engine->nodes);
    h = hash_text(hash(h, &engine->inducing, sizeof engine->inducing), engine->inducing_inputs);
    double numbers[] = {engine->tolerance,   (double)engine->features, engine->ahead,
                        engine->behind,      engine->regrid_factor,    (double)s->restarts,
                        plan->relative_gain, plan->gradient,           (double)s->prior};
    return hash(h, numbers, sizeof numbers);
}

lf_status lf_snapshot_take(lf_context *ctx, const lf_run *run, lf_snapshot *snapshot)
{
    const lf_log_posterior *p = run->posterior;
    size_t size = lf_optimiser_size(run->optimiser);
    if (snapshot->history_room < run->iterations) {
        lf_iteration *history = realloc(snapshot->history, run->room * sizeof *history);
        if (!history) {
            return lf_no_memory(ctx);
        }
        snapshot->history = history;
        snapshot->history_room = run->room;
    }
    snapshot->optimiser = snapshot->optimiser ? snapshot->optimiser : lf_doubles(size, 1);
    snapshot->prepared = snapshot->prepared ? snapshot->prepared : lf_doubles(p->class->save(p, NULL), 1);
    if (!snapshot->optimiser || !snapshot->prepared) {
        return lf_no_memory(ctx);
    }
    p->class->save(p, snapshot->prepared);
    lf_optimiser_save(run->optimiser, snapshot->optimiser);
    snapshot->state = run->state;
    snapshot->iterations = run->iterations;
    snapshot->evaluations = run->posterior->evaluations;
    if (run->iterations) {
        memcpy(snapshot->history, run->history, run->iterations * sizeof *run->history);
    }
    return LF_OK;
}

void lf_snapshot_clear(lf_snapshot *snapshot)
{
    free(snapshot->history);
    free(snapshot->optimiser);
    free(snapshot->prepared);
    *snapshot = (lf_snapshot){0};
}

/* Adds n numbers as base64 and takes them into the checksum. 0 when there is no memory. */
static int put(json_t *object, const char *key, const double *values, size_t n, uint64_t *checksum)
{
    char *text = lf_base64_encode(n, values);
    int done = text && json_object_set_new(object, key, json_string(text)) == 0;
    *checksum = text ? hash_text(*checksum, text) : *checksum;
    free(text);
    return done;
}

static json_t *write_run(const lf_run *run, const lf_snapshot *snapshot, uint64_t *checksum)
{
    json_t *object = json_object();
    double numbers[] = {(double)snapshot->state, (double)snapshot->iterations, (double)snapshot->evaluations};
    int done = object && put(object, "counters", numbers, 3, checksum);
    if (done && snapshot->optimiser) { /* a run that has not begun has no state */
        done =
            put(object, "history", (const double *)snapshot->history, 4 * snapshot->iterations, checksum) &&
            put(object, "prepared", snapshot->prepared, run->posterior->class->save(run->posterior, NULL), checksum) &&
            put(object, "optimiser", snapshot->optimiser, lf_optimiser_size(run->optimiser), checksum);
    }
    if (!done) {
        json_decref(object);
        return NULL;
    }
    return object;
}

lf_status lf_checkpoint_write(lf_context *ctx, const char *path, uint64_t fingerprint, double seconds, size_t count,
                              const lf_run *runs, const lf_snapshot *snapshots)
{
    uint64_t checksum = HASH_START;
    char text[2][20];
    json_t *list = json_array();
    int bad = list == NULL;
    for (size_t r = 0; !bad && r < count; r++) {
        bad = json_array_append_new(list, write_run(&runs[r], &snapshots[r], &checksum));
    }
    snprintf(text[0], sizeof text[0], "%016" PRIx64, fingerprint);
    snprintf(text[1], sizeof text[1], "%016" PRIx64, checksum);
    json_t *file = json_pack("{s:s,s:i,s:s,s:s,s:f,s:O}", "format", "latentforce-checkpoint", "version", 1, "fit",
                             text[0], "checksum", text[1], "seconds", seconds, "runs", list);
    json_decref(list); /* "o" would give it away, but not after every failure */
    if (bad || !file) {
        json_decref(file);
        return lf_agree(ctx, lf_no_memory(ctx));
    }
    lf_output_file out;
    lf_status status = lf_file_create(ctx, path, &out);
    if (!status && json_dumpf(file, out.stream, JSON_INDENT(1)) && !ferror(out.stream)) {
        lf_file_discard(&out);
        status = lf_agree(ctx, lf_no_memory(ctx));
    } else if (!status) {
        fputc('\n', out.stream);
        status = lf_file_commit(ctx, &out); /* reports any write that failed */
    }
    json_decref(file);
    return status;
}

static lf_status damaged(lf_context *ctx, const char *path)
{
    return lf_fail(ctx, LF_ERROR_DATA, "%s: is damaged; remove it, or fit without --resume", path);
}

/* n numbers under a key. 0 when they are missing. */
static int get(const json_t *object, const char *key, double *values, size_t n, uint64_t *checksum)
{
    const char *text = json_string_value(json_object_get(object, key));
    *checksum = text ? hash_text(*checksum, text) : *checksum;
    return text && lf_base64_decode(text, n, values);
}

/* Fills a snapshot from the file; without an optimiser it is that of a run that has not begun. 0 when the text is wrong, -1 when there
 * is no memory. */
static int read_snapshot(const json_t *object, const lf_run *run, lf_snapshot *snapshot, uint64_t *checksum)
{
    double numbers[3];
    if (!get(object, "counters", numbers, 3, checksum) || !(numbers[0] >= LF_RUN_ACTIVE && numbers[0] <= LF_RUN_LATE) ||
        !(numbers[1] >= 0 && numbers[1] < 1e8) || !(numbers[2] >= 0 && numbers[2] < 1e9)) {
        return 0;
    }
    snapshot->state = (lf_run_state)(int)numbers[0];
    snapshot->iterations = (size_t)numbers[1];
    snapshot->evaluations = (size_t)numbers[2];
    if (!json_object_get(object, "optimiser")) {
        return 1;
    }
    const char *history = json_string_value(json_object_get(object, "history"));
    if (!history || strlen(history) != lf_base64_length(4 * snapshot->iterations)) {
        return 0; /* before so much memory is asked for */
    }
    size_t saved = run->posterior->class->save(run->posterior, NULL), size = lf_optimiser_size(run->optimiser);
    snapshot->history = calloc(snapshot->iterations + 1, sizeof *snapshot->history);
    snapshot->prepared = lf_doubles(saved, 1);
    snapshot->optimiser = lf_doubles(size, 1);
    if (!snapshot->history || !snapshot->prepared || !snapshot->optimiser) {
        return -1;
    }
    return get(object, "history", (double *)snapshot->history, 4 * snapshot->iterations, checksum) &&
           get(object, "prepared", snapshot->prepared, saved, checksum) &&
           get(object, "optimiser", snapshot->optimiser, size, checksum);
}

/* Moves a run to its snapshot, whose history it takes over. */
static lf_status take_up(lf_context *ctx, lf_run *run, lf_snapshot *snapshot)
{
    if (!snapshot->optimiser || snapshot->state == LF_RUN_FAILED) { /* its start fails again, for the same reason */
        return LF_OK;
    }
    lf_status status = run->posterior->class->load(run->posterior, snapshot->prepared);
    if (status) {
        return lf_take_failure(ctx, run->posterior->ctx, status);
    }
    lf_optimiser_load(run->optimiser, snapshot->optimiser);
    free(run->history);
    run->history = snapshot->history;
    snapshot->history = NULL;
    run->room = run->iterations = snapshot->iterations;
    run->posterior->evaluations = snapshot->evaluations;
    /* A run that was cancelled or ran out of iterations continues. */
    int ended =
        snapshot->state != LF_RUN_CANCELLED && snapshot->state != LF_RUN_LIMIT && snapshot->state != LF_RUN_LATE;
    run->state = ended ? snapshot->state : LF_RUN_ACTIVE;
    return LF_OK;
}

static lf_status read_runs(lf_context *ctx, const char *path, const json_t *file, size_t count, lf_run *runs)
{
    const json_t *list = json_object_get(file, "runs");
    const char *expected = json_string_value(json_object_get(file, "checksum"));
    char found[20];
    uint64_t checksum = HASH_START;
    if (json_array_size(list) != count || !expected) {
        return damaged(ctx, path);
    }
    lf_snapshot *snapshots = calloc(count, sizeof *snapshots);
    lf_status status = snapshots ? LF_OK : lf_no_memory(ctx);
    for (size_t r = 0; !status && r < count; r++) {
        int good = read_snapshot(json_array_get(list, r), &runs[r], &snapshots[r], &checksum);
        status = good > 0 ? LF_OK : good < 0 ? lf_no_memory(ctx) : damaged(ctx, path);
    }
    snprintf(found, sizeof found, "%016" PRIx64, checksum);
    if (!status && strcmp(found, expected) != 0) {
        status = damaged(ctx, path);
    }
    status = lf_agree(ctx, status); /* engines are made together */
    for (size_t r = 0; !status && r < count; r++) {
        status = take_up(ctx, &runs[r], &snapshots[r]);
    }
    for (size_t r = 0; snapshots && r < count; r++) {
        lf_snapshot_clear(&snapshots[r]);
    }
    free(snapshots);
    return status;
}

lf_status lf_checkpoint_read(lf_context *ctx, const char *path, uint64_t fingerprint, size_t count, lf_run *runs,
                             double *seconds, int *found)
{
    json_error_t error;
    char mine[20];
    FILE *stream = fopen(path, "rb");
    *found = stream != NULL;
    lf_status status = LF_OK;
    if (!stream && errno != ENOENT) {
        status = lf_fail(ctx, LF_ERROR_IO, "%s: cannot be opened: %s", path, lf_error_text(errno));
    }
    status = lf_agree_number(ctx, status, *found, "number of checkpoints");
    if (status || !stream) {
        if (stream) {
            fclose(stream);
        }
        return status;
    }
    int no_memory;
    json_t *file = lf_json_read(stream, NULL, 0, &error, &no_memory);
    fclose(stream);
    if (no_memory) {
        return lf_agree(ctx, lf_no_memory(ctx));
    }
    const char *format = json_string_value(json_object_get(file, "format")),
               *fit = json_string_value(json_object_get(file, "fit"));
    snprintf(mine, sizeof mine, "%016" PRIx64, fingerprint);
    if (!format || strcmp(format, "latentforce-checkpoint") != 0 || !fit) {
        status = lf_fail(ctx, LF_ERROR_DATA, "%s: is not a checkpoint of latentforce", path);
    } else if (strcmp(fit, mine) != 0) {
        status = lf_fail(ctx, LF_ERROR_DATA,
                         "%s: is the checkpoint of another fit: data, model, options, seed or version differ; remove "
                         "it, or fit without --resume",
                         path);
    }
    *seconds = json_number_value(json_object_get(file, "seconds"));
    LF_TRY(status, read_runs(ctx, path, file, count, runs));
    json_decref(file);
    return lf_agree(ctx, status);
}
