/* The house of latentforce demo. Each room loses heat at its own rate and gains heat from two forces that are not
 * measured:
 *     dT/dt = -decay (T - offset) + S_sun sun(t) + S_occupants occupants(t),     time in hours, temperature in
 * degrees. */
#include "demo/house.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "options/model_parts.h"
#include "options/points.h"

const char *const cli_house_force_names[CLI_HOUSE_FORCES] = {"sun", "occupants"};

/* The sun varies slowly and heats the study most. Occupants vary faster, heat the kitchen and the living room, and cool
 * the bedroom by airing it. */
static const char model_text[] =
    "{ \"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"stationary\",\n"
    "  \"forces\": [ { \"kernel\": \"eq\", \"lengthscale\": 4 }, { \"kernel\": \"eq\", \"lengthscale\": 1.2 } ],\n"
    "  \"outputs\": [\n"
    "    { \"name\": \"kitchen\", \"operator\": { \"type\": \"ode1\", \"decay\": 0.5 },\n"
    "      \"sensitivity\": [0.5, 1.1], \"noise_variance\": 0.01, \"offset\": 20.5 },\n"
    "    { \"name\": \"living room\", \"operator\": { \"type\": \"ode1\", \"decay\": 0.25 },\n"
    "      \"sensitivity\": [0.7, 0.6], \"noise_variance\": 0.01, \"offset\": 21 },\n"
    "    { \"name\": \"bedroom\", \"operator\": { \"type\": \"ode1\", \"decay\": 0.15 },\n"
    "      \"sensitivity\": [0.35, -0.3], \"noise_variance\": 0.01, \"offset\": 18.5 },\n"
    "    { \"name\": \"study\", \"operator\": { \"type\": \"ode1\", \"decay\": 0.3 },\n"
    "      \"sensitivity\": [1.0, 0.15], \"noise_variance\": 0.01, \"offset\": 19.5 } ] }\n";

enum { HOURS = 72, READINGS_AN_HOUR = 6, ROOM = 1, SEED = 2 };
static const double window[2] = {30, 45}; /* hours in which the readings of ROOM are withheld */

/* Outputs and forces at all times: f (targets, times), without noise. */
static int draw(lf_context *ctx, const cli_house *house, int targets, double *f)
{
    cli_points times = {0}, points = {0};
    double low = 0, high = HOURS;
    int status = cli_points_grid(1, &low, &high, house->times, &times);
    status = status ? status : cli_points_append(&points, &times, 0, targets, 1);
    for (size_t i = 0; status == CLI_DONE && i < house->times; i++) {
        house->x[i] = times.x[i];
    }
    lf_points *made = NULL;
    status = status ? status : cli_points_make(ctx, house->truth, &points, &made);
    status = status ? status : cli_check(ctx, lf_simulate(ctx, house->truth, made, f));
    lf_points_free(made);
    cli_points_free(&times);
    cli_points_free(&points);
    return status;
}

/* Readings are rounded to two decimals, like those of a sensor. */
static int add_readings(lf_context *ctx, cli_house *house, int room, const double *f, const double *noise)
{
    double sd = sqrt(cli_output(house->truth, room).noise_variance);
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < house->times; i++) {
        double x = house->x[i], y = round(100 * (f[i] + sd * noise[i])) / 100;
        int hidden = room == ROOM && x > window[0] && x < window[1];
        house->hidden += (size_t)hidden;
        status = cli_check(ctx, lf_data_add(ctx, house->readings,
                                            &(lf_row){.size = sizeof(lf_row),
                                                      .output = cli_name(house->truth, LF_KIND_OUTPUT, room),
                                                      .x = &x,
                                                      .y = y,
                                                      .split = hidden ? "test" : "train"}));
    }
    return status;
}

int cli_house_simulate(lf_context *ctx, cli_house *house)
{
    *house = (cli_house){.times = HOURS * READINGS_AN_HOUR + 1};
    lf_context_set_seed(ctx, SEED);
    int status = cli_check(ctx, lf_model_parse(ctx, model_text, "the house", &house->truth));
    status = status ? status : cli_check(ctx, lf_data_create(ctx, 1, &house->readings));
    if (status != CLI_DONE) {
        return status;
    }
    int rooms = cli_count(house->truth, LF_KIND_OUTPUT);
    size_t outputs = (size_t)rooms * house->times, forces = CLI_HOUSE_FORCES * house->times;
    double *f = calloc(2 * outputs + forces, sizeof *f), *noise = f + outputs + forces;
    house->x = calloc(house->times, sizeof *house->x);
    house->force = calloc(forces, sizeof *house->force);
    status = f && house->x && house->force ? draw(ctx, house, rooms + CLI_HOUSE_FORCES, f) : cli_no_memory();
    if (status == CLI_DONE) {
        lf_normals(ctx, outputs, noise);
    }
    for (int room = 0; status == CLI_DONE && room < rooms; room++) {
        status = add_readings(ctx, house, room, f + (size_t)room * house->times, noise + (size_t)room * house->times);
    }
    for (size_t i = 0; status == CLI_DONE && i < forces; i++) {
        house->force[i] = f[outputs + i];
    }
    free(f);
    return status;
}

int cli_house_write(lf_context *ctx, const cli_house *house, const char *model, const char *data, const char *forces)
{
    lf_data *table = NULL;
    int status = cli_check(ctx, lf_model_write(ctx, house->truth, model));
    status = status ? status : cli_check(ctx, lf_data_write(ctx, house->readings, data));
    status = status ? status : cli_check(ctx, lf_data_create(ctx, 1, &table));
    for (size_t i = 0; status == CLI_DONE && i < CLI_HOUSE_FORCES * house->times; i++) {
        status = cli_check(ctx, lf_data_add(ctx, table,
                                            &(lf_row){.size = sizeof(lf_row),
                                                      .output = cli_house_force_names[i / house->times],
                                                      .x = &house->x[i % house->times],
                                                      .y = house->force[i]}));
    }
    status = status ? status : cli_check(ctx, lf_data_write(ctx, table, forces));
    lf_data_free(table);
    return status;
}

static double correlation(size_t n, const double *a, const double *b)
{
    double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (size_t i = 0; i < n; i++) {
        sa += a[i] / (double)n;
        sb += b[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        saa += (a[i] - sa) * (a[i] - sa);
        sbb += (b[i] - sb) * (b[i] - sb);
        sab += (a[i] - sa) * (b[i] - sb);
    }
    return sab / sqrt(saa * sbb);
}

int cli_house_compare_forces(lf_context *ctx, const cli_house *house, lf_posterior *posterior, const lf_model *model,
                             double *best)
{
    int forces = cli_count(model, LF_KIND_FORCE), outputs = cli_count(model, LF_KIND_OUTPUT);
    cli_points times = {.n = house->times, .input_dim = 1, .x = house->x}, points = {0};
    double *mean = calloc((size_t)forces * house->times + 1, sizeof *mean);
    int status = mean ? cli_points_append(&points, &times, outputs, forces, 1) : cli_no_memory();
    status = status ? status : cli_points_predict(ctx, model, posterior, &points, (lf_prediction){.mean = mean});
    for (int u = 0; status == CLI_DONE && u < CLI_HOUSE_FORCES; u++) {
        best[u] = 0;
        for (int q = 0; q < forces; q++) {
            best[u] = fmax(best[u], fabs(correlation(house->times, house->force + (size_t)u * house->times,
                                                     mean + (size_t)q * house->times)));
        }
    }
    cli_points_free(&points);
    free(mean);
    return status;
}

void cli_house_free(cli_house *house)
{
    lf_model_free(house->truth);
    lf_data_free(house->readings);
    free(house->x);
    free(house->force);
    *house = (cli_house){0};
}
