/* A fit within the limits of memory and of work. The limits decide, not the machine: the same --memory gives the same model anywhere, and
 * the words of what was taken give it without a limit. propose_smaller.c lists the alternatives. */
#include "select/within_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "base/plural.h"
#include "data/data.h"
#include "engine/engine.h"
#include "inference/estimate.h"
#include "start/start.h"

static int fits(lf_context *ctx, const lf_fit_estimate *e) { return e->bytes <= lf_memory_limit(ctx); }

/* ---- the first that is within them ---- */

/* What the fits of proposals take. */
typedef struct estimates {
    double bytes[LF_MOST_PROPOSALS], work[LF_MOST_PROPOSALS];
} estimates;

/* Makes the model of a proposal and estimates its fit; infinite where it cannot be made. */
static lf_status try_proposal(const lf_search *search, lf_structure *s, double *bytes, double *work)
{
    lf_fit_estimate e;
    lf_status status = lf_start_shape(search->ctx, search->problem, search->plan, s);
    LF_TRY(status, lf_estimate_fit(search->ctx, search->problem, search->plan, s, &e));
    *bytes = status ? (double)INFINITY : e.bytes;
    *work = status ? (double)INFINITY : e.work;
    return status == LF_ERROR_MEMORY || status == LF_ERROR_CANCELLED ? status : LF_OK;
}

/* The first of `count` proposals within both limits or, if there is none and `any`, that of least work within the limit of memory; count: none.
 * The others are left without models. */
static lf_status find_first(const lf_search *search, size_t count, lf_proposals *list, int any, estimates *e,
                            size_t *first)
{
    lf_context *ctx = search->ctx;
    lf_log_function log = ctx->log;
    lf_status status = LF_OK;
    double least = INFINITY, most_work = lf_threshold.most_work;
    ctx->log = NULL;
    *first = count;
    for (size_t i = 0; !status && i < count && !(least <= most_work); i++) {
        lf_structure *s = &list->each[i].s;
        status = try_proposal(search, s, &e->bytes[i], &e->work[i]);
        /* of those with inducing values the first within memory: fewer forces take little less work */
        int halved = *first < count && list->each[*first].s.engine.inducing && s->engine.inducing;
        int better = !status && e->bytes[i] <= lf_memory_limit(ctx) && e->work[i] < least && !halved &&
                     (any || e->work[i] <= most_work);
        if (better && *first < count) {
            lf_structure_clear(&list->each[*first].s);
        }
        if (better) {
            *first = i;
            least = e->work[i];
        } else {
            lf_model_free(s->start);
            s->start = NULL;
        }
    }
    ctx->log = log;
    return status;
}

/* ---- messages ---- */

/* "3 min" of a core. */
static const char *minutes(double work, char text[32])
{
    double value = work / lf_threshold.usual_speed / 60;
    snprintf(text, 32, value < 120 ? "%.0f min" : "%.0f h", value < 120 ? fmax(value, 1) : value / 60);
    return text;
}

/* "takes about 24 GB with the fourier engine, more than the limit of 4 GB", or that no engine can evaluate the model. */
static void describe(lf_context *ctx, const lf_fit_estimate *e, size_t size, char *text)
{
    char needed[LF_SIZE_TEXT], limit[LF_SIZE_TEXT], time[32], most[32];
    if (!isfinite(e->bytes)) {
        snprintf(text, size, "cannot be evaluated by an exact engine");
    } else if (!fits(ctx, e)) {
        snprintf(text, size, "takes about %s with the %s engine, more than the limit of %s",
                 lf_size_text(e->bytes, needed), e->choice.class->name, lf_size_text(lf_memory_limit(ctx), limit));
    } else {
        snprintf(text, size,
                 "takes about %s of a core with the %s engine, more than the %s that are taken without being asked for",
                 minutes(e->work, time), e->choice.class->name, minutes(lf_threshold.most_work, most));
    }
}

/* What would fit, the options permitting or not: "--forces 4 (1.2 GB); …" is appended. *least: the bytes that are enough for something. */
static lf_status list_remedies(const lf_search *search, size_t size, char *text, double *least)
{
    static const unsigned all[] = {LF_OPEN_ENGINE, LF_OPEN_ENGINE | LF_OPEN_FORCES | LF_OPEN_KERNEL, LF_OPEN_FORCES};
    lf_status status = LF_OK;
    for (size_t i = 0; !status && i < sizeof all / sizeof *all; i++) {
        lf_proposals list = {0};
        estimates e;
        char bytes[LF_SIZE_TEXT];
        size_t used = strlen(text), first;
        lf_propose_smaller(search, all[i], &list);
        status = find_first(search, list.count, &list, 1, &e, &first);
        for (size_t k = 0; k < list.count && first == list.count; k++) { /* all were tried */
            *least = fmin(*least, e.bytes[k]);
        }
        if (!status && first < list.count && !strstr(text, list.each[first].s.words)) {
            snprintf(text + used, size - used, "%s%s (%s)", used ? "; " : "", list.each[first].s.words,
                     lf_size_text(e.bytes[first], bytes));
        }
        if (first < list.count) {
            lf_structure_clear(&list.each[first].s);
        }
    }
    return status;
}

static lf_status refuse(const lf_search *search, const lf_fit_estimate *e)
{
    lf_context *ctx = search->ctx;
    const lf_model *model = search->best->start;
    char problem[200], remedies[400] = "", option[LF_SIZE_TEXT];
    double least = e->bytes;   /* that is enough for something */
    if (!isfinite(e->bytes)) { /* the engine itself says why it cannot be made */
        lf_engine *engine = NULL;
        lf_status status = lf_engine_create(ctx, model, search->problem->training, &search->best->engine, &engine);
        lf_engine_free(engine);
        return status;
    }
    describe(ctx, e, sizeof problem, problem);
    lf_status status = list_remedies(search, sizeof remedies, remedies, &least);
    if (status) {
        return status;
    }
    least = *remedies ? e->bytes : least;
    const char *allow = isfinite(least) ? ", or allow more by --memory " : "";
    return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "a fit of %zu rows of %d outputs with %d force%s %s; what fits: %s%s%s",
                   search->problem->training->n, model->output_count, model->force_count,
                   lf_plural((size_t)model->force_count), problem, *remedies ? remedies : "fewer rows or outputs",
                   allow, isfinite(least) ? lf_size_option(least, option) : "");
}

static void note(const lf_search *search, const lf_fit_estimate *e, const lf_structure *taken, double bytes,
                 double work)
{
    lf_context *ctx = search->ctx;
    const lf_model *model = search->best->start;
    char problem[200], size[LF_SIZE_TEXT], option[LF_SIZE_TEXT], memory[64] = "", more[160] = "", time[48] = "",
                                                                 text[32];
    describe(ctx, e, sizeof problem, problem);
    if (!taken->for_time && isfinite(e->bytes)) {
        snprintf(memory, sizeof memory, " --memory %s", lf_size_option(e->bytes, option));
    } else if (taken->for_time) {
        snprintf(time, sizeof time, "%s, ", minutes(work, text));
    }
    if (isfinite(e->bytes) && e->work > lf_threshold.most_work) {
        snprintf(more, sizeof more, "; --engine %s --forces %d%s takes the former", e->choice.class->name,
                 lf_best_shape(search).forces, memory);
    } else if (isfinite(e->bytes)) {
        snprintf(more, sizeof more, ";%s allows the former", memory);
    }
    lf_note(ctx, "the model of %d outputs and %d force%s %s; taken instead: %s (about %s%s)%s", model->output_count,
            model->force_count, lf_plural((size_t)model->force_count), problem, taken->words, time,
            lf_size_text(bytes, size), more);
    lf_report_decide(search->report,
                     taken->for_time ? "a fit is beyond the limit of work" : "a fit is beyond the limit of memory",
                     "%s", taken->words);
}

static void note_long(const lf_search *search, const lf_fit_estimate *e)
{
    char time[32];
    if (e->work > lf_threshold.far_beyond * lf_threshold.most_work) {
        lf_note(search->ctx,
                "the fit is expected to take about %s of a core with the %s engine; fewer rows or outputs take less",
                minutes(e->work, time), e->choice.class->name);
    }
}

/* Where the estimates are beyond the limit of memory of the context or that of work, the first alternative that changes nothing that was
 * asked for and is within the limits is taken, and a note says what was taken and why. Where there is none, too much memory is an error that
 * names the estimate, the limit and what would fit, and much work a note. */
lf_status lf_keep_within_limits(lf_search *search)
{
    lf_fit_estimate e;
    lf_proposals list = {0};
    estimates of;
    unsigned open = search->plan->open;
    lf_status status = lf_estimate_fit(search->ctx, search->problem, search->plan, search->best, &e);
    int enough = fits(search->ctx, &e);
    if (status || (enough && e.work <= lf_threshold.most_work)) {
        return status;
    }
    if (!isfinite(e.bytes) && !(open & LF_OPEN_ENGINE)) {
        return LF_OK; /* the engine itself says why it cannot be made */
    }
    size_t first = 0, inducing = lf_propose_smaller(search, open, &list);
    size_t count = enough && inducing > 0 ? 1 : enough ? 0 : list.count; /* only memory is worth fewer forces */
    status = find_first(search, count, &list, !enough, &of, &first);
    if (!status && first < count) {
        lf_structure *taken = &list.each[first].s;
        taken->for_time = enough;
        note(search, &e, taken, of.bytes[first], of.work[first]);
        lf_structure_move(taken, search->best);
    } else if (!status && !enough) {
        status = refuse(search, &e);
    } else if (!status) {
        note_long(search, &e);
    }
    return status;
}
