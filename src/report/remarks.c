/* Sentences that grow piece by piece, and which of them are shown. */
#include "report/remarks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

static void release_one(lf_remark *remark)
{
    free((char *)remark->sentence);
    free((char *)remark->output);
}

static void release(size_t count, lf_remark *list)
{
    for (size_t i = 0; i < count; i++) {
        release_one(&list[i]);
    }
    free(list);
}

void lf_remark_begin(lf_remarks *remarks, lf_remark_kind kind, const char *severity, const char *output)
{
    size_t count = remarks->count + 1;
    lf_remark_kind *kinds = remarks->failed ? NULL : realloc(remarks->kind, count * sizeof *kinds);
    remarks->kind = kinds ? kinds : remarks->kind;
    lf_remark *list = kinds ? realloc(remarks->list, count * sizeof *list) : NULL;
    if (!list) {
        remarks->failed = 1;
        return;
    }
    kinds[count - 1] = kind;
    remarks->list = list;
    lf_remark *remark = &list[remarks->count++];
    *remark = (lf_remark){severity, lf_copy_string(""), output ? lf_copy_string(output) : NULL};
    remarks->failed = !remark->sentence || (output && !remark->output);
}

static void append(lf_remarks *remarks, const char *format, va_list arguments) LF_PRINTF(2, 0);

static void append(lf_remarks *remarks, const char *format, va_list arguments)
{
    if (remarks->failed || remarks->count == 0) {
        return;
    }
    lf_remark *remark = &remarks->list[remarks->count - 1];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t used = strlen(remark->sentence);
    char *text = length >= 0 ? realloc((char *)remark->sentence, used + (size_t)length + 1) : NULL;
    if (!text) {
        remarks->failed = 1;
        return;
    }
    remark->sentence = text;
    vsnprintf(text + used, (size_t)length + 1, format, arguments);
}

void lf_remark_text(lf_remarks *remarks, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(remarks, format, arguments);
    va_end(arguments);
}

void lf_remark_add(lf_remarks *remarks, lf_remark_kind kind, const char *severity, const char *output,
                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lf_remark_begin(remarks, kind, severity, output);
    append(remarks, format, arguments);
    va_end(arguments);
}

const char *lf_percent(double share, char text[LF_PERCENT_SIZE])
{
    double percent = 100 * share;
    int digits = (percent >= 99.05 && percent < 99.95) || (percent < 0.95 && percent >= 0.095) ? 1
                 : percent < 0.095                                                             ? 2
                                                                                               : 0;
    if (percent < 0.005) {
        snprintf(text, LF_PERCENT_SIZE, "below 0.01");
    } else {
        snprintf(text, LF_PERCENT_SIZE, "%.*f", digits, fmin(percent, 100));
    }
    return text;
}

const char *lf_list_separator(int i, int n) { return i == 0 ? "" : i + 1 == n ? " and " : ", "; }

static int warns(const lf_remark *remark) { return strcmp(remark->severity, "warning") == 0; }

/* Whether remark i comes before remark j; the order of insertion decides between equals. */
static int comes_before(const lf_remarks *remarks, size_t i, size_t j)
{
    if (remarks->kind[i] != remarks->kind[j]) {
        return remarks->kind[i] < remarks->kind[j];
    }
    return warns(&remarks->list[i]) > warns(&remarks->list[j]);
}

static void sort(lf_remarks *remarks)
{
    for (size_t i = 1; i < remarks->count; i++) {
        for (size_t k = i; k > 0 && comes_before(remarks, k, k - 1); k--) {
            lf_remark remark = remarks->list[k];
            lf_remark_kind kind = remarks->kind[k];
            remarks->list[k] = remarks->list[k - 1];
            remarks->kind[k] = remarks->kind[k - 1];
            remarks->list[k - 1] = remark;
            remarks->kind[k - 1] = kind;
        }
    }
}

/* Drops the last of too many warnings, and then the last of too many remarks. */
static void shorten(lf_remarks *remarks)
{
    size_t kept = 0, warnings = 0;
    for (size_t i = 0; i < remarks->count; i++) {
        int warning = warns(&remarks->list[i]);
        if (kept < LF_MOST_REMARKS && (!warning || warnings < LF_MOST_WARNINGS)) {
            remarks->list[kept++] = remarks->list[i];
            warnings += (size_t)warning;
        } else {
            release_one(&remarks->list[i]);
        }
    }
    remarks->count = kept;
}

/* Names options as the context does. */
static void spell(const lf_context *ctx, lf_remarks *remarks)
{
    for (size_t i = 0; ctx->spell && i < remarks->count; i++) {
        lf_remark *remark = &remarks->list[i];
        char *spelt = lf_spelt(ctx->spell, remark->sentence);
        remarks->failed = remarks->failed || !spelt;
        if (spelt) {
            free((char *)remark->sentence);
            remark->sentence = spelt;
        }
    }
}

lf_status lf_remarks_finish(lf_context *ctx, lf_status status, lf_remarks *remarks, lf_verdict **verdict)
{
    if (!status && !remarks->failed) {
        spell(ctx, remarks);
    }
    lf_verdict *result = status || remarks->failed ? NULL : calloc(1, sizeof *result);
    if (result) {
        sort(remarks);
        shorten(remarks);
    }
    free(remarks->kind);
    if (!result) {
        release(remarks->count, remarks->list);
        return status ? status : lf_no_memory(ctx);
    }
    *result = (lf_verdict){.count = remarks->count, .remarks = remarks->list};
    *verdict = result;
    return LF_OK;
}

void lf_verdict_free(lf_verdict *verdict)
{
    if (verdict) {
        release(verdict->count, verdict->remarks);
    }
    free(verdict);
}
