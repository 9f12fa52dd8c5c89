/* Prints the sentences of a verdict. */
#include "show/verdict.h"

#include <string.h>

#include "message.h"
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
