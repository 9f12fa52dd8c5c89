/* Optima that are as good as the best one, with other constants. The likelihood of such a model has symmetries: two compartments in a row
 * may exchange their rates, and only a bound or a prior says which is which.
 *
 * A start that ended as high as the best one, elsewhere, is at another optimum if the objective is lower between the two. Where it is not,
 * the data leave a direction open, which the verdict says. */
#include "inference/other_optima.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "base/utf8.h"

static const double as_good = 0.1; /* of the log likelihood; starts end before the last digits */
static const double lower = 2;     /* between two optima */
static const double other = 0.405; /* difference of logarithms: a factor of 1.5 */

enum { MOST = 6 };

/* The constants that differ, with their values at the other optimum; 0: none does. */
static int list_constants(const lf_model *model, const lf_model *there, size_t size, char *text)
{
    int found = 0;
    *text = '\0';
    for (size_t i = 0; i < model->parameter_count; i++) {
        double a = *model->parameters[i].value, b = *there->parameters[i].value;
        if (!model->parameters[i].fixed && a > 0 && b > 0 && fabs(log(a / b)) > other && found++ < MOST) {
            size_t used = strlen(text);
            lf_print(text + used, size - used, "%s%.*s %.4g", used ? ", " : "", LF_CUT(60, model->parameters[i].name),
                     b);
        }
    }
    return found;
}

/* Whether the objective of a run is lower half way from its best point to x (count). The message of a failure is in the context of the run. */
static lf_status look_between(lf_run *run, const double *from, const double *to, double best, int *apart)
{
    lf_log_posterior *p = run->posterior;
    double *middle = lf_doubles(p->count, 1), *gradient = lf_doubles(p->count, 1), value = 0;
    lf_status status = middle && gradient ? LF_OK : lf_no_memory(p->ctx);
    for (size_t k = 0; !status && k < p->count; k++) {
        middle[k] = (from[k] + to[k]) / 2;
    }
    if (!status) { /* a point that cannot be evaluated is lower */
        lf_status evaluated = lf_log_posterior_negative(p, middle, 0, &value, gradient);
        status = evaluated == LF_ERROR_MEMORY ? evaluated : LF_OK;
        *apart = evaluated || best + value > lower;
    }
    free(middle);
    free(gradient);
    return status;
}

lf_status lf_note_other_optimum(lf_context *ctx, const lf_model *model, size_t count, lf_run *runs, size_t best)
{
    const double *here, *there;
    double highest = lf_run_best(&runs[best], &here);
    for (size_t r = 0; r < count && model->system; r++) {
        lf_run_state state = runs[r].state;
        int ended = state == LF_RUN_CONVERGED || state == LF_RUN_SETTLED || state == LF_RUN_NEWTON;
        if (r == best || !ended || highest - lf_run_best(&runs[r], &there) > as_good) {
            continue;
        }
        lf_model *copy = NULL;
        char text[500];
        int apart = 0;
        double value, *gradient = lf_doubles(runs[r].posterior->count, 1);
        lf_status status = gradient ? lf_model_copy(ctx, model, &copy) : lf_no_memory(ctx);
        lf_status evaluated =
            status ? status : lf_log_posterior_negative(runs[r].posterior, there, 0, &value, gradient);
        if (!status && evaluated == LF_ERROR_MEMORY) {
            status = lf_take_failure(ctx, runs[r].posterior->ctx, evaluated);
        }
        if (!evaluated) {
            status = lf_log_posterior_put(ctx, runs[r].posterior, there, copy);
            if (!status && list_constants(model, copy, sizeof text, text)) {
                status = look_between(&runs[r], there, here, highest, &apart);
                status = status ? lf_take_failure(ctx, runs[r].posterior->ctx, status) : LF_OK;
            }
        }
        if (!status && apart) {
            lf_note(ctx,
                    "start %zu ends at the same likelihood with other values: %s; the data do not say which are right: "
                    "bounds or a prior do, such as 'parameter NAME in LOW .. HIGH'",
                    r + 1, text);
        }
        free(gradient);
        lf_model_free(copy);
        if (status || apart) {
            return status;
        }
    }
    return LF_OK;
}
