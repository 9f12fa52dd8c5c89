/* A stranger's program: the prior variance of one output at two inputs, through the installed header and library. */
#include <latentforce.h>
#include <stdio.h>
#include <string.h>

static const char *const text =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"input_dim\": 1, \"origin\": 0.0, \"initial\": \"zero\","
    " \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 0.5}],"
    " \"outputs\": [{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 1.0}, \"sensitivity\": [2.0],"
    " \"noise_variance\": 0.1, \"offset\": 0, \"scale\": 1}]}";

int main(void)
{
    const double x[2] = {0.5, 2.0};
    uint32_t target[2] = {0, 0};
    double K[4] = {0};
    lf_model *model = NULL;
    lf_points *points = NULL;
    int failed = 1;

    lf_context *ctx = lf_context_create();
    if (ctx == NULL) {
        return 1;
    }
    if (strcmp(lf_version(), LF_VERSION) != 0) {
        fprintf(stderr, "consumer: the header is %s, the library %s\n", LF_VERSION, lf_version());
    } else if (lf_model_parse(ctx, text, "text", &model) != LF_OK ||
               lf_model_target(ctx, model, LF_KIND_OUTPUT, 0, &target[0]) != LF_OK ||
               lf_model_target(ctx, model, LF_KIND_OUTPUT, 0, &target[1]) != LF_OK ||
               lf_points_create(ctx, model, &points) != LF_OK ||
               lf_points_add(ctx, points, 2, target, NULL, x, NULL) != LF_OK ||
               lf_covariance(ctx, model, points, NULL, K) != LF_OK) {
        fprintf(stderr, "consumer: %s\n", lf_context_message(ctx));
    } else if (!(K[0] > 0.0 && K[3] > K[0] && K[0] * K[3] > K[1] * K[2])) {
        /* Starting from rest, the variance grows from zero. */
        fprintf(stderr, "consumer: not a covariance: %g %g %g %g\n", K[0], K[1], K[2], K[3]);
    } else {
        printf("%s\n", lf_version());
        failed = 0;
    }
    lf_points_free(points);
    lf_model_free(model);
    lf_context_free(ctx);
    return failed;
}
