/* Equations that need no fit: a text in which every value is given is a model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "model/model.h"
#include "model/model_file.h"

/* What a text leaves open, and what to write about it. */
typedef struct missing {
    FILE *names, *remedies;
    int count, constants, forces, outputs, starts;
} missing;

static void add(missing *m, const char *before, const char *name)
{
    fprintf(m->names, "%s%s%s", m->count++ ? ", " : "", before, name);
}

static void add_remedy(missing *m, const char *first, const char *name, const char *last)
{
    fprintf(m->remedies, "%s'%s%s%s'", m->constants + m->forces + m->outputs + m->starts > 1 ? ", " : "", first, name,
            last);
}

static void find_constants(const lf_model *model, missing *m)
{
    const lf_equations *equations = model->system->equations;
    for (int i = 0; i < equations->parameter_count; i++) {
        if (isnan(model->system->constants[i])) {
            add(m, "", equations->parameters[i].name);
            if (m->constants++ == 0) {
                add_remedy(m, "parameter ", equations->parameters[i].name, " = v");
            }
        }
    }
}

static void find_forces(const lf_model *model, missing *m)
{
    const lf_equations *equations = model->system->equations;
    for (int i = 0; i < equations->force_count; i++) {
        const lf_eq_force *force = &equations->forces[i];
        int q = model->system->force[i], size = isnan(model->system->amplitude[i]),
            length = q >= 0 && isnan(model->forces[q].lengthscale[0]);
        if (length) {
            add(m, "the lengthscale of ", force->name);
        }
        if (size) {
            add(m, force->white ? "the sd of " : "the amplitude of ", force->name);
        }
        if ((size || length) && m->forces++ == 0) {
            char last[80];
            snprintf(last, sizeof last, force->white ? " ~ white(sd = v)" : " ~ %s(lengthscale = v, amplitude = v)",
                     force->white ? "" : model->forces[q].kernel->name);
            add_remedy(m, "force ", force->name, last);
        }
    }
}

static void find_outputs(const lf_model *model, missing *m)
{
    for (int d = 0; d < model->output_count; d++) {
        if (isnan(model->outputs[d].noise_variance)) {
            add(m, "the noise of ", model->outputs[d].name);
            if (m->outputs++ == 0) {
                add_remedy(m, "output ", model->outputs[d].name, " = … noise = v");
            }
        }
    }
}

static void find_starts(const lf_model *model, missing *m)
{
    const lf_equations *equations = model->system->equations;
    for (int i = 0; equations->start == LF_EQ_START_DEFAULT && i < equations->state_count; i++) {
        if (!lf_system_start_is_given(equations, i)) {
            char name[256];
            lf_equations_state_name(equations, i, sizeof name, name);
            add(m, "the start of ", name);
            if (m->starts++ == 0) {
                add_remedy(m, "start rest', 'start steady' or 'start ", name, " ~ normal(m, s)");
            }
        }
    }
}

/* Fails with the names of what has no value. */
static lf_status require_values(lf_context *ctx, const lf_model *model, const char *name)
{
    char *names = NULL, *remedies = NULL;
    size_t size;
    missing m = {.names = open_memstream(&names, &size), .remedies = open_memstream(&remedies, &size)};
    lf_status status = m.names && m.remedies ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        find_constants(model, &m);
        find_forces(model, &m);
        find_outputs(model, &m);
        find_starts(model, &m);
    }
    int failed = m.names && fclose(m.names) != 0;
    failed |= m.remedies && fclose(m.remedies) != 0;
    if (!status && (failed || !names || !remedies)) {
        status = lf_no_memory(ctx);
    }
    if (!status && m.count > 0) {
        status = lf_fail(ctx, LF_ERROR_MODEL,
                         "%s: is no complete model: it has no value for %s; fit it to data (latentforce fit DATA "
                         "--equations %s -o model.json), or give values: %s",
                         name, names, name, remedies);
    }
    free(names);
    free(remedies);
    return status;
}

lf_status lf_model_complete(lf_context *ctx, lf_model *model, const char *name)
{
    lf_status status = require_values(ctx, model, name);
    if (!status && model->system->equations->time_unit) {
        char unit[8] = "";
        strncat(unit, model->system->equations->time_unit, sizeof unit - 1);
        status = lf_model_set_axes(ctx, model, &(lf_axis){.unit = unit});
    }
    return status ? status : lf_model_check(ctx, model, name);
}
