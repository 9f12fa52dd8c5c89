/* latentforce help --man: the manual page in man(7) macros, made from the tables that the parser reads. */
#include <string.h>

#include "help.h"

#define MANUAL_DATE "2026-11-15"

/* Text with roff's special characters escaped; an empty line starts a paragraph. */
static void print_text(FILE *stream, const char *text)
{
    int line_start = 1;
    for (; *text; text++) {
        if (text[0] == '\n' && text[1] == '\n') {
            fputs("\n.PP\n", stream);
            line_start = 1;
            text++;
            continue;
        }
        if (line_start && strchr(".'", *text)) {
            fputs("\\&", stream);
        }
        if (*text == '\\') {
            fputs("\\e", stream);
        } else if (*text == '-') {
            fputs("\\-", stream);
        } else if (*text == '\'') {
            fputs("\\(aq", stream);
        } else if (text[0] == '.' && text[1] == ' ') {
            /* Sentences start on lines of their own, so that the formatter spaces them. */
            fputs(".\n", stream);
            text++;
        } else {
            fputc(*text, stream);
        }
        line_start = text[0] == ' ' && text[-1] == '.';
    }
    fputc('\n', stream);
}

static void print_escaped(FILE *stream, const char *word)
{
    for (; *word; word++) {
        fprintf(stream, *word == '-' ? "\\%c" : "%c", *word);
    }
}

/* An option in bold and its argument in italics; an operand, which has neither dash nor argument, in italics. */
static void marked_word(FILE *stream, const char *option, const char *argument)
{
    fputs(option[0] == '-' ? "\\fB" : "\\fI", stream);
    print_escaped(stream, option);
    fputs("\\fR", stream);
    if (argument) {
        fputs(" \\fI", stream);
        print_escaped(stream, argument);
        fputs("\\fR", stream);
    }
}

static void print_options(FILE *stream, const cli_option *option)
{
    for (; option->name; option++) {
        fputs(".TP\n", stream);
        marked_word(stream, option->name, option->argument);
        fputc('\n', stream);
        print_text(stream, option->help);
    }
}

static void print_section(FILE *stream, const char *title, const char *text)
{
    fprintf(stream, ".SH %s\n", title);
    print_text(stream, text);
}

void cli_print_manual(FILE *stream)
{
    fprintf(stream, ".TH LATENTFORCE 1 \"" MANUAL_DATE "\" \"latentforce %s\"\n", lf_version());
    print_section(stream, "NAME", "latentforce - latent force models: outputs driven by hidden forces");
    fputs(".SH SYNOPSIS\n", stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, "%s\\fBlatentforce %s\\fR", i ? ".br\n" : "", cli_commands[i]->name);
        cli_print_needed(stream, cli_commands[i], marked_word);
        fputs(" [\\fIoption\\fR ...]\n", stream);
    }
    fputs(".br\n\\fBlatentforce \\-\\-version\\fR\n", stream);
    print_section(stream, "DESCRIPTION",
                  "latentforce works with Gaussian process models of outputs that hidden forces drive through linear "
                  "differential equations or Gaussian smoothing. It evaluates the likelihood of data, stores what data "
                  "say in a model, predicts outputs and forces, scores predictions, draws from a model and prints what "
                  "a model says.");
    fputs(".SH COMMANDS\nEvery command also takes \\fB\\-\\-help\\fR.\n"
          "A value follows its option as the next word or after \\(aq=\\(aq.\n",
          stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        const cli_command *command = cli_commands[i];
        fprintf(stream, ".SS %s\n", command->name);
        print_text(stream, command->description);
        print_options(stream, command->operands);
        print_options(stream, command->options);
    }
    print_section(stream, "DATA", cli_data_text);
    print_section(stream, "MODEL", cli_model_text);
    print_section(stream, "EXIT STATUS", cli_status_text);
    fputs(".SH EXAMPLES\n", stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fputs(i ? ".PP\n" : "", stream);
        print_text(stream, cli_commands[i]->summary);
        fputs(".RS\n.nf\n", stream);
        print_text(stream, cli_commands[i]->example);
        fputs(".fi\n.RE\n", stream);
    }
}
