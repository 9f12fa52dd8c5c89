/* latentforce help --completion bash: completion of commands, options and their values, made from the option tables. */
#include "help/completion.h"

#include <stdlib.h>
#include <string.h>

#include "help/help.h"
#include "message.h"
#include "options/file_kind.h"

const char cli_shells[] = "bash, zsh, fish";

int cli_takes_value(const cli_option *option) { return option->kind != CLI_FLAG; }

int cli_takes_file(const cli_option *option)
{
    return option->kind == CLI_INPUT || option->kind == CLI_INPUTS || option->kind == CLI_MODEL ||
           option->kind == CLI_MODELS || option->kind == CLI_EQUATIONS || cli_writes_file(option->kind) ||
           (option->kind == CLI_TEXT && !option->values);
}

void cli_print_values(FILE *stream, const char *values)
{
    for (; *values; values++) {
        if (*values != ',') {
            fputc(*values, stream);
        }
    }
}

void cli_short_help(const char *help, char *text, size_t size)
{
    size_t length = 0;
    for (; help[length] && length + 1 < size; length++) {
        if (strchr(";:(", help[length]) || strncmp(help + length, ". ", 2) == 0) {
            break;
        }
    }
    if (length + 1 == size) { /* too long: the last word may be incomplete */
        while (length > 0 && help[length] != ' ') {
            length--;
        }
    }
    while (length > 0 && strchr(" ,", help[length - 1])) {
        length--;
    }
    snprintf(text, size, "%.*s", (int)length, help);
}

void cli_print_topics(FILE *stream)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, i ? " %s" : "%s", cli_commands[i]->name);
    }
    for (const cli_topic *topic = cli_topics; topic->name; topic++) {
        fprintf(stream, " %s", topic->name);
    }
}

static void print_bash_names(FILE *stream, const cli_option *option)
{
    fprintf(stream, " %s", option->name);
    if (option->short_name) {
        fprintf(stream, " %s", option->short_name);
    }
}

/* "fit:--output | fit:-o) " for an option with a value. */
static void print_bash_value(FILE *stream, const char *command, const cli_option *option)
{
    fprintf(stream, "        %s:%s", command, option->name);
    if (option->short_name) {
        fprintf(stream, " | %s:%s", command, option->short_name);
    }
    fputs(") words='", stream);
    cli_print_values(stream, option->values ? option->values : "");
    fputs("' ;;\n", stream);
}

void cli_print_bash_completion(FILE *stream, const cli_option_set *sets)
{
    fputs("# bash completion of latentforce, written by: latentforce help --completion bash\n"
          "_latentforce() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=''\n"
          "    # The shell splits --name=VALUE into three words.\n"
          "    if [ \"$cur\" = '=' ]; then\n"
          "        cur=''\n"
          "    elif [ \"$prev\" = '=' ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        words='",
          stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, "%s ", cli_commands[i]->name);
    }
    fputs("--help --version'\n    else\n        case ${COMP_WORDS[1]}:$prev in\n", stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        for (const cli_option *option = sets[i].option; option->name; option++) {
            if (cli_takes_value(option)) {
                print_bash_value(stream, cli_commands[i]->name, option);
            }
        }
    }
    fputs("        *)\n            case ${COMP_WORDS[1]}:$cur in\n            help:[!-]* | help:) words='", stream);
    cli_print_topics(stream);
    fputs("' ;;\n", stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, "            %s:-*) words='", cli_commands[i]->name);
        for (const cli_option *option = sets[i].option; option->name; option++) {
            print_bash_names(stream, option);
        }
        fputs(" --help -h --help-engines --version -v' ;;\n", stream);
    }
    fputs("            esac\n"
          "            ;;\n"
          "        esac\n"
          "    fi\n"
          "    # Without words, the option -o default of complete offers files.\n"
          "    # shellcheck disable=SC2207 # no word has a space\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "}\n"
          "complete -o default -F _latentforce latentforce\n",
          stream);
}

int cli_print_completion(FILE *stream, const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(FILE *stream, const cli_option_set *sets);
    } printers[] = {
        {"bash", cli_print_bash_completion}, {"zsh", cli_print_zsh_completion}, {"fish", cli_print_fish_completion}};
    size_t count = 0;
    while (cli_commands[count]) {
        count++;
    }
    cli_option_set *sets = calloc(count, sizeof *sets);
    int done = sets != NULL;
    for (size_t i = 0; done && i < count; i++) {
        done = cli_option_set_create(cli_commands[i], &sets[i]);
    }
    for (size_t i = 0; done && i < sizeof printers / sizeof *printers; i++) {
        if (strcmp(printers[i].shell, shell) == 0) {
            printers[i].print(stream, sets);
        }
    }
    for (size_t i = 0; sets && i < count; i++) {
        cli_option_set_clear(&sets[i]);
    }
    free(sets);
    return done ? CLI_DONE : cli_no_memory();
}
