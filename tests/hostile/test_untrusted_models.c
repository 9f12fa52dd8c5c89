/* Model files are not trusted: stored posteriors of every engine with random changes of numbers, lengths and types. The result is a
 * prediction of finite numbers or a message, in little memory. The seed is fixed; LF_MUTATIONS sets the number of changed files. */
#include "support.h"

#include <errno.h>
#include <jansson.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/base64.h"
#include "model/model.h"
#include "model/posterior_io.h"
#include "report/diagnosis.h"

enum { SEEDS = 10, MOST_NODES = 4000 };

static const lf_engine_options engines[SEEDS] = {
    {.size = sizeof(lf_engine_options), .engine = "dense"},
    {.size = sizeof(lf_engine_options), .engine = "lowrank", .tolerance = 1e-3},
    {.size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "qmc", .features = 16},
    {.size = sizeof(lf_engine_options), .engine = "fourier", .tolerance = 1e-3},
    {.size = sizeof(lf_engine_options), .engine = "kalman"},
    {.size = sizeof(lf_engine_options), .engine = "dtc", .inducing = 4},
    {.size = sizeof(lf_engine_options), .engine = "variational", .inducing = 4},
    {.size = sizeof(lf_engine_options), .engine = "fitc", .inducing = 4},
    {.size = sizeof(lf_engine_options), .engine = "pitc", .inducing = 4},
    {.size = sizeof(lf_engine_options), .engine = "pitc", .inducing = 4, .nodes = "qmc", .features = 16},
};
static json_t *files[SEEDS]; /* model files with a posterior */
static lf_random stream;

static size_t below(size_t n) { return (size_t)(lf_random_bits(&stream) % n); }

static json_t *file_of(lf_context *ctx, const lf_engine_options *options, int seed)
{
    static const char *const starts[] = {"zero", "stationary", "free"};
    char text[2048], path[] = "/tmp/lf_untrusted_XXXXXX";
    const char *force = strcmp(options->engine, "kalman") == 0 ? "matern32" : "eq";
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"%s\","
             "\"lengthscale\":0.9},{\"kernel\":\"%s\",\"lengthscale\":0.6}],\"outputs\":[{\"name\":\"a\",\"operator\":"
             "{\"type\":\"ode1\",\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":0.1,\"offset\":0.3,"
             "\"scale\":2,\"private\":{\"kernel\":\"%s\",\"lengthscale\":0.8,\"amplitude\":0.7}},{\"name\":\"b\","
             "\"operator\":{\"type\":\"ode2\",\"mass\":1.2,\"damper\":0.8,\"spring\":2},\"sensitivity\":[0.7,2],"
             "\"noise_variance\":0.05}]}",
             starts[seed % 3], force, force, force);
    lf_model *model = parse_model(ctx, text);
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 24; i++) {
        double x = 0.05 + 0.2 * (i % 6);
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = i / 6 % 2 ? "a" : "b",
                                             .replicate = i < 12 ? "first" : "second",
                                             .x = &x,
                                             .y = sin(2 * x + i),
                                             .sd = i % 5 ? 0 : 0.2}));
    }
    lf_posterior *posterior = make_posterior(ctx, model, data, options);
    assert_ok(ctx, lf_posterior_store(posterior, model));
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0 && close(descriptor) == 0);
    assert_ok(ctx, lf_model_write(ctx, model, path));
    json_t *file = json_load_file(path, 0, NULL);
    assert_non_null(file);
    unlink(path);
    lf_posterior_free(posterior);
    lf_data_free(data);
    lf_model_free(model);
    return file;
}

static int setup(void **state)
{
    lf_context *ctx = *state = lf_context_create();
    lf_random_seed(&stream, 16);
    for (int i = 0; ctx && i < SEEDS; i++) {
        files[i] = file_of(ctx, &engines[i], i);
    }
    return ctx ? 0 : -1;
}

static int teardown(void **state)
{
    for (int i = 0; i < SEEDS; i++) {
        json_decref(files[i]);
    }
    lf_context_free(*state);
    return 0;
}

/* ---- changes ---- */

typedef struct place {
    json_t *parent;
    const char *key; /* of an object */
    size_t index;    /* of a list */
} place;

static size_t list_places(json_t *value, place *places, size_t count)
{
    const char *key;
    json_t *child;
    size_t i;
    json_object_foreach(value, key, child)
    {
        if (count < MOST_NODES) {
            places[count++] = (place){value, key, 0};
            count = list_places(child, places, count);
        }
    }
    json_array_foreach(value, i, child)
    {
        if (count < MOST_NODES) {
            places[count++] = (place){value, NULL, i};
            count = list_places(child, places, count);
        }
    }
    return count;
}

static double strange_number(double old)
{
    static const double numbers[] = {0,      -1,    0.5,          1,      2,     3,     7,      1e3,
                                     1e5,    1e6,   1e7,          1e9,    1e15,  1e300, -1e300, 1e-300,
                                     4e-324, 1e308, 4294967296.0, -0.001, 1.7e9, -1e9};
    switch (below(4)) {
    case 0:
        return old + (below(2) ? 1 : -1);
    case 1:
        return old * exp(10 * lf_random_normal(&stream));
    default:
        return numbers[below(sizeof numbers / sizeof *numbers)];
    }
}

/* Another text: shorter, longer, of other characters or, most often, of other numbers in base64. */
static json_t *strange_text(const char *text)
{
    size_t length = strlen(text), n = length / 4 * 3 / 8;
    double *values = calloc(n + 2, sizeof *values);
    char *changed = calloc(2 * length + 64, 1);
    assert_true(values && changed);
    memcpy(changed, text, length);
    if (below(4) && n && (lf_base64_decode(text, n, values) || (n > 1 && lf_base64_decode(text, --n, values)))) {
        for (size_t times = 1 + below(3); times > 0; times--) {
            double *value = &values[below(n)];
            *value = below(20) ? strange_number(*value) : (double)NAN;
        }
        free(changed);
        changed = lf_base64_encode(below(6) ? n : n + 1 - 2 * below(2), values);
    } else if (below(2)) {
        changed[length ? below(length) : 0] = "A=9/ z"[below(6)];
    } else {
        changed[length ? below(length) : 0] = '\0';
        strcat(changed, below(2) ? "AAAA" : "");
    }
    json_t *result = json_string(changed);
    free(values);
    free(changed);
    return result ? result : json_string("");
}

static json_t *changed_value(const json_t *old)
{
    static const char *const kinds[] = {"eq", "matern12", "zero", "free", "dense", "kalman", "fourier", "ode1", ""};
    if (below(12) == 0) {
        json_t *other[] = {json_null(), json_array(), json_object(), json_real(1e9), json_string("AAAA"), json_true()};
        size_t chosen = below(6);
        for (size_t i = 0; i < 6; i++) {
            if (i != chosen) {
                json_decref(other[i]);
            }
        }
        return other[chosen];
    }
    if (json_is_number(old)) {
        return json_real(strange_number(json_number_value(old)));
    }
    if (json_is_string(old)) {
        return below(8) ? strange_text(json_string_value(old)) : json_string(kinds[below(9)]);
    }
    json_t *copy = json_deep_copy(old);
    size_t size = json_array_size(copy);
    if (size && below(2)) {
        json_array_remove(copy, below(size));
    } else if (size) {
        json_array_append(copy, json_array_get(copy, below(size)));
    }
    return copy;
}

static void change(json_t *file)
{
    static place places[MOST_NODES];
    json_t *part = below(4) ? json_object_get(file, "posterior") : file;
    size_t count = list_places(part, places, 0);
    if (!count) {
        return;
    }
    place at = places[below(count)];
    json_t *old = at.key ? json_object_get(at.parent, at.key) : json_array_get(at.parent, at.index);
    if (below(20) == 0) {
        at.key ? json_object_del(at.parent, at.key) : json_array_remove(at.parent, at.index);
    } else if (at.key) {
        json_object_set_new(at.parent, at.key, changed_value(old));
    } else {
        json_array_set_new(at.parent, at.index, changed_value(old));
    }
}

/* ---- use ---- */

static void assert_prediction(lf_context *ctx, lf_posterior *posterior, const lf_model *model)
{
    enum { N = 12 };
    double x[N], mean[N], variance[N], covariance[N * N];
    int target[N], targets = (int)lf_model_count(model, LF_KIND_OUTPUT) * 2 + (int)lf_model_count(model, LF_KIND_FORCE);
    for (int i = 0; i < N; i++) {
        x[i] = i < 8 ? 0.1 + 0.15 * i : strange_number(1);
        target[i] = (int)below((size_t)targets);
    }
    lf_point_list points = {.n = below(8) ? 8 : N, .target = target, .x = x};
    int joint = below(2) == 0;
    if ((int)lf_model_count(model, LF_KIND_INPUT) == 1 &&
        lf_predict_list(posterior, &points, mean, variance, joint ? covariance : NULL) == LF_OK) {
        for (size_t i = 0; i < points.n; i++) {
            assert_true(isfinite(mean[i]) && isfinite(variance[i]) && variance[i] >= 0);
        }
        for (size_t i = 0; joint && i < points.n * points.n; i++) {
            assert_true(isfinite(covariance[i]));
        }
    } else if ((int)lf_model_count(model, LF_KIND_INPUT) == 1) {
        assert_true(strlen(lf_context_message(ctx)) > 10);
    }
}

/* Reads a file, restores its posterior and asks it. Returns whether it was restored. */
static int use(lf_context *ctx, const char *text, int agree)
{
    lf_model *model;
    lf_posterior *posterior;
    lf_diagnosis *diagnosis = NULL;
    if (lf_model_parse(ctx, text, "f.json", &model)) {
        assert_null(model);
        assert_true(strlen(lf_context_message(ctx)) > 10);
        return 0;
    }
    if (agree && json_is_object(model->posterior)) { /* the parameters may change, too */
        double *values = calloc(model->parameter_count + 1, sizeof *values);
        for (size_t i = 0; i < model->parameter_count; i++) {
            values[i] = *model->parameters[i].value;
        }
        lf_put_array(model->posterior, "parameters", model->parameter_count, values);
        free(values);
    }
    lf_diagnosis_restore(ctx, model, &diagnosis);
    lf_diagnosis_free(diagnosis);
    lf_status status = lf_posterior_restore(ctx, model, &posterior);
    if (status) {
        assert_null(posterior);
        assert_true(strlen(lf_context_message(ctx)) > 10);
    } else {
        assert_prediction(ctx, posterior, model);
        lf_posterior_free(posterior);
    }
    lf_model_free(model);
    return status == LF_OK;
}

static void test_changed_files(void **state)
{
    const char *number = getenv("LF_MUTATIONS"), *dump = getenv("LF_MUTATION_FILE");
    size_t count = number ? (size_t)atol(number) : 1000 / ONE_OF(5), restored = 0;
    double slowest = 0;
    lf_random_seed(&stream, number ? count : 16);
    for (size_t i = 0; i < count; i++) {
        json_t *file = json_deep_copy(files[i % SEEDS]);
        for (size_t times = 1 + below(3); times > 0; times--) {
            change(file);
        }
        char *text = json_dumps(file, 0);
        assert_non_null(text);
        if (dump) { /* the file that was used last, should the program end here */
            json_dump_file(file, dump, 0);
        }
        clock_t before = clock();
        restored += (size_t)use(*state, text, below(2) == 0);
        double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
        slowest = fmax(slowest, seconds);
        if (dump && seconds > 1) {
            char kept[512];
            snprintf(kept, sizeof kept, "%s.slow%zu", dump, i);
            json_dump_file(file, kept, 0);
            printf("%.1f s: %s %s\n", seconds, kept, lf_context_message(*state));
        }
        free(text);
        json_decref(file);
    }
    printf("%zu changed files, %zu posteriors restored, slowest %.2f s\n", count, restored, slowest);
    assert_true(restored > count / 20 && restored < count); /* both ends are reached */
}

/* Sizes that the file does not hold are refused before memory is allocated for them. */
static void set(json_t *file, const char *key, double value)
{
    static place places[MOST_NODES];
    size_t count = list_places(json_object_get(file, "posterior"), places, 0), found = 0;
    for (size_t i = 0; i < count; i++) {
        if (places[i].key && strcmp(places[i].key, key) == 0) {
            json_object_set_new(places[i].parent, key, json_real(value));
            found++;
        }
    }
    assert_true(found > 0);
}

static void refused(lf_context *ctx, int seed, const char *key, double value, const char *other, double other_value)
{
    json_t *file = json_deep_copy(files[seed]);
    set(file, key, value);
    if (other) {
        set(file, other, other_value);
    }
    char *text = json_dumps(file, 0);
    assert_false(use(ctx, text, 0));
    assert_non_null(strstr(lf_context_message(ctx), "posterior: "));
    assert_null(strstr(lf_context_message(ctx), "memory"));
    free(text);
    json_decref(file);
}

static void test_stated_sizes(void **state)
{
    refused(*state, 3, "rule", 1, "features", 1); /* sampled frequencies in sums over uniform ones */
    refused(*state, 3, "rule", 2, NULL, 0);
    refused(*state, 3, "count", 1e6, NULL, 0);
    refused(*state, 0, "count", 1e8, NULL, 0);
    refused(*state, 0, "count", 1e9, NULL, 0);
    refused(*state, 4, "count", 1e9, NULL, 0);
    refused(*state, 2, "features", 15000, NULL, 0);
    refused(*state, 7, "count", 1e6, NULL, 0);
    refused(*state, 9, "features", 1e7, NULL, 0);
    refused(*state, 0, "route", 0.5, NULL, 0);
    refused(*state, 0, "route", 2, NULL, 0); /* a state space of forces that have none */
    refused(*state, 5, "source", 0.5, NULL, 0);
}

/* A route for one input in a model of two. */
static void test_route_of_one_input(void **state)
{
    static char text[8192];
    const char *folder = getenv("LF_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/fuzz/seeds/posterior/found-route-of-one-input", folder ? folder : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_false(use(*state, text, 0));
    assert_non_null(strstr(lf_context_message(*state), "route"));
}

/* Deep nesting and keys that are given twice. */
static void test_nesting(void **state)
{
    enum { DEEP = 100000 };
    lf_model *model;
    static char text[2 * DEEP + 256];
    for (size_t depth = 10; depth <= DEEP; depth *= 10) {
        size_t length = (size_t)sprintf(text, "{\"format\":\"latentforce-model\",\"version\":1,\"provenance\":");
        memset(text + length, '[', depth);
        memset(text + length + depth, ']', depth);
        strcpy(text + length + 2 * depth, ",\"forces\":[],\"outputs\":[]}");
        assert_int_equal(lf_model_parse(*state, text, "f.json", &model), LF_ERROR_MODEL);
        assert_true((strstr(lf_context_message(*state), "nested") || strstr(lf_context_message(*state), "depth")) ==
                    (depth > 10));
    }
    static const char *const twice[] = {
        "{\"format\":\"a\",\"format\":\"b\"}",
        "{\"format\":\"latentforce-model\",\"posterior\":{\"state\":{\"count\":1,\"count\":2}}}",
        "{\"format\":\"latentforce-model\",\"provenance\":{\"command\":[],\"command\":[]}}",
        "{\"format\":\"latentforce-model\",\"provenance\":[{\"a\":1,\"\\u0061\":2}]}",
    };
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        assert_int_equal(lf_model_parse(*state, twice[i], "f.json", &model), LF_ERROR_MODEL);
        assert_non_null(strstr(lf_context_message(*state), "duplicate"));
    }
}

/* Numbers of forces and of inducing inputs that a few bytes of the file stand for. */
static void test_counts_of_models(void **state)
{
    enum { ENTRIES = 20000 };
    static const char entry[] = "{\"kernel\":\"eq\",\"lengthscale\":1,\"copies\":1000},";
    lf_model *model;
    char *text = calloc(ENTRIES * sizeof entry + 1000, 1), *end = text;
    assert_non_null(text);
    end += sprintf(end, "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[");
    for (int i = 0; i < ENTRIES; i++) {
        end = stpcpy(end, entry);
    }
    sprintf(end - 1, "],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],"
                     "\"noise_variance\":1}]}");
    assert_int_equal(lf_model_parse(*state, text, "f.json", &model), LF_ERROR_MODEL);
    assert_string_equal(lf_context_message(*state),
                        "f.json: forces: 20000000 forces with their copies, but outputs[0].sensitivity is a list of 1");
    end = text + sprintf(text,
                         "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":1000,\"forces\":[{\"kernel\":"
                         "\"eq\",\"lengthscale\":1,\"inducing\":[");
    for (int i = 0; i < 300000; i++) {
        end = stpcpy(end, "[],");
    }
    strcpy(end - 1, "]}],\"outputs\":[]}");
    assert_int_equal(lf_model_parse(*state, text, "f.json", &model), LF_ERROR_MODEL);
    assert_non_null(strstr(lf_context_message(*state), "forces[0].inducing[0]: expected a list of 1000"));
    free(text);
}

/* A stored covariance of the filter that is none would give standard deviations of 0. */
static void test_filter_covariance(void **state)
{
    for (int wrong = 0; wrong < 4; wrong++) {
        json_t *file = json_deep_copy(files[4]), *posterior = json_object_get(file, "posterior"),
               *track = json_array_get(json_object_get(json_object_get(posterior, "state"), "tracks"), 0),
               *end = json_object_get(track, "end");
        const char *stored = json_string_value(json_object_get(end, "covariance"));
        size_t n = 1;
        while (lf_base64_length(n * n) < strlen(stored)) {
            n++;
        }
        double *P = calloc(n * n, sizeof *P);
        assert_true(n > 2 && P && lf_base64_decode(stored, n * n, P));
        P[0] = wrong == 1 ? -1e-3 : P[0];
        P[1] += wrong == 2 ? 1e-3 : 0;
        P[n] = P[1] = wrong == 3 ? 2 * sqrt(P[0] * P[n + 1]) : P[1];
        P[n] += wrong == 2 ? -1e-3 : 0;
        assert_true(lf_put_array(end, "covariance", n * n, P));
        char *text = json_dumps(file, 0);
        assert_int_equal(use(*state, text, 0), wrong == 0);
        assert_true(wrong == 0 || strstr(lf_context_message(*state), "the covariance of the filter is none"));
        free(text);
        free(P);
        json_decref(file);
    }
}

static long allocations_left;

static void *failing_malloc(size_t size)
{
    errno = allocations_left > 0 ? errno : ENOMEM; /* as malloc does */
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* The parser without memory, at each of its allocations: "out of memory", never a place in the file. */
static void test_no_memory(void **state)
{
    lf_model *model = NULL;
    char *text = json_dumps(files[0], 0);
    lf_status status = LF_ERROR_MEMORY;
    size_t failures = 0;
    assert_non_null(text);
    for (long allowed = 0; status; allowed += allowed < 60 ? 1 : 7) {
        allocations_left = allowed;
        json_set_alloc_funcs(failing_malloc, free);
        status = lf_model_parse(*state, text, "f.json", &model);
        json_set_alloc_funcs(malloc, free);
        if (status) {
            failures++;
            assert_int_equal(status, LF_ERROR_MEMORY);
            assert_null(strstr(lf_context_message(*state), "-1"));
        }
    }
    assert_true(failures > 60);
    lf_model_free(model);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stated_sizes),      cmocka_unit_test(test_route_of_one_input),
        cmocka_unit_test(test_nesting),           cmocka_unit_test(test_counts_of_models),
        cmocka_unit_test(test_filter_covariance), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_changed_files)};
#ifndef __SANITIZE_ADDRESS__ /* its shadow takes terabytes of addresses */
    struct rlimit limit = {.rlim_cur = (rlim_t)2 << 30, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
#endif
    return cmocka_run_group_tests(tests, setup, teardown);
}
