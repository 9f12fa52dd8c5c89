/* Prints the sentences of lf_verdict_create. */
#include "show/verdict.h"

#include <string.h>

#include "message.h"
#include "show/formats.h"
#include "show/visible.h"

int cli_verdict_print(lf_context *ctx, FILE *stream, const char *heading, const lf_model *model)
{
    lf_verdict *verdict = NULL;
    int status = cli_check(ctx, lf_verdict_create(ctx, model, &verdict));
    if (status == CLI_DONE && verdict->count) {
        fputs(heading, stream);
        for (size_t i = 0; i < verdict->count; i++) {
            const lf_remark *remark = &verdict->remarks[i];
            int warns = strcmp(remark->severity, "warning") == 0;
            fputs(warns ? "  warning: " : "  ", stream);
            cli_put_visible(stream, remark->sentence);
            fputc('\n', stream);
        }
    }
    lf_verdict_free(verdict);
    return status;
}

static void write_string(FILE *stream, const char *text)
{
    if (text) {
        cli_json_string(stream, text);
    } else {
        fputs("null", stream);
    }
}

int cli_verdict_json(lf_context *ctx, FILE *stream, const lf_model *model)
{
    lf_verdict *verdict = NULL;
    int status = cli_check(ctx, lf_verdict_create(ctx, model, &verdict));
    fputc('[', stream);
    for (size_t i = 0; status == CLI_DONE && i < verdict->count; i++) {
        const lf_remark *remark = &verdict->remarks[i];
        fputs(i ? ",{\"severity\":" : "{\"severity\":", stream);
        write_string(stream, remark->severity);
        fputs(",\"sentence\":", stream);
        write_string(stream, remark->sentence);
        fputs(",\"output\":", stream);
        write_string(stream, remark->output);
        fputc('}', stream);
    }
    fputc(']', stream);
    lf_verdict_free(verdict);
    return status;
}
