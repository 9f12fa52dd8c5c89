/* Prints names and numbers in CSV (RFC 4180) and JSON (RFC 8259). */
#include "show/formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output_file.h"
#include "message.h"
#include "options/model_parts.h"
#include "show/visible.h"

void cli_csv_name(FILE *stream, const char *name)
{
    char visible[1024];
    if (cli_visible(name, sizeof visible, visible) != strlen(name) && isatty(fileno(stream))) {
        lf_csv_text(stream, visible);
    } else {
        lf_csv_text(stream, name);
    }
}

void cli_csv_number(FILE *stream, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    fputs(text, stream);
}

void cli_csv_input_heading(FILE *stream, const lf_model *model)
{
    for (int k = 0; k < cli_count(model, LF_KIND_INPUT); k++) {
        char name[256];
        snprintf(name, sizeof name, "%s", cli_name(model, LF_KIND_INPUT, k));
        fputs(k ? "," : "", stream);
        cli_csv_name(stream, name);
    }
}

void cli_csv_inputs(FILE *stream, const lf_model *model, const double *x)
{
    for (int k = 0; k < cli_count(model, LF_KIND_INPUT); k++) {
        char text[48];
        lf_model_format_input(model, (size_t)k, x[k], sizeof text, text);
        fprintf(stream, "%s%s", k ? "," : "", text);
    }
}

void cli_json_string(FILE *stream, const char *text)
{
    unsigned code;
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fprintf(stream, "\\%c", *text);
        } else if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            fprintf(stream, "\\u%04x", (unsigned)*text);
        } else if (cli_control_length(text, &code) == 2) {
            fprintf(stream, "\\u%04x", code);
            text++;
        } else {
            fputc(*text, stream);
        }
    }
    fputc('"', stream);
}

int cli_json_print(const char *file, char *document)
{
    fputs("{\"model\":", stdout);
    cli_json_string(stdout, file);
    fprintf(stdout, ",%s", document + 1);
    lf_free(document);
    return cli_flush();
}

void cli_json_number(FILE *stream, double value)
{
    if (isfinite(value)) {
        fprintf(stream, "%.17g", value);
    } else {
        fputs("null", stream);
    }
}
