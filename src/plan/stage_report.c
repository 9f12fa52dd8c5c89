/* Reports of stages. */
#include "plan/stage_report.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>

lf_stage_report *lf_report_begin(lf_reports *reports, const char *name)
{
    lf_stage_report *report = &reports->each[reports->count < LF_MOST_REPORTS ? reports->count++ : LF_MOST_REPORTS - 1];
    *report = (lf_stage_report){.name = name, .seconds = -omp_get_wtime()};
    return report;
}

void lf_report_end(lf_stage_report *report) { report->seconds += omp_get_wtime(); }

void lf_report_drop_empty(lf_reports *reports)
{
    const lf_stage_report *last = &reports->each[reports->count - 1];
    reports->count -= !last->evaluations && !*last->decision;
}

void lf_report_decide(lf_stage_report *report, const char *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->decision, sizeof report->decision, format, arguments);
    va_end(arguments);
    snprintf(report->reason, sizeof report->reason, "%s", reason ? reason : "");
}
