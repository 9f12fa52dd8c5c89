/* What the fuzz targets share. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* sanitizer/allocator_interface.h, which clang has and gcc has not. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *memory);

static int messages = STDERR_FILENO;

/* Before any redirection. */
__attribute__((constructor)) static void keep_standard_error(void) { messages = dup(STDERR_FILENO); }

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vdprintf(messages, format, arguments);
    va_end(arguments);
    dprintf(messages, "\n");
    abort();
}

int fuzz_file(const uint8_t *bytes, size_t size, char path[64])
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    for (size_t done = 0; file >= 0 && done < size;) {
        ssize_t written = write(file, bytes + done, size - done);
        if (written <= 0) {
            abort();
        }
        done += (size_t)written;
    }
    if (file < 0) {
        abort();
    }
    snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

char *fuzz_text(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

lf_context *fuzz_context(void)
{
    lf_context *ctx = lf_context_create();
    if (!ctx) {
        abort();
    }
    lf_context_set_threads(ctx, 1);
    return ctx;
}

void fuzz_check(const lf_context *ctx, lf_status status)
{
    if (status != LF_OK && *lf_context_message(ctx) == '\0') {
        fuzz_fail("status %d without a message", (int)status);
    }
}

void fuzz_check_finite(const char *what, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            fuzz_fail("%s: number %zu is %g", what, i, values[i]);
        }
    }
}

/* Every part has a name by which it is found, and a label. */
static void describe_parts(lf_context *ctx, const lf_model *model)
{
    static const lf_kind kinds[] = {
#define FUZZ_KIND(name, word) name,
        LF_KIND_LIST(FUZZ_KIND)
#undef FUZZ_KIND
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t count = lf_model_count(model, kinds[k]), found;
        for (size_t i = 0; i < count; i++) {
            lf_label label = {.size = sizeof label};
            const char *name = lf_model_name(model, kinds[k], i);
            if (lf_model_label_get(ctx, model, kinds[k], i, &label) ||
                lf_model_find(ctx, model, kinds[k], name, &found) || found > i) {
                abort();
            }
        }
        if (*lf_model_name(model, kinds[k], count)) {
            abort();
        }
    }
}

void fuzz_describe(const lf_model *model)
{
    static const char *const documents[] = {"file", "description", "provenance"};
    static const char *const tables[] = {"parameters",    "quantities", "inputs",    "outputs", "forces",
                                         "sensitivities", "known",      "constants", "states",  "modes"};
    char text[LF_UNIT_SIZE];
    lf_context *ctx = fuzz_context();
    lf_model_info info = {.size = sizeof info};
    describe_parts(ctx, model);
    fuzz_check(ctx, lf_model_get(ctx, model, &info));
    for (size_t k = 0; k < lf_model_count(model, LF_KIND_INPUT); k++) {
        lf_model_format_input(model, k, 1.5, sizeof text, text);
        lf_model_format_input(model, k, -1e300, sizeof text, text);
    }
    for (size_t d = 0; d < lf_model_count(model, LF_KIND_OUTPUT); d++) {
        lf_output_info output = {.size = sizeof output};
        if (lf_model_output_get(ctx, model, d, &output) ||
            output.first_constant + output.constant_count > lf_model_count(model, LF_KIND_PARAMETER)) {
            abort();
        }
    }
    for (size_t i = 0; i < lf_model_count(model, LF_KIND_PARAMETER); i++) {
        lf_parameter parameter = {.size = sizeof parameter};
        if (lf_model_parameter_get(ctx, model, i, &parameter) || !parameter.short_name ||
            parameter.owner_index >= lf_model_count(model, parameter.owner)) {
            abort();
        }
    }
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        char *document;
        fuzz_check(ctx, lf_model_json(ctx, model, documents[i], &document));
        lf_free(document);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables && lf_model_count(model, LF_KIND_STATE) < 40; i++) {
        lf_table *table;
        fuzz_check(ctx, lf_model_table(ctx, model, tables[i], &table));
        lf_table_free(table);
    }
    if (info.equations && lf_model_count(model, LF_KIND_STATE) < 40) {
        lf_matrices *matrices;
        fuzz_check(ctx, lf_model_matrices(ctx, model, 0.5, &matrices));
        lf_matrices_free(matrices);
    }
    for (size_t word = 0; lf_model_command(model, word); word++) {
    }
    lf_context_free(ctx);
}

/* ---- time and memory ---- */

static atomic_llong held, most;
static long long held_before;
static double began;
static size_t largest, largest_bytes; /* over all inputs */
static double slowest;

static void count_malloc(const volatile void *memory, size_t size)
{
    (void)memory;
    long long now = atomic_fetch_add(&held, (long long)size) + (long long)size, before = atomic_load(&most);
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now)) {
    }
}

static void count_free(const volatile void *memory)
{
    if (memory) {
        atomic_fetch_sub(&held, (long long)__sanitizer_get_allocated_size(memory));
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* other programs do not count */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void report(void)
{
    dprintf(messages, "most: %.1f s, %.1f MB for %zu bytes of input\n", slowest, 1e-6 * (double)largest, largest_bytes);
}

void fuzz_begin(void)
{
    static int installed;
    if (!installed) {
        installed = 1;
        if (!__sanitizer_install_malloc_and_free_hooks(count_malloc, count_free)) {
            abort();
        }
        atexit(report);
    }
    held_before = atomic_load(&held);
    atomic_store(&most, held_before);
    began = seconds();
}

void fuzz_end(size_t bytes)
{
    size_t peak = (size_t)(atomic_load(&most) - held_before);
    double spent = seconds() - began;
    slowest = fmax(slowest, spent);
    if (peak > largest) {
        largest = peak;
        largest_bytes = bytes;
    }
    if (peak > (size_t)FUZZ_MEMORY + FUZZ_MULTIPLE * bytes) {
        fuzz_fail("%zu bytes of memory for an input and a request of %zu bytes", peak, bytes);
    }
    if (spent > FUZZ_SECONDS) {
        fuzz_fail("%.1f s for one input", spent);
    }
}

/* ---- numbers from the input ---- */

unsigned fuzz_byte(fuzz_stream *stream)
{
    if (stream->left == 0) {
        return 0;
    }
    stream->left--;
    return *stream->at++;
}

int fuzz_below(fuzz_stream *stream, int n) { return (int)fuzz_byte(stream) % n; }

int fuzz_replicates(const lf_posterior *posterior)
{
    lf_posterior_info info = {.size = sizeof info};
    return lf_posterior_get(NULL, posterior, &info) == LF_OK ? (int)info.replicates : 1;
}

double fuzz_number(fuzz_stream *stream)
{
    static const double numbers[] = {0,      1,     2,     5,    10,           -1,     0.1,      -0.5,
                                     100,    1e3,   1e6,   1e9,  1.7e9,        1e15,   1e100,    1e300,
                                     -1e300, 1e308, -1e-3, 1e-6, 1e-12,        1e-100, 1e-300,   4e-324,
                                     -1e9,   1e-9,  3.5,   7,    4294967296.0, -1e15,  INFINITY, NAN};
    unsigned first = fuzz_byte(stream);
    if (first < 96) {
        return first / 16.0; /* plain */
    }
    if (first < 192) {
        return numbers[first % 32];
    }
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < (first < 224 ? 2 : 8); i++) {
        bits |= (uint64_t)fuzz_byte(stream) << (8 * i);
    }
    if (first < 224) { /* a sign, a digit and a power of ten from -32 to 31 */
        value = (1 + (double)(bits >> 7 & 15) / 2) * pow(10, (double)(bits & 63) - 32);
        return bits >> 15 ? -value : value;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *fuzz_choose(fuzz_stream *stream, size_t count, const char *const *texts)
{
    return texts[fuzz_byte(stream) % count];
}

void fuzz_choose_points(fuzz_stream *stream, const lf_model *model, int replicates, fuzz_points *p)
{
    static const double inputs[] = {0, 0.5, 1, 2, 5, 10};
    int dim = (int)lf_model_count(model, LF_KIND_INPUT), outputs = (int)lf_model_count(model, LF_KIND_OUTPUT),
        forces = (int)lf_model_count(model, LF_KIND_FORCE);
    int targets = outputs + forces + (dim == 1 ? outputs : 0), plain = stream->left == 0;
    size_t n = plain ? 12 : (size_t)fuzz_below(stream, FUZZ_MOST_POINTS + 1);
    unsigned kind = fuzz_byte(stream);
    for (size_t i = 0; i < n; i++) {
        /* One place before and one behind those that exist, now and then. */
        int beyond = !plain && kind & 1 ? 1 : 0;
        p->target[i] = (plain ? (int)i : (int)fuzz_byte(stream)) % (targets + 2 * beyond) - beyond;
        p->replicate[i] = (plain ? (int)i : (int)fuzz_byte(stream)) % (replicates + 2 * beyond) - beyond;
        for (int k = 0; k < dim; k++) {
            p->x[(int)i * dim + k] = plain ? inputs[i % 6] + 0.1 * k : fuzz_number(stream);
        }
    }
    p->points = (lf_point_list){.n = n, .target = p->target, .replicate = kind & 2 ? NULL : p->replicate, .x = p->x};
}
