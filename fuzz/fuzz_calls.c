/* Sequences of calls: the bytes choose functions of the interface and their arguments, in any order that the interface allows, with
 * any numbers. Handles are kept in a few places, which are NULL at first and after they were released. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"
#include "fuzz.h"
#include "predict/score.h"
#include "report/diagnosis.h"
#include "report/remarks.h"

enum { PLACES = 2, MOST_CALLS = 40, MOST_ROWS = 60, MOST_PARAMETERS = 200 };

typedef struct session {
    lf_context *ctx;
    fuzz_stream stream;
    lf_data *data[PLACES];
    lf_model *model[PLACES];
    lf_engine *engine[PLACES];
    lf_model *engine_model[PLACES]; /* a copy of the model that the engine was made with */
    lf_posterior *posterior[PLACES];
    lf_model *posterior_model[PLACES];
    lf_options *options;
} session;

static int place(session *s) { return fuzz_below(&s->stream, PLACES); }
static unsigned byte(session *s) { return fuzz_byte(&s->stream); }
static double number(session *s) { return fuzz_number(&s->stream); }
static void check(session *s, lf_status status) { fuzz_check(s->ctx, status); }
static const char *output_name(session *s) { return FUZZ_CHOOSE(&s->stream, "a", "a", "b", "b", "c", NULL, "", "a b"); }

/* A number that a model file takes. */
static double plain(session *s)
{
    double value = number(s);
    return isfinite(value) ? value : 1;
}

static void free_data(session *s, int i)
{
    lf_data_free(s->data[i]);
    s->data[i] = NULL;
}

static void free_model(session *s, int i)
{
    lf_model_free(s->model[i]);
    s->model[i] = NULL;
}

static void free_engine(session *s, int i)
{
    lf_engine_free(s->engine[i]);
    lf_model_free(s->engine_model[i]);
    s->engine[i] = NULL;
    s->engine_model[i] = NULL;
}

static void free_posterior(session *s, int i)
{
    lf_posterior_free(s->posterior[i]);
    lf_model_free(s->posterior_model[i]);
    s->posterior[i] = NULL;
    s->posterior_model[i] = NULL;
}

/* ---- data ---- */

static void add_rows(session *s, lf_data *data, int count)
{
    int p = (int)lf_data_count(data, LF_KIND_INPUT), plain_rows = byte(s) & 3;
    for (int i = 0; i < count && lf_data_count(data, LF_KIND_ROW) < MOST_ROWS; i++) {
        double x[FUZZ_MOST_INPUTS];
        for (int k = 0; k < p; k++) {
            x[k] = plain_rows ? 0.25 * (double)lf_data_count(data, LF_KIND_ROW) + 0.1 * k : number(s);
        }
        if (plain_rows) {
            check(s,
                  lf_data_add(
                      s->ctx, data,
                      &(lf_row){.size = sizeof(lf_row), .output = i % 2 ? "a" : "b", .x = x, .y = sin(3 * x[0] + i)}));
        } else {
            const char *output = output_name(s),
                       *replicate = FUZZ_CHOOSE(&s->stream, NULL, NULL, "r1", "r2", "r3", "", "\xff");
            double y = number(s), sd = byte(s) & 3 ? 0 : number(s);
            check(s,
                  lf_data_add(s->ctx, data,
                              &(lf_row){.size = sizeof(lf_row),
                                        .output = output,
                                        .replicate = replicate,
                                        .x = x,
                                        .y = y,
                                        .sd = sd,
                                        .split = FUZZ_CHOOSE(&s->stream, NULL, NULL, NULL, "train", "test", "other")}));
        }
    }
}

static void make_data(session *s)
{
    static const int dims[] = {1, 1, 1, 1, 2, 3, 0, -1};
    int i = place(s);
    free_data(s, i);
    lf_status status = lf_data_create(s->ctx, (size_t)dims[byte(s) % 8], &s->data[i]);
    check(s, status);
    if (status == LF_OK) {
        add_rows(s, s->data[i], fuzz_below(&s->stream, 40));
    }
}

/* Everything that can be asked, one beyond the end of each. */
static void describe_data(session *s, const lf_data *data, const lf_model *model)
{
    static const lf_kind kinds[] = {LF_KIND_ROW, LF_KIND_INPUT, LF_KIND_OUTPUT, LF_KIND_REPLICATE, LF_KIND_FORCE};
    lf_data_info info = {.size = sizeof info};
    check(s, lf_data_info_get(s->ctx, data, model, &info));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t i = 0; i <= lf_data_count(data, kinds[k]); i++) {
            lf_row row = {.size = sizeof row};
            lf_label label = {.size = sizeof label};
            fuzz_check(s->ctx, kinds[k] == LF_KIND_ROW ? lf_data_get(s->ctx, data, i, &row)
                                                       : lf_data_label_get(s->ctx, data, kinds[k], i, &label));
            lf_data_name(data, kinds[k], i);
        }
    }
}

static void change_data(session *s)
{
    int i = place(s), j = place(s);
    lf_data *data = s->data[i], *selected = NULL;
    if (!data) {
        return;
    }
    int p = (int)lf_data_count(data, LF_KIND_INPUT), outputs = (int)lf_data_count(data, LF_KIND_OUTPUT);
    switch (byte(s) % 8) {
    case 0:
        check(s, lf_data_label_set(s->ctx, data, LF_KIND_INPUT, (size_t)fuzz_below(&s->stream, p + 2) - 1,
                                   &(lf_label){.size = sizeof(lf_label),
                                               .name = FUZZ_CHOOSE(&s->stream, NULL, "t", "x", ""),
                                               .unit = FUZZ_CHOOSE(&s->stream, NULL, "s", "h", "m", ""),
                                               .file_unit = FUZZ_CHOOSE(&s->stream, NULL, "s", "h", "m", ""),
                                               .dated = byte(s) & 1,
                                               .zero = number(s)}));
        break;
    case 1:
        describe_data(s, data, s->model[j]);
        break;
    case 2:
        check(s, lf_data_label_set(s->ctx, data, LF_KIND_OUTPUT, (size_t)fuzz_below(&s->stream, outputs + 2) - 1,
                                   &(lf_label){.size = sizeof(lf_label),
                                               .unit = FUZZ_CHOOSE(&s->stream, NULL, "V", "", "\xff\xfe")}));
        break;
    case 3:
        check(s, lf_data_select(s->ctx, data, s->model[j],
                                FUZZ_CHOOSE(&s->stream, "train", "test", "outputs", "known", "started", "other"),
                                &selected));
        lf_data_free(selected);
        break;
    default:
        add_rows(s, data, fuzz_below(&s->stream, 12));
    }
}

/* ---- models ---- */

static void make_model(session *s)
{
    char text[4096], operator_text[256];
    int i = place(s), forces = 1 + fuzz_below(&s->stream, 2), outputs = 1 + fuzz_below(&s->stream, 2),
        kind = fuzz_below(&s->stream, 4);
    size_t length = (size_t)snprintf(
        text, sizeof text,
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"input_dim\":%d,\"forces\":[",
        FUZZ_CHOOSE(&s->stream, "zero", "stationary", "free"), byte(s) & 7 ? 1 : 2);
    const char *kernel = FUZZ_CHOOSE(&s->stream, "eq", "matern12", "matern32", "matern52");
    for (int q = 0; q < forces; q++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s{\"kernel\":\"%s\",\"lengthscale\":%g}",
                                   q ? "," : "", kernel, plain(s));
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "],\"outputs\":[");
    for (int d = 0; d < outputs; d++) {
        double a = plain(s), b = kind ? plain(s) : 1, c = kind ? plain(s) : 1;
        switch (kind) { /* the formats differ in how many numbers they take */
        case 1:
            snprintf(operator_text, sizeof operator_text, "{\"type\":\"ode2\",\"mass\":%g,\"damper\":%g,\"spring\":%g}",
                     a, b, c);
            break;
        case 2:
            snprintf(operator_text, sizeof operator_text, "{\"type\":\"ode\",\"coefficients\":[%g,%g,%g,1]}", a, b, c);
            break;
        default:
            snprintf(operator_text, sizeof operator_text,
                     kind == 3 ? "{\"type\":\"gaussian\",\"precision\":%g}" : "{\"type\":\"ode1\",\"decay\":%g}", a);
        }
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%s{\"name\":\"%c\",\"operator\":%s,\"sensitivity\":[%g%s],\"noise_variance\":%g}",
                                   d ? "," : "", 'a' + d, operator_text, plain(s), forces > 1 ? ",0.5" : "", plain(s));
    }
    snprintf(text + length, sizeof text - length, "]}");
    free_model(s, i);
    check(s, lf_model_parse(s->ctx, text, "calls", &s->model[i]));
}

/* Systems in which a is read, and b is read or a known input. */
static void make_system(session *s)
{
    static const char *const texts[] = {
        "force u ~ matern32\nx' = -k*x + u\ny' = x - g*y\noutput a = x\noutput b = y\nquantity q = k/g\n",
        "input b\nforce u ~ white\nm*x'' + c*x' + k*x = b + u\noutput a = x\nstart steady\n",
        "input b impulse\nx' = -k*x + b\noutput a = x\nstart rest\n",
        "input b constant\nforce u ~ eq(lengthscale = 0.5)\nx' = k*(b - x) + u\noutput a = average(x, 0.5)\n",
        "force u\nx'' = -w^2*x + u\noutput a = x''\noutput b = x - 0.5\nparameter w real = -2\n"};
    int i = place(s);
    free_model(s, i);
    check(s,
          lf_model_from_equations(s->ctx, texts[byte(s) % (sizeof texts / sizeof *texts)], "calls.eq", &s->model[i]));
}

static void set_parameter(session *s, lf_model *model, size_t index)
{
    lf_parameter parameter = {.size = sizeof parameter};
    check(s, lf_model_parameter_get(s->ctx, model, index, &parameter));
    unsigned what = byte(s);
    parameter.value = what & 1 ? number(s) : parameter.value;
    parameter.lower = what & 2 ? number(s) : parameter.lower;
    parameter.upper = what & 4 ? number(s) : parameter.upper;
    parameter.fixed = what & 8 ? !parameter.fixed : parameter.fixed;
    parameter.tied_to = what & 16 ? byte(s) : what & 32 ? LF_NONE : parameter.tied_to;
    check(s, lf_model_parameter_set(s->ctx, model, index, &parameter));
}

static void change_model(session *s)
{
    int i = place(s), j = place(s);
    lf_model *model = s->model[i];
    lf_data *data = s->data[j];
    double theta[MOST_PARAMETERS], x;
    if (!model || lf_parameter_count(model) > MOST_PARAMETERS) {
        return;
    }
    size_t count = lf_parameter_count(model), index = byte(s) % (count + 2);
    switch (byte(s) % 14) {
    case 0:
        check(s, lf_parameter_set(s->ctx, model, index, number(s)));
        break;
    case 1:
        x = number(s);
        check(s, lf_parameter_bound(s->ctx, model, index, x, number(s)));
        break;
    case 2:
        check(s, lf_parameter_tie(s->ctx, model, index, byte(s) % (count + 2)));
        break;
    case 3:
        check(s, lf_model_tie_copies(s->ctx, model, fuzz_below(&s->stream, 4) - 1, fuzz_below(&s->stream, 5) - 1));
        break;
    case 4:
        set_parameter(s, model, index % count);
        break;
    case 5:
        lf_model_theta(model, theta);
        theta[index % count] = number(s);
        check(s, lf_model_set_theta(s->ctx, model, byte(s) & 15 ? count : count + 1, theta));
        break;
    case 6:
        if (data) {
            check(s, lf_model_standardise(s->ctx, model, data));
        }
        break;
    case 7:
        if (data) {
            check(s, lf_model_place_inducing(s->ctx, model, data, byte(s) % 12,
                                             FUZZ_CHOOSE(&s->stream, NULL, "even", "data", "kmeans", "other")));
        }
        break;
    case 8:
        check(s, lf_model_set_provenance(s->ctx, model,
                                         FUZZ_CHOOSE(&s->stream, "{}", "[1]", "{\"command\":[\"latentforce\",1]}", "{",
                                                     "", "{\"rows\":-1,\"converged\":false,\"diagnosis\":{}}")));
        break;
    case 9:
        check(s, lf_parameter_find(s->ctx, model, FUZZ_CHOOSE(&s->stream, "force1.lengthscale", "a.log_decay", "z", ""),
                                   &index));
        break;
    case 10:
        check(s, lf_model_parse_input(s->ctx, model,
                                      (size_t)fuzz_below(&s->stream, (int)lf_model_count(model, LF_KIND_INPUT) + 1),
                                      FUZZ_CHOOSE(&s->stream, "1", "2020-01-01", "x", "", "1e400"), &x));
        check(s, lf_model_parse_span(s->ctx, model,
                                     FUZZ_CHOOSE(&s->stream, "48h", "-1", "1e308 d", "", "nan", "3 weeks"), &x));
        break;
    case 11:
        if (i != j) {
            free_model(s, j);
            check(s, lf_model_copy(s->ctx, model, &s->model[j]));
        }
        break;
    default:
        fuzz_describe(model);
    }
}

/* Writes a model into a file in memory and reads it again. */
static void write_model(session *s)
{
    char path[64];
    lf_model *model = s->model[place(s)], *again = NULL;
    if (!model) {
        return;
    }
    int saved = dup(STDOUT_FILENO), file = fuzz_file((const uint8_t *)"", 0, path);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    lf_status status = lf_model_write(s->ctx, model, byte(s) & 1 ? "-" : NULL);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    check(s, status);
    if (status == LF_OK && lf_model_read(s->ctx, path, &again) != LF_OK) {
        fuzz_fail("written, but not read: %s", lf_context_message(s->ctx));
    }
    lf_model_free(again);
    close(file);
}

static void ask_prior(session *s)
{
    lf_model *model = s->model[place(s)];
    fuzz_points chosen;
    double K[FUZZ_MOST_POINTS * FUZZ_MOST_POINTS];
    if (!model || (int)lf_model_count(model, LF_KIND_INPUT) > FUZZ_MOST_INPUTS) {
        return;
    }
    fuzz_choose_points(&s->stream, model, 2, &chosen);
    lf_status status = byte(s) & 1 ? lf_simulate_list(s->ctx, model, &chosen.points, NULL, K)
                                   : lf_covariance_list(s->ctx, model, &chosen.points, NULL, K);
    check(s, status);
    if (status == LF_OK) {
        fuzz_check_finite("prior", chosen.points.n, K);
    }
}

/* ---- engines and posteriors ---- */

static lf_engine_options choose_engine(session *s)
{
    unsigned given = byte(s);
    lf_engine_options options = {.size = sizeof options,
                                 .engine =
                                     FUZZ_CHOOSE(&s->stream, NULL, "auto", "dense", "lowrank", "features", "fourier",
                                                 "kalman", "dtc", "variational", "fitc", "pitc", "other"),
                                 .inducing = 3};
    if (given & 1) {
        options.nodes = FUZZ_CHOOSE(&s->stream, NULL, "auto", "uniform", "closed-form", "state-space", "mc", "qmc",
                                    "orthogonal", "exact", "other");
        options.features = byte(s) % 40;
    }
    if (given & 2) {
        options.tolerance = number(s);
    }
    if (given & 4) {
        options.ahead = number(s);
        options.behind = number(s);
    }
    if (given & 8) {
        options.inducing = byte(s) % 10;
        options.inducing_inputs = FUZZ_CHOOSE(&s->stream, NULL, "even", "data", "kmeans", "other");
    }
    if (given & 16) {
        options.regrid_factor = number(s);
    }
    if (given == 255) {
        options.size = byte(s) & 1 ? 0 : 1000;
    }
    return options;
}

static void make_engine(session *s)
{
    int i = place(s);
    lf_model *model = s->model[place(s)];
    lf_data *data = s->data[place(s)];
    lf_engine_options options = choose_engine(s);
    if (!model || !data) {
        return;
    }
    free_engine(s, i);
    lf_status status = lf_engine_create(s->ctx, model, data, byte(s) & 7 ? &options : NULL, &s->engine[i]);
    check(s, status);
    if (status == LF_OK && lf_model_copy(s->ctx, model, &s->engine_model[i]) != LF_OK) {
        abort();
    }
}

static void use_engine(session *s)
{
    int i = place(s), j = place(s);
    lf_engine *engine = s->engine[i];
    double theta[MOST_PARAMETERS], gradient[MOST_PARAMETERS], value = 0;
    if (!engine || lf_parameter_count(s->engine_model[i]) > MOST_PARAMETERS) {
        return;
    }
    size_t count = lf_parameter_count(s->engine_model[i]);
    unsigned kind = byte(s);
    lf_engine_describe(engine);
    lf_engine_log_jacobian(engine);
    switch (kind & 3) {
    case 0:
        check(s, lf_engine_error_bound(engine, &value));
        break;
    case 1:
        free_posterior(s, j);
        if (lf_model_copy(s->ctx, s->engine_model[i], &s->posterior_model[j]) != LF_OK) {
            abort();
        }
        check(s, lf_engine_posterior(engine, &s->posterior[j]));
        break;
    default:
        lf_model_theta(s->engine_model[i], theta);
        for (unsigned changes = kind >> 4 & 3; changes > 0; changes--) {
            theta[byte(s) % count] = number(s);
        }
        lf_status status = lf_engine_evaluate(engine, kind & 8 && kind & 64 ? count + 1 : count,
                                              kind & 4 ? theta : NULL, &value, kind & 8 ? gradient : NULL);
        check(s, status);
        if (status == LF_OK) {
            fuzz_check_finite("log likelihood", 1, &value);
            fuzz_check_finite("gradient", kind & 8 ? count : 0, gradient);
        }
    }
}

static void use_posterior(session *s)
{
    int i = place(s), j = place(s);
    lf_posterior *posterior = s->posterior[i];
    lf_model *model = s->posterior_model[i];
    fuzz_points chosen;
    double mean[FUZZ_MOST_POINTS], variance[FUZZ_MOST_POINTS], covariance[FUZZ_MOST_POINTS * FUZZ_MOST_POINTS];
    if (!posterior || (int)lf_model_count(model, LF_KIND_INPUT) > FUZZ_MOST_INPUTS) {
        return;
    }
    unsigned kind = byte(s);
    lf_status status;
    switch (kind % 6) {
    case 0:
        if (s->data[j]) {
            check(s, lf_posterior_update(s->ctx, posterior, s->data[j], kind & 64 ? "inputs" : "rows"));
        }
        break;
    case 1:
        fuzz_choose_points(&s->stream, model, fuzz_replicates(posterior), &chosen);
        status = lf_draw_list(posterior, &chosen.points, 3, covariance);
        check(s, status);
        if (status == LF_OK) {
            fuzz_check_finite("sample", 3 * chosen.points.n, covariance);
        }
        break;
    case 2: /* into the model of the posterior, or into any other */
        model = kind & 64 && s->model[j] ? s->model[j] : model;
        check(s, lf_posterior_store(posterior, model));
        if (s->posterior_model[1 - i] != model) {
            lf_posterior *restored = NULL;
            check(s, lf_posterior_restore(s->ctx, model, &restored));
            lf_posterior_free(restored);
        }
        break;
    case 3:
        if (s->data[j]) {
            lf_diagnosis *diagnosis = NULL;
            lf_verdict *verdict = NULL;
            status = lf_diagnose(posterior, s->data[j], &diagnosis);
            check(s, status);
            if (status == LF_OK) {
                check(s, lf_diagnosis_store(s->ctx, diagnosis, model));
            }
            lf_diagnosis_free(diagnosis);
            check(s, lf_verdict_create(s->ctx, model, &verdict));
            lf_verdict_free(verdict);
        }
        break;
    default:
        fuzz_choose_points(&s->stream, model, fuzz_replicates(posterior), &chosen);
        status = lf_predict_list(posterior, &chosen.points, mean, kind & 64 ? variance : NULL,
                                 kind & 128 ? covariance : NULL);
        check(s, status);
        if (status == LF_OK) {
            size_t n = chosen.points.n;
            fuzz_check_finite("mean", n, mean);
            fuzz_check_finite("variance", kind & 64 ? n : 0, variance);
            fuzz_check_finite("covariance", kind & 128 ? n * n : 0, covariance);
        }
    }
}

/* ---- fitting ---- */

static int stop_later(void *user, const lf_progress *progress)
{
    (void)progress;
    return --*(int *)user < 0;
}

static void set_option(session *s)
{
    static const char *const values[][2] = {{"operator", "ode1"},
                                            {"operator", "ode2"},
                                            {"operator", "a=ode1"},
                                            {"operator", "gaussian"},
                                            {"force-kernel", "eq"},
                                            {"force-kernel", "auto"},
                                            {"force-kernel", "matern32"},
                                            {"forces", "1"},
                                            {"forces", "2"},
                                            {"forces", "0"},
                                            {"initial", "zero"},
                                            {"initial", "stationary"},
                                            {"origin", "-1"},
                                            {"origin", "1e308"},
                                            {"private", NULL},
                                            {"no-private", NULL},
                                            {"offset", "learned"},
                                            {"offset", "none"},
                                            {"scale", "none"},
                                            {"fix", "a.decay=1"},
                                            {"fix", "force1.lengthscale"},
                                            {"prior", "none"},
                                            {"errors", "yes"},
                                            {"errors", "no"},
                                            {"posterior", "no"},
                                            {"engine", "kalman"},
                                            {"engine", "dense"},
                                            {"engine", "lowrank"},
                                            {"engine", "fourier"},
                                            {"engine", "fitc"},
                                            {"nodes", "qmc"},
                                            {"features", "10"},
                                            {"tolerance", "1e-3"},
                                            {"inducing", "3"},
                                            {"learn-inducing", NULL},
                                            {"horizon", "3"},
                                            {"seed", "7"},
                                            {"copies", "2"},
                                            {"seed", "-1"},
                                            {"input", "b"},
                                            {"input", "b=impulse"}};
    size_t chosen = byte(s) % (sizeof values / sizeof *values);
    if (!s->options) {
        check(s, lf_options_create(s->ctx, "fit", &s->options));
    }
    check(s, lf_options_set(s->ctx, s->options, values[chosen][0], values[chosen][1]));
    if (lf_fit_options_get(s->options, values[chosen][0])) {
        check(s, lf_options_check(s->ctx, s->options));
    }
}

static void fit(session *s)
{
    int i = place(s), calls = fuzz_below(&s->stream, 4);
    lf_data *data = s->data[place(s)];
    lf_fit_result *result = NULL;
    lf_options *own = NULL;
    if (!data || lf_data_count(data, LF_KIND_ROW) > 24) {
        return;
    }
    if (!s->options) {
        check(s, lf_options_create(s->ctx, "fit", &own));
    }
    lf_options *options = own ? own : s->options;
    if (byte(s) % 4 == 0 && s->model[1 - i]) {
        check(s, lf_options_set_model(s->ctx, options, s->model[1 - i]));
    }
    check(s, lf_options_set(s->ctx, options, "restarts", "1"));
    check(s, lf_options_set(s->ctx, options, "max-iterations", "2"));
    check(s, lf_options_set(s->ctx, options, "threads", "1"));
    lf_context_set_progress(s->ctx, stop_later, &calls);
    free_model(s, i);
    lf_status status = lf_fit(s->ctx, data, options, &s->model[i], byte(s) & 1 ? &result : NULL);
    check(s, status);
    lf_context_set_progress(s->ctx, NULL, NULL);
    if (status == LF_OK && lf_model_has_posterior(s->model[i])) {
        lf_posterior *restored = NULL;
        if (lf_posterior_restore(s->ctx, s->model[i], &restored) != LF_OK) {
            fuzz_fail("fitted, but not restored: %s", lf_context_message(s->ctx));
        }
        lf_posterior_free(restored);
    }
    lf_fit_result_free(result);
    lf_options_free(own);
}

static void release(session *s)
{
    int i = place(s);
    switch (byte(s) % 5) {
    case 0:
        free_data(s, i);
        break;
    case 1:
        free_model(s, i);
        break;
    case 2:
        free_engine(s, i);
        break;
    case 3:
        free_posterior(s, i);
        break;
    default:
        lf_options_free(s->options);
        s->options = NULL;
    }
}

static void settings(session *s)
{
    lf_context_set_seed(s->ctx, byte(s));
    lf_context_set_threads(s->ctx, byte(s) & 15 ? 1 : 2);
    double y[3] = {number(s), number(s), number(s)};
    lf_score_rows(byte(s) % 4, y, y, y);
    lf_status_text((lf_status)(byte(s) % 12));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static void (*const calls[])(session *) = {
        make_data,     make_data,   change_data, make_model, make_model, change_model,  write_model,
        ask_prior,     make_engine, make_engine, use_engine, use_engine, use_engine,    use_posterior,
        use_posterior, set_option,  fit,         release,    settings,   use_posterior, make_system};
    fuzz_begin();
    session s = {.ctx = fuzz_context(), .stream = {.at = bytes, .left = size}};
    for (int count = 0; s.stream.left > 0 && count < MOST_CALLS; count++) {
        calls[byte(&s) % (sizeof calls / sizeof *calls)](&s);
    }
    for (int i = 0; i < PLACES; i++) {
        free_data(&s, i);
        free_model(&s, i);
        free_engine(&s, i);
        free_posterior(&s, i);
    }
    lf_options_free(s.options);
    lf_context_free(s.ctx);
    fuzz_end(size);
    return 0;
}
