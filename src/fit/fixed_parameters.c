/* Parameters that the options of a fit hold at a value. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "fit/fit_model.h"
#include "model/model.h"

/* "NAME=VALUE", or "NAME" alone: at its starting value. A name may hold '=', so the last one counts. */
static lf_status fix_parameter(lf_context *ctx, const char *item, lf_model *model)
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
    if (!status && equals) {
        double value = 0; /* it is a number: lf_fit_options_set has checked that */
        lf_option_number(equals + 1, &value);
        status = lf_parameter_set(ctx, model, index, value);
    }
    if (status) {
        lf_context kept = *ctx;
        return lf_fail(ctx, status, "--fix %s: %s", item, kept.message);
    }
    lf_parameter_fix(model, index, 1);
    return LF_OK;
}

lf_status lf_fix_parameters(lf_context *ctx, const lf_option_list *fixed, lf_model *model)
{
    lf_status status = LF_OK;
    for (size_t i = 0; !status && i < fixed->count; i++) {
        status = fix_parameter(ctx, fixed->item[i], model);
    }
    return status;
}
