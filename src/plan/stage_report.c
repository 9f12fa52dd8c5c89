/* Reports of stages. */
#include "plan/stage_report.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/table.h"

/* A report in the list; NULL when there is no memory. */
static lf_stage_report *add(lf_reports *reports)
{
    lf_stage_report **grown = realloc(reports->each, (reports->count + 1) * sizeof *grown);
    reports->each = grown ? grown : reports->each;
    lf_stage_report *report = grown ? malloc(sizeof *report) : NULL;
    if (report) {
        reports->each[reports->count++] = report;
    }
    return report;
}

lf_stage_report *lf_report_begin(lf_reports *reports, const char *name)
{
    lf_stage_report *report = add(reports);
    reports->failed = reports->failed || !report;
    report = report ? report : &reports->spare;
    *report = (lf_stage_report){.seconds = -omp_get_wtime()};
    snprintf(report->name, sizeof report->name, "%s%s%s", reports->part_of ? reports->part_of : "",
             reports->part_of ? ": " : "", name);
    return report;
}

void lf_report_end(lf_stage_report *report) { report->seconds += omp_get_wtime(); }

void lf_report_drop_empty(lf_reports *reports)
{
    const lf_stage_report *last = reports->count ? reports->each[reports->count - 1] : NULL;
    if (last && !last->evaluations && !*last->decision) {
        free(reports->each[--reports->count]);
    }
}

void lf_report_decide(lf_stage_report *report, const char *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->decision, sizeof report->decision, format, arguments);
    va_end(arguments);
    snprintf(report->reason, sizeof report->reason, "%s", reason ? reason : "");
}

size_t lf_report_evaluations(const lf_reports *reports)
{
    size_t sum = 0;
    for (size_t i = 0; i < reports->count; i++) {
        sum += reports->each[i]->evaluations;
    }
    return sum;
}

lf_status lf_stages_table(lf_context *ctx, const lf_reports *reports, lf_table **table)
{
    static const lf_table_heading headings[] = {{"stage", LF_WORDS},
                                                {"seconds", LF_NUMBERS},
                                                {"evaluations", LF_NUMBERS},
                                                {"decision", LF_WORDS},
                                                {"reason", LF_WORDS}};
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < reports->count; i++) {
        const lf_stage_report *report = reports->each[i];
        lf_table_add_word(*table, report->name);
        lf_table_add_number(*table, report->seconds);
        lf_table_add_number(*table, (double)report->evaluations);
        lf_table_add_word(*table, report->decision);
        lf_table_add_word(*table, report->reason);
    }
    status = lf_table_check(ctx, *table);
    if (status) {
        lf_table_free(*table);
        *table = NULL;
    }
    return status;
}

void lf_reports_clear(lf_reports *reports)
{
    for (size_t i = 0; i < reports->count; i++) {
        free(reports->each[i]);
    }
    free(reports->each);
    *reports = (lf_reports){0};
}
