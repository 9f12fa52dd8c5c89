/* latentforce help, --help and --help-engines: texts made from the tables that the parser uses. */
#include "help/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "commands.h"
#include "message.h"
#include "options/suggest.h"

enum { WIDTH = 79, OPTION_INDENT = 24, MOST_TOPICS = 64 };

const char cli_status_text[] = "0: success. 1: failure, with a message on standard error. 2: invalid command line. "
                               "Unless the status is 0, no result file is changed, except by fit "
                               "--require-convergence.";

/* Characters on the terminal: bytes of UTF-8 that do not continue one. */
static size_t width_of(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++) {
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return width;
}

/* Prints the text from `column` on; a line that begins with two spaces is printed as it is, others are wrapped. */
static void print_wrapped(FILE *stream, const char *text, size_t indent, size_t column)
{
    int line_start = 1;
    while (*text) {
        if (*text == '\n') {
            fprintf(stream, "\n%*s", text[1] == '\n' ? 0 : (int)indent, "");
            column = indent;
            line_start = 1;
            text++;
            continue;
        }
        int verbatim = line_start && strncmp(text, "  ", 2) == 0;
        size_t length = strcspn(text, verbatim ? "\n" : " \n"), width = width_of(text, length);
        if (!line_start && column + 1 + width > WIDTH) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!line_start) {
            fputc(' ', stream);
            column++;
        }
        fwrite(text, 1, length, stream);
        column += width;
        text += length;
        text += *text == ' ';
        line_start = 0;
    }
    fputc('\n', stream);
}

void cli_plain_word(FILE *stream, const char *option, const char *argument)
{
    fputs(option, stream);
    if (argument) {
        fprintf(stream, " %s", argument);
    }
}

void cli_print_required(FILE *stream, const cli_command *command, cli_word_function word)
{
    for (const cli_option *operand = command->operands; operand->name; operand++) {
        fputs(operand->optional ? " [" : " ", stream);
        word(stream, operand->name, NULL);
        fputs(operand->kind >= CLI_LIST ? " ..." : "", stream);
        fputs(operand->optional ? "]" : "", stream);
    }
    int last = 0;
    for (const cli_option *first = command->options; first->name; first++) {
        if (first->choice == 0 || first->choice == last) {
            continue;
        }
        last = first->choice;
        int several = first[1].name && first[1].choice == first->choice;
        fputs(several ? " (" : " ", stream);
        word(stream, first->name, first->argument);
        for (const cli_option *other = first + 1; other->name && other->choice == first->choice; other++) {
            /* a switch of those that go together replaces the others */
            fputs(other->together && other->together == other[-1].together && other->argument ? " " : " | ", stream);
            word(stream, other->name, other->argument);
        }
        fputs(several ? ")" : "", stream);
    }
}

static void print_option(FILE *stream, const cli_option *option)
{
    size_t column = 2 + strlen(option->name);
    fputs("  ", stream);
    if (option->short_name) {
        column += strlen(option->short_name) + 2;
        fprintf(stream, "%s, ", option->short_name);
    }
    fputs(option->name, stream);
    if (option->argument) {
        column += 1 + strlen(option->argument);
        fprintf(stream, " %s", option->argument);
    }
    if (column + 2 > OPTION_INDENT) {
        fprintf(stream, "\n%*s", OPTION_INDENT, "");
    } else {
        fprintf(stream, "%*s", (int)(OPTION_INDENT - column), "");
    }
    print_wrapped(stream, option->help, OPTION_INDENT, OPTION_INDENT);
}

/* The options of one section; returns their number. stream NULL: only counts them. */
static size_t print_section(FILE *stream, const cli_option_set *set, const cli_section *section)
{
    size_t count = 0;
    for (const cli_option *option = set->option; option->name; option++) {
        if (!cli_in_section(option, section)) {
            continue;
        }
        if (stream && count == 0) {
            fprintf(stream, "\n%s:\n", section->title);
        }
        if (stream) {
            print_option(stream, option);
        }
        count++;
    }
    return count;
}

static const cli_section *engine_section(void)
{
    const cli_section *section = cli_sections;
    while (!section->group || strcmp(section->group, CLI_ENGINE_GROUP) != 0) {
        section++;
    }
    return section;
}

static void print_usage_line(FILE *stream, const cli_command *command, const char *end)
{
    fprintf(stream, "usage: latentforce %s", command->name);
    cli_print_required(stream, command, cli_plain_word);
    fprintf(stream, " [OPTION...]%s", end);
}

static void print_usage(FILE *stream, const cli_command *command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory) {
        print_usage_line(memory, command, "");
    }
    if (memory && fclose(memory) == 0 && text) {
        print_wrapped(stream, text, strlen("usage: "), 0);
    } else { /* without memory the line is not wrapped */
        print_usage_line(stream, command, "\n");
    }
    free(text);
}

static void print_command_help(FILE *stream, const cli_command *command, const cli_option_set *set)
{
    print_usage(stream, command);
    fputc('\n', stream);
    print_wrapped(stream, command->description, 0, 0);
    if (command->operands->name) {
        fputs("\nOperands:\n", stream);
    }
    for (const cli_option *operand = command->operands; operand->name; operand++) {
        print_option(stream, operand);
    }
    const cli_section *engine = engine_section();
    for (const cli_section *section = cli_sections; section->title; section++) {
        if (section != engine) {
            print_section(stream, set, section);
        }
        if (section == cli_sections) {
            print_option(stream, &(cli_option){.name = "--help", .short_name = "-h", .help = "print this help"});
        }
    }
    fprintf(stream, "\nExample:\n  %s\n", command->example);
    if (print_section(NULL, set, engine) > 0) {
        fprintf(stream, "\nEngine options (how it is computed): latentforce %s --help-engines\n", command->name);
    }
}

static void print_engine_help(FILE *stream, const cli_command *command, const cli_option_set *set)
{
    print_usage(stream, command);
    if (print_section(stream, set, engine_section()) == 0) {
        fprintf(stream, "\n%s has no engine options.\n", command->name);
    }
    fputs("\n'latentforce help engines' describes the engines and when to choose one.\n", stream);
}

static void print_program_help(FILE *stream)
{
    fputs("usage: latentforce COMMAND [ARGUMENT...]\n\n"
          "Latent force models: outputs driven by hidden forces through differential equations.\n\nCommands:\n",
          stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, "  %-12s  %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    }
    fputs("\nStart here:\n"
          "  latentforce fit data.csv -o model.json                        learn a model\n"
          "  latentforce show model.json                                   what was learned\n"
          "  latentforce report model.json --data data.csv -o report.html  see it\n\n"
          "Topics of 'latentforce help TOPIC':\n",
          stream);
    for (const cli_topic *topic = cli_topics; topic->name; topic++) {
        fprintf(stream, "  %-12s  %s\n", topic->name, topic->summary);
    }
    fputs("\nExit status: ", stream);
    print_wrapped(stream, cli_status_text, 0, strlen("Exit status: "));
    fputs("\n'latentforce COMMAND --help' (-h) describes a command,\n"
          "'latentforce --version' (-v) prints the version.\n",
          stream);
}

static int with_options(const cli_command *command,
                        void (*print)(FILE *stream, const cli_command *command, const cli_option_set *set))
{
    cli_option_set set;
    if (!cli_option_set_create(command, &set)) {
        return cli_no_memory();
    }
    print(stdout, command, &set);
    cli_option_set_clear(&set);
    return cli_flush();
}

int cli_print_help(const cli_command *command)
{
    if (command) {
        return with_options(command, print_command_help);
    }
    print_program_help(stdout);
    return cli_flush();
}

int cli_print_engine_help(const cli_command *command) { return with_options(command, print_engine_help); }

int cli_print_topic(const char *name)
{
    print_wrapped(stdout, cli_find_topic(name)->text, 0, 0);
    return cli_flush();
}

static int unknown_topic(const char *word)
{
    const char *names[MOST_TOPICS] = {0};
    size_t count = 0;
    for (size_t i = 0; cli_commands[i] && count < MOST_TOPICS; i++) {
        names[count++] = cli_commands[i]->name;
    }
    for (const cli_topic *topic = cli_topics; topic->name && count < MOST_TOPICS; topic++) {
        names[count++] = topic->name;
    }
    const char *nearest = lf_nearest(word, names, count);
    if (nearest) {
        return cli_usage_error(NULL, "'%s' is neither a command nor a topic; did you mean '%s'?", word, nearest);
    }
    char topics[256] = "";
    for (const cli_topic *topic = cli_topics; topic->name; topic++) {
        size_t used = strlen(topics);
        const char *separator = topic == cli_topics ? "" : topic[1].name ? ", " : " and ";
        snprintf(topics + used, sizeof topics - used, "%s%s", separator, topic->name);
    }
    return cli_usage_error(NULL, "'%s' is neither a command nor a topic; the topics are %s", word, topics);
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    (void)ctx;
    const char *word = settings->topic && strcmp(settings->topic, "commands") != 0 ? settings->topic : NULL;
    const cli_command *command = word ? cli_find_command(word) : NULL;
    const cli_topic *topic = word && !command ? cli_find_topic(word) : NULL;
    int status = CLI_DONE;
    if (word && !command && !topic) {
        return unknown_topic(word);
    }
    if (settings->completion) {
        status = cli_print_completion(stdout, settings->completion);
    } else if (settings->manual && topic) {
        return cli_usage_error("help", "--man: '%s' is a topic; it is part of the manual page of the program", word);
    } else if (settings->manual) {
        status = cli_print_manual(stdout, command);
    } else if (topic) {
        return cli_print_topic(word);
    } else {
        return cli_print_help(command);
    }
    return status ? status : cli_flush();
}

static const cli_option operands[] = {
    CLI_OPTION(topic, .name = "TOPIC", .kind = CLI_TEXT, .optional = 1,
               .help = "a command, or files, parameters, engines (default: the list of commands)"),
    CLI_END};

static const cli_option options[] = {
    CLI_OPTION(manual, .name = "--man", .kind = CLI_FLAG,
               .help = "print the manual page of the command or of the program, for man(1)"),
    CLI_OPTION(completion, .name = "--completion", .argument = "SHELL", .kind = CLI_TEXT, .values = cli_shells,
               .help = "print the completion of the program for bash, zsh or fish"),
    CLI_END};

const cli_command cli_help = {.name = "help",
                              .summary = "describe the program, a command or a topic",
                              .description = "Describes a command or a topic, or lists the commands.",
                              .example = "latentforce help files",
                              .operands = operands,
                              .options = options,
                              .run = run};
