/* The plan of a fit as text: a section for each stage, with the default where the value is another one. */
#include "show/fit_plan.h"

#include <stdio.h>
#include <string.h>

#include "message.h"
#include "show/table.h"

enum { STAGE, NAME, VALUE, FALLBACK, REASON, COLUMNS };

static const char *const names[COLUMNS] = {"stage", "name", "value", "default", "reason"};

static const char *word_at(const lf_column *column, size_t row)
{
    return column->code[row] < 0 ? NULL : column->words[column->code[row]];
}

/* "reason; default: …", each where there is one. */
static void add_explanation(cli_table *table, const char *value, const char *fallback, const char *reason)
{
    int differs = fallback && strcmp(fallback, value) != 0;
    int explains = reason && *reason && strcmp(reason, "default") != 0;
    cli_table_add(table, "%s%s%s%s", explains ? reason : "", explains && differs ? "; " : "",
                  differs ? "default: " : "", differs ? fallback : "");
}

static int print_section(const lf_column column[COLUMNS], size_t rows, const char *stage)
{
    cli_table table = cli_table_create("lll");
    static const char *const headings[] = {"name", "value", "reason", NULL};
    cli_table_add_headings(&table, headings);
    for (size_t i = 0; i < rows; i++) {
        if (strcmp(word_at(&column[STAGE], i), stage) == 0) {
            const char *value = word_at(&column[VALUE], i);
            cli_table_add(&table, "%s", word_at(&column[NAME], i));
            cli_table_add(&table, "%s", value);
            add_explanation(&table, value, word_at(&column[FALLBACK], i), word_at(&column[REASON], i));
        }
    }
    printf("%s\n", stage);
    return cli_table_print(&table, stdout);
}

static int print_text(lf_context *ctx, const lf_table *plan)
{
    lf_column column[COLUMNS];
    int status = CLI_DONE;
    for (size_t k = 0; k < COLUMNS && status == CLI_DONE; k++) {
        size_t i = 0;
        column[k] = (lf_column){.size = sizeof column[k]};
        status = cli_check(ctx, lf_table_find(ctx, plan, names[k], &i));
        status = status ? status : cli_check(ctx, lf_table_column_get(ctx, plan, i, &column[k]));
    }
    /* the words of the first column are the stages in their order */
    for (size_t w = 0; status == CLI_DONE && w < column[STAGE].word_count; w++) {
        fputs(w ? "\n" : "", stdout);
        status = print_section(column, lf_table_rows(plan), column[STAGE].words[w]);
    }
    return status ? status : cli_flush();
}

int cli_fit_print_plan(lf_context *ctx, const cli_settings *settings, const lf_data *data)
{
    lf_table *plan = NULL;
    lf_status planned = lf_plan(ctx, data, settings->fit, &plan);
    int status = planned == LF_ERROR_DATA ? cli_fail("%s: %s", settings->rows, lf_context_message(ctx))
                                          : cli_check(ctx, planned);
    if (status == CLI_DONE) {
        status = settings->json ? cli_check(ctx, lf_table_write(ctx, plan, "json", NULL)) : print_text(ctx, plan);
    }
    lf_table_free(plan);
    return status;
}
