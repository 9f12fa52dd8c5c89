/* Fits a model to the data in a CSV, writes it, and writes a forecast. Usage: forecast DATA.csv MODEL.json SPAN FORECAST.csv */
#include <latentforce.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    lf_context *ctx = lf_context_create();
    lf_data *data = NULL;
    lf_options *fit = NULL, *request = NULL;
    lf_model *model = NULL;
    lf_posterior *posterior = NULL;
    lf_points *points = NULL;
    lf_table *forecast = NULL;
    lf_status s = ctx && argc == 5 ? LF_OK : LF_ERROR_ARGUMENT;
    s = s ? s : lf_data_read(ctx, argv[1], NULL, &data);
    s = s ? s : lf_options_create(ctx, "fit", &fit);
    s = s ? s : lf_options_set(ctx, fit, "engine", "kalman");
    s = s ? s : lf_fit(ctx, data, fit, &model, NULL);
    s = s ? s : lf_model_write(ctx, model, argv[2]);
    s = s ? s : lf_posterior_restore(ctx, model, &posterior);
    s = s ? s : lf_options_create(ctx, "request", &request);
    s = s ? s : lf_options_set(ctx, request, "ahead", argv[3]);
    s = s ? s : lf_points_request(ctx, model, NULL, posterior, request, NULL, &points);
    s = s ? s : lf_predict_table(ctx, posterior, points, request, &forecast);
    s = s ? s : lf_table_write(ctx, forecast, "csv", argv[4]);
    if (s) {
        fprintf(stderr, "forecast: %s\n",
                argc == 5 ? lf_context_message(ctx) : "DATA.csv MODEL.json SPAN FORECAST.csv");
    }
    lf_table_free(forecast);
    lf_points_free(points);
    lf_posterior_free(posterior);
    lf_model_free(model);
    lf_options_free(request);
    lf_options_free(fit);
    lf_data_free(data);
    lf_context_free(ctx);
    return s != LF_OK;
}
