/* lf_plan: what a fit would do, as a table. The stages up to the model that the fit starts from run as in a fit; nothing is fitted. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "base/plural.h"
#include "base/processes.h"
#include "base/table.h"
#include "data/share.h"
#include "fit/pipeline.h"
#include "inference/estimate.h"
#include "select/outline.h"

/* A value that follows from the rows or from the model that the fit starts from. */
typedef struct resolved {
    const char *option, *reason;
    char value[96];
} resolved;

enum { MOST_RESOLVED = 20, COLUMNS = 6 };

typedef struct resolution {
    size_t count;
    resolved each[MOST_RESOLVED];
} resolution;

static const char of_start[] = "of the model that the fit starts from; the selection may change it";
static const char of_shape[] = "for the outputs and inputs of the data";

static void resolve(resolution *r, const char *option, const char *reason, const char *format, ...) LF_PRINTF(4, 5);
static void resolve(resolution *r, const char *option, const char *reason, const char *format, ...)
{
    if (r->count == MOST_RESOLVED) {
        return;
    }
    resolved *one = &r->each[r->count++];
    *one = (resolved){.option = option, .reason = reason};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(one->value, sizeof one->value, format, arguments);
    va_end(arguments);
}

/* A row: stage, kind, name, value, default, reason. */
static void add_row(lf_table *table, const char *const cells[COLUMNS])
{
    for (size_t i = 0; i < COLUMNS; i++) {
        lf_table_add_word(table, cells[i]);
    }
}

/* ---- what follows from rows and model ---- */

static void resolve_shape(const lf_pipeline *f, resolution *r)
{
    const lf_fit_plan *plan = &f->plan;
    lf_shape_options shape = f->structure.shape;
    if (f->problem->given) {
        return;
    }
    lf_fill_shape(&shape, f->problem->summary->output_count, f->problem->training->input_dim);
    const char *forces = *plan->components ? plan->components : plan->open & LF_OPEN_FORCES ? of_start : of_shape;
    resolve(r, "operator", of_shape, "%s", shape.operator_type);
    resolve(r, "forces", forces, "%d", shape.forces);
    resolve(r, "force-kernel", plan->open & LF_OPEN_KERNEL ? of_start : of_shape, "%s", shape.force_kernel);
    resolve(r, "private", of_shape, "%s", shape.private_forces);
    resolve(r, "private-kernel", of_shape, "%s", shape.private_kernel);
    resolve(r, "copies", of_shape, "%d", shape.copies);
}

static lf_status resolve_fit(lf_pipeline *f, resolution *r)
{
    const lf_structure *s = &f->structure;
    lf_fit_estimate e = {0};
    char size[LF_SIZE_TEXT];
    lf_status status = lf_estimate_fit(f->ctx, f->problem, &f->plan, s, &e);
    if (status) {
        return status;
    }
    resolve(r, "prior", of_start, "%s", lf_prior_name(s->prior));
    resolve(r, "restarts", "of the model that the fit starts from; 1 after a comparison by short fits", "%zu",
            s->restarts);
    resolve(r, "max-iterations", of_start, "%zu", s->iterations);
    resolve(r, "tolerance", "while fitting", "%g", s->fitting.tolerance);
    if (isfinite(e.bytes) && e.choice.class) {
        resolve(r, "engine", "fewest operations of those within memory, for the model that the fit starts from", "%s",
                e.choice.class->name);
    }
    if (f->plan.engine.features) {
        resolve(r, "features", "for so many rows with several inputs", "%zu", f->plan.engine.features);
    }
    resolve(r, "errors", of_start, "%s", lf_finds_errors(&f->plan, lf_free_parameters(s->start, NULL)) ? "yes" : "no");
    resolve(r, "seed", "of the context", "%llu", (unsigned long long)f->ctx->seed);
    resolve(r, "memory", "of this machine", "%s", lf_size_text(lf_memory_limit(f->ctx), size));
    return LF_OK;
}

static lf_status resolve_validation(lf_pipeline *f, resolution *r)
{
    lf_status status = lf_validation_begin(f->ctx, f->problem, &f->plan, &f->structure, f->structure.start, &f->monitor,
                                           &f->validation);
    size_t refits = f->validation.count;
    if (!status && refits) {
        resolve(r, "calibrate", "several outputs with gaps, or asked for", "yes: %zu refit%s without windows of %.4g",
                refits, lf_plural(refits), f->validation.length);
    } else if (!status) {
        resolve(r, "calibrate", "one output, no gaps, or not asked for", "no");
    }
    return status;
}

/* ---- the rows of the table ---- */

/* The stage that an option belongs to. */
static const char *stage_of(const lf_option *option)
{
    static const char *const stages[][2] = {
        {"origin", "problem"},        {"horizon", "problem"},      {"equations", "problem"},
        {"init", "problem"},          {"period", "selection"},     {"calibrate", "validation"},
        {"errors", "errors"},         {"posterior", "posterior"},  {"inducing", "start"},
        {"inducing-inputs", "start"}, {"learn-inducing", "start"}, {"inducing-noise", "start"}};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        if (strcmp(stages[i][0], option->name) == 0) {
            return stages[i][1];
        }
    }
    return strcmp(option->group, "model") == 0 ? "start" : "fit";
}

static void add_options(const lf_pipeline *f, const resolution *r, lf_table *table)
{
    for (size_t i = 0; lf_fit_option(i); i++) {
        const lf_option *option = lf_fit_option(i);
        const char *given = lf_options_text(f->options, option->name), *reason = given ? "given" : "default";
        const char *value = given ? given : option->fallback;
        for (size_t k = 0; k < r->count; k++) {
            int open = !given || strcmp(given, "auto") == 0 || strcmp(given, "half") == 0;
            if (open && strcmp(r->each[k].option, option->name) == 0) {
                value = r->each[k].value;
                reason = r->each[k].reason;
            }
        }
        add_row(table, (const char *const[COLUMNS]){stage_of(option), "option", option->name, value, option->fallback,
                                                    reason});
    }
}

static void add_thresholds(lf_table *table)
{
    static const struct {
        const char *stage, *name, *reason;
        double value;
    } thresholds[] = {
#define LF_ROW(stage, name, value, reason) {stage, #name, reason, (value)},
        LF_THRESHOLDS(LF_ROW)
#undef LF_ROW
    };
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        char value[32];
        snprintf(value, sizeof value, "%.6g", thresholds[i].value);
        add_row(table, (const char *const[COLUMNS]){thresholds[i].stage, "threshold", thresholds[i].name, value, value,
                                                    thresholds[i].reason});
    }
}

/* Something smaller where the model is beyond the limits, as the selection begins. */
static lf_status keep_within_limits(lf_pipeline *f, lf_search *search)
{
    f->reports->part_of = "selection";
    search->report = lf_report_begin(f->reports, "limits");
    lf_status status = f->problem->given ? LF_OK : lf_keep_within_limits(search);
    lf_report_end(search->report);
    return status;
}

/* What the stages before the selection found, and what the selection would compare. */
static lf_status add_stages(lf_pipeline *f, lf_table *table)
{
    lf_outline outline[LF_MOST_OUTLINES];
    lf_problem here = *f->problem;
    size_t count = 0;
    here.local = NULL;
    lf_search search = lf_search_begin(f->ctx, &here, &f->plan, &f->monitor, &f->structure);
    lf_status status = keep_within_limits(f, &search);
    for (size_t i = 0; !status && i < f->reports->count; i++) {
        const lf_stage_report *report = f->reports->each[i];
        if (*report->decision) {
            add_row(table, (const char *const[COLUMNS]){report->name, "decision", report->name, report->decision, NULL,
                                                        report->reason});
        }
    }
    if (!status && !f->problem->given) {
        status = lf_outline_proposals(&search, &count, outline);
    }
    for (size_t i = 0; !status && i < count; i++) {
        add_row(table, (const char *const[COLUMNS]){"selection", "proposal", outline[i].name, outline[i].what, NULL,
                                                    outline[i].cost});
    }
    return status;
}

static lf_status fill(lf_pipeline *f, lf_table *table)
{
    resolution *r = calloc(1, sizeof *r);
    lf_status status = r ? add_stages(f, table) : lf_no_memory(f->ctx);
    if (!status) {
        resolve_shape(f, r);
    }
    LF_TRY(status, resolve_fit(f, r));
    LF_TRY(status, resolve_validation(f, r));
    if (!status) {
        add_options(f, r, table);
        add_thresholds(table);
    }
    free(r);
    return status ? status : lf_table_check(f->ctx, table);
}

lf_status lf_plan(lf_context *ctx, const lf_data *data, const lf_options *fit, lf_table **plan)
{
    static const lf_table_heading headings[COLUMNS] = {{"stage", LF_WORDS},   {"kind", LF_WORDS},
                                                       {"name", LF_WORDS},    {"value", LF_WORDS},
                                                       {"default", LF_WORDS}, {"reason", LF_WORDS}};
    lf_pipeline f;
    *plan = NULL;
    if (!data) {
        return lf_missing(ctx, "table");
    }
    lf_status status = lf_pipeline_begin(ctx, data, fit, &f);
    LF_TRY(status, lf_pipeline_run(&f, "selection"));
    LF_TRY(status, lf_table_create(ctx, COLUMNS, headings, plan));
    LF_TRY(status, fill(&f, *plan));
    status = lf_data_is_shared(data) ? lf_agree(ctx, status) : status;
    if (status) {
        lf_table_free(*plan);
        *plan = NULL;
    }
    lf_pipeline_end(&f);
    return status;
}
