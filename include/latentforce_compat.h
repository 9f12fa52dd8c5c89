/** @file
 * Names of 0.1 that 0.2 no longer has, as inline functions; the next minor version does not have them. docs/migration.md says what each has become,
 * and which have no such function here, because their arguments are others. */
#ifndef LATENTFORCE_COMPAT_H
#define LATENTFORCE_COMPAT_H

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
    lf_label label = {0};
    label.size = sizeof label;
    label.unit = unit;
    return lf_data_label_set(ctx, data, LF_KIND_OUTPUT, (size_t)output, &label);
}

#ifdef __cplusplus
}
#endif

#endif
