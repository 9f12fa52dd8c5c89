/* The report: what it is made of, and what is known about it and its panels. */
#include "page/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"

lf_status lf_report_create(lf_context *ctx, const lf_model *model, lf_posterior *posterior, const lf_data *data,
                           const lf_options *options, lf_report **report)
{
    *report = NULL;
    if (!model) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "a report needs a model");
    }
    lf_report *made = calloc(1, sizeof *made);
    if (!made) {
        return lf_no_memory(ctx);
    }
    made->model = model;
    made->table = data;
    lf_status status = lf_report_take_options(ctx, options, &made->settings);
    LF_TRY(status, lf_report_collect(ctx, made, posterior));
    LF_TRY(status, lf_report_find_range(ctx, made, options));
    LF_TRY(status, lf_report_list_panels(ctx, made, options));
    if (status) {
        lf_report_free(made);
        return status;
    }
    *report = made;
    return LF_OK;
}

void lf_report_free(lf_report *report)
{
    if (!report) {
        return;
    }
    if (report->owned) {
        lf_posterior_free(report->posterior);
    }
    lf_diagnosis_free(report->diagnosis);
    lf_data_free(report->data);
    lf_report_clear_settings(&report->settings);
    free(report->rows);
    free(report->panel);
    free(report->grid);
    free(report->mean);
    free(report->variance);
    free(report);
}

lf_status lf_report_get(lf_context *ctx, const lf_report *report, lf_report_info *info)
{
    if (!report) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no report");
    }
    lf_report_info found = {.size = sizeof found,
                            .panels = report->panel_count,
                            .training = lf_report_count(report, 0),
                            .test = lf_report_count(report, 1),
                            .level = report->settings.level,
                            .stored = report->stored,
                            .ranges = !report->has_range ? 0 : (size_t)report->model->input_dim,
                            .low = report->low,
                            .high = report->high};
    return lf_give_struct(ctx, "lf_report_info", &found, sizeof found, info);
}

lf_status lf_report_panel_get(lf_context *ctx, const lf_report *report, size_t index, lf_panel *panel)
{
    if (!report || index >= report->panel_count) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no panel %zu of %zu", index, report ? report->panel_count : 0);
    }
    const lf_report_panel *p = &report->panel[index];
    int known = p->kind == LF_KIND_KNOWN;
    const char *unit = known                       ? lf_model_known_unit(report->model, p->index)
                       : p->kind == LF_KIND_OUTPUT ? report->model->outputs[p->index].unit
                                                   : NULL;
    lf_panel found = {.size = sizeof found,
                      .kind = p->kind,
                      .index = (size_t)p->index,
                      .residuals = p->residuals,
                      .name = p->name,
                      .unit = unit ? unit : "",
                      .between = known ? lf_model_known_between(report->model, p->index) : NULL,
                      .replicate = p->replicate < 0 ? LF_NONE : (size_t)p->replicate,
                      .replicate_name = p->replicate < 0 ? "" : report->posterior->replicates.name[p->replicate],
                      .training = p->training,
                      .test = p->test};
    return lf_give_struct(ctx, "lf_panel", &found, sizeof found, panel);
}
