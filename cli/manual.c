/* latentforce help --man: manual pages in man(7) macros, made from the tables that the parser uses. */
#include <ctype.h>
#include <string.h>

#include "help.h"
#include "message.h"

#define MANUAL_DATE "2026-11-15"

/* Prints text with the special characters of roff escaped; an empty line starts a paragraph. */
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
            /* Each sentence starts on a new line, so that the formatter spaces them. */
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

/* Options are printed in bold, their arguments and operands in italics. */
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

/* The title line and the section NAME, of the program or of a command. */
static void print_heading(FILE *stream, const char *command, const char *summary)
{
    char title[64];
    snprintf(title, sizeof title, "latentforce%s%s", command ? "-" : "", command ? command : "");
    fputs(".TH ", stream);
    for (const char *c = title; *c; c++) {
        fputc(toupper((unsigned char)*c), stream);
    }
    fprintf(stream, " 1 \"" MANUAL_DATE "\" \"latentforce %s\"\n.SH NAME\n", lf_version());
    print_escaped(stream, title);
    fputs(" \\- ", stream);
    print_text(stream, summary);
}

static void print_synopsis(FILE *stream, const cli_command *command)
{
    fprintf(stream, "\\fBlatentforce %s\\fR", command->name);
    cli_print_required(stream, command, marked_word);
    fputs(" [\\fIoption\\fR ...]\n", stream);
}

static void print_example(FILE *stream, const cli_command *command)
{
    fputs(".RS\n.nf\n", stream);
    print_text(stream, command->example);
    fputs(".fi\n.RE\n", stream);
}

static void print_program_manual(FILE *stream)
{
    print_heading(stream, NULL, "latent force models: outputs driven by hidden forces");
    fputs(".SH SYNOPSIS\n", stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fputs(i ? ".br\n" : "", stream);
        print_synopsis(stream, cli_commands[i]);
    }
    fputs(".br\n\\fBlatentforce \\-\\-version\\fR\n", stream);
    print_section(stream, "DESCRIPTION",
                  "latentforce works with Gaussian process models of outputs that are driven by hidden forces through "
                  "linear differential equations or Gaussian smoothing. It fits models to data, computes likelihoods, "
                  "stores posteriors in model files, predicts outputs and forces, scores predictions, simulates data "
                  "and prints the contents of models.");
    fputs(".SH COMMANDS\nEach command has a manual page, named here, and accepts \\fB\\-\\-help\\fR.\n", stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, ".TP\n\\fBlatentforce\\-%s\\fR(1)\n", cli_commands[i]->name);
        print_text(stream, cli_commands[i]->summary);
    }
    print_section(stream, "DATA", cli_data_text);
    print_section(stream, "MODEL", cli_model_text);
    print_section(stream, "EXIT STATUS", cli_status_text);
    fputs(".SH EXAMPLES\n", stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fputs(i ? ".PP\n" : "", stream);
        print_text(stream, cli_commands[i]->summary);
        print_example(stream, cli_commands[i]);
    }
}

static void print_command_manual(FILE *stream, const cli_command *command, const cli_option_set *set)
{
    print_heading(stream, command->name, command->summary);
    fputs(".SH SYNOPSIS\n", stream);
    print_synopsis(stream, command);
    print_section(stream, "DESCRIPTION", command->description);
    fputs(".SH OPTIONS\nThe value of an option is the next argument, or follows \\(aq=\\(aq.\n", stream);
    print_options(stream, command->operands);
    print_options(stream, set->option);
    fputs(".TP\n\\fB\\-\\-help\\fR\nprint a short description\n", stream);
    print_section(stream, "EXIT STATUS", cli_status_text);
    fputs(".SH EXAMPLE\n", stream);
    print_example(stream, command);
    fputs(".SH SEE ALSO\n\\fBlatentforce\\fR(1), which describes data files and model files.\n", stream);
}

int cli_print_manual(FILE *stream, const cli_command *command)
{
    cli_option_set set;
    if (!command) {
        print_program_manual(stream);
        return CLI_DONE;
    }
    if (!cli_option_set_create(command, &set)) {
        return cli_no_memory();
    }
    print_command_manual(stream, command, &set);
    cli_option_set_clear(&set);
    return CLI_DONE;
}
