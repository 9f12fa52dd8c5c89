/* The options of a request: at which points a model is asked, and what a table of predictions has. */
#include <string.h>

#include "base/context.h"
#include "options/options.h"

static const lf_option request_table[] = {
    {.name = "targets",
     .group = "request",
     .argument = "WHAT",
     .type = "choice",
     .fallback = "outputs",
     .values = "outputs, rates, forces, states",
     .help =
         "what is predicted: outputs, their rates of change, the forces, or the states of a model given by equations"},
    {.name = "output",
     .group = "request",
     .argument = "NAME",
     .type = "list",
     .fallback = "every output",
     .help = "predict this output, or its rate of change; may be repeated"},
    {.name = "replicate",
     .group = "request",
     .argument = "NAME",
     .type = "list",
     .fallback = "every replicate",
     .help = "predict this replicate; may be repeated"},
    {.name = "grid",
     .group = "request",
     .argument = "N",
     .type = "count",
     .fallback = "200",
     .minimum = 2,
     .maximum = 100000000,
     .help = "N evenly spaced inputs over the range of the training inputs, N x N for two inputs"},
    {.name = "ahead",
     .group = "request",
     .argument = "SPAN",
     .type = "text",
     .fallback = "no forecast",
     .help =
         "forecast: from the last training input on (of each replicate), as far as SPAN, such as 48h, 12months or a "
         "number in the unit of the data"},
    {.name = "from",
     .group = "request",
     .argument = "T",
     .type = "text",
     .fallback = "with --to the first training input",
     .help = "first input, a date or a number"},
    {.name = "to",
     .group = "request",
     .argument = "T",
     .type = "text",
     .fallback = "with --from the last training input",
     .help = "last input, a date or a number"},
    {.name = "step",
     .group = "request",
     .argument = "SPAN",
     .type = "text",
     .fallback = "with --ahead the usual step of the training inputs; with --from and --to 200 inputs",
     .help = "distance of the inputs"},
    {.name = "level",
     .group = "request",
     .argument = "P",
     .type = "share",
     .fallback = "no bounds",
     .help = "add the columns lower and upper, between which a new observation lies with this probability"},
    {.name = "noise",
     .group = "request",
     .type = "switch",
     .fallback = "yes",
     .help = "bounds are those of new observations",
     .no_help = "bounds are those of the outputs themselves"},
    {.name = "samples",
     .group = "request",
     .argument = "K",
     .type = "count",
     .fallback = "none",
     .minimum = 1,
     .maximum = 1000000,
     .help = "add K joint samples of the noise-free curves, as the columns sample1 to sampleK"},
    {.name = "rows",
     .group = "request",
     .type = "flag",
     .fallback = "no such column",
     .help = "add the column row, the number of the input among those that were asked for, from 0"},
};

enum { REQUEST_COUNT = sizeof request_table / sizeof *request_table };

static const lf_option *request_option(size_t index) { return index < REQUEST_COUNT ? &request_table[index] : NULL; }

const lf_verb lf_request_verb = {"request", "a request", REQUEST_COUNT, request_option};

lf_status lf_request_check(lf_context *ctx, const lf_request_options *o)
{
    int between = o->from || o->to;
    if ((o->grid > 0) + (o->ahead != NULL) + between > 1) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "give one of --grid, --ahead and --from or --to");
    }
    if (o->step && !o->ahead && !between) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--step needs --ahead SPAN, --from T or --to T");
    }
    int named = o->targets && (strcmp(o->targets, "forces") == 0 || strcmp(o->targets, "states") == 0);
    return named && o->outputs.count > 0
               ? lf_fail(ctx, LF_ERROR_ARGUMENT, "--output %s is for predictions of outputs and rates",
                         o->outputs.item[0])
               : LF_OK;
}
