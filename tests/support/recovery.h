/* Does a fit find the truth? A system is drawn, observed with noise, and fitted from the rows alone; what was found is
 * compared with what was drawn, in units of the standard errors that were found.
 *
 * Time runs from 0 to SPAN. Decays and natural frequencies are such that an output forgets, or swings, several times in
 * the span and not within one gap between rows; the first force is slow and the second fast, because two forces of the
 * same lengthscale are known only up to a rotation; each output listens mainly to one of them. */
#ifndef LF_TESTS_RECOVERY_H
#define LF_TESTS_RECOVERY_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "latentforce.h"
#include "model/model.h"
#include "predict/predict.h"

#define SPAN 10.0

enum { MOST_OUTPUTS = 4, MOST_FORCES = 2, MOST_ROWS = 100, FORCE_TIMES = 100, MOST_COMPARED = 40 };

/* Kinds of numbers that are compared: what says how a system moves, the other parameters (both by the beginning of the
 * last part of their names), and readings that follow from them. */
enum { DECAY, DAMPER, SPRING, LENGTHSCALE, SENSITIVITY, NOISE, FREQUENCY, DAMPING, KINDS };
enum { MOTION_KINDS = SENSITIVITY, PARAMETER_KINDS = FREQUENCY };
static const char *const kind_names[KINDS] = {
    "decay", "damper", "spring", "lengthscale", "sensitivity", "noise", "natural frequency", "damping ratio"};

typedef struct comparison {
    int kind;
    double z; /* (found - true) / standard error; NaN where there is none */
} comparison;

typedef struct recovery {
    int outputs, forces, converged;
    size_t count;
    comparison compared[MOST_COMPARED];
    size_t parameters;               /* free ones */
    double gain;                     /* log likelihood of what was found over that of the truth */
    double correlation[MOST_FORCES]; /* of each true force with the best combination of those found */
    int well_driven;                 /* at least two outputs listen mainly to each force */
} recovery;

/* The system and what was observed of it. */
typedef struct truth {
    lf_model *model;
    lf_data *data;
    double force[MOST_FORCES][FORCE_TIMES];
} truth;

static const char *const output_names[MOST_OUTPUTS] = {"a", "b", "c", "d"};

static double between(lf_random *random, double low, double high)
{
    return low + (high - low) * lf_random_uniform(random);
}

/* Uniform in the logarithm. */
static double log_uniform(lf_random *random, double low, double high)
{
    return exp(between(random, log(low), log(high)));
}

/* Appends to a text of 4096 bytes. */
__attribute__((format(printf, 2, 3))) static void append_text(char *text, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, 4096 - used, format, arguments);
    va_end(arguments);
}

static void append_operator(char *text, lf_random *random, int order)
{
    if (order == 1) {
        append_text(text, "{\"type\":\"ode1\",\"decay\":%.17g}", log_uniform(random, 0.2, 3));
        return;
    }
    double frequency = log_uniform(random, 1, 4), damping = log_uniform(random, 0.2, 1.5);
    append_text(text, "{\"type\":\"ode2\",\"mass\":1,\"damper\":%.17g,\"spring\":%.17g}", 2 * damping * frequency,
                frequency * frequency);
}

/* A system as a model file; its noise is set when its outputs are known. */
static void write_system(char *text, lf_random *random, int order, int outputs, int forces)
{
    *text = '\0';
    append_text(text, "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"zero\",\"forces\":[");
    for (int q = 0; q < forces; q++) {
        double lengthscale = forces == 1 ? log_uniform(random, 0.6, 1.8)
                             : q == 0    ? log_uniform(random, 1.4, 2)
                                         : log_uniform(random, 0.5, 0.8);
        append_text(text, "%s{\"kernel\":\"eq\",\"lengthscale\":%.17g}", q ? "," : "", lengthscale);
    }
    append_text(text, "],\"outputs\":[");
    for (int d = 0; d < outputs; d++) {
        append_text(text, "%s{\"name\":\"%s\",\"operator\":", d ? "," : "", output_names[d]);
        append_operator(text, random, order);
        append_text(text, ",\"noise_variance\":1,\"sensitivity\":[");
        for (int q = 0; q < forces; q++) {
            double size = d % forces == q ? between(random, 1, 2) : between(random, 0.2, 0.6);
            append_text(text, "%s%.17g", q ? "," : "", lf_random_uniform(random) < 0.5 ? -size : size);
        }
        append_text(text, "]}");
    }
    append_text(text, "]}");
}

static double sd_of(const double *values, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    for (size_t i = 0; i < n; i++) {
        squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
    }
    return sqrt(squares / (double)n);
}

/* Adds the rows of one output, f (n) with noise of 2 to 5 % of its size, and tells the model how large it was. */
static lf_status observe(lf_context *ctx, lf_random *random, int d, size_t n, const double *x, const double *f,
                         truth *t)
{
    char name[32];
    double noise[MOST_ROWS], sd = between(random, 0.02, 0.05) * sd_of(f, n);
    size_t index;
    lf_status status = LF_OK;
    lf_normals(ctx, n, noise);
    for (size_t i = 0; !status && i < n; i++) {
        status = lf_data_add(
            ctx, t->data,
            &(lf_row){.size = sizeof(lf_row), .output = output_names[d], .x = &x[i], .y = f[i] + sd * noise[i]});
    }
    snprintf(name, sizeof name, "%s.noise_variance", output_names[d]);
    status = status ? status : lf_parameter_find(ctx, t->model, name, &index);
    return status ? status : lf_parameter_set(ctx, t->model, index, sd * sd);
}

/* Even times for the forces. */
static double force_time(int i) { return SPAN * (i + 0.5) / FORCE_TIMES; }

/* Outputs at irregular times and forces at even ones, drawn together. */
static lf_status draw_rows(lf_context *ctx, lf_random *random, truth *t)
{
    int outputs = (int)lf_model_count(t->model, LF_KIND_OUTPUT), forces = (int)lf_model_count(t->model, LF_KIND_FORCE);
    size_t first[MOST_OUTPUTS + 1] = {0}, n = 0;
    enum { MOST_POINTS = MOST_OUTPUTS * MOST_ROWS + MOST_FORCES * FORCE_TIMES };
    int target[MOST_POINTS];
    double x[MOST_POINTS], f[MOST_POINTS];
    for (int d = 0; d < outputs; d++) {
        first[d + 1] = first[d] + (size_t)between(random, 60, MOST_ROWS + 1);
        for (; n < first[d + 1]; n++) {
            target[n] = d;
            x[n] = SPAN * lf_random_uniform(random);
        }
    }
    for (int i = 0; i < forces * FORCE_TIMES; i++) {
        target[n] = outputs + i / FORCE_TIMES;
        x[n++] = force_time(i % FORCE_TIMES);
    }
    lf_point_list points = {.n = n, .target = target, .x = x};
    lf_status status = lf_simulate_list(ctx, t->model, &points, NULL, f);
    for (int d = 0; !status && d < outputs; d++) {
        status = observe(ctx, random, d, first[d + 1] - first[d], x + first[d], f + first[d], t);
    }
    memcpy(t->force, f + first[outputs], (size_t)forces * sizeof t->force[0]);
    return status;
}

static void clear_truth(truth *t)
{
    lf_model_free(t->model);
    lf_data_free(t->data);
}

static lf_status draw_truth(lf_context *ctx, int order, uint64_t seed, truth *t)
{
    lf_random random;
    char text[4096];
    lf_random_seed(&random, seed);
    lf_context_set_seed(ctx, seed);
    int outputs = lf_random_uniform(&random) < 0.5 ? 3 : 4, forces = lf_random_uniform(&random) < 0.5 ? 1 : 2;
    write_system(text, &random, order, outputs, forces);
    lf_status status = lf_model_parse(ctx, text, "the system", &t->model);
    status = status ? status : lf_data_create(ctx, 1, &t->data);
    return status ? status : draw_rows(ctx, &random, t);
}

static lf_status find_sensitivity(lf_context *ctx, const lf_model *model, int d, int q, size_t *index)
{
    char name[32];
    snprintf(name, sizeof name, "%s.sensitivity%d", output_names[d], q + 1);
    return lf_parameter_find(ctx, model, name, index);
}

/* Exchanges two parameters. */
static lf_status exchange(lf_context *ctx, lf_model *model, size_t i, size_t j)
{
    double a = lf_parameter_get(model, i).value, b = lf_parameter_get(model, j).value;
    lf_status status = lf_parameter_set(ctx, model, i, b);
    return status ? status : lf_parameter_set(ctx, model, j, a);
}

/* Nothing tells a force from its negative, or the first from the second: numbers the true ones by lengthscale as those
 * found, and gives them their signs. */
static lf_status align(lf_context *ctx, const lf_model *found, lf_model *model)
{
    int outputs = (int)lf_model_count(model, LF_KIND_OUTPUT), forces = (int)lf_model_count(model, LF_KIND_FORCE);
    size_t i, j;
    lf_status status = LF_OK;
    if (forces == 2 && *found->forces[0].lengthscale < *found->forces[1].lengthscale) {
        status = lf_parameter_find(ctx, model, "force1.lengthscale", &i);
        status = status ? status : lf_parameter_find(ctx, model, "force2.lengthscale", &j);
        status = status ? status : exchange(ctx, model, i, j);
        for (int d = 0; !status && d < outputs; d++) {
            status = find_sensitivity(ctx, model, d, 0, &i);
            status = status ? status : find_sensitivity(ctx, model, d, 1, &j);
            status = status ? status : exchange(ctx, model, i, j);
        }
    }
    for (int q = 0; !status && q < forces; q++) {
        double product = 0;
        for (int d = 0; d < outputs; d++) {
            product += lf_model_output(model, d).sensitivity[q] * lf_model_output(found, d).sensitivity[q];
        }
        for (int d = 0; !status && product < 0 && d < outputs; d++) {
            status = find_sensitivity(ctx, model, d, q, &i);
            status = status ? status : lf_parameter_set(ctx, model, i, -lf_parameter_get(model, i).value);
        }
    }
    return status;
}

static int kind_of(const char *name)
{
    const char *end = strrchr(name, '.') + 1;
    for (int kind = 0; kind < PARAMETER_KINDS; kind++) {
        if (strncmp(end, kind_names[kind], strlen(kind_names[kind])) == 0) {
            return kind;
        }
    }
    return KINDS;
}

static void compare(recovery *r, int kind, double found, double is, double error)
{
    r->compared[r->count++] = (comparison){kind, error > 0 ? (found - is) / error : (double)NAN};
}

/* Both models number their parameters alike. */
static void compare_models(const lf_model *found, const lf_model *model, recovery *r)
{
    for (size_t i = 0; i < lf_parameter_count(found); i++) {
        lf_parameter parameter = lf_parameter_get(found, i);
        if (!parameter.fixed) {
            r->parameters++;
            compare(r, kind_of(parameter.name), parameter.value, lf_parameter_get(model, i).value,
                    parameter.standard_error);
        }
    }
    for (int d = 0; d < (int)lf_model_count(found, LF_KIND_OUTPUT); d++) {
        lf_output_info a = lf_model_output(found, d), b = lf_model_output(model, d);
        if (a.order == 2) {
            compare(r, FREQUENCY, a.natural_frequency, b.natural_frequency, a.natural_frequency_error);
            compare(r, DAMPING, a.damping_ratio, b.damping_ratio, a.damping_ratio_error);
        }
    }
}

static double correlate(const double *a, const double *b)
{
    double n = FORCE_TIMES, sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < FORCE_TIMES; i++) {
        sa += a[i];
        sb += b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
        ab += a[i] * b[i];
    }
    return (ab - sa * sb / n) / sqrt((aa - sa * sa / n) * (bb - sb * sb / n));
}

/* Of a with the best linear combination of b and c. */
static double multiple_correlation(const double *a, const double *b, const double *c)
{
    double ab = correlate(a, b), ac = correlate(a, c), bc = correlate(b, c);
    return sqrt((ab * ab + ac * ac - 2 * ab * ac * bc) / (1 - bc * bc));
}

/* Log likelihood of the rows under a model, and the mean of its forces given them. */
static lf_status read_forces(lf_context *ctx, const lf_model *model, const lf_data *data, double *log_likelihood,
                             double mean[][FORCE_TIMES])
{
    int target[MOST_FORCES * FORCE_TIMES], forces = (int)lf_model_count(model, LF_KIND_FORCE);
    double x[MOST_FORCES * FORCE_TIMES];
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    for (int i = 0; i < forces * FORCE_TIMES; i++) {
        target[i] = (int)lf_model_count(model, LF_KIND_OUTPUT) + i / FORCE_TIMES;
        x[i] = force_time(i % FORCE_TIMES);
    }
    lf_point_list points = {.n = (size_t)forces * FORCE_TIMES, .target = target, .x = x};
    lf_status status = lf_engine_create(
        ctx, model, data, &(lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dense"}, &engine);
    status = status ? status : lf_engine_evaluate(engine, 0, NULL, log_likelihood, NULL);
    status = status ? status : lf_engine_posterior(engine, &posterior);
    status = status ? status : lf_predict_list(posterior, &points, mean[0], NULL, NULL);
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    return status;
}

static lf_status compare_forces(lf_context *ctx, const lf_model *found, const truth *t, recovery *r)
{
    double mean[MOST_FORCES][FORCE_TIMES], of_found = 0, of_truth = 0;
    lf_status status = read_forces(ctx, t->model, t->data, &of_truth, mean);
    status = status ? status : read_forces(ctx, found, t->data, &of_found, mean);
    for (int q = 0; !status && q < r->forces; q++) {
        r->correlation[q] = r->forces == 1 ? fabs(correlate(t->force[0], mean[0]))
                                           : multiple_correlation(t->force[q], mean[0], mean[1]);
    }
    r->gain = of_found - of_truth;
    return status;
}

/* A fit of the true shape, with standard errors. */
static lf_status fit_truth(lf_context *ctx, int order, int forces, const lf_data *data, lf_model **found,
                           lf_fit_result **result)
{
    char number[16];
    snprintf(number, sizeof number, "%d", forces);
    const char *const settings[][2] = {{"operator", order == 1 ? "ode1" : "ode2"},
                                       {"force-kernel", "eq"},
                                       {"forces", number},
                                       {"private", "no"},
                                       {"initial", "zero"},
                                       {"origin", "0"},
                                       {"offset", "none"},
                                       {"scale", "none"},
                                       {"errors", "yes"},
                                       {"posterior", "no"}};
    lf_options *options;
    lf_status status = lf_options_create(ctx, "fit", &options);
    for (size_t i = 0; !status && i < sizeof settings / sizeof *settings; i++) {
        status = lf_options_set(ctx, options, settings[i][0], settings[i][1]);
    }
    status = status ? status : lf_fit(ctx, data, options, found, result);
    lf_options_free(options);
    return status;
}

/* System number `number` of the given order: drawn, fitted, compared. */
static lf_status recover(lf_context *ctx, int order, int number, recovery *r)
{
    truth t = {0};
    lf_model *found = NULL;
    lf_fit_result *result = NULL;
    lf_status status = draw_truth(ctx, order, (uint64_t)(1000 * order + number), &t);
    *r = (recovery){0};
    if (!status) {
        r->outputs = (int)lf_model_count(t.model, LF_KIND_OUTPUT);
        r->forces = (int)lf_model_count(t.model, LF_KIND_FORCE);
        r->well_driven = r->outputs >= 2 * r->forces;
        status = fit_truth(ctx, order, r->forces, t.data, &found, &result);
    }
    status = status ? status : compare_forces(ctx, found, &t, r);
    status = status ? status : align(ctx, found, t.model);
    if (!status) {
        r->converged = result->converged;
        compare_models(found, t.model, r);
    }
    lf_fit_result_free(result);
    lf_model_free(found);
    clear_truth(&t);
    return status;
}

/* The share of the numbers of kinds `first` to before `last` in all systems (n) within `limit` standard errors. */
static double share_within(const recovery *r, size_t n, int first, int last, double limit)
{
    size_t count = 0, within = 0;
    for (size_t s = 0; s < n; s++) {
        for (size_t i = 0; i < r[s].count; i++) {
            if (r[s].compared[i].kind >= first && r[s].compared[i].kind < last) {
                count++;
                within += fabs(r[s].compared[i].z) <= limit;
            }
        }
    }
    return (double)within / (double)count;
}

#endif
