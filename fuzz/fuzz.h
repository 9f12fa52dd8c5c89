/* What the fuzz targets share: files in memory, a context, numbers from the bytes of an input, and the bound on memory. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "latentforce.h"
#include "model/access.h"
#include "predict/predict.h"

/* Called by libFuzzer with one input after the other. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
/* libFuzzer's own mutations, for targets with mutations of their own. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

/* A file in memory with these bytes; its path goes into `path`. Returns its descriptor, which the caller closes. */
int fuzz_file(const uint8_t *bytes, size_t size, char path[64]);

/* The bytes as a text, to be released by free(); it ends at the first 0. */
char *fuzz_text(const uint8_t *bytes, size_t size);

/* A context with one thread. Ends the run when there is no memory. */
lf_context *fuzz_context(void);

/* Ends the run with a message, which appears even where standard error is redirected. */
_Noreturn void fuzz_fail(const char *format, ...) LF_PRINTF(1, 2);

/* Ends the run with an error unless a failure left a sentence in the context. */
void fuzz_check(const lf_context *ctx, lf_status status);

/* Ends the run with an error unless all numbers are finite. */
void fuzz_check_finite(const char *what, size_t count, const double *values);

/* Calls every function that describes a model and cannot fail. */
void fuzz_describe(const lf_model *model);

/* ---- time and memory ----------------------------------------------------------------------------------------------- */

/* An input and what is asked for may take FUZZ_MEMORY bytes and FUZZ_MULTIPLE times their own size, and FUZZ_SECONDS of the processor,
 * in a build with sanitizers. */
enum { FUZZ_MEMORY = 1 << 30, FUZZ_MULTIPLE = 256, FUZZ_SECONDS = 10 };

/* From now on allocations and time are counted. */
void fuzz_begin(void);
/* Ends the run with an error if more was allocated at once than an input and a request of this many bytes may take, or if it took too
 * long. */
void fuzz_end(size_t bytes);

/* ---- numbers from the input ---------------------------------------------------------------------------------------- */

/* What is left of an input. */
typedef struct fuzz_stream {
    const uint8_t *at;
    size_t left;
} fuzz_stream;

/* 0 after the last. */
unsigned fuzz_byte(fuzz_stream *stream);
/* A whole number from 0 to n - 1. */
int fuzz_below(fuzz_stream *stream, int n);
/* The number of replicates of a posterior. */
int fuzz_replicates(const lf_posterior *posterior);
/* Any number: plain ones, wild ones, infinities and NaN. */
double fuzz_number(fuzz_stream *stream);
/* One of the texts, of which NULL may be one. */
const char *fuzz_choose(fuzz_stream *stream, size_t count, const char *const *texts);
#define FUZZ_CHOOSE(stream, ...)                                                                                       \
    fuzz_choose(stream, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *),                             \
                (const char *const[]){__VA_ARGS__})

/* Up to MOST points of a model, over outputs, forces and rates, some of them beyond what exists. */
enum { FUZZ_MOST_POINTS = 16, FUZZ_MOST_INPUTS = 4 };
typedef struct fuzz_points {
    lf_point_list points;
    int target[FUZZ_MOST_POINTS], replicate[FUZZ_MOST_POINTS];
    double x[FUZZ_MOST_POINTS * FUZZ_MOST_INPUTS];
} fuzz_points;
/* The model has at most FUZZ_MOST_INPUTS inputs. Without bytes the points are plain ones. */
void fuzz_choose_points(fuzz_stream *stream, const lf_model *model, int replicates, fuzz_points *points);

#endif
