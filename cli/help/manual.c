/* latentforce help --man: manual pages in man(7) macros, made from the tables that the parser uses. */
#include <ctype.h>
#include <string.h>

#include "help/help.h"
#include "message.h"

#define MANUAL_DATE "2026-11-15"

/* Prints one character with the special ones of roff escaped; returns the number of its bytes. */
static size_t print_character(FILE *stream, const char *text)
{
    unsigned char first = (unsigned char)*text;
    if (first >= 0xc2 && first < 0xe0 && ((unsigned char)text[1] & 0xc0) == 0x80) { /* UTF-8 of two bytes */
        fprintf(stream, "\\[u%04X]", (unsigned)((first & 0x1f) << 6 | ((unsigned char)text[1] & 0x3f)));
        return 2;
    }
    switch (*text) {
    case '\\':
        fputs("\\e", stream);
        break;
    case '-':
        fputs("\\-", stream);
        break;
    case '\'':
        fputs("\\(aq", stream);
        break;
    default:
        fputc(*text, stream);
    }
    return 1;
}

/* A line that roff would take as a request. */
static void protect_line_start(FILE *stream, const char *text)
{
    if (*text && strchr(".'", *text)) {
        fputs("\\&", stream);
    }
}

/* Prints lines that are kept as they are, from one that begins with two spaces on; returns where they end. */
static const char *print_verbatim(FILE *stream, const char *text)
{
    fputs(".PP\n.RS 2\n.nf\n", stream);
    while (strncmp(text, "  ", 2) == 0) {
        text += 2;
        protect_line_start(stream, text);
        while (*text && *text != '\n') {
            text += print_character(stream, text);
        }
        fputc('\n', stream);
        text += *text == '\n';
    }
    fputs(".fi\n.RE\n", stream);
    return text + strspn(text, "\n");
}

/* Prints paragraphs. Each sentence starts on a new line, so that the formatter spaces them. */
static void print_text(FILE *stream, const char *text)
{
    while (*text) {
        if (strncmp(text, "  ", 2) == 0) {
            text = print_verbatim(stream, text);
            fputs(*text && strncmp(text, "  ", 2) != 0 ? ".PP\n" : "", stream);
            continue;
        }
        protect_line_start(stream, text);
        while (*text && *text != '\n') {
            int sentence_ends = text[0] == '.' && text[1] == ' ';
            text += print_character(stream, text);
            if (sentence_ends) {
                fputc('\n', stream);
                text += 1;
                protect_line_start(stream, text);
            }
        }
        fputc('\n', stream);
        text += strspn(text, "\n");
        fputs(*text && strncmp(text, "  ", 2) != 0 ? ".PP\n" : "", stream);
    }
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

static void print_option(FILE *stream, const cli_option *option)
{
    fputs(".TP\n", stream);
    if (option->short_name) {
        marked_word(stream, option->short_name, NULL);
        fputs(", ", stream);
    }
    marked_word(stream, option->name, option->argument);
    fputc('\n', stream);
    print_text(stream, option->help);
}

/* All options, in the sections of the help; the first has no heading. */
static void print_options(FILE *stream, const cli_option_set *set)
{
    for (const cli_section *section = cli_sections; section->title; section++) {
        int count = 0;
        for (const cli_option *option = set->option; option->name; option++) {
            if (!cli_in_section(option, section)) {
                continue;
            }
            if (section != cli_sections && count++ == 0) {
                fprintf(stream, ".SS %s\n", section->title);
            }
            print_option(stream, option);
        }
        if (section == cli_sections) {
            fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a short description without the engine options\n"
                  ".TP\n\\fB\\-\\-help\\-engines\\fR\nprint the engine options\n"
                  ".TP\n\\fB\\-v\\fR, \\fB\\-\\-version\\fR\nprint the version\n",
                  stream);
        }
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
    fputs(".SH COMMANDS\nEach command has a manual page, named here, and accepts \\fB\\-h\\fR, \\fB\\-\\-output\\fR "
          "and \\fB\\-\\-quiet\\fR.\n",
          stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, ".TP\n\\fBlatentforce\\-%s\\fR(1)\n", cli_commands[i]->name);
        print_text(stream, cli_commands[i]->summary);
    }
    for (const cli_topic *topic = cli_topics; topic->name; topic++) {
        print_section(stream, topic->title, topic->text);
    }
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
    for (const cli_option *operand = command->operands; operand->name; operand++) {
        print_option(stream, operand);
    }
    print_options(stream, set);
    print_section(stream, "EXIT STATUS", cli_status_text);
    fputs(".SH EXAMPLE\n", stream);
    print_example(stream, command);
    fputs(".SH SEE ALSO\n\\fBlatentforce\\fR(1), which describes files, parameters and engines.\n", stream);
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
