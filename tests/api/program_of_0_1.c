/* What a program of 0.1 called, as far as latentforce_compat.h has it: it compiles, and finds what it found. */
#include <latentforce_compat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, lf_message(ctx));                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static const char text[] =
    "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":1,\"inputs\":[{\"name\":\"time\",\"unit\":\"h\"}],"
    "\"known_inputs\":[{\"name\":\"heating\",\"unit\":\"kW\",\"between\":\"constant\"}],"
    "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.8},{\"kernel\":\"eq\",\"lengthscale\":2}],"
    "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.5},\"sensitivity\":[1,-2],"
    "\"gain\":[0.3],\"noise_variance\":0.1,\"offset\":3,\"scale\":2}]}";

static void use_model(lf_context *ctx)
{
    lf_model *model, *again;
    char name[64], *file;
    size_t decay, second;
    CHECK(lf_model_parse(ctx, text, "text", &model) == LF_OK);
    CHECK(lf_model_input_dim(model) == 1 && lf_model_output_count(model) == 1 && lf_model_force_count(model) == 2);
    CHECK(lf_model_known_count(model) == 1 && lf_model_state_count(model) == 0 && lf_model_white_count(model) == 0);
    CHECK(lf_model_quantity_count(model) == 0 && !lf_model_equations(model) && !lf_model_has_posterior(model));
    CHECK(strcmp(lf_model_output_name(model, 0), "a") == 0 && strcmp(lf_model_known_name(model, 0), "heating") == 0);
    CHECK(!*lf_model_white_name(model, 0) && !*lf_model_quantity_name(model, 0) && !lf_model_provenance(model));
    lf_model_force_name(model, 1, sizeof name, name);
    CHECK(strcmp(name, "force2") == 0);
    lf_model_input_heading(model, 0, sizeof name, name);
    CHECK(strcmp(name, "time") == 0);
    lf_model_state_name(model, 0, sizeof name, name);
    CHECK(!*name && lf_model_find_output(model, "a") == 0 && lf_model_find_output(model, "b") == -1);
    CHECK(lf_model_find_known(model, "heating") == 0 && lf_model_find_known(model, "a") == -1);
    CHECK(strcmp(lf_model_known_unit(model, 0), "kW") == 0 &&
          strcmp(lf_model_known_between(model, 0), "constant") == 0);
    CHECK(lf_model_offset(model, 0) == 3 && lf_model_scale(model, 0) == 2);
    CHECK(lf_model_noise_variance(model, 0) == 2 * 2 * 0.1);

    CHECK(lf_parameter_find(ctx, model, "a.decay", &decay) == LF_OK && decay < lf_parameter_count(model));
    CHECK(lf_parameter_set(ctx, model, decay, 0.75) == LF_OK && lf_parameter_get(model, decay).value == 0.75);
    CHECK(lf_parameter_bound(ctx, model, decay, 0.5, 2) == LF_OK && lf_parameter_get(model, decay).upper == 2);
    lf_parameter_fix(model, decay, 1);
    CHECK(lf_parameter_get(model, decay).fixed && !*lf_parameter_get(model, 1000).name);
    lf_parameter_unit(model, decay, name);
    CHECK(strcmp(name, "1/h") == 0);
    CHECK(lf_parameter_find(ctx, model, "force2.lengthscale", &second) == LF_OK);
    CHECK(lf_parameter_tie(ctx, model, second, 0) == LF_OK && lf_parameter_get(model, second).value == 0.8);

    CHECK(lf_model_text(ctx, model, &file) == LF_OK);
    CHECK(lf_model_parse(ctx, file, "file", &again) == LF_OK && lf_parameter_get(again, decay).value == 0.75);
    lf_free(file);
    lf_model_free(again);
    lf_model_free(model);
}

static void use_forces(lf_context *ctx)
{
    lf_model *model;
    CHECK(lf_model_parse(
              ctx,
              "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":1,\"forces\":[{\"kernel\":\"white\"},"
              "{\"kernel\":\"eq\",\"lengthscale\":0.8}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\","
              "\"decay\":0.5},\"sensitivity\":[1,2],\"noise_variance\":0.1}],"
              "\"provenance\":{\"diagnosis\":{\"idle\":[2]}}}",
              "text", &model) == LF_OK);
    CHECK(lf_model_force_is_white(model, 0) && !lf_model_force_is_white(model, 1));
    CHECK(!lf_model_force_is_idle(model, 0) && lf_model_force_is_idle(model, 1));
    CHECK(!lf_model_force_is_white(model, 2) && !lf_model_force_is_idle(model, -1));
    lf_model_free(model);
}

static void use_data(lf_context *ctx)
{
    lf_data *data;
    double x = 2;
    lf_row row;
    memset(&row, 0, sizeof row);
    row.size = sizeof row;
    row.output = "a";
    row.x = &x;
    row.y = 5;
    CHECK(lf_data_create(ctx, 1, &data) == LF_OK && lf_data_add(ctx, data, &row) == LF_OK);
    CHECK(lf_data_input_dim(data) == 1 && lf_data_output_count(data) == 1 && lf_data_replicate_count(data) == 0);
    CHECK(strcmp(lf_data_output_name(data, 0), "a") == 0 && !*lf_data_replicate_name(data, 0));
    CHECK(*lf_data_inputs(data) == 2 && *lf_data_values(data) == 5 && *lf_data_errors(data) == 0);
    CHECK(*lf_data_outputs(data) == 0 && *lf_data_replicates(data) == -1);
    CHECK(lf_data_set_output_unit(ctx, data, 0, "K") == LF_OK);
    double low, high;
    CHECK(lf_data_limits(ctx, data, NULL, &low, &high) == LF_OK && low == 2 && high == 2);
    lf_data_free(data);
}

static void use_engine(lf_context *ctx)
{
    lf_model *model;
    lf_data *data;
    lf_engine *engine;
    lf_engine_options kalman, sampled;
    lf_error_bounds bounds;
    double x[] = {0, 1, 2}, bound = -1;
    CHECK(lf_model_parse(ctx,
                         "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":1,"
                         "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.8}],\"outputs\":[{\"name\":\"a\","
                         "\"operator\":{\"type\":\"ode1\",\"decay\":0.5},\"sensitivity\":[1],\"noise_variance\":0.1}]}",
                         "text", &model) == LF_OK);
    CHECK(lf_data_create(ctx, 1, &data) == LF_OK);
    for (int i = 0; i < 3; i++) {
        lf_row row;
        memset(&row, 0, sizeof row);
        row.size = sizeof row;
        row.output = "a";
        row.x = &x[i];
        CHECK(lf_data_add(ctx, data, &row) == LF_OK);
    }
    memset(&kalman, 0, sizeof kalman);
    kalman.size = sizeof kalman;
    sampled = kalman;
    kalman.engine = "kalman";
    CHECK(lf_engine_create(ctx, model, data, &kalman, &engine) == LF_OK);
    CHECK(lf_engine_error_bounds(engine, &bounds) == LF_OK && lf_engine_error_bound(engine, &bound) == LF_OK);
    CHECK(bound > 0 && bound >= bounds.outputs && bound >= bounds.forces && bound >= bounds.rates);
    CHECK(bound == bounds.outputs || bound == bounds.forces || bound == bounds.rates);
    lf_engine_free(engine);
    sampled.engine = "lowrank";
    sampled.nodes = "mc";
    sampled.features = 20;
    CHECK(lf_engine_create(ctx, model, data, &sampled, &engine) == LF_OK);
    CHECK(lf_engine_error_bound(engine, &bound) == LF_OK && isnan(bound));
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
}

static void use_options(lf_context *ctx)
{
    lf_fit_options *options;
    CHECK(lf_fit_options_create(ctx, &options) == LF_OK && lf_fit_options_set(ctx, options, "forces", "2") == LF_OK);
    CHECK(lf_fit_options_check(ctx, options) == LF_OK);
    lf_fit_options_free(options);
}

int main(void)
{
    lf_context *ctx = lf_context_create();
    lf_set_seed(ctx, 3);
    lf_set_threads(ctx, 1);
    CHECK(lf_set_memory(ctx, "1G") == LF_OK && lf_set_processes(ctx, NULL) == LF_OK);
    CHECK(lf_set_message(ctx, LF_ERROR_DATA, "said") == LF_ERROR_DATA && strcmp(lf_message(ctx), "said") == 0);
    use_model(ctx);
    use_forces(ctx);
    use_data(ctx);
    use_options(ctx);
    use_engine(ctx);
    lf_context_free(ctx);
    return 0;
}
