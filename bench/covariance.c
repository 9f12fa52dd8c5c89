/* Nanoseconds per covariance entry: closed form (one error function an entry) against the quadrature with uniform nodes
 * (a matrix product), one output of each kind at irregular times, one thread and all. Beside each: the largest
 * difference between the two. */
#include <math.h>
#include <string.h>

#include "bench.h"

enum { N = 1500 };

static const struct {
    const char *name, *operator;
} kinds[] = {
    {"ode1", "{\"type\":\"ode1\",\"decay\":1.3}"},
    {"ode2 overdamped", "{\"type\":\"ode2\",\"mass\":1,\"damper\":3,\"spring\":1}"},
    {"ode2 underdamped", "{\"type\":\"ode2\",\"mass\":1,\"damper\":0.2,\"spring\":2}"},
    {"ode2 critical", "{\"type\":\"ode2\",\"mass\":1,\"damper\":2,\"spring\":1}"},
};

int main(void)
{
    static int target[N];
    static double x[N];
    double *closed = malloc(sizeof(double) * N * N), *uniform = malloc(sizeof(double) * N * N);
    lf_context *ctx = lf_context_create();
    const lf_point_list points = {.n = N, .target = target, .x = x};
    for (int i = 0; i < N; i++) {
        target[i] = i % 2;
        x[i] = 10 * (i + 0.5 * sin(3.0 * i)) / N + 0.1;
    }
    printf("two outputs, %d times on [0, 10], EQ force; ns per entry of the %d x %d matrix, kernel to matrix\n\n",
           N / 2, N, N);
    printf("%-18s %12s %8s %12s %12s %9s %12s\n", "operator", "lengthscale", "threads", "closed form", "uniform",
           "ratio", "difference");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int short_scale = 0; short_scale < 2; short_scale++) {
            char text[1024];
            double lengthscale = short_scale ? 0.1 : 1, seconds[2];
            snprintf(
                text, sizeof text,
                "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":%g}],"
                "\"outputs\":[{\"name\":\"a\",\"operator\":%s,\"sensitivity\":[1],\"noise_variance\":1},{\"name\":"
                "\"b\",\"operator\":%s,\"sensitivity\":[2],\"noise_variance\":1}]}",
                lengthscale, kinds[k].operator, kinds[k].operator);
            lf_model *model;
            need(ctx, lf_model_parse(ctx, text, "bench", &model));
            for (int threads = 1; threads >= 0; threads--) {
                lf_context_set_threads(ctx, (size_t)threads);
                static const char *const routes[] = {"closed-form", "uniform"};
                for (int route = 0; route < 2; route++) {
                    lf_engine_options options = {.size = sizeof(lf_engine_options), .nodes = routes[route]};
                    double *K = route ? uniform : closed;
                    BEST_OF(seconds[route], 3, need(ctx, lf_covariance_list(ctx, model, &points, &options, K)));
                }
                double difference = 0, largest = 0;
                for (size_t i = 0; i < (size_t)N * N; i++) {
                    difference = fmax(difference, fabs(closed[i] - uniform[i]));
                    largest = fmax(largest, fabs(closed[i]));
                }
                printf("%-18s %12g %8s %12.1f %12.1f %9.1f %12.1e\n", kinds[k].name, lengthscale, threads ? "1" : "all",
                       1e9 * seconds[0] / N / N, 1e9 * seconds[1] / N / N, seconds[0] / seconds[1],
                       difference / largest);
            }
            lf_model_free(model);
        }
    }
    free(closed);
    free(uniform);
    lf_context_free(ctx);
    return 0;
}
