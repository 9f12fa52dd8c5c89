/* Equations: any text is a system or a sentence; its matrices, their derivatives and its quantities are finite or a sentence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equations/equations.h"
#include "equations/source.h"
#include "fuzz.h"

enum { MOST_STATES = 60, MOST_PARAMETERS = 200 }; /* of systems that are evaluated */

static void check_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            abort();
        }
    }
}

/* A message is valid UTF-8, whatever the text was. */
static void check_message(const lf_context *ctx)
{
    for (const char *at = lf_context_message(ctx); *at;) {
        size_t bytes = lf_eq_utf8(at);
        if (bytes == 0) {
            abort();
        }
        at += bytes;
    }
}

static void evaluate(lf_context *ctx, const lf_equations *equations)
{
    size_t count = (size_t)equations->parameter_count, quantities = (size_t)equations->quantity_count;
    double *parameters = calloc(2 * count + quantities * (1 + count) + 1, sizeof *parameters),
           *gradient = parameters + count, *values = gradient + count, *rows = values + quantities;
    lf_system_matrices m, by;
    if (!parameters || lf_system_matrices_create(ctx, equations, &m) ||
        lf_system_matrices_create(ctx, equations, &by)) {
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        double value = equations->parameters[i].value;
        parameters[i] = isnan(value) ? 0.5 + 0.25 * (double)(i % 7) : value;
    }
    for (size_t i = 0; i < by.value_count; i++) {
        by.A[i] = (double)(i % 5) - 2;
    }
    lf_status status = lf_equations_evaluate(ctx, equations, parameters, &m);
    fuzz_check(ctx, status);
    if (!status) {
        check_finite(m.A, m.value_count - 2 * (size_t)m.n);
        status = lf_equations_backward(ctx, equations, parameters, &m, &by, gradient);
        fuzz_check(ctx, status);
        check_finite(gradient, status ? 0 : count);
    }
    status = lf_equations_quantities(ctx, equations, parameters, values, rows);
    fuzz_check(ctx, status);
    check_finite(values, status ? 0 : quantities * (1 + count));
    lf_system_matrices_clear(&m);
    lf_system_matrices_clear(&by);
    free(parameters);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    lf_context *ctx = fuzz_context();
    lf_equations *equations;
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    memcpy(text, bytes, size);
    text[size] = '\0';
    lf_status status = lf_equations_parse(ctx, text, "fuzz.eq", &equations);
    fuzz_check(ctx, status);
    if (!status) {
        char name[300];
        for (int i = 0; i < equations->state_count; i++) {
            lf_equations_state_name(equations, i, sizeof name, name);
        }
        if (equations->state_count <= MOST_STATES && equations->parameter_count <= MOST_PARAMETERS) {
            evaluate(ctx, equations);
        }
    }
    check_message(ctx);
    lf_equations_free(equations);
    free(text);
    lf_context_free(ctx);
    fuzz_end(size);
    return 0;
}
