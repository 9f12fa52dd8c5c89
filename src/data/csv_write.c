/* lf_data_write: writes the long shape. Columns that no row uses are left out; numbers read back as the same
 * doubles. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/number.h"
#include "base/output_file.h"
#include "base/processes.h"
#include "data/data.h"
#include "latentforce.h"

static void write_rows(FILE *stream, const lf_data *data)
{
    int output = 0, replicate = 0, y = 0, sd = 0, width = 0, split = 0; /* whether any row uses the column */
    const lf_axis *axis = &data->axes[0];
    double factor = axis->dated ? 1 : lf_axis_factor(axis); /* widths with dates are in the unit of the axis */
    for (size_t i = 0; i < data->n; i++) {
        output |= data->output[i] >= 0;
        replicate |= data->replicate[i] >= 0;
        y |= !isnan(data->y[i]);
        sd |= data->sd[i] > 0;
        width |= data->width && data->width[i] > 0;
        split |= data->split[i] != LF_SPLIT_NONE;
    }
    fputs(output ? "output," : "", stream);
    fputs(replicate ? "replicate," : "", stream);
    for (int k = 0; k < data->input_dim; k++) {
        char name[256];
        lf_axis_heading(&data->axes[k], k, data->input_dim, sizeof name, name);
        fputs(k ? "," : "", stream);
        lf_csv_text(stream, name);
    }
    fprintf(stream, "%s%s%s", y ? ",y" : "", sd ? ",sd" : "", width ? ",width" : "");
    if (width && axis->dated) {
        fprintf(stream, " [%s]", axis->unit ? axis->unit : "s");
    }
    fprintf(stream, "%s\n", split ? ",split" : "");
    for (size_t i = 0; i < data->n; i++) {
        lf_observation row = lf_data_row(data, i);
        if (output) {
            lf_csv_text(stream, data->outputs.name[row.output]);
            putc(',', stream);
        }
        if (replicate) {
            lf_csv_text(stream, data->replicates.name[row.replicate]);
            putc(',', stream);
        }
        for (int k = 0; k < data->input_dim; k++) {
            char text[LF_TIMESTAMP_SIZE];
            lf_axis_format(&data->axes[k], row.x[k], text);
            fprintf(stream, "%s%s", k ? "," : "", text);
        }
        char number[LF_NUMBER_SIZE] = "";
        if (y) {
            lf_format_number(row.y, number);
            fprintf(stream, ",%s", number);
        }
        if (sd) {
            lf_format_number(row.sd, number);
            fprintf(stream, ",%s", row.sd > 0 ? number : "");
        }
        if (width) {
            lf_format_number(row.width / factor, number);
            fprintf(stream, ",%s", row.width > 0 ? number : "");
        }
        if (split) {
            fprintf(stream, ",%s", row.split ? row.split : "");
        }
        putc('\n', stream);
    }
}

lf_status lf_data_write(lf_context *ctx, const lf_data *data, const char *path)
{
    if (!data) {
        return lf_missing(ctx, "table");
    }
    if (data->n == 0) {
        return lf_fail(ctx, LF_ERROR_DATA, "there are no rows to write");
    }
    lf_output_file file;
    lf_status status = lf_file_create(ctx, path, &file);
    if (status != LF_OK) {
        return status;
    }
    lf_c_locale locale;
    if (!lf_c_locale_enter(&locale)) {
        lf_file_discard(&file);
        return lf_agree(ctx, lf_no_memory(ctx));
    }
    write_rows(file.stream, data);
    lf_c_locale_leave(&locale);
    return lf_file_commit(ctx, &file);
}
