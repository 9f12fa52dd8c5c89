/* fit --by COLUMN: models in a folder, VALUE.json each, or in one file, a line of JSON each:
 *   {"by": VALUE, "model": {…}}, or {"by": VALUE, "error": MESSAGE}. */
#include "commands/fit_by.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output_file.h"
#include "base/plural.h"
#include "message.h"
#include "show/fit_progress.h"
#include "show/formats.h"
#include "show/table.h"

typedef struct by {
    lf_context *ctx;
    const cli_settings *settings;
    lf_output_file lines; /* stream NULL: models go into a folder */
    cli_table table;      /* empty with --quiet */
    size_t failed, open;  /* fits that failed, that did not converge */
    int status;           /* of what was written */
} by;

/* The path of the model of a value. Characters other than letters, digits, '-', '_', points that are not the first, and those beyond ASCII become
 * %XX, so that different values have different names. NULL: there is no memory. */
static char *path_of(const char *folder, const char *value)
{
    size_t length = strlen(folder), size = length + 3 * strlen(value) + sizeof "/.json";
    char *path = malloc(size);
    if (!path) {
        return NULL;
    }
    int at = snprintf(path, size, "%s%s", folder, folder[length - 1] == '/' ? "" : "/");
    for (const char *c = value; *c; c++) {
        int letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                     (unsigned char)*c >= 0x80;
        int safe = letter || *c == '-' || *c == '_' || (*c == '.' && c > value);
        at += snprintf(path + at, size - (size_t)at, safe ? "%c" : "%%%02X", (unsigned char)*c);
    }
    snprintf(path + at, size - (size_t)at, ".json");
    return path;
}

static int write_file(const by *b, const lf_fitted *fitted)
{
    char *path = path_of(b->settings->output, fitted->name);
    int status = path ? cli_check(b->ctx, lf_model_write(b->ctx, fitted->model, path)) : cli_no_memory();
    free(path);
    return status;
}

/* Without line breaks, which stand outside of the texts of a document, and the blanks that follow them. */
static void print_in_a_line(FILE *stream, const char *document)
{
    for (const char *c = document; *c; c++) {
        if (*c == '\n') {
            c += strspn(c, "\n ") - 1;
        } else {
            putc(*c, stream);
        }
    }
}

static int write_line(by *b, const lf_fitted *fitted)
{
    FILE *stream = b->lines.stream;
    char *document = NULL;
    int status = fitted->model ? cli_check(b->ctx, lf_model_json(b->ctx, fitted->model, "file", &document)) : CLI_DONE;
    if (status == CLI_DONE) {
        fputs("{\"by\": ", stream);
        cli_json_string(stream, fitted->name);
        fputs(document ? ", \"model\": " : ", \"error\": ", stream);
        if (document) {
            print_in_a_line(stream, document);
        } else {
            cli_json_string(stream, fitted->message);
        }
        fputs("}\n", stream);
    }
    lf_free(document);
    return status;
}

static void add_row(by *b, const lf_fitted *fitted)
{
    const lf_fit_result *result = fitted->result;
    const char *const headings[] = {b->settings->reading.by, "readings", "log likelihood", "seconds", "", NULL};
    if (b->table.count == 0) {
        cli_table_add_headings(&b->table, headings);
    }
    size_t readings = result ? result->rows : fitted->data ? lf_data_count(fitted->data, LF_KIND_ROW) : 0;
    cli_table_add(&b->table, "%s", fitted->name);
    cli_table_add(&b->table, "%zu", readings);
    if (result) {
        cli_table_add(&b->table, "%.2f", result->log_likelihood);
    } else {
        cli_table_add(&b->table, "-");
    }
    cli_table_add(&b->table, "%.3f", fitted->seconds);
    cli_table_add(&b->table, "%s", !result ? "failed" : result->converged ? "converged" : "not converged");
}

static int take(void *user, const lf_fitted *fitted)
{
    by *b = user;
    if (!fitted->model) {
        b->failed++;
        cli_fail("%s: %s '%s': %s", b->settings->rows, b->settings->reading.by, fitted->name, fitted->message);
    } else {
        b->open += !fitted->result->converged;
    }
    if (!b->settings->quiet) {
        add_row(b, fitted);
    }
    b->status = b->lines.stream ? write_line(b, fitted) : fitted->model ? write_file(b, fitted) : CLI_DONE;
    return b->status != CLI_DONE;
}

/* Makes the folder, unless it is there, or opens the file. */
static int begin(by *b)
{
    const char *output = b->settings->output;
    size_t length = strlen(output);
    struct stat found;
    if ((length > 6 && strcmp(output + length - 6, ".jsonl") == 0) || strcmp(output, "-") == 0) {
        return cli_check(b->ctx, lf_file_create(b->ctx, output, &b->lines));
    }
    int there = stat(output, &found) == 0 && S_ISDIR(found.st_mode);
    if (!there && (length == 0 || output[length - 1] != '/')) {
        return cli_usage_error("fit",
                               "-o %s: --by makes several models. Name a folder, -o %s/, or a file of JSON lines, "
                               "-o FILE.jsonl",
                               output, length ? output : "FOLDER");
    }
    return there || mkdir(output, 0777) == 0 ? CLI_DONE
                                             : cli_fail("%s: cannot be made: %s", output, lf_error_text(errno));
}

/* What is left to say: of models that could not be written nothing, that was said before. */
static int conclude(by *b, size_t values)
{
    int status = b->table.count == 0 ? CLI_DONE : cli_table_print(&b->table, stderr);
    if (b->failed) {
        status = cli_fail("%s: %zu of %zu fits failed", b->settings->rows, b->failed, values);
    }
    if (b->settings->require_convergence && b->open) {
        status = cli_fail("%s: %zu fit%s did not converge; the best parameters found are in the models",
                          b->settings->output, b->open, lf_plural(b->open));
    }
    return status;
}

int cli_fit_by(lf_context *ctx, const cli_settings *settings, const lf_data *data)
{
    by b = {.ctx = ctx, .settings = settings, .table = cli_table_create("lrrrl")};
    cli_progress progress;
    int status = begin(&b);
    status = status ? status : cli_progress_begin(settings, &progress);
    if (status != CLI_DONE) {
        if (b.lines.stream) {
            lf_file_discard(&b.lines);
        }
        return status;
    }
    lf_context_set_progress(ctx, cli_progress_report, &progress);
    lf_status fitted = lf_fit_many(ctx, data, settings->fit, take, &b);
    cli_progress_end(settings, &progress);
    if (b.status == CLI_DONE && fitted != LF_OK) {
        status = cli_fail("%s: %s", settings->rows, lf_context_message(ctx));
    }
    status = status ? status : b.status;
    if (b.lines.stream && (b.status != CLI_DONE || (fitted && fitted != LF_ERROR_CANCELLED))) {
        lf_file_discard(&b.lines);
    } else if (b.lines.stream) { /* after Ctrl-C too: the models so far */
        int written = cli_check(ctx, lf_file_commit(ctx, &b.lines));
        status = status ? status : written;
    }
    int concluded = conclude(&b, lf_data_count(data, LF_KIND_REPLICATE));
    return status ? status : concluded;
}
