/* What the stages of a fit decided, for their reports: nothing that depends on time, threads or the memory of the machine. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "data/data.h"
#include "fit/pipeline.h"
#include "plan/thresholds.h"

void lf_report_problem(lf_pipeline *f)
{
    const lf_problem *p = f->problem;
    const lf_data *asked = p->asked;
    int outputs = p->summary->output_count;
    size_t test = 0;
    for (size_t i = 0; i < asked->n; i++) {
        test += asked->split[i] == LF_SPLIT_TEST && asked->output[i] >= 0 && !isnan(asked->y[i]);
    }
    lf_report_decide(f->report,
                     p->sampled ? "the table has more rows than one process holds: a sample is summarised" : NULL,
                     "%d output%s, %zu reading%s; %zu test reading%s", outputs, lf_plural((size_t)outputs), p->count,
                     lf_plural(p->count), test, lf_plural(test));
}

/* "forces, kernel": the names of a set of LF_OPEN_... */
static void list_open(unsigned set, size_t size, char *text)
{
    static const struct {
        unsigned flag;
        const char *name;
    } names[] = {{LF_OPEN_ENGINE, "engine"},     {LF_OPEN_FORCES, "number of forces"}, {LF_OPEN_KERNEL, "kernel"},
                 {LF_OPEN_OPERATOR, "operator"}, {LF_OPEN_WHITE, "white forces"},      {LF_OPEN_CYCLES, "cycles"}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (set & names[i].flag && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i].name);
        }
    }
}

void lf_report_plan(lf_pipeline *f)
{
    const lf_fit_plan *plan = &f->plan;
    char open[120];
    list_open(plan->open | plan->compared, sizeof open, open);
    if (*plan->components) {
        lf_report_decide(f->report, plan->components, "%d forces; open: %s", plan->shape.forces, open);
    } else {
        lf_report_decide(f->report,
                         f->problem->given ? "the model is given"
                         : *open           ? "the options leave it open"
                                           : NULL,
                         "open: %s", *open ? open : "nothing");
    }
}

void lf_report_start(lf_pipeline *f)
{
    const lf_model *model = f->structure.start;
    lf_shape_options shape = f->structure.shape;
    if (f->problem->given) {
        lf_report_decide(f->report, model->system ? "equations" : "the model to start from", "%d output%s, %d force%s",
                         model->output_count, lf_plural((size_t)model->output_count), model->force_count,
                         lf_plural((size_t)model->force_count));
        return;
    }
    lf_fill_shape(&shape, f->problem->summary->output_count, f->problem->training->input_dim);
    int private = strcmp(shape.private_forces, "yes") == 0;
    lf_report_decide(f->report, "options, and defaults for the number of outputs and inputs",
                     "%s, %d %s force%s, %s%s%s", shape.operator_type, shape.forces, shape.force_kernel,
                     lf_plural((size_t)shape.forces), private ? "private " : "no private",
                     private ? shape.private_kernel : "", " forces");
}

/* The first stage is a part of its own. */
void lf_report_fit(lf_pipeline *f)
{
    const lf_optimum *found = &f->optimum;
    f->report->evaluations = found->evaluations - found->first_evaluations;
    f->report->seconds -= found->first_seconds;
    lf_report_decide(f->report, found->reason, "start %zu of %zu, %zu iteration%s", found->restart + 1,
                     f->structure.restarts, found->iterations, lf_plural(found->iterations));
    if (found->first_rows) {
        lf_stage_report *first = lf_report_begin(f->reports, "first stage");
        first->seconds = found->first_seconds;
        first->evaluations = found->first_evaluations;
        lf_report_decide(first, "an evaluation with all rows is expensive", "began with %zu of %zu rows",
                         found->first_rows, f->problem->training->n);
    }
}

void lf_report_no_validation(lf_pipeline *f)
{
    const char *reason = f->plan.calibrate == LF_CHOICE_NO
                             ? f->problem->sampled ? "the rows are a sample" : "--calibrate no"
                         : lf_fit_is_cut(f)                       ? "the fit was stopped"
                         : f->validation.count                    ? "too few rows in windows left out"
                         : f->problem->training->input_dim > 1    ? "there are several inputs"
                         : f->problem->given                      ? "the model is given"
                         : f->problem->summary->output_count == 1 ? "there is one output"
                                                                  : "the rows have no gaps";
    lf_report_decide(f->report, reason, "intervals as the model gives them");
}

void lf_report_errors(lf_pipeline *f)
{
    size_t count = f->optimum.free_count;
    char limit[96];
    if (f->plan.errors == LF_CHOICE_NO || lf_fit_is_cut(f)) {
        lf_report_decide(f->report, lf_fit_is_cut(f) ? "the fit was stopped" : "--errors no", "no standard errors");
        return;
    }
    snprintf(limit, sizeof limit, "up to %.0f free parameters have standard errors", lf_threshold.most_errors);
    lf_report_decide(f->report, f->plan.errors == LF_CHOICE_YES ? "--errors yes" : limit,
                     "%sstandard errors of %zu parameter%s", lf_finds_errors(&f->plan, count) ? "" : "no ", count,
                     lf_plural(count));
}
