/* Sorts outputs by keys of their series. A correlation is the same for any unit and offset of the values and of the time, and two series that
 * differ hardly ever have equal ones. */
#include "plan/content_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"
#include "model/model.h"

/* Means of the inputs, counted from the first one, and of the values of a series; sums of squares and products about them. */
typedef struct moments {
    double n, t, y, tt, yy, ty;
} moments;

static size_t replicate_count(const lf_data *data)
{
    return data->replicates.count > 0 ? (size_t)data->replicates.count : 1;
}

lf_status lf_series_keys(lf_context *ctx, const lf_data *data, double *key)
{
    size_t p = (size_t)data->input_dim, replicates = replicate_count(data),
           count = (size_t)data->outputs.count * replicates;
    double first = INFINITY;
    moments *m = calloc(count + 1, sizeof *m);
    if (!m) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < data->n; i++) {
        first = fmin(first, data->x[i * p]);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < data->n; i++) {
            size_t r = data->replicate[i] < 0 ? 0 : (size_t)data->replicate[i];
            moments *s = &m[(size_t)data->output[i] * replicates + r];
            double t = data->x[i * p] - first, y = data->y[i];
            if (pass == 0) {
                s->n++;
                s->t += t;
                s->y += y;
            } else {
                t -= s->t / s->n;
                y -= s->y / s->n;
                s->tt += t * t;
                s->yy += y * y;
                s->ty += t * y;
            }
        }
    }
    for (size_t k = 0; k < count; k++) {
        key[k] = m[k].tt > 0 && m[k].yy > 0 ? round(1e9 * m[k].ty / sqrt(m[k].tt * m[k].yy)) : 0;
    }
    free(m);
    return LF_OK;
}

typedef struct output {
    double key;
    const char *name;
    int index;
} output;

static int compare(const void *left, const void *right)
{
    const output *a = left, *b = right;
    return a->key != b->key ? (a->key > b->key ? -1 : 1) : strcmp(a->name, b->name);
}

lf_status lf_output_order(lf_context *ctx, const lf_data *data, const lf_model *model, int *order)
{
    size_t replicates = replicate_count(data);
    double *key = lf_doubles((size_t)data->outputs.count, replicates);
    output *outputs = calloc((size_t)model->output_count + 1, sizeof *outputs);
    lf_status status = key && outputs ? lf_series_keys(ctx, data, key) : lf_no_memory(ctx);
    for (int d = 0; !status && d < model->output_count; d++) {
        const char *name = model->outputs[d].name;
        int number = lf_names_find(&data->outputs, name, strlen(name));
        outputs[d] = (output){.name = name, .index = d};
        for (size_t r = 0; number >= 0 && r < replicates; r++) {
            outputs[d].key += key[(size_t)number * replicates + r];
        }
    }
    if (!status) {
        qsort(outputs, (size_t)model->output_count, sizeof *outputs, compare);
    }
    for (int d = 0; !status && d < model->output_count; d++) {
        order[d] = outputs[d].index;
    }
    free(key);
    free(outputs);
    return status;
}
