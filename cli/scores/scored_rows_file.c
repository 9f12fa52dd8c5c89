/* score --rows: every scored row with its prediction, z-score and flag.
 *
 * A prediction made with the row itself follows an outlier. Such a row is predicted from all others instead. With the mean m and the
 * variance v of the output at the row given all rows, and the variance s2 of the row's noise, the likelihood of the row divides
 * out of the Gaussian posterior: 1/v' = 1/v - 1/s2, m'/v' = m/v - y/s2. Hence
 *
 *     y - m' = (y - m) s2 / (s2 - v),   v' + s2 = s2^2 / (s2 - v),   v < s2.
 *
 * That holds where the rows are the observations of one Gaussian process: for the dense, kalman, lowrank and fourier engines
 * with known sensitivities. v is the variance of the model: the factor of calibration, which is for predictions in gaps, divides out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"
#include "message.h"
#include "scores/scored_rows.h"
#include "show/formats.h"

/* Below this share of s2 the difference s2 - v consists of rounding errors. */
static const double least_share = 1e-9;

const char *cli_why_not_left_out(const lf_model *model, const lf_posterior *posterior)
{
    static const char *const engines[] = {"dense", "kalman", "lowrank", "fourier"};
    int exact = 0;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        exact |= strcmp(lf_posterior_engine(posterior), engines[i]) == 0;
    }
    for (int d = 0; exact && d < lf_model_output_count(model); d++) {
        if (lf_model_output(model, d).sensitivity_sd > 0) {
            return "the sensitivities of the model are uncertain (--prior firm), and the formula that leaves a row out "
                   "holds for "
                   "known ones";
        }
    }
    return exact ? NULL : "the formula that leaves a row out holds for the dense, kalman, lowrank and fourier engines";
}

/* Mean and variance of the observation given all other rows; NaN where they cannot be computed. */
static void leave_out(const cli_scored_rows *rows, size_t i, double *mean, double *s2)
{
    double own = rows->variance[i] / lf_model_output(rows->model, rows->target[i]).variance_inflation;
    double noise = rows->noise[i], left = noise - own;
    if (!(left > least_share * noise)) {
        *mean = *s2 = (double)NAN;
        return;
    }
    *mean = rows->y[i] - (rows->y[i] - rows->mean[i]) * noise / left;
    *s2 = noise * noise / left;
}

static void print_row(FILE *stream, const cli_scored_rows *rows, size_t i, double threshold, double mean, double s2)
{
    lf_observation row = lf_data_row(rows->table, rows->row[i]);
    if (row.replicate >= 0) {
        cli_csv_name(stream, lf_data_name(rows->table, LF_KIND_REPLICATE, (size_t)row.replicate));
        fputc(',', stream);
    }
    cli_csv_name(stream, lf_data_name(rows->table, LF_KIND_OUTPUT, (size_t)row.output));
    fputc(',', stream);
    cli_csv_inputs(stream, rows->model, row.x);
    fputc(',', stream);
    cli_csv_number(stream, row.y);
    if (isnan(mean)) {
        fputs(",,,,unknown\n", stream);
        return;
    }
    double sd = sqrt(s2), z = (row.y - mean) / sd;
    const double values[] = {mean, sd, z};
    for (size_t k = 0; k < 3; k++) {
        fputc(',', stream);
        cli_csv_number(stream, values[k]);
    }
    fputs(fabs(z) > threshold ? ",outlier\n" : ",\n", stream);
}

/* (n) the places of the rows in the order of the table. */
static size_t *table_order(const cli_scored_rows *rows)
{
    size_t *place = calloc(rows->n + 1, sizeof *place), *at = calloc(rows->capacity + 1, sizeof *at), count = 0;
    if (place && at) {
        for (size_t i = 0; i < rows->n; i++) {
            at[rows->row[i]] = i + 1;
        }
        for (size_t row = 0; row < rows->capacity; row++) {
            if (at[row] > 0) {
                place[count++] = at[row] - 1;
            }
        }
    } else {
        free(place);
        place = NULL;
    }
    free(at);
    return place;
}

int cli_scored_rows_write(lf_context *ctx, const cli_scored_rows *rows, const char *path, double threshold,
                          int without_itself, size_t *undefined)
{
    lf_output_file out;
    size_t *order = table_order(rows);
    int status = order ? cli_check(ctx, lf_file_create(ctx, path, &out)) : cli_no_memory();
    *undefined = 0;
    if (status != CLI_DONE) {
        free(order);
        return status;
    }
    fputs(lf_data_count(rows->table, LF_KIND_REPLICATE) > 0 ? "replicate,output," : "output,", out.stream);
    cli_csv_input_heading(out.stream, rows->model);
    fputs(",y,mean,sd,z,flag\n", out.stream);
    for (size_t k = 0; k < rows->n; k++) {
        size_t i = order[k];
        double mean = rows->mean[i], s2 = rows->variance[i] + rows->noise[i];
        if (without_itself && rows->trained[i]) {
            leave_out(rows, i, &mean, &s2);
        } else if (!(s2 > 0)) {
            mean = (double)NAN;
        }
        *undefined += isnan(mean) ? 1 : 0;
        print_row(out.stream, rows, i, threshold, mean, s2);
    }
    free(order);
    return cli_check(ctx, lf_file_commit(ctx, &out));
}
