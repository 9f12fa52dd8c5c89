/* A fit within the limits of memory and of work. The limits decide, not the machine: the same --memory gives the same model anywhere, and
 * the words of what was taken give it without a limit. `propose` lists the alternatives in the order in which they are tried. */
#include "fit/fit_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "base/plural.h"
#include "data/data.h"
#include "engine/engine.h"
#include "fit/first_stage.h"
#include "fit/initial_model.h"

#define FAR_BEYOND 4 /* times the limit of work: what was asked for is told to take long */
/* More forces through inducing values gain little, and intervals become too narrow (docs/performance.md). */
enum { INDUCING = 40, FORCES = 4, MOST_PROPOSALS = 16 };

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* ---- estimates ---- */

typedef struct estimate {
    lf_engine_choice choice;
    double bytes, work; /* infinite: the model cannot be evaluated; work 0: it is not limited */
} estimate;

/* Work is limited for many outputs along one input: the alternatives are for these. */
static lf_status estimate_fit(lf_context *ctx, const lf_model *model, const lf_training *training,
                              const lf_fit_options *options, estimate *e)
{
    int limited = lf_fit_defaults(model, options).prior == LF_PRIOR_FIRM && training->data->input_dim == 1;
    *e = (estimate){.bytes = INFINITY, .work = INFINITY};
    lf_status status = lf_fit_bytes(ctx, model, training, options, &e->choice, &e->bytes);
    if (!status && isfinite(e->choice.cost)) {
        e->work = 0;
        status = limited ? lf_expected_work(ctx, model, training, options, e->choice.cost, &e->work) : LF_OK;
    }
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

/* Alternatives in order, as far as `free` allows; their number. *inducing: those with inducing values, which come first. */
static size_t propose(const lf_training *training, const lf_fit_options *options, freedom free,
                      lf_fallback list[MOST_PROPOSALS], size_t *inducing)
{
    const lf_fallback same = {.engine = options->engine, .shape = options->shape};
    int outputs = training->summary->output_count, inputs = training->data->input_dim;
    lf_shape_options filled = options->shape;
    lf_fill_shape(&filled, outputs, inputs);
    size_t rows = training->observed ? training->observed->n : training->data->n;
    int times = (int)fmin(INDUCING, ceil((double)rows / outputs));
    size_t count = 0;
    /* shared forces through inducing values, the rest of each output exactly */
    int induced = free.engine && options->inputs.count == 0, most = filled.forces < FORCES ? filled.forces : FORCES;
    for (int forces = free.forces ? most : filled.forces; induced && forces >= 1;
         forces = free.forces ? forces / 2 : 0) {
        lf_fallback *f = &list[count++];
        *f = same;
        set_inducing(f, times);
        if (forces < filled.forces) {
            set_forces(f, forces);
        }
        if (free.kernel && !is(filled.force_kernel, "eq")) {
            set_kernel(f, "eq");
        }
    }
    *inducing = count;
    for (int forces = filled.forces / 2; free.forces && forces >= 1 && count < MOST_PROPOSALS; forces /= 2) {
        list[count] = same;
        set_forces(&list[count++], forces);
    }
    return count;
}

/* The model of a proposal with its estimates; infinite ones where it cannot be made. */
static lf_status try_proposal(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                              lf_fallback *f, lf_model **model)
{
    lf_fit_options changed = *options;
    estimate e = {.bytes = INFINITY, .work = INFINITY};
    changed.engine = f->engine;
    changed.shape = f->shape;
    lf_status status = lf_shaped_model(ctx, training, &changed, &changed.shape, model);
    LF_TRY(status, estimate_fit(ctx, *model, training, &changed, &e));
    f->bytes = status ? (double)INFINITY : e.bytes;
    f->work = status ? (double)INFINITY : e.work;
    return status == LF_ERROR_MEMORY || status == LF_ERROR_CANCELLED ? status : LF_OK;
}

/* The first of the proposals within both limits or, if there is none and `any`, that of least work within the limit of memory; count: none.
 * Its model is made. */
static lf_status find_first(lf_context *ctx, const lf_training *training, const lf_fit_options *options, size_t count,
                            lf_fallback *list, int any, size_t *first, lf_model **model)
{
    lf_log_function log = ctx->log;
    lf_status status = LF_OK;
    double least = INFINITY;
    ctx->log = NULL;
    *model = NULL;
    *first = count;
    for (size_t i = 0; !status && i < count && !(least <= LF_MOST_WORK); i++) {
        lf_model *made = NULL;
        status = try_proposal(ctx, training, options, &list[i], &made);
        /* of those with inducing values the first within memory: fewer forces take little less work */
        int halved = *first < count && list[*first].engine.inducing && list[i].engine.inducing;
        int better = !status && list[i].bytes <= lf_memory_limit(ctx) && list[i].work < least && !halved &&
                     (any || list[i].work <= LF_MOST_WORK);
        if (better) {
            lf_model_free(*model);
            *model = made;
            *first = i;
            least = list[i].work;
        } else {
            lf_model_free(made);
        }
    }
    ctx->log = log;
    return status;
}

/* ---- messages ---- */

/* "3 min" of a core. */
static const char *minutes(double work, char text[32])
{
    double value = work / LF_USUAL_SPEED / 60;
    snprintf(text, 32, value < 120 ? "%.0f min" : "%.0f h", value < 120 ? fmax(value, 1) : value / 60);
    return text;
}

/* "takes about 24 GB with the fourier engine, more than the limit of 4 GB", or that no engine can evaluate the model. */
static void describe(lf_context *ctx, const estimate *e, size_t size, char *text)
{
    char needed[LF_SIZE_TEXT], limit[LF_SIZE_TEXT], time[32], most[32];
    if (!isfinite(e->bytes)) {
        snprintf(text, size, "cannot be evaluated by an exact engine");
    } else if (e->bytes > lf_memory_limit(ctx)) {
        snprintf(text, size, "takes about %s with the %s engine, more than the limit of %s",
                 lf_size_text(e->bytes, needed), e->choice.class->name, lf_size_text(lf_memory_limit(ctx), limit));
    } else {
        snprintf(text, size,
                 "takes about %s of a core with the %s engine, more than the %s that are taken without being asked for",
                 minutes(e->work, time), e->choice.class->name, minutes(LF_MOST_WORK, most));
    }
}

static lf_status refuse(lf_context *ctx, const lf_training *training, int by_shape, const lf_fit_options *options,
                        const lf_model *model, const estimate *e)
{
    char problem[200], fits[400] = "", option[LF_SIZE_TEXT];
    double least = e->bytes; /* that is enough for something */
    freedom all[] = {{.engine = 1}, {.engine = 1, .forces = 1, .kernel = 1}, {.forces = 1}};
    if (!isfinite(e->bytes)) { /* the engine itself says why it cannot be made */
        lf_engine *engine = NULL;
        lf_status status = lf_engine_create(ctx, model, training->data, &options->engine, &engine);
        lf_engine_free(engine);
        return status;
    }
    describe(ctx, e, sizeof problem, problem);
    for (size_t i = 0; by_shape && i < sizeof all / sizeof *all; i++) {
        lf_fallback list[MOST_PROPOSALS];
        lf_fit_options asked = *options;
        lf_model *made = NULL;
        char size[LF_SIZE_TEXT];
        size_t used = strlen(fits), first, inducing, count = propose(training, &asked, all[i], list, &inducing);
        lf_status status = find_first(ctx, training, &asked, count, list, 1, &first, &made);
        lf_model_free(made);
        if (status) {
            return status;
        }
        for (size_t k = 0; k < count && first == count; k++) { /* all were tried */
            least = fmin(least, list[k].bytes);
        }
        if (first < count && !strstr(fits, list[first].words)) {
            snprintf(fits + used, sizeof fits - used, "%s%s (%s)", used ? "; " : "", list[first].words,
                     lf_size_text(list[first].bytes, size));
        }
    }
    least = *fits ? e->bytes : least;
    const char *allow = isfinite(least) ? ", or allow more by --memory " : "";
    return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "a fit of %zu rows of %d outputs with %d force%s %s; what fits: %s%s%s",
                   training->data->n, model->output_count, model->force_count, lf_plural((size_t)model->force_count),
                   problem, *fits ? fits : "fewer rows or outputs", allow,
                   isfinite(least) ? lf_size_option(least, option) : "");
}

/* forces: those that the model has by default. */
static void note(lf_context *ctx, const lf_model *model, const estimate *e, int forces, const lf_fallback *taken)
{
    char problem[200], size[LF_SIZE_TEXT], option[LF_SIZE_TEXT], memory[64] = "", more[160] = "", time[48] = "",
                                                                 text[32];
    describe(ctx, e, sizeof problem, problem);
    if (!taken->for_time && isfinite(e->bytes)) {
        snprintf(memory, sizeof memory, " --memory %s", lf_size_option(e->bytes, option));
    } else if (taken->for_time) {
        snprintf(time, sizeof time, "%s, ", minutes(taken->work, text));
    }
    if (isfinite(e->bytes) && e->work > LF_MOST_WORK) {
        snprintf(more, sizeof more, "; --engine %s --forces %d%s takes the former", e->choice.class->name, forces,
                 memory);
    } else if (isfinite(e->bytes)) {
        snprintf(more, sizeof more, ";%s allows the former", memory);
    }
    lf_note(ctx, "the model of %d outputs and %d force%s %s; taken instead: %s (about %s%s)%s", model->output_count,
            model->force_count, lf_plural((size_t)model->force_count), problem, taken->words, time,
            lf_size_text(taken->bytes, size), more);
}

lf_status lf_fit_within_limits(lf_context *ctx, const lf_training *training, int by_shape, lf_fit_options *options,
                               lf_model **model, lf_fallback *taken)
{
    estimate e;
    lf_fallback list[MOST_PROPOSALS];
    freedom free = find_freedom(options);
    lf_shape_options filled = options->shape;
    lf_fill_shape(&filled, training->summary->output_count, training->data->input_dim);
    *taken = (lf_fallback){0};
    lf_status status = estimate_fit(ctx, *model, training, options, &e);
    int fits = e.bytes <= lf_memory_limit(ctx);
    if (status || (fits && e.work <= LF_MOST_WORK)) {
        return status;
    }
    if (!isfinite(e.bytes) && !(by_shape && free.engine)) {
        return LF_OK; /* the engine itself says why it cannot be made */
    }
    size_t first = 0, inducing = 0, count = by_shape ? propose(training, options, free, list, &inducing) : 0;
    lf_model *other = NULL;
    /* only memory is worth a model with fewer forces than the first proposal */
    status = find_first(ctx, training, options, fits ? inducing > 0 : count, list, !fits, &first, &other);
    if (status || (!other && !fits)) {
        return status ? status : refuse(ctx, training, by_shape, options, *model, &e);
    }
    if (!other) {
        char time[32];
        if (e.work > FAR_BEYOND * LF_MOST_WORK) {
            lf_note(
                ctx,
                "the fit is expected to take about %s of a core with the %s engine; fewer rows or outputs take less",
                minutes(e.work, time), e.choice.class->name);
        }
        return LF_OK;
    }
    *taken = list[first];
    taken->for_time = fits;
    note(ctx, *model, &e, filled.forces, taken);
    options->engine = taken->engine;
    options->shape = taken->shape;
    lf_model_free(*model);
    *model = other;
    return LF_OK;
}
