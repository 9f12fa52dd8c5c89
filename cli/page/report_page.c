/* Assembles the page from a template, in which marks such as @@page.css@@ stand for parts. The parts of latentforce are
 * built into the program; dygraphs is read from its installation. LATENTFORCE_DYGRAPHS names another folder: the Python package
 * brings dygraphs with it, to wherever it is installed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"
#include "message.h"
#include "page/report.h"

extern const unsigned char cli_report_page_html[], cli_report_page_css[], cli_report_quantities_js[],
    cli_report_charts_js[], cli_report_diagrams_js[], cli_report_maps_js[], cli_report_page_js[];

/* Opens a file of dygraphs. Prints an error and returns NULL on failure. */
static FILE *open_part(const cli_settings *settings, const char *name)
{
    const char *variable = getenv("LATENTFORCE_DYGRAPHS"), *folder = variable && *variable ? variable : LF_DYGRAPHS;
    char path[4096];
    if (settings->dygraphs) {
        folder = settings->dygraphs;
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    errno = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        cli_fail("%s: cannot be read: %s; the charts of a report need dygraphs 2: install the Debian package "
                 "libjs-dygraphs, or give the folder of dygraph.min.js with --dygraphs DIR",
                 path, lf_error_text(errno));
    }
    return file;
}

int cli_report_check_parts(const cli_settings *settings)
{
    static const char *const names[] = {"dygraph.min.js", "dygraph.min.css"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        FILE *file = open_part(settings, names[i]);
        if (!file) {
            return CLI_FAILED;
        }
        fclose(file);
    }
    return CLI_DONE;
}

/* Copies a file without the line that makes browsers load a source map. */
static int copy_file(const cli_settings *settings, const char *name, FILE *stream)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = open_part(settings, name);
    if (!file) {
        return CLI_FAILED;
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
    return failed ? cli_fail("%s: cannot be read: %s", name, lf_error_text(error)) : CLI_DONE;
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

static int write_part(const cli_settings *settings, const char *name, size_t length, const char *json, FILE *stream)
{
    const struct {
        const char *name;
        const unsigned char *text;
    } parts[] = {{"page.css", cli_report_page_css},   {"quantities.js", cli_report_quantities_js},
                 {"charts.js", cli_report_charts_js}, {"diagrams.js", cli_report_diagrams_js},
                 {"maps.js", cli_report_maps_js},     {"page.js", cli_report_page_js}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strlen(parts[i].name) == length && strncmp(name, parts[i].name, length) == 0) {
            fputs((const char *)parts[i].text, stream);
            return CLI_DONE;
        }
    }
    if (strncmp(name, "data", length) == 0) {
        write_json(json, stream);
        return CLI_DONE;
    }
    return copy_file(settings, strncmp(name, "dygraph.min.js", length) == 0 ? "dygraph.min.js" : "dygraph.min.css",
                     stream);
}

int cli_report_write_page(const cli_settings *settings, const char *json, FILE *stream)
{
    const char *text = (const char *)cli_report_page_html, *mark;
    int status = CLI_DONE;
    while (status == CLI_DONE && (mark = strstr(text, "@@"))) {
        const char *name = mark + 2, *end = strstr(name, "@@");
        fwrite(text, 1, (size_t)(mark - text), stream);
        status = write_part(settings, name, (size_t)(end - name), json, stream);
        text = end + 2;
    }
    fputs(text, stream);
    return status;
}
