/* Sentences that grow piece by piece. */
#include "predict/remarks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

static void release(size_t count, lf_remark *list)
{
    for (size_t i = 0; i < count; i++) {
        free((char *)list[i].sentence);
        free((char *)list[i].output);
    }
    free(list);
}

void lf_remark_begin(lf_remarks *remarks, const char *severity, const char *output)
{
    lf_remark *list = remarks->failed ? NULL : realloc(remarks->list, (remarks->count + 1) * sizeof *list);
    if (!list) {
        remarks->failed = 1;
        return;
    }
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

void lf_remark_add(lf_remarks *remarks, const char *severity, const char *output, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lf_remark_begin(remarks, severity, output);
    append(remarks, format, arguments);
    va_end(arguments);
}

const char *lf_list_separator(int i, int n) { return i == 0 ? "" : i + 1 == n ? " and " : ", "; }

lf_status lf_remarks_finish(lf_context *ctx, lf_status status, lf_remarks *remarks, lf_verdict **verdict)
{
    lf_verdict *result = status || remarks->failed ? NULL : calloc(1, sizeof *result);
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
