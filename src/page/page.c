/* The page of a report, from a template in which marks such as @@page.css@@ stand for parts. Those of latentforce are built in; dygraphs, which draws
 * the charts, is read from its installation. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/output_file.h"
#include "page/report.h"

extern const unsigned char lf_part_page_html[], lf_part_page_css[], lf_part_quantities_js[], lf_part_charts_js[],
    lf_part_diagrams_js[], lf_part_maps_js[], lf_part_page_js[];

static const char *const of_dygraphs[] = {"dygraph.min.js", "dygraph.min.css"};

static lf_status open_part(lf_context *ctx, const lf_report *report, const char *name, FILE **file)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", report->settings.dygraphs ? report->settings.dygraphs : LF_DYGRAPHS, name);
    errno = 0;
    *file = fopen(path, "r");
    return *file ? LF_OK
                 : lf_fail(ctx, LF_ERROR_IO,
                           "%s: cannot be read: %s; the charts of a report need dygraphs 2: install the Debian package "
                           "libjs-dygraphs, or give the folder of dygraph.min.js with --dygraphs DIR",
                           path, lf_error_text(errno));
}

/* Whether the parts that are not built in can be read. */
static lf_status check_parts(lf_context *ctx, const lf_report *report)
{
    lf_status status = LF_OK;
    for (size_t i = 0; !status && i < sizeof of_dygraphs / sizeof *of_dygraphs; i++) {
        FILE *file = NULL;
        status = open_part(ctx, report, of_dygraphs[i], &file);
        if (file) {
            fclose(file);
        }
    }
    return status;
}

/* Copies a file without the line that makes browsers load a source map. */
static lf_status copy_file(lf_context *ctx, const lf_report *report, const char *name, FILE *stream)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = NULL;
    lf_status status = open_part(ctx, report, name, &file);
    if (status) {
        return status;
    }
    errno = 0;
    while (getline(&line, &room, file) >= 0) {
        if (!strstr(line, "# sourceMappingURL=")) {
            fputs(line, stream);
        }
    }
    int failed = !feof(file), error = errno;
    free(line);
    fclose(file);
    return failed ? lf_fail(ctx, LF_ERROR_IO, "%s: cannot be read: %s", name, lf_error_text(error)) : LF_OK;
}

/* JSON inside a script element. '<' occurs only in strings; escaped, it cannot end the element. */
static void write_json(const char *json, FILE *stream)
{
    const char *mark;
    while ((mark = strchr(json, '<'))) {
        fwrite(json, 1, (size_t)(mark - json), stream);
        fputs("\\u003c", stream);
        json = mark + 1;
    }
    fputs(json, stream);
}

static lf_status write_part(lf_context *ctx, const lf_report *report, const char *name, size_t length, const char *json,
                            FILE *stream)
{
    const struct {
        const char *name;
        const unsigned char *text;
    } parts[] = {{"page.css", lf_part_page_css},   {"quantities.js", lf_part_quantities_js},
                 {"charts.js", lf_part_charts_js}, {"diagrams.js", lf_part_diagrams_js},
                 {"maps.js", lf_part_maps_js},     {"page.js", lf_part_page_js}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strlen(parts[i].name) == length && strncmp(name, parts[i].name, length) == 0) {
            fputs((const char *)parts[i].text, stream);
            return LF_OK;
        }
    }
    for (size_t i = 0; i < sizeof of_dygraphs / sizeof *of_dygraphs; i++) {
        if (strlen(of_dygraphs[i]) == length && strncmp(name, of_dygraphs[i], length) == 0) {
            return copy_file(ctx, report, of_dygraphs[i], stream);
        }
    }
    write_json(json, stream);
    return LF_OK;
}

static lf_status write_page(lf_context *ctx, const lf_report *report, const char *json, FILE *stream)
{
    const char *text = (const char *)lf_part_page_html, *mark;
    lf_status status = LF_OK;
    while (!status && (mark = strstr(text, "@@"))) {
        const char *name = mark + 2, *end = strstr(name, "@@");
        fwrite(text, 1, (size_t)(mark - text), stream);
        status = write_part(ctx, report, name, (size_t)(end - name), json, stream);
        text = end + 2;
    }
    fputs(text, stream);
    return status;
}

lf_status lf_report_write(lf_context *ctx, lf_report *report, const char *path)
{
    char *json = NULL;
    lf_output_file file = {0};
    if (!report) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no report");
    }
    lf_status status = check_parts(ctx, report);
    LF_TRY(status, lf_report_json(ctx, report, &json));
    if (!status) {
        status = lf_file_create(ctx, path, &file);
        LF_TRY(status, write_page(ctx, report, json, file.stream));
        LF_TRY(status, lf_file_commit(ctx, &file));
        lf_file_discard(&file);
    }
    lf_free(json);
    return status;
}
