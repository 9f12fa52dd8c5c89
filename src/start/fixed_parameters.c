/* Parameters that the options of a fit hold at a value, or leave free. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/model.h"
#include "options/options.h"
#include "start/start.h"

/* "NAME=VALUE", or "NAME" alone: at its starting value. A name may hold '=', so the last one counts. */
static lf_status set_parameter(lf_context *ctx, const char *option, const char *item, int fixed, lf_model *model)
{
    const char *equals = strrchr(item, '=');
    size_t index;
    char *name = lf_copy_string(item);
    if (!name) {
        return lf_no_memory(ctx);
    }
    name[equals ? (size_t)(equals - item) : strlen(item)] = '\0';
    lf_status status = lf_parameter_find(ctx, model, name, &index);
    free(name);
    if (!status && !fixed && model->parameters[index].tied_to >= 0) {
        index = (size_t)model->parameters[index].tied_to;
    }
    if (!status && equals) {
        double value = 0; /* it is a number: lf_options_set has checked that */
        lf_option_number(equals + 1, &value);
        status = lf_parameter_set(ctx, model, index, value);
    }
    if (status) {
        lf_context kept = *ctx;
        const char *remedy =
            !fixed && strstr(item, ".period") ? "; give the period with --period, one that is found stays fixed" : "";
        return lf_fail(ctx, status, "--%s %s: %s%s", option, item, kept.message, remedy);
    }
    lf_parameter_fix(model, index, fixed);
    return LF_OK;
}

lf_status lf_fix_parameters(lf_context *ctx, const lf_fit_plan *plan, lf_model *model)
{
    lf_status status = LF_OK;
    for (size_t i = 0; !status && i < plan->fixed->count; i++) {
        status = set_parameter(ctx, "fix", plan->fixed->item[i], 1, model);
    }
    for (size_t i = 0; !status && i < plan->freed->count; i++) {
        status = set_parameter(ctx, "free", plan->freed->item[i], 0, model);
    }
    return status;
}
