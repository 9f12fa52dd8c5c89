/* Converts grid specs to JSON for the model file, and back. */
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/context.h"
#include "features/grid_spec.h"
#include "model/posterior_io.h"

_Static_assert(sizeof(lf_frozen_grid) == 2 * sizeof(double), "frozen grids are stored as pairs of numbers");
_Static_assert(sizeof(lf_frozen_run) == 3 * sizeof(double), "runs are stored as three numbers each");

json_t *lf_grid_spec_save(const lf_grid_spec *spec)
{
    json_t *record = json_object();
    int done =
        record && lf_put_number(record, "earliest", spec->earliest) && lf_put_number(record, "latest", spec->latest) &&
        lf_put_number(record, "tolerance", spec->tolerance) &&
        lf_put_number(record, "features", (double)spec->features) &&
        lf_put_number(record, "rule", (double)spec->rule) &&
        lf_put_number(record, "seed_high", (double)(spec->seed >> 32)) &&
        lf_put_number(record, "seed_low", (double)(spec->seed & UINT32_MAX)) &&
        lf_put_number(record, "grids", (double)spec->frozen_count) &&
        lf_put_array(record, "nodes", 2 * spec->frozen_count, (const double *)spec->frozen) &&
        (spec->run_count == 0 || (lf_put_number(record, "run_count", (double)spec->run_count) &&
                                  lf_put_array(record, "runs", 3 * spec->run_count, (const double *)spec->runs)));
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

/* The number of grids of a model with uniform nodes. */
static size_t grid_count(const lf_model *model, lf_sharing sharing)
{
    size_t sources = (size_t)model->force_count;
    for (int d = 0; d < model->output_count; d++) {
        sources += model->outputs[d].has_private != 0;
    }
    return sharing == LF_SHARE_ALL && sources ? 1 : sources;
}

/* The force of source i: the shared ones, then the private ones by output. */
static const lf_force *source_force(const lf_model *model, size_t i)
{
    if (i < (size_t)model->force_count) {
        return &model->forces[i];
    }
    i -= (size_t)model->force_count;
    for (int d = 0; d < model->output_count; d++) {
        if (model->outputs[d].has_private && i-- == 0) {
            return &model->outputs[d].private_force;
        }
    }
    return NULL;
}

/* Grid g has nodes in the number and with the step that its force can have. */
static int is_possible(const lf_model *model, const lf_grid_spec *spec, size_t g)
{
    double count = spec->frozen[g].count, step = spec->frozen[g].step;
    const lf_force *force = spec->sharing == LF_SHARE_NONE ? source_force(model, g) : NULL;
    int lines_only = force && lf_force_lines(force) && count == 0;
    return lines_only ? step == 0 : count >= 1 && count <= LF_MAX_COLUMNS && count == floor(count) && step > 0;
}

/* The runs of grids with gaps: in order, apart, and as many nodes as the grid has. */
static lf_status load_runs(lf_context *ctx, const json_t *object, lf_grid_spec *spec)
{
    enum { LAST = 1000000000 };
    size_t count = 0;
    if (!json_object_get(object, "run_count")) {
        return LF_OK;
    }
    lf_status status = lf_get_count(ctx, object, "run_count", 1, LF_MAX_COLUMNS, &count);
    LF_TRY(status, lf_check_array(ctx, object, "runs", 3 * count));
    spec->runs = status ? NULL : calloc(count + 1, sizeof *spec->runs);
    status = status || spec->runs ? status : lf_no_memory(ctx);
    LF_TRY(status, lf_get_array(ctx, object, "runs", 3 * count, (double *)spec->runs));
    double nodes = 0, least = 0;
    for (size_t i = 0; !status && i < count; i++, spec->run_count++) {
        const lf_frozen_run *r = &spec->runs[i];
        int opens = i == 0 || r->grid != r[-1].grid, closes = i + 1 == count || r[1].grid != r->grid;
        nodes = (opens ? 0 : nodes) + r->run.count;
        least = opens ? 0 : least;
        int valid = r->grid >= 0 && r->grid < (double)spec->frozen_count && r->grid == floor(r->grid) &&
                    (i == 0 || r->grid >= r[-1].grid) && r->run.first >= least && r->run.first <= LAST &&
                    r->run.first == floor(r->run.first) && r->run.count >= 1 && r->run.count == floor(r->run.count) &&
                    nodes <= LF_MAX_COLUMNS && (!closes || nodes == spec->frozen[(size_t)r->grid].count);
        status = valid && spec->sharing == LF_SHARE_NONE ? LF_OK : lf_get_fail(ctx, "runs", "is damaged");
        least = r->run.first + r->run.count;
    }
    return status;
}

/* The frozen nodes of a uniform rule. */
static lf_status load_nodes(lf_context *ctx, const lf_model *model, const json_t *object, lf_grid_spec *spec)
{
    size_t grids = 0, expected = spec->rule == LF_RULE_UNIFORM ? grid_count(model, spec->sharing) : 0;
    lf_status status = lf_get_count(ctx, object, "grids", 0, 1000000000, &grids);
    if (!status && grids != expected) {
        status = lf_get_fail(ctx, "grids", "is damaged or belongs to another model");
    }
    LF_TRY(status, lf_check_array(ctx, object, "nodes", 2 * grids));
    spec->frozen = status ? NULL : calloc(grids + 1, sizeof *spec->frozen);
    status = status || spec->frozen ? status : lf_no_memory(ctx);
    LF_TRY(status, lf_get_array(ctx, object, "nodes", 2 * grids, (double *)spec->frozen));
    for (size_t g = 0; !status && g < grids; g++, spec->frozen_count++) {
        if (!is_possible(model, spec, g)) {
            status = lf_get_fail(ctx, "nodes", "is out of range");
        }
    }
    return status ? status : load_runs(ctx, object, spec);
}

lf_status lf_grid_spec_load(lf_context *ctx, const lf_model *model, lf_sharing sharing, const json_t *object,
                            lf_grid_spec *spec)
{
    size_t rule = 0, high = 0, low = 0;
    *spec = (lf_grid_spec){.with_forces = 1, .sharing = sharing};
    lf_status status = lf_get_number(ctx, object, "earliest", -HUGE_VAL, HUGE_VAL, &spec->earliest);
    LF_TRY(status, lf_get_number(ctx, object, "latest", spec->earliest, HUGE_VAL, &spec->latest));
    LF_TRY(status, lf_get_number(ctx, object, "tolerance", 0, 1, &spec->tolerance));
    LF_TRY(status, lf_get_count(ctx, object, "features", 0, LF_MAX_COLUMNS, &spec->features));
    LF_TRY(status, lf_get_count(ctx, object, "rule", LF_RULE_UNIFORM, LF_RULE_COUNT - 1, &rule));
    LF_TRY(status, lf_get_count(ctx, object, "seed_high", 0, UINT32_MAX, &high));
    LF_TRY(status, lf_get_count(ctx, object, "seed_low", 0, UINT32_MAX, &low));
    spec->rule = (lf_rule)rule;
    spec->seed = ((uint64_t)high << 32) | (uint64_t)low;
    if (!status && spec->rule == LF_RULE_UNIFORM && model->input_dim > 1) {
        status = lf_get_fail(ctx, "rule", "is for one input and belongs to another model");
    }
    if (!status && spec->rule != LF_RULE_UNIFORM && (spec->features == 0 || sharing == LF_SHARE_ALL)) {
        status = lf_get_fail(ctx, "rule", "does not belong to this number of features or to this engine");
    }
    LF_TRY(status, lf_check_features(ctx, model, spec->rule));
    LF_TRY(status, load_nodes(ctx, model, object, spec));
    double columns = 0; /* as lf_features_create_bounded */
    for (int q = 0; !status && q < model->force_count; q++) {
        columns += 2 * (double)lf_grid_spec_nodes(spec, &model->forces[q], sharing == LF_SHARE_ALL ? 0 : q);
    }
    if (!status && columns > LF_MAX_COLUMNS) {
        status = lf_get_fail(ctx, "nodes", "has too many frequencies");
    }
    if (status) {
        lf_grid_spec_clear(spec);
    }
    return status;
}

size_t lf_grid_spec_nodes(const lf_grid_spec *spec, const lf_force *force, int source)
{
    size_t lines = spec->sharing == LF_SHARE_NONE ? lf_force_lines(force) : 0;
    return lines + ((size_t)source < spec->frozen_count ? (size_t)spec->frozen[source].count : spec->features);
}
