/* The table of a command's operands and options. It drives the parser, --help and the manual page. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "latentforce.h"
#include "options/settings.h"

typedef enum cli_kind {
    CLI_FLAG,      /* int */
    CLI_TEXT,      /* const char * */
    CLI_INPUT,     /* const char *, a file of data to read; "-" is standard input */
    CLI_MODEL,     /* const char *, a model file to read; "-" is standard input */
    CLI_EQUATIONS, /* const char *, a file of equations to read; "-" is standard input */
    CLI_RESULT,    /* const char *, a file to write; "-" is standard output */
    CLI_NEW_MODEL, /* const char *, a model file to write; it may replace one that is read */
    CLI_COUNT,     /* size_t from `minimum` to `maximum` */
    CLI_SHARE,     /* double in (0, 1) */
    CLI_NUMBER,    /* double, any finite one */
    CLI_SEED,      /* uint64_t */
    CLI_LIST,      /* cli_list; the option may be given again and again, a last operand stands for all that follow */
    CLI_INPUTS,    /* cli_list of files as of CLI_INPUT */
    CLI_MODELS     /* cli_list of files as of CLI_MODEL */
} cli_kind;

typedef struct cli_option {
    const char *name;       /* as typed: "--engine"; an operand: "MODEL" */
    const char *short_name; /* "-o"; NULL: none. cli_option_set_create fills it in */
    const char *argument;   /* name of its value; NULL for flags and operands */
    const char *help;
    const char *values; /* the words it accepts, "a, b, c"; of a CLI_TEXT no others. NULL: any */
    const char *group;  /* section of the help (cli_sections); NULL: the first */
    cli_kind kind;
    size_t offset;           /* of its field in cli_settings */
    size_t minimum, maximum; /* maximum 0: ten million */
    int choice;              /* of the options that share a number other than 0, exactly one must be given */
    int together; /* those of a choice that share a number other than 0 count as one: any of them may be given */
    int optional; /* operands only */
    int open;     /* other values than those listed are possible */
    /* An option of the library's table of the verb "fit", which has its argument, kind, help and values. Those of `fit` go into
     * settings->fit alone, others into their field too. */
    int from_library, has_field;
    int for_reading; /* one of the verb "read", likewise; it goes into its field alone */
} cli_option;

enum { CLI_MOST_OPTIONS = 96 };

/* The options of a command as the parser, --help, the manual page and completion see them: its table, with the options that come from
 * the library completed. "-o" and "--output" are one option, as are "-q" and "--quiet", and every command has both: where the table
 * has no --output, standard output goes to that file. */
typedef struct cli_option_set {
    cli_option option[CLI_MOST_OPTIONS + 1]; /* until name NULL */
    char *text[2 * CLI_MOST_OPTIONS];        /* made for them */
    size_t text_count;
} cli_option_set;

/* CLI_OPTION(field, .name = …, .help = …) */
#define CLI_OPTION(field, ...)                                                                                         \
    {                                                                                                                  \
        .offset = offsetof(cli_settings, field), __VA_ARGS__                                                           \
    }
/* An option that the library's table describes, stored in a field of the settings. */
#define CLI_LIBRARY_OPTION(field, option_name)                                                                         \
    CLI_OPTION(field, .name = "--" option_name, .from_library = 1, .has_field = 1)
/* An option that the library's table of options of reading describes. */
#define CLI_READ_OPTION(field, option_name) CLI_OPTION(field, .name = "--" option_name, .for_reading = 1)
/* All options of a fit. */
#define CLI_FIT_OPTIONS                                                                                                \
    {                                                                                                                  \
        .name = "", .from_library = 1                                                                                  \
    }
#define CLI_END                                                                                                        \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

typedef struct cli_command {
    const char *name;
    const char *summary;     /* one line */
    const char *description; /* paragraphs, separated by an empty line */
    const char *example;
    const cli_option *operands; /* until name NULL */
    const cli_option *options;  /* until name NULL */
    int (*run)(lf_context *ctx, const cli_settings *settings);
} cli_command;

/* Every command, until name NULL. */
extern const cli_command *const cli_commands[];

/* A section of the help of a command: the options of one group. */
typedef struct cli_section {
    const char *group, *title;
} cli_section;
/* In the order of the help, until title NULL; the first has no group. */
extern const cli_section cli_sections[];
/* The group that --help leaves out and --help-engines prints. */
#define CLI_ENGINE_GROUP "engine"
/* Whether the option stands in this section. Unknown groups stand in the first. */
int cli_in_section(const cli_option *option, const cli_section *section);

/* NULL when there is none of that name. */
const cli_command *cli_find_command(const char *name);

/* 0 when there is no memory. */
int cli_option_set_create(const cli_command *command, cli_option_set *set);
void cli_option_set_clear(cli_option_set *set);
/* The option of this name or short name, of which the first `length` characters count; NULL when there is none. */
const cli_option *cli_option_find(const cli_option_set *set, const char *name, size_t length);
/* Whether the table of a command has an option --output; otherwise the program sends standard output there. */
int cli_has_output(const cli_command *command);

/* Reads the arguments after the command's name. Stops early, with a field of settings set, at --help, --help-engines and --version.
 */
int cli_parse(lf_context *ctx, const cli_command *command, int argc, char *const *argv, cli_settings *settings);

/* Options that several commands share. */
#define CLI_MODEL_OPERAND                                                                                              \
    CLI_OPTION(model, .name = "MODEL", .kind = CLI_MODEL,                                                              \
               .help = "model file (JSON), or a file of equations (.eq) with all values; - is standard input")
#define CLI_OUTPUT_OPTION                                                                                              \
    CLI_OPTION(output, .name = "-o", .argument = "FILE", .kind = CLI_RESULT,                                           \
               .help = "where the result goes; it appears whole or not at all (default: standard output)")
/* How a likelihood or a posterior is computed. */
#define CLI_ENGINE_OPTIONS                                                                                             \
    CLI_LIBRARY_OPTION(engine, "engine"), CLI_LIBRARY_OPTION(nodes, "nodes"), CLI_FEATURES_OPTION,                     \
        CLI_TOLERANCE_OPTION, CLI_LIBRARY_OPTION(inducing, "inducing"),                                                \
        CLI_LIBRARY_OPTION(inducing_inputs, "inducing-inputs"), CLI_LIBRARY_OPTION(horizon, "horizon"),                \
        CLI_LIBRARY_OPTION(device, "device"), CLI_SEED_OPTION
#define CLI_FEATURES_OPTION CLI_LIBRARY_OPTION(features, "features")
#define CLI_TOLERANCE_OPTION CLI_LIBRARY_OPTION(tolerance, "tolerance")
#define CLI_SEED_OPTION CLI_LIBRARY_OPTION(seed, "seed")
/* What a computation may use. */
#define CLI_THREADS_OPTION CLI_LIBRARY_OPTION(threads, "threads"), CLI_LIBRARY_OPTION(memory, "memory")
/* How tables are read. */
#define CLI_READ_OPTIONS                                                                                               \
    CLI_READ_OPTION(reading.time, "time"), CLI_READ_OPTION(reading.x, "x"), CLI_READ_OPTION(read_outputs, "outputs"),  \
        CLI_READ_OPTION(drop, "drop"), CLI_READ_OPTION(reading.output_column, "output-column"),                        \
        CLI_READ_OPTION(reading.value_column, "value-column"),                                                         \
        CLI_READ_OPTION(reading.replicate_column, "replicate-column"),                                                 \
        CLI_READ_OPTION(reading.separator, "separator"), CLI_READ_OPTION(reading.decimal, "decimal"),                  \
        CLI_READ_OPTION(missing, "missing"), CLI_READ_OPTION(reading.time_in, "time-in"),                              \
        CLI_READ_OPTION(reading.time_format, "time-format"), CLI_READ_OPTION(reading.time_unit, "time-unit"),          \
        CLI_READ_OPTION(reading.replicates_by_file, "replicates-by-file"),                                             \
        CLI_READ_OPTION(reading.ignore_columns, "ignore-columns")
#define CLI_QUIET_OPTION CLI_OPTION(quiet, .name = "--quiet", .kind = CLI_FLAG, .help = "print no notes, only errors")
#define CLI_JSON_OPTION(what) CLI_OPTION(json, .name = "--json", .kind = CLI_FLAG, .help = "print " what " as JSON")

#endif
