/* Prints the sentences of lf_verdict_create. */
#include "show/verdict.h"

#include <string.h>

#include "message.h"
#include "show/formats.h"
#include "show/result_table.h"
#include "show/visible.h"

int cli_verdict_print(lf_context *ctx, FILE *stream, const char *heading, const lf_model *model)
{
    lf_table *verdict = NULL;
    int status = cli_check(ctx, lf_model_table(ctx, model, "verdict", &verdict));
    for (size_t i = 0; status == CLI_DONE && i < lf_table_rows(verdict); i++) {
        int warns = strcmp(cli_word_at(ctx, verdict, "severity", i), "warning") == 0;
        fputs(i ? "" : heading, stream);
        fputs(warns ? "  warning: " : "  ", stream);
        cli_put_visible(stream, cli_word_at(ctx, verdict, "sentence", i));
        fputc('\n', stream);
    }
    lf_table_free(verdict);
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
