/* latentforce help and --help: texts made from the tables that the parser uses. */
#include "help.h"

#include <string.h>

#include "commands.h"
#include "message.h"

enum { WIDTH = 79, OPTION_INDENT = 24 };

const char cli_data_text[] =
    "CSV with a header, plain or gzipped (.csv.gz); '-' is standard input. The header determines the shape.\n\n"
    "Long: output,x,y, one observation per row; with p inputs output,x1,...,xp,y. Optional columns: sd (known standard "
    "error of y), split (train or test), replicate (any label: different replicates share all parameters but have "
    "independent draws of the forces).\n\n"
    "Wide (no column is named output): the first column is the input, every other column is an output; an empty cell, "
    "NA or NaN is a missing value.\n\n"
    "Files of inputs (--at) have the columns output,x, or only x for every output; replicate is optional.";

const char cli_model_text[] =
    "A JSON file, which can be written by hand: forces with their kernels (eq, matern12, matern32, matern52) and "
    "lengthscales; outputs with their operators (ode1, ode2, ode, gaussian), sensitivities to the forces, noise "
    "variance, offset and scale. 'latentforce fit' and 'latentforce condition' add a posterior, 'latentforce update' "
    "continues it. docs/model-file.md describes every member.";

const char cli_status_text[] = "0: success. 1: failure, with a message on standard error. 2: invalid command line. "
                               "Unless the status is 0, no result file is changed, except by fit "
                               "--require-convergence.";

static void print_wrapped(FILE *stream, const char *text, size_t indent, size_t column)
{
    while (*text) {
        if (*text == '\n') {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
            text++;
            continue;
        }
        size_t length = strcspn(text, " \n");
        if (column > indent && column + length > WIDTH) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
        }
        fwrite(text, 1, length, stream);
        column += length;
        text += length;
        if (*text == ' ') {
            text++;
            column++;
            if (column + strcspn(text, " \n") <= WIDTH) {
                fputc(' ', stream);
            }
        }
    }
    fputc('\n', stream);
}

static void plain_word(FILE *stream, const char *option, const char *argument)
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
        fputs(operand->kind == CLI_LIST ? "..." : "", stream);
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
            fputs(other->together && other->together == other[-1].together ? " " : " | ", stream);
            word(stream, other->name, other->argument);
        }
        fputs(several ? ")" : "", stream);
    }
}

static void print_option(FILE *stream, const cli_option *option)
{
    size_t column = 2 + strlen(option->name);
    fprintf(stream, "  %s", option->name);
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

static void print_command_help(FILE *stream, const cli_command *command, const cli_option_set *set)
{
    fprintf(stream, "usage: latentforce %s", command->name);
    cli_print_required(stream, command, plain_word);
    fputs(" [OPTION...]\n\n", stream);
    print_wrapped(stream, command->description, 0, 0);
    if (command->operands->name) {
        fputs("\nOperands:\n", stream);
    }
    for (const cli_option *operand = command->operands; operand->name; operand++) {
        print_option(stream, operand);
    }
    fputs("\nOptions:\n", stream);
    for (const cli_option *option = set->option; option->name; option++) {
        print_option(stream, option);
    }
    print_option(stream, &(cli_option){.name = "--help", .help = "print this help"});
    fprintf(stream, "\nExample:\n  %s\n", command->example);
}

static void print_program_help(FILE *stream)
{
    fputs("usage: latentforce COMMAND [ARGUMENT...]\n\n"
          "Latent force models: outputs driven by hidden forces through differential equations.\n\nCommands:\n",
          stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, "  %-12s  %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    }
    fputs("\nData: ", stream);
    print_wrapped(stream, cli_data_text, 0, strlen("Data: "));
    fputs("\nModel: ", stream);
    print_wrapped(stream, cli_model_text, 0, strlen("Model: "));
    fputs("\nExit status: ", stream);
    print_wrapped(stream, cli_status_text, 0, strlen("Exit status: "));
    fputs("\n'latentforce COMMAND --help' describes a command, 'latentforce --version' prints the version.\n", stream);
}

int cli_print_help(const cli_command *command)
{
    cli_option_set set;
    if (command && !cli_option_set_create(command, &set)) {
        return cli_no_memory();
    }
    if (command) {
        print_command_help(stdout, command, &set);
        cli_option_set_clear(&set);
    } else {
        print_program_help(stdout);
    }
    return cli_flush();
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    (void)ctx;
    const cli_command *command = settings->topic ? cli_find_command(settings->topic) : NULL;
    if (settings->topic && !command) {
        return cli_usage_error(NULL, "unknown command '%s'", settings->topic);
    }
    if (settings->manual) {
        int status = cli_print_manual(stdout, command);
        return status ? status : cli_flush();
    }
    return cli_print_help(command);
}

static const cli_option operands[] = {
    CLI_OPTION(topic, .name = "COMMAND", .kind = CLI_TEXT, .optional = 1, .help = "the command to describe"), CLI_END};

static const cli_option options[] = {
    CLI_OPTION(manual, .name = "--man", .kind = CLI_FLAG,
               .help = "print the manual page of the command or of the program, for man(1)"),
    CLI_END};

const cli_command cli_help = {.name = "help",
                              .summary = "describe the program or a command",
                              .description = "Describes a command, or lists the commands.",
                              .example = "latentforce help --man fit | man -l -",
                              .operands = operands,
                              .options = options,
                              .run = run};
