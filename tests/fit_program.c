/* The fit of a C program: fit_program DATA MODEL [NAME=VALUE…]. Built for test_fit_interface.sh, which compares it with the command. */
#include <latentforce.h>
#include <stdio.h>
#include <string.h>

static lf_status set(lf_context *ctx, lf_fit_options *options, char *setting)
{
    char *equals = strchr(setting, '=');
    if (!equals) {
        return lf_fit_options_set(ctx, options, setting, NULL);
    }
    *equals = '\0';
    return lf_fit_options_set(ctx, options, setting, equals + 1);
}

int main(int argc, char **argv)
{
    lf_context *ctx = lf_context_create();
    lf_data *data = NULL;
    lf_fit_options *options = NULL;
    lf_model *model = NULL;
    lf_status status = ctx && argc >= 3 ? lf_data_read(ctx, argv[1], NULL, &data) : LF_ERROR_ARGUMENT;
    status = status ? status : lf_fit_options_create(ctx, &options);
    for (int i = 3; !status && i < argc; i++) {
        status = set(ctx, options, argv[i]);
    }
    status = status ? status : lf_fit(ctx, data, options, &model, NULL);
    status = status ? status : lf_model_write(ctx, model, argv[2]);
    if (status) {
        fprintf(stderr, "%s\n", ctx ? lf_message(ctx) : "out of memory");
    }
    lf_model_free(model);
    lf_fit_options_free(options);
    lf_data_free(data);
    lf_context_free(ctx);
    return status != LF_OK;
}
