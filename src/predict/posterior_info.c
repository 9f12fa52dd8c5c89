/* What is known of a posterior: its engine, its training rows, its replicates, and where it can predict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "predict/posterior.h"
#include "predict/request.h"

void lf_posterior_range(const lf_posterior *posterior, double *from, double *to)
{
    lf_posterior_facts facts = lf_scaled_posterior_describe(&posterior->scaled, 0, 0, 0);
    *from = facts.from;
    *to = facts.to;
}

int lf_posterior_span(const lf_posterior *posterior, double *first, double *last)
{
    *first = posterior->first;
    *last = posterior->last;
    return !isnan(posterior->first) && !isnan(posterior->last);
}

double lf_posterior_last(const lf_posterior *posterior, int replicate)
{
    return posterior->ends ? posterior->ends[replicate] : posterior->last;
}

int lf_posterior_rows(const lf_posterior *posterior, size_t *count, uint64_t *fingerprint)
{
    *count = posterior->count;
    *fingerprint = posterior->fingerprint;
    return posterior->count > 0;
}

double lf_posterior_step(const lf_posterior *posterior) { return posterior->step; }

const char *lf_posterior_engine(const lf_posterior *posterior) { return posterior->scaled.class->name; }

int lf_posterior_find_replicate(const lf_posterior *posterior, const char *name)
{
    return lf_names_find(&posterior->replicates, name, strlen(name));
}

const char *lf_posterior_name(const lf_posterior *posterior, size_t replicate)
{
    return replicate < (size_t)posterior->replicates.count ? posterior->replicates.name[replicate] : "";
}

int lf_posterior_replicate_count(const lf_posterior *posterior) { return posterior->replicates.count; }

const char *lf_posterior_replicate_name(const lf_posterior *posterior, int replicate)
{
    return posterior->replicates.name[replicate];
}

size_t lf_posterior_readings(const lf_posterior *posterior, int replicate, int known, const double **x,
                             const double **value)
{
    *x = *value = NULL;
    if (!posterior->known || replicate < 0 || replicate >= posterior->replicates.count || known < 0 ||
        known >= posterior->known[replicate].count) {
        return 0;
    }
    const lf_known_series *series = &posterior->known[replicate].series[known];
    *x = series->t;
    *value = series->v;
    return series->n;
}

int lf_posterior_is_named(const lf_posterior *posterior)
{
    return posterior->replicates.count > 1 || *posterior->replicates.name[0];
}

lf_status lf_posterior_get(lf_context *ctx, const lf_posterior *posterior, lf_posterior_info *info)
{
    if (!posterior) {
        return lf_missing(ctx, "posterior");
    }
    size_t p = (size_t)posterior->scaled.model->input_dim;
    lf_posterior_info found;
    lf_status status = info ? lf_take_options(ctx, "lf_posterior_info", info, sizeof found, &found)
                            : lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no place for the facts of a posterior");
    double *limits = status ? NULL : lf_doubles(2, p);
    if (!status && !limits) {
        status = lf_no_memory(ctx);
    }
    if (status) {
        return status;
    }
    found.engine = posterior->scaled.class->name;
    found.columns = posterior->columns;
    found.rows = posterior->count;
    found.fingerprint = posterior->fingerprint;
    found.step = posterior->step;
    found.first = posterior->first;
    found.last = posterior->last;
    lf_posterior_range(posterior, &found.from, &found.to);
    found.replicates = (size_t)posterior->replicates.count;
    found.named = lf_posterior_is_named(posterior);
    lf_posterior_limits(posterior, found.low ? found.low : limits, found.high ? found.high : limits + p);
    for (size_t r = 0; found.ends && r < found.replicates; r++) {
        found.ends[r] = lf_posterior_last(posterior, (int)r);
    }
    free(limits);
    return lf_give_struct(ctx, "lf_posterior_info", &found, sizeof found, info);
}
