/** @file
 * Names of 0.1 that 0.2 no longer has, as inline functions; the next minor version does not have them. docs/migration.md says what each has become,
 * and which have no such function here, because their arguments are others. */
#ifndef LATENTFORCE_COMPAT_H
#define LATENTFORCE_COMPAT_H

#include <stdio.h>
#include <string.h>

#include "latentforce_processes.h"

#ifdef __cplusplus
extern "C" {
#endif

/** lf_context_message(). */
static inline const char *lf_message(const lf_context *ctx) { return lf_context_message(ctx); }
/** lf_context_set_seed(). */
static inline void lf_set_seed(lf_context *ctx, uint64_t seed) { lf_context_set_seed(ctx, seed); }
/** lf_context_set_threads(). */
static inline void lf_set_threads(lf_context *ctx, int threads)
{
    lf_context_set_threads(ctx, threads > 0 ? (size_t)threads : 0);
}
/** lf_context_set_memory(). */
static inline lf_status lf_set_memory(lf_context *ctx, const char *size) { return lf_context_set_memory(ctx, size); }
/** lf_context_set_processes(). */
static inline lf_status lf_set_processes(lf_context *ctx, const lf_processes *processes)
{
    return lf_context_set_processes(ctx, processes);
}
/** lf_context_fail(). */
static inline lf_status lf_set_message(lf_context *ctx, lf_status status, const char *message)
{
    return lf_context_fail(ctx, status, message);
}

/** lf_data_share(). */
static inline lf_status lf_data_set_shared(lf_context *ctx, lf_data *data) { return lf_data_share(ctx, data); }
/** lf_data_count() of inputs. */
static inline int lf_data_input_dim(const lf_data *data) { return (int)lf_data_count(data, LF_KIND_INPUT); }
/** lf_data_count() of outputs. */
static inline int lf_data_output_count(const lf_data *data) { return (int)lf_data_count(data, LF_KIND_OUTPUT); }
/** lf_data_count() of replicates. */
static inline int lf_data_replicate_count(const lf_data *data) { return (int)lf_data_count(data, LF_KIND_REPLICATE); }
/** lf_data_name() of an output. */
static inline const char *lf_data_output_name(const lf_data *data, int output)
{
    return lf_data_name(data, LF_KIND_OUTPUT, (size_t)output);
}
/** lf_data_name() of a replicate. */
static inline const char *lf_data_replicate_name(const lf_data *data, int replicate)
{
    return lf_data_name(data, LF_KIND_REPLICATE, (size_t)replicate);
}
/** lf_data_numbers() "x". */
static inline const double *lf_data_inputs(const lf_data *data) { return lf_data_numbers(data, "x"); }
/** lf_data_numbers() "y". */
static inline const double *lf_data_values(const lf_data *data) { return lf_data_numbers(data, "y"); }
/** lf_data_numbers() "sd". */
static inline const double *lf_data_errors(const lf_data *data) { return lf_data_numbers(data, "sd"); }
/** lf_data_codes() "output". */
static inline const int32_t *lf_data_outputs(const lf_data *data) { return lf_data_codes(data, "output"); }
/** lf_data_codes() "replicate". */
static inline const int32_t *lf_data_replicates(const lf_data *data) { return lf_data_codes(data, "replicate"); }
/** The unit of lf_data_label_set() of an output. */
static inline lf_status lf_data_set_output_unit(lf_context *ctx, lf_data *data, int output, const char *unit)
{
    lf_label label;
    memset(&label, 0, sizeof label);
    label.size = sizeof label;
    label.unit = unit;
    return lf_data_label_set(ctx, data, LF_KIND_OUTPUT, (size_t)output, &label);
}

/** low and high of lf_data_info_get(). */
static inline lf_status lf_data_limits(lf_context *ctx, const lf_data *data, const lf_model *model, double *low,
                                       double *high)
{
    lf_data_info info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    info.low = low;
    info.high = high;
    return lf_data_info_get(ctx, data, model, &info);
}

/* ---- options of a fit ---- */

/** lf_options of the verb "fit". */
typedef lf_options lf_fit_options;
/** lf_options_create() of the verb "fit". */
static inline lf_status lf_fit_options_create(lf_context *ctx, lf_fit_options **options)
{
    return lf_options_create(ctx, "fit", options);
}
/** lf_options_free(). */
static inline void lf_fit_options_free(lf_fit_options *options) { lf_options_free(options); }
/** lf_options_set(). */
static inline lf_status lf_fit_options_set(lf_context *ctx, lf_fit_options *options, const char *name,
                                           const char *value)
{
    return lf_options_set(ctx, options, name, value);
}
/** lf_options_set_model(). */
static inline lf_status lf_fit_options_set_model(lf_context *ctx, lf_fit_options *options, const lf_model *model)
{
    return lf_options_set_model(ctx, options, model);
}
/** lf_options_check(). */
static inline lf_status lf_fit_options_check(lf_context *ctx, const lf_fit_options *options)
{
    return lf_options_check(ctx, options);
}

/* ---- models ---- */

/** lf_model_json() "file". */
static inline lf_status lf_model_text(lf_context *ctx, const lf_model *model, char **text)
{
    return lf_model_json(ctx, model, "file", text);
}
/** lf_model_json() "provenance". */
static inline char *lf_model_provenance(const lf_model *model)
{
    char *text = NULL;
    return lf_model_json(NULL, model, "provenance", &text) == LF_OK ? text : NULL;
}
/** lf_model_read(). */
static inline lf_status lf_model_read_with_values(lf_context *ctx, const char *path, lf_model **model)
{
    return lf_model_read(ctx, path, model);
}
/** lf_model_count() of inputs. */
static inline int lf_model_input_dim(const lf_model *model) { return (int)lf_model_count(model, LF_KIND_INPUT); }
/** lf_model_count() of outputs. */
static inline int lf_model_output_count(const lf_model *model) { return (int)lf_model_count(model, LF_KIND_OUTPUT); }
/** lf_model_count() of forces. */
static inline int lf_model_force_count(const lf_model *model) { return (int)lf_model_count(model, LF_KIND_FORCE); }
/** lf_model_count() of known inputs. */
static inline int lf_model_known_count(const lf_model *model) { return (int)lf_model_count(model, LF_KIND_KNOWN); }
/** lf_model_count() of states. */
static inline int lf_model_state_count(const lf_model *model) { return (int)lf_model_count(model, LF_KIND_STATE); }
/** lf_model_count() of white forces. */
static inline int lf_model_white_count(const lf_model *model) { return (int)lf_model_count(model, LF_KIND_WHITE); }
/** lf_model_count() of quantities. */
static inline int lf_model_quantity_count(const lf_model *model)
{
    return (int)lf_model_count(model, LF_KIND_QUANTITY);
}
/** lf_model_name() of an output. */
static inline const char *lf_model_output_name(const lf_model *model, int output)
{
    return lf_model_name(model, LF_KIND_OUTPUT, (size_t)output);
}
/** lf_model_name() of a known input. */
static inline const char *lf_model_known_name(const lf_model *model, int known)
{
    return lf_model_name(model, LF_KIND_KNOWN, (size_t)known);
}
/** lf_model_name() of a white force. */
static inline const char *lf_model_white_name(const lf_model *model, int white)
{
    return lf_model_name(model, LF_KIND_WHITE, (size_t)white);
}
/** lf_model_name() of a quantity. */
static inline const char *lf_model_quantity_name(const lf_model *model, int quantity)
{
    return lf_model_name(model, LF_KIND_QUANTITY, (size_t)quantity);
}
/** lf_model_name() of an input. */
static inline void lf_model_input_heading(const lf_model *model, int input, size_t size, char *text)
{
    snprintf(text, size, "%s", lf_model_name(model, LF_KIND_INPUT, (size_t)input));
}
/** lf_model_name() of a force. */
static inline void lf_model_force_name(const lf_model *model, int force, size_t size, char *text)
{
    snprintf(text, size, "%s", lf_model_name(model, LF_KIND_FORCE, (size_t)force));
}
/** lf_model_name() of a state. */
static inline void lf_model_state_name(const lf_model *model, int state, size_t size, char *text)
{
    snprintf(text, size, "%s", lf_model_name(model, LF_KIND_STATE, (size_t)state));
}
/** lf_model_find() of an output. */
static inline int lf_model_find_output(const lf_model *model, const char *name)
{
    size_t index;
    return lf_model_find(NULL, model, LF_KIND_OUTPUT, name, &index) == LF_OK ? (int)index : -1;
}
/** lf_model_find() of a known input. */
static inline int lf_model_find_known(const lf_model *model, const char *name)
{
    size_t index;
    return lf_model_find(NULL, model, LF_KIND_KNOWN, name, &index) == LF_OK ? (int)index : -1;
}
/** lf_model_output_get(); zeros where there is no such output. */
static inline lf_output_info lf_compat_output(const lf_model *model, int output)
{
    lf_output_info info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    lf_model_output_get(NULL, model, (size_t)output, &info);
    return info;
}
/** The offset of lf_model_output_get(). */
static inline double lf_model_offset(const lf_model *model, int output)
{
    return lf_compat_output(model, output).offset;
}
/** The scale of lf_model_output_get(). */
static inline double lf_model_scale(const lf_model *model, int output) { return lf_compat_output(model, output).scale; }
/** The noise_variance of lf_model_output_get(). */
static inline double lf_model_noise_variance(const lf_model *model, int output)
{
    return lf_compat_output(model, output).noise_variance;
}
/** lf_model_label_get(); zeros where there is no such part. */
static inline lf_label lf_compat_label(const lf_model *model, lf_kind kind, int index)
{
    lf_label label;
    memset(&label, 0, sizeof label);
    label.size = sizeof label;
    lf_model_label_get(NULL, model, kind, (size_t)index, &label);
    return label;
}
/** The unit of lf_model_label_get() of a known input. */
static inline const char *lf_model_known_unit(const lf_model *model, int known)
{
    return lf_compat_label(model, LF_KIND_KNOWN, known).unit;
}
/** What lf_model_label_get() of a known input says between readings. */
static inline const char *lf_model_known_between(const lf_model *model, int known)
{
    return lf_compat_label(model, LF_KIND_KNOWN, known).between;
}
/** lf_model_get(). */
static inline lf_model_info lf_compat_model(const lf_model *model)
{
    lf_model_info info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    lf_model_get(NULL, model, &info);
    return info;
}
/** The equations of lf_model_get(). */
static inline const char *lf_model_equations(const lf_model *model) { return lf_compat_model(model).equations; }
/** has_posterior of lf_model_get(). */
static inline int lf_model_has_posterior(const lf_model *model) { return lf_compat_model(model).has_posterior; }

/** Whether a column of the table "forces" says something of a force. */
static inline int lf_compat_force_is(const lf_model *model, int force, const char *name)
{
    lf_context *ctx = lf_context_create();
    lf_table *table = NULL;
    lf_column column;
    size_t index, row = (size_t)force;
    int is = 0;
    memset(&column, 0, sizeof column);
    column.size = sizeof column;
    if (ctx && force >= 0 && row < lf_model_count(model, LF_KIND_FORCE) &&
        lf_model_table(ctx, model, "forces", &table) == LF_OK && lf_table_find(ctx, table, name, &index) == LF_OK &&
        lf_table_column_get(ctx, table, index, &column) == LF_OK) {
        is = column.number ? column.number[row] == 1 : column.code[row] >= 0 && *column.words[column.code[row]];
    }
    lf_table_free(table);
    lf_context_free(ctx);
    return is;
}
/** white of the table "forces". */
static inline int lf_model_force_is_white(const lf_model *model, int force)
{
    return lf_compat_force_is(model, force, "white");
}
/** idle of the table "forces". */
static inline int lf_model_force_is_idle(const lf_model *model, int force)
{
    return lf_compat_force_is(model, force, "idle");
}

/* ---- parameters ---- */

/** lf_model_count() of parameters. */
static inline size_t lf_parameter_count(const lf_model *model) { return lf_model_count(model, LF_KIND_PARAMETER); }
/** lf_model_find() of a parameter. */
static inline lf_status lf_parameter_find(lf_context *ctx, const lf_model *model, const char *name, size_t *index)
{
    return lf_model_find(ctx, model, LF_KIND_PARAMETER, name, index);
}
/** lf_model_parameter_get(); its tied_to is LF_NONE where it was -1. */
static inline lf_parameter lf_parameter_get(const lf_model *model, size_t index)
{
    lf_parameter parameter;
    memset(&parameter, 0, sizeof parameter);
    parameter.size = sizeof parameter;
    parameter.name = parameter.theta_name = parameter.transform = parameter.short_name = "";
    parameter.tied_to = LF_NONE;
    lf_model_parameter_get(NULL, model, index, &parameter);
    return parameter;
}
/** The unit of lf_model_parameter_get(). */
static inline void lf_parameter_unit(const lf_model *model, size_t index, char unit[LF_UNIT_SIZE])
{
    lf_parameter parameter = lf_parameter_get(model, index);
    memcpy(unit, parameter.unit, LF_UNIT_SIZE);
}
/** lf_model_parameter_set() with another value. */
static inline lf_status lf_parameter_set(lf_context *ctx, lf_model *model, size_t index, double value)
{
    lf_parameter parameter = lf_parameter_get(model, index);
    parameter.value = value;
    return lf_model_parameter_set(ctx, model, index, &parameter);
}
/** lf_model_parameter_set() with `fixed`. */
static inline void lf_parameter_fix(lf_model *model, size_t index, int fixed)
{
    lf_parameter parameter = lf_parameter_get(model, index);
    parameter.fixed = fixed;
    lf_model_parameter_set(NULL, model, index, &parameter);
}
/** lf_model_parameter_set() with other bounds. */
static inline lf_status lf_parameter_bound(lf_context *ctx, lf_model *model, size_t index, double lower, double upper)
{
    lf_parameter parameter = lf_parameter_get(model, index);
    parameter.lower = lower;
    parameter.upper = upper;
    return lf_model_parameter_set(ctx, model, index, &parameter);
}
/** lf_model_parameter_set() with `tied_to`. */
static inline lf_status lf_parameter_tie(lf_context *ctx, lf_model *model, size_t index, size_t leader)
{
    lf_parameter parameter = lf_parameter_get(model, index);
    parameter.tied_to = leader;
    return lf_model_parameter_set(ctx, model, index, &parameter);
}

/* ---- engines and posteriors ---- */

/** The largest of lf_engine_error_bounds(). */
static inline lf_status lf_engine_error_bound(lf_engine *engine, double *bound)
{
    lf_error_bounds bounds;
    lf_status status = lf_engine_error_bounds(engine, &bounds);
    double largest = bounds.outputs > bounds.forces ? bounds.outputs : bounds.forces;
    largest = largest > bounds.rates ? largest : bounds.rates;
    *bound = largest + 0 * (bounds.outputs + bounds.forces + bounds.rates); /* NaN where one of them is */
    return status;
}

/** lf_posterior_get(). */
static inline lf_posterior_info lf_posterior_info_of(const lf_posterior *posterior)
{
    lf_posterior_info info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    (void)lf_posterior_get(NULL, posterior, &info);
    return info;
}
/** The fields from and to of lf_posterior_get(). */
static inline void lf_posterior_range(const lf_posterior *posterior, double *from, double *to)
{
    lf_posterior_info info = lf_posterior_info_of(posterior);
    *from = info.from;
    *to = info.to;
}
/** The fields first and last of lf_posterior_get(). */
static inline int lf_posterior_span(const lf_posterior *posterior, double *first, double *last)
{
    lf_posterior_info info = lf_posterior_info_of(posterior);
    *first = info.first;
    *last = info.last;
    return info.first == info.first && info.last == info.last;
}
/** The fields rows and fingerprint of lf_posterior_get(). */
static inline int lf_posterior_rows(const lf_posterior *posterior, size_t *count, uint64_t *fingerprint)
{
    lf_posterior_info info = lf_posterior_info_of(posterior);
    *count = info.rows;
    *fingerprint = info.fingerprint;
    return info.rows > 0;
}
/** The field step of lf_posterior_get(). */
static inline double lf_posterior_step(const lf_posterior *posterior) { return lf_posterior_info_of(posterior).step; }
/** The field engine of lf_posterior_get(). */
static inline const char *lf_posterior_engine(const lf_posterior *posterior)
{
    return lf_posterior_info_of(posterior).engine;
}
/** The field replicates of lf_posterior_get(). */
static inline int lf_posterior_replicate_count(const lf_posterior *posterior)
{
    return (int)lf_posterior_info_of(posterior).replicates;
}
/** lf_posterior_name(). */
static inline const char *lf_posterior_replicate_name(const lf_posterior *posterior, int replicate)
{
    return lf_posterior_name(posterior, (size_t)replicate);
}

#ifdef __cplusplus
}
#endif

#endif
