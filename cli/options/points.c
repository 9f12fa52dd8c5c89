/* Lists of points: from a file of inputs, from the distinct inputs of a table, or on a grid; and their expansion over
 * outputs, forces and replicates. */
#include "options/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"

/* Allocates n rows of p inputs, with targets and replicates if required. */
static int reserve(cli_points *points, size_t n, int input_dim, int with_target, int with_replicate)
{
    size_t room = n ? n : 1;
    *points = (cli_points){.n = n, .input_dim = input_dim};
    points->x = calloc(room, (size_t)input_dim * sizeof *points->x);
    points->target = with_target ? calloc(room, sizeof *points->target) : NULL;
    points->replicate = with_replicate ? calloc(room, sizeof *points->replicate) : NULL;
    if (!points->x || (with_target && !points->target) || (with_replicate && !points->replicate)) {
        cli_points_free(points);
        return cli_no_memory();
    }
    return CLI_DONE;
}

/* Whether a row is a reading of a known input. */
static int is_reading(const lf_model *model, lf_row row)
{
    return row.output && cli_count(model, LF_KIND_KNOWN) > 0 && cli_find(model, LF_KIND_KNOWN, row.output) >= 0;
}

int cli_points_from_inputs(const lf_model *model, const lf_data *inputs, int ignore_outputs, cli_points *rows)
{
    int named = 0, averages = 0, p = (int)lf_data_count(inputs, LF_KIND_INPUT);
    const int32_t *replicate = lf_data_codes(inputs, "replicate");
    for (size_t i = 0; i < lf_data_count(inputs, LF_KIND_ROW); i++) {
        lf_row row = cli_row(inputs, i);
        named = named || (!ignore_outputs && row.output && !is_reading(model, row));
        averages = averages || row.width > 0;
    }
    int status =
        reserve(rows, lf_data_count(inputs, LF_KIND_ROW), p, named, lf_data_count(inputs, LF_KIND_REPLICATE) > 0);
    if (status == CLI_DONE && averages) {
        rows->width = calloc(rows->n, sizeof *rows->width);
        status = rows->width ? CLI_DONE : cli_no_memory();
    }
    rows->n = 0;
    for (size_t i = 0; status == CLI_DONE && i < lf_data_count(inputs, LF_KIND_ROW); i++) {
        lf_row row = cli_row(inputs, i);
        if (is_reading(model, row)) {
            continue;
        }
        if (averages) {
            rows->width[rows->n] = row.width;
        }
        memcpy(rows->x + rows->n * (size_t)p, row.x, (size_t)p * sizeof *row.x);
        if (rows->target) {
            rows->target[rows->n] = cli_find(model, LF_KIND_OUTPUT, row.output);
        }
        if (rows->replicate) {
            rows->replicate[rows->n] = replicate[i];
        }
        rows->n++;
    }
    return status;
}

typedef struct input {
    const double *x; /* (p) */
    int p;
} input;

static int compare_inputs(const void *left, const void *right)
{
    const input *a = left, *b = right;
    for (int k = 0; k < a->p; k++) {
        if (a->x[k] != b->x[k]) {
            return a->x[k] < b->x[k] ? -1 : 1;
        }
    }
    return 0;
}

int cli_points_distinct(const lf_model *model, const lf_data *table, cli_points *rows)
{
    size_t n = 0, count = 0;
    int p = (int)lf_data_count(table, LF_KIND_INPUT);
    *rows = (cli_points){0};
    input *inputs = calloc(lf_data_count(table, LF_KIND_ROW) + 1, sizeof *inputs);
    if (!inputs) {
        return cli_no_memory();
    }
    for (size_t i = 0; i < lf_data_count(table, LF_KIND_ROW); i++) {
        lf_row row = cli_row(table, i);
        if (!is_reading(model, row)) {
            inputs[n++] = (input){.x = row.x, .p = p};
        }
    }
    qsort(inputs, n, sizeof *inputs, compare_inputs);
    for (size_t i = 0; i < n; i++) {
        if (count == 0 || compare_inputs(&inputs[i], &inputs[count - 1]) != 0) {
            inputs[count++] = inputs[i];
        }
    }
    int status = reserve(rows, count, p, 0, 0);
    for (size_t i = 0; status == CLI_DONE && i < count; i++) {
        memcpy(rows->x + i * (size_t)p, inputs[i].x, (size_t)p * sizeof(double));
    }
    free(inputs);
    return status;
}

int cli_points_grid(int input_dim, const double *low, const double *high, size_t n, cli_points *rows)
{
    size_t p = (size_t)input_dim;
    *rows = (cli_points){0};
    if (p > 2) {
        return cli_fail("--grid %zu: the model has %zu inputs, and grids have 1 or 2; list the inputs with --at", n, p);
    }
    int status = reserve(rows, p == 1 ? n : n * n, input_dim, 0, 0);
    for (size_t i = 0; status == CLI_DONE && i < rows->n; i++) {
        size_t step[2] = {p == 1 ? i : i / n, i % n};
        for (size_t k = 0; k < p; k++) {
            double share = (double)step[k] / (double)(n - 1);
            rows->x[i * p + k] = (1 - share) * low[k] + share * high[k];
        }
    }
    rows->shorten = 1;
    return status;
}

static int grow(cli_points *points, size_t n, int input_dim, int averages)
{
    size_t known = points->width ? points->n : 0;
    double *width = averages || points->width ? realloc(points->width, n * sizeof *width) : NULL;
    if (width) {
        points->width = width;
        memset(width + known, 0, (n - known) * sizeof *width);
    } else if (averages || points->width) {
        return cli_no_memory();
    }
    int *target = realloc(points->target, n * sizeof *target);
    points->target = target ? target : points->target;
    int *replicate = realloc(points->replicate, n * sizeof *replicate);
    points->replicate = replicate ? replicate : points->replicate;
    double *x = realloc(points->x, n * (size_t)input_dim * sizeof *x);
    points->x = x ? x : points->x;
    points->input_dim = input_dim;
    return target && replicate && x ? CLI_DONE : cli_no_memory();
}

int cli_points_append(cli_points *points, const cli_points *rows, int first, int count, int replicates)
{
    int targets = rows->target ? 1 : count, passes = rows->replicate ? 1 : replicates;
    size_t p = (size_t)rows->input_dim, added = rows->n * (size_t)targets * (size_t)passes;
    if (added == 0) {
        return CLI_DONE;
    }
    int status = grow(points, points->n + added, rows->input_dim, rows->width != NULL);
    if (status != CLI_DONE) {
        return status;
    }
    points->shorten = rows->shorten;
    for (int pass = 0; pass < passes; pass++) {
        for (int target = 0; target < targets; target++) {
            for (size_t i = 0; i < rows->n; i++, points->n++) {
                points->target[points->n] = rows->target ? rows->target[i] : first + target;
                points->replicate[points->n] = rows->replicate ? rows->replicate[i] : pass;
                if (rows->width) {
                    points->width[points->n] = rows->width[i];
                }
                memcpy(points->x + points->n * p, rows->x + i * p, p * sizeof *rows->x);
            }
        }
    }
    return CLI_DONE;
}

int cli_points_drop_white(lf_context *ctx, const lf_model *model, size_t from, cli_points *points)
{
    size_t n = from, p = (size_t)points->input_dim;
    cli_force *forces;
    int status = cli_forces(ctx, model, &forces);
    for (size_t i = from; status == CLI_DONE && i < points->n; i++) {
        if (forces[points->target[i] - cli_count(model, LF_KIND_OUTPUT)].white) {
            continue;
        }
        points->target[n] = points->target[i];
        points->replicate[n] = points->replicate[i];
        if (points->width) {
            points->width[n] = points->width[i];
        }
        memmove(points->x + n * p, points->x + i * p, p * sizeof *points->x);
        n++;
    }
    points->n = n;
    free(forces);
    return status;
}

static int find_replicate(const lf_posterior *posterior, const char *label)
{
    for (int r = 0; r < (int)cli_posterior(posterior).replicates; r++) {
        if (strcmp(lf_posterior_name(posterior, (size_t)r), label) == 0) {
            return r;
        }
    }
    return -1;
}

int cli_points_match_replicates(cli_points *rows, const lf_data *file, const char *path, const lf_posterior *posterior,
                                int named, const char *source)
{
    for (size_t i = 0; rows->replicate && i < rows->n; i++) {
        const char *label = lf_data_name(file, LF_KIND_REPLICATE, (size_t)rows->replicate[i]);
        rows->replicate[i] = named ? find_replicate(posterior, label) : -1;
        if (rows->replicate[i] < 0) {
            return cli_fail("%s: the replicate '%s' does not occur in %s, so that nothing is known of it; "
                            "'latentforce simulate' draws new replicates",
                            path, label, source);
        }
    }
    return CLI_DONE;
}

static lf_status find_target(lf_context *ctx, const lf_model *model, int number, uint32_t *target)
{
    static const lf_kind kinds[] = {LF_KIND_OUTPUT, LF_KIND_FORCE, LF_KIND_RATE, LF_KIND_STATE};
    const int counts[] = {cli_count(model, LF_KIND_OUTPUT), cli_count(model, LF_KIND_FORCE),
                          cli_count(model, LF_KIND_OUTPUT)};
    size_t k = 0;
    while (k < 3 && number >= counts[k]) {
        number -= counts[k++];
    }
    return lf_model_target(ctx, model, kinds[k], (size_t)number, target);
}

int cli_points_make(lf_context *ctx, const lf_model *model, const cli_points *points, lf_points **made)
{
    lf_status status = lf_points_create(ctx, model, made);
    for (size_t i = 0; status == LF_OK && i < points->n; i++) {
        uint32_t target = 0;
        size_t replicate = points->replicate ? (size_t)points->replicate[i] : 0;
        double own = points->width ? points->width[i] : 0, width = points->shorten && own == 0 ? (double)NAN : own;
        status = find_target(ctx, model, points->target[i], &target);
        status = status ? status
                        : lf_points_add(ctx, *made, 1, &target, &replicate, points->x + i * (size_t)points->input_dim,
                                        &width);
    }
    if (status) {
        lf_points_free(*made);
        *made = NULL;
    }
    return cli_check(ctx, status);
}

int cli_points_predict(lf_context *ctx, const lf_model *model, lf_posterior *posterior, const cli_points *points,
                       lf_prediction wanted)
{
    lf_points *made = NULL;
    int status = cli_points_make(ctx, model, points, &made);
    wanted.size = sizeof wanted;
    status = status ? status : cli_check(ctx, lf_predict(ctx, posterior, made, &wanted));
    lf_points_free(made);
    return status;
}

void cli_points_free(cli_points *points)
{
    free(points->target);
    free(points->replicate);
    free(points->x);
    free(points->width);
    *points = (cli_points){0};
}
