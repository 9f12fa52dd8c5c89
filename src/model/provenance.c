/* The provenance of a model, as text. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/document.h"
#include "model/json_read.h"
#include "model/model.h"

lf_status lf_model_set_provenance(lf_context *ctx, lf_model *model, const char *json)
{
    json_error_t error;
    int no_memory;
    json_t *provenance = lf_json_read(NULL, json, JSON_DECODE_ANY, &error, &no_memory);
    if (no_memory) {
        return lf_no_memory(ctx);
    }
    if (!provenance) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "provenance:%d:%d: %s", error.line, error.column, error.text);
    }
    json_decref(model->provenance);
    model->provenance = provenance;
    return LF_OK;
}

/* jansson goes on when a key was not taken; the text remembers the failure. */
static int append(const char *bytes, size_t count, void *text) { return lf_growing_text_add(text, bytes, count); }

char *lf_model_provenance(const lf_model *model)
{
    lf_growing_text t = {0};
    if (!model->provenance) {
        return NULL;
    }
    if (json_dump_callback(model->provenance, append, &t, JSON_ENCODE_ANY) || t.failed) {
        free(t.text);
        errno = ENOMEM; /* what tells it from none */
        return NULL;
    }
    return t.text;
}

int lf_parameter_searched(const lf_model *model, size_t index, double *lower, double *upper)
{
    const char *name = index < model->parameter_count ? model->parameters[index].name : "";
    const json_t *range = json_object_get(json_object_get(model->provenance, "searched"), name);
    const json_t *low = json_array_get(range, 0), *high = json_array_get(range, 1);
    *lower = json_is_number(low) ? json_number_value(low) : json_is_null(low) ? -(double)INFINITY : (double)NAN;
    *upper = json_is_number(high) ? json_number_value(high) : json_is_null(high) ? (double)INFINITY : (double)NAN;
    return !isnan(*lower) && !isnan(*upper);
}

const char *lf_model_command(const lf_model *model, size_t word)
{
    return json_string_value(json_array_get(json_object_get(model->provenance, "command"), word));
}

int lf_model_is_calibrated(const lf_model *model)
{
    return json_is_object(json_object_get(model->provenance, "calibration"));
}
