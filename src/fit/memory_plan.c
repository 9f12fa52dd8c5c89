/* A fit within the limit of memory. The limit decides, not the machine: the same --memory gives the same model anywhere, and the words of
 * what was taken give it without a limit. `propose` lists the alternatives in the order in which they are tried. */
#include "fit/memory_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "data/data.h"
#include "engine/engine.h"
#include "fit/initial_model.h"

enum { INDUCING = 40, FORCES = 4, MOST_PROPOSALS = 16 };

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* The Hessian of standard errors, its eigenvectors and work. */
static double error_bytes(const lf_model *model, const lf_fit_options *options)
{
    enum { FEW_FREE = 100 }; /* fit.c */
    double count = (double)lf_free_parameters(model, NULL);
    int wanted = is(options->errors, "yes") || (!is(options->errors, "no") && count <= FEW_FREE);
    return wanted ? 4 * sizeof(double) * count * count : 0;
}

/* The model as a fit by this engine starts: within the limits of its prior, which may ask for fewer frequencies. */
static lf_status clamped_copy(lf_context *ctx, const lf_model *model, const lf_training *training,
                              const lf_fit_options *options, lf_model **copy)
{
    lf_prior prior = {0};
    lf_status status = lf_model_copy(ctx, model, copy);
    status = status ? status
                    : lf_prior_create(ctx, model, training->summary,
                                      (lf_prior_options){.kind = options->prior, .resolves_lengthscales = 1}, &prior);
    status = status ? status : lf_clamp_to_bounds(ctx, &prior, *copy);
    lf_prior_clear(&prior);
    return status;
}

/* The estimate for the starts, and for the posterior on its own. */
static double sum_up(const lf_rows *rows, const lf_engine_choice *choice, const lf_model *model,
                     const lf_fit_options *options, double starts)
{
    static const lf_context alone;
    const lf_memory_estimate *m = &choice->memory;
    double one = lf_engine_bytes(&alone, rows, m) - m->work, posterior = m->posterior + m->diagnosis;
    /* an engine whose frequencies move is made anew beside the old one */
    double moving = choice->class->needs_regrid ? fmax(m->state - m->work, 0) : 0;
    return fmax(starts + moving, one + fmax(posterior, m->work)) + error_bytes(model, options);
}

/* The posterior has a finer tolerance than the fit, unless that is beyond the limit. */
static double posterior_bytes(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                              const lf_fit_options *options)
{
    lf_engine_choice final;
    double bytes = 0;
    size_t engines = ctx->engines;
    ctx->engines = 0;
    lf_status status = lf_engine_estimate(ctx, model, rows, &options->engine, &final, &bytes);
    ctx->engines = engines;
    bytes += status ? 0 : fmax(final.memory.posterior + final.memory.diagnosis - final.memory.work, 0);
    return status || bytes > lf_memory_limit(ctx) ? 0 : bytes;
}

lf_status lf_fit_bytes(lf_context *ctx, const lf_model *model, const lf_training *training,
                       const lf_fit_options *options, lf_engine_choice *choice, double *bytes)
{
    lf_fit_options filled = lf_fit_defaults(model, options);
    lf_rows rows;
    lf_model *start = NULL;
    double starts;
    *bytes = INFINITY;
    lf_status status = lf_rows_create(ctx, model, training->data, &rows);
    if (status) {
        return status;
    }
    status = lf_engine_estimate(ctx, model, &rows, &filled.engine, choice, &starts);
    int resolves =
        !status && choice->class->resolves_lengthscales && choice->class->resolves_lengthscales(model, &filled.engine);
    if (resolves) {
        status = clamped_copy(ctx, model, training, &filled, &start);
        status = status ? status : lf_engine_estimate(ctx, start, &rows, &filled.engine, choice, &starts);
    }
    if (!status && isfinite(choice->cost)) {
        *bytes = sum_up(&rows, choice, model, options, starts);
    }
    if (!status && resolves && !(options->engine.tolerance > 0)) {
        *bytes = fmax(*bytes, posterior_bytes(ctx, start, &rows, options));
    }
    lf_model_free(start);
    lf_rows_clear(&rows);
    return status;
}

/* ---- alternatives ---- */

/* The choice of the engine, of the number of forces and of their kernel was left to the fit. */
typedef struct freedom {
    int engine, forces, kernel;
} freedom;

static freedom find_freedom(const lf_fit_options *o)
{
    const lf_engine_options *e = &o->engine;
    int named = e->engine && !is(e->engine, "auto");
    return (freedom){.engine = !named && !e->nodes && !e->features && !e->inducing,
                     .forces = !lf_fit_options_given(o, "forces") && !o->shape.kernels,
                     .kernel = !lf_fit_options_given(o, "force-kernel") && !lf_fit_options_given(o, "private-kernel")};
}

static void add_word(lf_fallback *f, const char *word, const char *value)
{
    size_t used = strlen(f->words);
    snprintf(f->words + used, sizeof f->words - used, "%s%s %s", used ? " " : "", word, value);
}

static void set_forces(lf_fallback *f, int forces)
{
    char number[16];
    f->shape.forces = forces;
    snprintf(number, sizeof number, "%d", forces);
    add_word(f, "--forces", number);
}

static void set_inducing(lf_fallback *f, int count)
{
    char number[16];
    f->engine.engine = "pitc";
    f->engine.inducing = (size_t)count;
    snprintf(number, sizeof number, "%d", count);
    add_word(f, "--engine", "pitc");
    add_word(f, "--inducing", number);
}

static void set_kernel(lf_fallback *f, const char *kernel)
{
    f->shape.force_kernel = kernel;
    f->shape.kernels = NULL;
    f->shape.private_kernel = NULL;
    add_word(f, "--force-kernel", kernel);
}

/* Alternatives in order, as far as `free` allows; their number. */
static size_t propose(const lf_training *training, const lf_fit_options *options, freedom free,
                      lf_fallback list[MOST_PROPOSALS])
{
    const lf_fallback same = {.engine = options->engine, .shape = options->shape};
    int outputs = training->summary->output_count, inputs = training->data->input_dim;
    lf_shape_options filled = options->shape;
    lf_fill_shape(&filled, outputs, inputs);
    size_t rows = training->observed ? training->observed->n : training->data->n;
    int times = (int)fmin(INDUCING, ceil((double)rows / outputs)),
        few = filled.forces < FORCES ? filled.forces : FORCES;
    size_t count = 0;
    if (free.engine &&
        options->inputs.count == 0) { /* shared forces through inducing values, the rest of each output exactly */
        lf_fallback *f = &list[count++];
        *f = same;
        set_inducing(f, times);
        if (free.forces && few < filled.forces) {
            set_forces(f, few);
        }
        if (free.kernel && !is(filled.force_kernel, "eq")) {
            set_kernel(f, "eq");
        }
    }
    for (int forces = filled.forces / 2; free.forces && forces >= 1 && count < MOST_PROPOSALS; forces /= 2) {
        list[count] = same;
        set_forces(&list[count++], forces);
    }
    return count;
}

/* The first of the proposals that is within the limit; count: none. Its model is made. */
static lf_status find_first(lf_context *ctx, const lf_training *training, const lf_fit_options *options, size_t count,
                            lf_fallback *list, size_t *first, lf_model **model)
{
    lf_log_function log = ctx->log;
    lf_status status = LF_OK;
    ctx->log = NULL;
    *model = NULL;
    for (*first = 0; !status && *first < count; ++*first) {
        lf_fit_options changed = *options;
        lf_engine_choice choice;
        changed.engine = list[*first].engine;
        changed.shape = list[*first].shape;
        status = lf_shaped_model(ctx, training, &changed, &changed.shape, model);
        status = status ? status : lf_fit_bytes(ctx, *model, training, &changed, &choice, &list[*first].bytes);
        if (!status && list[*first].bytes <= lf_memory_limit(ctx)) {
            break;
        }
        lf_model_free(*model);
        *model = NULL;
        status = status == LF_ERROR_MEMORY || status == LF_ERROR_CANCELLED ? status : LF_OK;
    }
    ctx->log = log;
    return status;
}

/* ---- messages ---- */

/* "needs 24 GB (fourier engine), more than the limit of 4 GB", or that no engine can evaluate the model. */
static void describe(lf_context *ctx, const lf_engine_choice *choice, double bytes, size_t size, char *text)
{
    char needed[LF_SIZE_TEXT], limit[LF_SIZE_TEXT];
    if (isfinite(bytes)) {
        snprintf(text, size, "takes about %s with the %s engine, more than the limit of %s",
                 lf_size_text(bytes, needed), choice->class->name, lf_size_text(lf_memory_limit(ctx), limit));
    } else {
        snprintf(text, size, "is too large for every exact engine");
    }
}

static lf_status refuse(lf_context *ctx, const lf_training *training, int by_shape, const lf_fit_options *options,
                        const lf_model *model, const lf_engine_choice *choice, double bytes)
{
    char problem[200], fits[400] = "", option[LF_SIZE_TEXT];
    freedom all[] = {{.engine = 1}, {.engine = 1, .forces = 1, .kernel = 1}, {.forces = 1}};
    describe(ctx, choice, bytes, sizeof problem, problem);
    for (size_t i = 0; by_shape && i < sizeof all / sizeof *all; i++) {
        lf_fallback list[MOST_PROPOSALS];
        lf_fit_options asked = *options;
        lf_model *made = NULL;
        char size[LF_SIZE_TEXT];
        size_t used = strlen(fits), first, count = propose(training, &asked, all[i], list);
        lf_status status = find_first(ctx, training, &asked, count, list, &first, &made);
        lf_model_free(made);
        if (status) {
            return status;
        }
        if (first < count && !strstr(fits, list[first].words)) {
            snprintf(fits + used, sizeof fits - used, "%s%s (%s)", used ? "; " : "", list[first].words,
                     lf_size_text(list[first].bytes, size));
        }
    }
    const char *allow = isfinite(bytes) ? ", or allow more by --memory " : "";
    return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "a fit of %zu rows of %d outputs with %d force%s %s; what fits: %s%s%s",
                   training->data->n, model->output_count, model->force_count, model->force_count == 1 ? "" : "s",
                   problem, *fits ? fits : "fewer rows or outputs", allow,
                   isfinite(bytes) ? lf_size_option(bytes, option) : "");
}

static void note(lf_context *ctx, const lf_model *model, const lf_engine_choice *choice, double bytes,
                 const lf_fallback *taken)
{
    char problem[200], size[LF_SIZE_TEXT], option[LF_SIZE_TEXT], more[96] = "";
    describe(ctx, choice, bytes, sizeof problem, problem);
    if (isfinite(bytes)) {
        snprintf(more, sizeof more, "; --memory %s allows the former", lf_size_option(bytes, option));
    }
    lf_note(ctx, "the model of %d outputs and %d force%s %s; taken instead: %s (about %s)%s", model->output_count,
            model->force_count, model->force_count == 1 ? "" : "s", problem, taken->words,
            lf_size_text(taken->bytes, size), more);
}

lf_status lf_fit_within_memory(lf_context *ctx, const lf_training *training, int by_shape, lf_fit_options *options,
                               lf_model **model, lf_fallback *taken)
{
    lf_engine_choice choice;
    lf_fallback list[MOST_PROPOSALS];
    double bytes;
    *taken = (lf_fallback){0};
    lf_status status = lf_fit_bytes(ctx, *model, training, options, &choice, &bytes);
    if (status || bytes <= lf_memory_limit(ctx)) {
        return status;
    }
    if (!isfinite(bytes) && !(by_shape && find_freedom(options).engine)) {
        return LF_OK; /* the engine itself says why it cannot be made */
    }
    size_t count = by_shape ? propose(training, options, find_freedom(options), list) : 0, first = 0;
    lf_model *other = NULL;
    status = find_first(ctx, training, options, count, list, &first, &other);
    if (status || !other) {
        return status ? status : refuse(ctx, training, by_shape, options, *model, &choice, bytes);
    }
    *taken = list[first];
    note(ctx, *model, &choice, bytes, taken);
    options->engine = taken->engine;
    options->shape = taken->shape;
    lf_model_free(*model);
    *model = other;
    return LF_OK;
}
