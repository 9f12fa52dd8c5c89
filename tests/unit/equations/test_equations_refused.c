/* Texts that are not equations: tests/equations/refused.txt has them with the messages expected. Hostile texts end in a message, in little time.
 * The cases of the file are "=== title", the text, "---", and the message. LF_UPDATE=FILE writes the file anew with the messages found. */
#include "support.h"

#include "equations/equations.h"

static char *read_cases(void)
{
    char path[SHARED_PATH];
    const char *source = getenv("LF_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/equations/refused.txt", source ? source : ".");
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(text);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    assert_true(size > 0);
    return text;
}

static void refused_texts(void **state)
{
    lf_context *ctx = *state;
    char *cases = read_cases(), *next = cases;
    FILE *update = getenv("LF_UPDATE") ? fopen(getenv("LF_UPDATE"), "wb") : NULL;
    int count = 0, failures = 0;
    while (next && strncmp(next, "=== ", 4) == 0) {
        char *title = next + 4, *text = strchr(title, '\n') + 1, *end = strstr(text, "---\n"), *message = end + 4;
        assert_non_null(end);
        text[-1] = *end = '\0';
        next = strstr(message, "\n=== ");
        size_t length = next ? (size_t)(next - message) : strlen(message) - 1;
        message[length] = '\0';
        next = next ? next + 1 : NULL;
        lf_equations *e = NULL;
        lf_status status = lf_equations_parse(ctx, text, "x.eq", &e);
        const char *found = status ? lf_context_message(ctx) : "it was accepted";
        if (status != LF_ERROR_MODEL || strcmp(found, message) != 0) {
            print_error("%s:\n%s\nexpected:\n%s\n\n", title, found, message);
            failures++;
        }
        assert_true(status != LF_OK || e);
        if (update) {
            fprintf(update, "=== %s\n%s---\n%s\n", title, text, found);
        }
        lf_equations_free(e);
        count++;
    }
    if (update) {
        fclose(update);
    }
    free(cases);
    assert_true(count > 80);
    assert_int_equal(failures, 0);
}

/* `before`, then `count` times `piece`, then `after`. */
static char *repeated(const char *before, const char *piece, size_t count, const char *after)
{
    size_t length = strlen(piece);
    char *text = malloc(strlen(before) + count * length + strlen(after) + 1), *end;
    assert_non_null(text);
    end = text + sprintf(text, "%s", before);
    for (size_t i = 0; i < count; i++, end += length) {
        memcpy(end, piece, length);
    }
    strcpy(end, after);
    return text;
}

/* Each is accepted and can be evaluated, or refused with the sentence given. */
static void hostile_texts(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        const char *before, *piece;
        size_t count;
        const char *after, *message;
    } cases[] = {
        {"x' = ", "(", 900000, "x", "nested more than 100 deep"},
        {"x' = ", "-", 900000, "x", "nested more than 100 deep"},
        {"x' = a", "^a", 400000, "", "nested more than 100 deep"},
        {"x' = ", "exp(", 200000, "", "nested more than 100 deep"},
        {"x' = (x", "+x", 90000, ")\noutput x\n", NULL},
        {"x' = (x", "\n*2/2", 45000, ")\noutput x\n", NULL},
        {"x' = a", "*a", 99000, "*x\noutput x\n", NULL},
        {"x' = a", "+x", 450000, "", "more than 200000 terms and operations"},
        {"", "x", 900000, "", "more than 200 bytes"},
        {"\"", "x", 900000, "", "more than 200 bytes"},
        {"x' = ", "9", 900000, "", "more than 200 digits"},
        {"x", "'", 900000, " = 3", "900000 primes"},
        {"", "\n", 999000, "", "no equation"},
        {"x' = x\noutput x\n", "#", 900000, "", NULL},
        {"", "a", 1000001, "", "1000001 characters; at most 1000000"},
        {"", "x' = x\n", 20000, "output x\n", "20000 equations for 1 variable"},
        {"x' = x\noutput x\n", "start x ~ normal(1,1)\n", 20000, "", "given twice"},
        {"", "=", 900000, "", "is expected, not ="},
        {"input a", ",a", 400000, "", "already an input"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = repeated(cases[i].before, cases[i].piece, cases[i].count, cases[i].after);
        lf_equations *e;
        lf_status status = lf_equations_parse(ctx, text, "x.eq", &e);
        if (!cases[i].message) {
            lf_system_matrices m;
            assert_ok(ctx, status);
            assert_ok(ctx, lf_system_matrices_create(ctx, e, &m));
            assert_ok(ctx, lf_equations_evaluate(ctx, e, (const double[]){1}, &m));
            lf_system_matrices_clear(&m);
        } else if (status != LF_ERROR_MODEL || !strstr(lf_context_message(ctx), cases[i].message)) {
            fail_msg("case %zu: %s", i, status ? lf_context_message(ctx) : "accepted");
        }
        lf_equations_free(e);
        free(text);
    }
}

/* Many names: of parameters, states, inputs and outputs. */
static void many_names(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        const char *line;
        int count;
        const char *after, *message;
    } cases[] = {{"x' = x + a%1$d\n", 19000, "output x\n", "19000 equations for 1 variable"},
                 {"x%1$d' = -a%1$d*x%1$d\n", 500, "output x7\n", NULL},
                 {"x%1$d' = -a%1$d*x%1$d\n", 501, "output x7\n", "more than 500 states"},
                 {"output y%1$d = x\n", 1001, "", "1001th of its kind"},
                 {"parameter p%1$d = 2\n", 21000, "", "more than 20000 names"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = malloc(1 << 20);
        size_t used = 0;
        assert_non_null(text);
        for (int k = 0; k < cases[i].count; k++) {
            used += (size_t)snprintf(text + used, (1 << 20) - used, cases[i].line, k);
        }
        strcpy(text + used, cases[i].after);
        lf_equations *e;
        lf_status status = lf_equations_parse(ctx, text, "x.eq", &e);
        if (cases[i].message ? status != LF_ERROR_MODEL || !strstr(lf_context_message(ctx), cases[i].message)
                             : status != LF_OK) {
            fail_msg("case %zu: %s", i, status ? lf_context_message(ctx) : "accepted");
        }
        lf_equations_free(e);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_texts), cmocka_unit_test(hostile_texts),
                                       cmocka_unit_test(many_names)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
