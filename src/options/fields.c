/* Where the values of options go: the fields of lf_options, and what follows from some values. */
#include <stddef.h>
#include <string.h>

#include "base/context.h"
#include "options/options.h"

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

static const char *const prior_names[] = {
    [LF_PRIOR_DEFAULT] = "auto", [LF_PRIOR_WEAK] = "weak", [LF_PRIOR_FIRM] = "firm", [LF_PRIOR_NONE] = "none"};

const char *lf_prior_name(lf_prior_kind kind) { return prior_names[kind]; }

static lf_status set_operator(lf_context *ctx, lf_options *o, const char *text)
{
    if (strchr(text, '=')) {
        return LF_OK; /* it is in the list of the shape */
    }
    if (o->shape.operator_type || o->select_operator) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--operator %s: an operator for all outputs is given already", text);
    }
    o->select_operator = is(text, "auto");
    o->shape.operator_type = o->select_operator ? NULL : text;
    return LF_OK;
}

static lf_status set_force_kernel(lf_context *ctx, lf_options *o, const char *text)
{
    int several = o->kernels.count > 1;
    if (several && (o->select_kernel || is(text, "auto"))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "--force-kernel %s: auto compares kernels of all forces and cannot go with another one", text);
    }
    o->select_kernel = is(text, "auto");
    o->shape.force_kernel = o->select_kernel ? NULL : text;
    o->shape.kernels = several ? (const char *const *)o->kernels.item : NULL;
    return LF_OK;
}

/* "auto" and "none" are not in the list of periods. */
static lf_status set_period(lf_context *ctx, lf_options *o, const char *text)
{
    const lf_option *option = lf_fit_option_find("period");
    const char *before = lf_options_text(o, "period");
    if (before && (lf_option_lists(option, text) || lf_option_lists(option, before))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--period %s: auto and none cannot go with another --period", text);
    }
    o->no_periods = is(text, "none");
    return LF_OK;
}

static lf_status set_forces(lf_context *ctx, lf_options *o, const char *text)
{
    (void)ctx;
    o->select_forces = is(text, "auto"); /* a number is stored by its field */
    return LF_OK;
}

static lf_status set_posterior(lf_context *ctx, lf_options *o, const char *text)
{
    (void)ctx;
    o->no_posterior = is(text, "no");
    return LF_OK;
}

static lf_status set_prior(lf_context *ctx, lf_options *o, const char *text)
{
    (void)ctx;
    for (int kind = LF_PRIOR_DEFAULT; kind <= LF_PRIOR_NONE; kind++) {
        o->prior = is(text, prior_names[kind]) ? (lf_prior_kind)kind : o->prior;
    }
    return LF_OK;
}

static lf_status set_refit(lf_context *ctx, lf_options *o, const char *text)
{
    (void)ctx;
    o->no_refit = is(text, "no");
    return LF_OK;
}

static lf_status set_seed(lf_context *ctx, lf_options *o, const char *text)
{
    (void)ctx;
    (void)text;
    o->seed = &o->seed_value;
    return LF_OK;
}

typedef enum lf_field_kind { TEXT, COUNT, INTEGER, NUMBER, FLAG, SEED, OTHER } lf_field_kind;

/* Where the value of an option goes, and what else follows from it. The text is owned by the options. */
static const struct {
    const char *name;
    lf_field_kind kind;
    size_t offset;
    lf_status (*set)(lf_context *ctx, lf_options *options, const char *text);
} fields[] = {
#define LF_AT(kind, field) kind, offsetof(lf_options, field)
    {"copies", LF_AT(INTEGER, shape.copies), NULL},
    {"initial", LF_AT(TEXT, shape.initial), NULL},
    {"private", LF_AT(TEXT, shape.private_forces), NULL},
    {"private-kernel", LF_AT(TEXT, shape.private_kernel), NULL},
    {"offset", LF_AT(TEXT, shape.offset), NULL},
    {"scale", LF_AT(TEXT, shape.scale), NULL},
    {"equations", LF_AT(TEXT, equations), NULL},
    {"init", LF_AT(TEXT, init), NULL},
    {"origin", LF_AT(TEXT, origin), NULL},
    {"horizon", LF_AT(TEXT, horizon), NULL},
    {"restarts", LF_AT(COUNT, restarts), NULL},
    {"max-iterations", LF_AT(COUNT, max_iterations), NULL},
    {"max-seconds", LF_AT(NUMBER, max_seconds), NULL},
    {"errors", LF_AT(TEXT, errors), NULL},
    {"calibrate", LF_AT(TEXT, calibrate), NULL},
    {"checkpoint", LF_AT(TEXT, checkpoint), NULL},
    {"checkpoint-every", LF_AT(NUMBER, checkpoint_seconds), NULL},
    {"resume", LF_AT(FLAG, resume), NULL},
    {"engine", LF_AT(TEXT, engine.engine), NULL},
    {"nodes", LF_AT(TEXT, engine.nodes), NULL},
    {"features", LF_AT(COUNT, engine.features), NULL},
    {"tolerance", LF_AT(NUMBER, engine.tolerance), NULL},
    {"inducing", LF_AT(COUNT, engine.inducing), NULL},
    {"inducing-inputs", LF_AT(TEXT, engine.inducing_inputs), NULL},
    {"learn-inducing", LF_AT(FLAG, learn_inducing), NULL},
    {"inducing-noise", LF_AT(NUMBER, inducing_noise), NULL},
    {"threads", LF_AT(COUNT, threads), NULL},
    {"device", LF_AT(TEXT, engine.device), NULL},
    {"memory", LF_AT(TEXT, memory), NULL},
    {"coordinates", LF_AT(TEXT, coordinates), NULL},
    {"cross-validate", LF_AT(COUNT, folds), NULL},
    {"rolling", LF_AT(TEXT, rolling), NULL},
    {"span", LF_AT(TEXT, span), NULL},
    {"threshold", LF_AT(NUMBER, threshold), NULL},
    {"table-name", LF_AT(TEXT, table_name), NULL},
    {"targets", LF_AT(TEXT, request.targets), NULL},
    {"grid", LF_AT(COUNT, request.grid), NULL},
    {"ahead", LF_AT(TEXT, request.ahead), NULL},
    {"from", LF_AT(TEXT, request.from), NULL},
    {"to", LF_AT(TEXT, request.to), NULL},
    {"step", LF_AT(TEXT, request.step), NULL},
    {"level", LF_AT(NUMBER, request.level), NULL},
    {"noise", LF_AT(TEXT, request.noise), NULL},
    {"samples", LF_AT(COUNT, request.samples), NULL},
    {"rows", LF_AT(FLAG, request.rows), NULL},
    {"forces", LF_AT(INTEGER, shape.forces), set_forces},
    {"seed", LF_AT(SEED, seed_value), set_seed},
#undef LF_AT
    {"operator", OTHER, 0, set_operator},
    {"force-kernel", OTHER, 0, set_force_kernel},
    {"period", OTHER, 0, set_period},
    {"posterior", OTHER, 0, set_posterior},
    {"prior", OTHER, 0, set_prior},
    {"refit", OTHER, 0, set_refit}};

lf_status lf_option_store(lf_context *ctx, lf_options *o, const char *name, const char *text, double number,
                          uint64_t count)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        void *field = (char *)o + fields[i].offset;
        if (!is(name, fields[i].name)) {
            continue;
        }
        switch (fields[i].kind) {
        case TEXT:
            *(const char **)field = text;
            break;
        case COUNT:
            *(size_t *)field = (size_t)count;
            break;
        case INTEGER:
            *(int *)field = (int)count;
            break;
        case NUMBER:
            *(double *)field = number;
            break;
        case FLAG:
            *(int *)field = is(text, "yes");
            break;
        case SEED:
            *(uint64_t *)field = count;
            break;
        case OTHER:
            break;
        }
        return fields[i].set ? fields[i].set(ctx, o, text) : LF_OK;
    }
    return LF_OK; /* it is in a list */
}
