/* latentforce help --completion zsh: a function for zsh's completion system, with the help of each option. */
#include <string.h>

#include "help/completion.h"
#include "help/help.h"

enum { HELP = 72 };

/* Text inside single quotes, where _arguments and _describe give meaning to colons and brackets. */
static void print_quoted(FILE *stream, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stream);
        } else if (strchr("[]:\\", *text)) {
            fprintf(stream, "\\%c", *text);
        } else {
            fputc(*text, stream);
        }
    }
}

static void print_help(FILE *stream, const char *help)
{
    char text[HELP];
    cli_short_help(help, text, sizeof text);
    print_quoted(stream, text);
}

/* ":MODEL:_files" */
static void print_value(FILE *stream, const char *name, const cli_option *option)
{
    fputc(':', stream);
    print_quoted(stream, name);
    if (option->values) {
        fputs(":(", stream);
        cli_print_values(stream, option->values);
        fputc(')', stream);
    } else {
        fputs(cli_takes_file(option) ? ":_files" : ": ", stream);
    }
}

/* A specification of _arguments: '(-o --output)'{-o,--output=}'[help]:FILE:_files' */
static void print_option(FILE *stream, const cli_option *option)
{
    int value = cli_takes_value(option);
    int again = option->kind >= CLI_LIST;
    fputs(" \\\n            ", stream);
    if (option->short_name) {
        fprintf(stream, "'(%s %s)'{%s,%s%s}'[", option->short_name, option->name, option->short_name, option->name,
                value ? "=" : "");
    } else {
        fprintf(stream, "'%s%s%s[", again ? "*" : "", option->name, value ? "=" : "");
    }
    print_help(stream, option->help);
    fputc(']', stream);
    if (value) {
        print_value(stream, option->argument, option);
    }
    fputc('\'', stream);
}

static void print_operand(FILE *stream, const cli_command *command, const cli_option *operand)
{
    fputs(" \\\n            '", stream);
    fputs(operand->kind >= CLI_LIST ? "*" : operand->optional ? ":" : "", stream);
    if (strcmp(command->name, "help") == 0) {
        fputs(":topic:(", stream);
        cli_print_topics(stream);
        fputs(")'", stream);
        return;
    }
    print_value(stream, operand->name, operand);
    fputc('\'', stream);
}

void cli_print_zsh_completion(FILE *stream, const cli_option_set *sets)
{
    fputs("#compdef latentforce\n"
          "# zsh completion of latentforce, written by: latentforce help --completion zsh\n"
          "_latentforce() {\n"
          "    local curcontext=$curcontext state line\n"
          "    local -a commands\n"
          "    commands=(\n",
          stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, "        '%s:", cli_commands[i]->name);
        print_quoted(stream, cli_commands[i]->summary);
        fputs("'\n", stream);
    }
    fputs("    )\n"
          "    _arguments -C '(- *)'{-h,--help}'[list the commands]' '(- *)'{-v,--version}'[print the version]' \\\n"
          "        '1:command:->command' '*::argument:->argument'\n"
          "    case $state in\n"
          "    command) _describe command commands ;;\n"
          "    argument)\n"
          "        case $line[1] in\n",
          stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream,
                "        %s)\n            _arguments '(- *)'{-h,--help}'[print help]' '(- *)--help-engines[print the "
                "engine options]' '(- *)'{-v,--version}'[print the version]'",
                cli_commands[i]->name);
        for (const cli_option *option = sets[i].option; option->name; option++) {
            print_option(stream, option);
        }
        for (const cli_option *operand = cli_commands[i]->operands; operand->name; operand++) {
            print_operand(stream, cli_commands[i], operand);
        }
        fputs(" ;;\n", stream);
    }
    fputs("        esac\n        ;;\n    esac\n}\n"
          "if [ \"$funcstack[1]\" = _latentforce ]; then\n    _latentforce \"$@\"\nelse\n    compdef _latentforce "
          "latentforce\nfi\n",
          stream);
}
