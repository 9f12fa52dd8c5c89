/* What the options of a report ask for. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/normal_quantile.h"
#include "page/report.h"

#define USUAL_LEVEL 0.95

/* A copy of the text of an option; NULL: it is not given. */
static lf_status copy(lf_context *ctx, const lf_options *options, const char *name, char **text)
{
    const char *given = options ? lf_options_text(options, name) : NULL;
    *text = given ? lf_copy_string(given) : NULL;
    return given && !*text ? lf_no_memory(ctx) : LF_OK;
}

static lf_status copy_command(lf_context *ctx, const lf_option_list *from, lf_option_list *to)
{
    to->item = calloc(from->count + 1, sizeof *to->item);
    while (to->item && to->count < from->count) {
        to->item[to->count] = lf_copy_string(from->item[to->count]);
        if (!to->item[to->count++]) {
            return lf_no_memory(ctx);
        }
    }
    return to->item ? LF_OK : lf_no_memory(ctx);
}

/* A whole number; 0: not given, or a word. */
static size_t count_of(const lf_options *options, const char *name)
{
    const char *text = lf_options_text(options, name);
    return text ? (size_t)strtoull(text, NULL, 10) : 0;
}

lf_status lf_report_take_options(lf_context *ctx, const lf_options *options, lf_report_settings *s)
{
    *s = (lf_report_settings){.level = USUAL_LEVEL};
    lf_status status = lf_options_are(ctx, options, "report");
    if (status || !options) {
        s->reach = lf_normal_quantile(0.5 + s->level / 2);
        return status;
    }
    const char *level = lf_options_text(options, "level"), *rows = lf_options_text(options, "rows"),
               *all = lf_options_text(options, "all-forces");
    s->level = level && !lf_option_number(level, &s->level) ? USUAL_LEVEL : s->level;
    s->reach = lf_normal_quantile(0.5 + s->level / 2);
    s->grid = count_of(options, "grid");
    s->rows = rows && strcmp(rows, "all") == 0 ? SIZE_MAX : count_of(options, "rows");
    s->all_forces = all && strcmp(all, "yes") == 0;
    LF_TRY(status, copy(ctx, options, "model", &s->model));
    LF_TRY(status, copy(ctx, options, "data", &s->data));
    LF_TRY(status, copy(ctx, options, "dygraphs", &s->dygraphs));
    return LF_TRY(status, copy_command(ctx, &options->command, &s->command));
}

void lf_report_clear_settings(lf_report_settings *s)
{
    for (size_t i = 0; i < s->command.count; i++) {
        free(s->command.item[i]);
    }
    free(s->command.item);
    free(s->model);
    free(s->data);
    free(s->dygraphs);
}

const char *lf_report_model_name(const lf_report *report)
{
    return report->settings.model ? report->settings.model : "the model";
}

const char *lf_report_data_name(const lf_report *report)
{
    return report->settings.data ? report->settings.data : "the data";
}
