/* Training rows from which nothing can be learned are refused with a remedy; rows that tell little get a note. */
#include <float.h>
#include <math.h>

#include "base/context.h"
#include "base/plural.h"
#include "data/data.h"
#include "fit/initial_model.h"

#define LEAST_STEP 1e-9 /* between neighbouring inputs, relative to their size: their differences then keep 7 digits */

/* Whether all rows have the same inputs. */
static int has_one_input(const lf_data *data)
{
    size_t p = (size_t)data->input_dim;
    for (size_t i = p; i < data->n * p; i++) {
        if (data->x[i] != data->x[i % p]) {
            return 0;
        }
    }
    return 1;
}

static void note_short_outputs(lf_context *ctx, const lf_data *data, const lf_data_summary *summary)
{
    for (int d = 0; d < summary->output_count; d++) {
        size_t n = summary->outputs[d].n;
        const char *name = data->outputs.name[d];
        if (n == 1 || n == 2) {
            lf_note(ctx,
                    "output '%s' has only %zu training row%s: its constants come from the prior alone; leave it out, "
                    "or give it more rows",
                    name, n, lf_plural((size_t)n));
        }
    }
}

lf_status lf_check_training_rows(lf_context *ctx, const lf_data *data)
{
    if (data->n == 1) {
        return lf_fail(ctx, LF_ERROR_DATA,
                       "there is only one training row; a fit needs rows at several inputs for each output");
    }
    if (data->n > 1 && has_one_input(data)) {
        return lf_fail(
            ctx, LF_ERROR_DATA,
            "all %zu training rows have the same input, x = %.10g; a fit needs rows at several inputs: check "
            "which column holds the input",
            data->n, data->x[0]);
    }
    return LF_OK;
}

void lf_note_training_rows(lf_context *ctx, const lf_data *data, const lf_data_summary *summary)
{
    double size = fmax(fabs(summary->low[0]), fabs(summary->high[0]));
    note_short_outputs(ctx, data, summary);
    if (data->input_dim == 1 && summary->gap < LEAST_STEP * size) {
        lf_note(ctx,
                "the inputs are near %.4g in steps of about %.2g, which floating-point numbers resolve to %.0f digits "
                "only: subtract the first input from all of them",
                size, summary->gap, fmax(floor(log10(summary->gap / (DBL_EPSILON * size))), 0));
    }
}
