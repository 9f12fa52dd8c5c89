/* A fit through the C interface, for test_fit_api.sh, which compares the model with that of `latentforce fit`.
 * Usage: fit_api DATA MODEL [NAME=VALUE | NAME]…   fits with these options of lf_option_get();
 *        fit_api                                   prints the name, the type and the argument of every option. */
#include <latentforce.h>
#include <stdio.h>
#include <string.h>

static lf_status set(lf_context *ctx, lf_options *options, const char *setting)
{
    char name[64];
    size_t length = strcspn(setting, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, setting);
    return lf_options_set(ctx, options, name, setting[length] ? setting + length + 1 : NULL);
}

static lf_status fit(lf_context *ctx, const char *rows, const char *path, int count, char **settings)
{
    lf_data *data = NULL;
    lf_options *options = NULL;
    lf_model *model = NULL;
    lf_status status = lf_data_read(ctx, rows, NULL, &data);
    status = status ? status : lf_options_create(ctx, "fit", &options);
    for (int i = 0; i < count && !status; i++) {
        status = set(ctx, options, settings[i]);
    }
    status = status ? status : lf_fit(ctx, data, count ? options : NULL, &model, NULL);
    status = status ? status : lf_model_write(ctx, model, path);
    lf_model_free(model);
    lf_options_free(options);
    lf_data_free(data);
    return status;
}

int main(int argc, char **argv)
{
    lf_option option = {.size = sizeof option};
    for (size_t i = 0; argc < 3 && lf_option_get(NULL, "fit", i, &option) == LF_OK; i++) {
        printf("%s %s %s\n", option.name, option.type, option.argument ? option.argument : "");
    }
    if (argc < 3) {
        return 0;
    }
    lf_context *ctx = lf_context_create();
    lf_status status = fit(ctx, argv[1], argv[2], argc - 3, argv + 3);
    if (status) {
        fprintf(stderr, "%s: %s\n", argv[0], lf_context_message(ctx));
    }
    lf_context_free(ctx);
    return status != LF_OK;
}
