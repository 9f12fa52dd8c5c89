/* Rows of shared tables: brought to where an engine needs them, and a sample of them on every process. */
#include "base/context.h"
#include "data/share.h"
#include "points/rows.h"

lf_status lf_rows_create_shared(lf_context *ctx, const lf_model *model, const lf_data *data,
                                lf_distribution distribution, int keep, lf_rows *rows)
{
    lf_data *other = NULL, *source = NULL;
    int moves = data->shared && data->shared != (int)distribution;
    *rows = (lf_rows){0};
    lf_status status = moves ? lf_data_redistribute(ctx, data, distribution, &other) : LF_OK;
    const lf_data *mine = other ? other : data;
    status = status || !keep || !mine->shared ? status : lf_data_copy(ctx, mine, &source);
    LF_TRY(status, lf_rows_create(ctx, model, mine, rows));
    lf_data_free(other);
    if (status) {
        lf_data_free(source);
    } else {
        rows->source = source;
    }
    return status;
}

lf_status lf_rows_gather(lf_context *ctx, const lf_rows *rows, lf_data **data)
{
    return lf_data_redistribute(ctx, rows->source, LF_WHOLE, data);
}

lf_status lf_rows_sample(lf_context *ctx, const lf_model *model, const lf_data *data, lf_rows *rows)
{
    lf_data *sample = NULL;
    size_t total = data->n;
    *rows = (lf_rows){0};
    if (!data->shared) {
        return lf_rows_create(ctx, model, data, rows);
    }
    lf_status status = lf_data_total(ctx, data, &total);
    LF_TRY(status, lf_data_sample(ctx, data, LF_MOST_GATHERED, &sample));
    status = lf_agree(ctx, status ? status : lf_rows_create(ctx, model, sample, rows));
    if (!status && total > sample->n) {
        rows->n = total;
    }
    lf_data_free(sample);
    return status;
}
