/* latentforce help --completion fish: one 'complete' line per command, option and topic. */
#include <string.h>

#include "help/completion.h"
#include "help/help.h"

enum { HELP = 72 };

static void print_quoted(FILE *stream, const char *text)
{
    fputc('\'', stream);
    for (; *text; text++) {
        fprintf(stream, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    fputc('\'', stream);
}

static void print_help(FILE *stream, const char *help)
{
    char text[HELP];
    cli_short_help(help, text, sizeof text);
    fputs(" -d ", stream);
    print_quoted(stream, text);
    fputc('\n', stream);
}

static void print_option(FILE *stream, const char *command, const cli_option *option)
{
    fprintf(stream, "complete -c latentforce -n '__fish_seen_subcommand_from %s'", command);
    if (option->short_name) {
        fprintf(stream, " -s %s", option->short_name + 1);
    }
    fprintf(stream, " -l %s", option->name + 2);
    if (option->values && cli_takes_value(option)) {
        fputs(" -x -a '", stream);
        cli_print_values(stream, option->values);
        fputc('\'', stream);
    } else if (cli_takes_value(option)) {
        fputs(cli_takes_file(option) ? " -r -F" : " -x", stream);
    }
    print_help(stream, option->help);
}

void cli_print_fish_completion(FILE *stream, const cli_option_set *sets)
{
    fputs("# fish completion of latentforce, written by: latentforce help --completion fish\n"
          "complete -c latentforce -s h -l help -d 'print help'\n"
          "complete -c latentforce -l help-engines -d 'print the engine options'\n"
          "complete -c latentforce -s v -l version -d 'print the version'\n",
          stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, "complete -c latentforce -n __fish_use_subcommand -f -a %s -d ", cli_commands[i]->name);
        print_quoted(stream, cli_commands[i]->summary);
        fputc('\n', stream);
    }
    fputs("complete -c latentforce -n '__fish_seen_subcommand_from help' -f -a '", stream);
    cli_print_topics(stream);
    fputs("'\n", stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        for (const cli_option *option = sets[i].option; option->name; option++) {
            print_option(stream, cli_commands[i]->name, option);
        }
    }
}
