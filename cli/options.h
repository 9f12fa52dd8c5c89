/* The table of a command's operands and options. It drives the parser, --help and the manual page. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "latentforce.h"
#include "settings.h"

typedef enum cli_kind {
    CLI_FLAG,   /* int */
    CLI_TEXT,   /* const char * */
    CLI_INPUT,  /* const char *, a file to read; "-" is standard input */
    CLI_COUNT,  /* size_t from `minimum` to `maximum` */
    CLI_SHARE,  /* double in (0, 1) */
    CLI_NUMBER, /* double, any finite one */
    CLI_SEED,   /* uint64_t */
    CLI_LIST    /* cli_list; the option may be given again and again */
} cli_kind;

typedef struct cli_option {
    const char *name;     /* as typed: "--engine"; an operand: "MODEL" */
    const char *argument; /* name of its value; NULL for flags and operands */
    const char *help;
    cli_kind kind;
    size_t offset;           /* of its field in cli_settings */
    size_t minimum, maximum; /* maximum 0: ten million */
    int choice;              /* of the options that share a number other than 0, exactly one must be given */
    int optional;            /* operands only */
} cli_option;

/* CLI_OPTION(field, .name = …, .help = …) */
#define CLI_OPTION(field, ...)                                                                                         \
    {                                                                                                                  \
        .offset = offsetof(cli_settings, field), __VA_ARGS__                                                           \
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

/* NULL when there is none of that name. */
const cli_command *cli_find_command(const char *name);

/* The one of `count` words nearest to a misspelt one, or NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *words, size_t count);

/* Reads the arguments after the command's name. Stops early, with settings->help set, at --help. */
int cli_parse(const cli_command *command, int argc, char *const *argv, cli_settings *settings);

/* Options that several commands share. */
#define CLI_MODEL_OPERAND CLI_OPTION(model, .name = "MODEL", .kind = CLI_TEXT, .help = "model file (JSON)")
#define CLI_OUTPUT_OPTION                                                                                              \
    CLI_OPTION(output, .name = "-o", .argument = "FILE", .kind = CLI_TEXT,                                             \
               .help = "where the result goes; it appears whole or not at all (default: standard output)")
/* How a likelihood or a posterior is computed. */
#define CLI_ENGINE_OPTIONS                                                                                             \
    CLI_OPTION(engine, .name = "--engine", .argument = "E", .kind = CLI_TEXT,                                          \
               .help =                                                                                                 \
                   "how to compute: dense (exact; the work grows with the cube of the rows), lowrank (frequencies "    \
                   "as columns; the work grows with the rows), fourier (the same for one input and uniform "           \
                   "nodes; the work hardly grows with the rows), kalman (a filter along time, for differential "       \
                   "equations with few outputs; the work grows with the rows, not with their span), the "              \
                   "approximations dtc, variational (a lower bound), fitc and pitc by inducing values (--inducing), "  \
                   "or auto (the cheapest that applies and does not approximate; default)"),                           \
        CLI_OPTION(                                                                                                    \
            nodes, .name = "--nodes", .argument = "R", .kind = CLI_TEXT,                                               \
            .help = "how frequencies are chosen: uniform (one input); lowrank and inducing engines: mc (at random), "  \
                    "qmc (evenly scattered, up to 37 inputs), orthogonal (at random, at right angles); dense "         \
                    "and inducing engines: closed-form (none); inducing engines: exact (covariances right to "         \
                    "rounding by the faster way); or auto (default)"),                                                 \
        CLI_FEATURES_OPTION, CLI_TOLERANCE_OPTION, CLI_INDUCING_OPTIONS,                                               \
        CLI_OPTION(horizon, .name = "--horizon", .argument = "T", .kind = CLI_NUMBER,                                  \
                   .help = "lowrank and fourier: the largest input that can be asked for later (default: the last "    \
                           "of the data)"),                                                                            \
        CLI_SEED_OPTION
#define CLI_FEATURES_OPTION                                                                                            \
    CLI_OPTION(features, .name = "--features", .argument = "S", .kind = CLI_COUNT, .minimum = 1, .maximum = 1000000,   \
               .help = "frequencies for each force; mc, qmc and orthogonal nodes need it (default with uniform "       \
                       "nodes: as many as "                                                                            \
                       "--tolerance asks for)")
#define CLI_INDUCING_OPTIONS                                                                                           \
    CLI_OPTION(inducing, .name = "--inducing", .argument = "K", .kind = CLI_COUNT, .minimum = 1, .maximum = 100000,    \
               .help = "inducing engines: values for each force whose \"inducing\" is not in the model"),              \
        CLI_OPTION(placement, .name = "--inducing-inputs", .argument = "HOW", .kind = CLI_TEXT,                        \
                   .help = "where these stand: even (evenly spaced over the inputs; default for one input), data (at " \
                           "inputs of the data) or kmeans (centres of clusters of them; default for several)")
#define CLI_TOLERANCE_OPTION                                                                                           \
    CLI_OPTION(tolerance, .name = "--tolerance", .argument = "EPS", .kind = CLI_SHARE,                                 \
               .help = "error that uniform nodes may cause in covariances, relative to the largest (default: dense "   \
                       "1e-13, lowrank and fourier 1e-10; with Matern forces 1e-7 and 1e-5); kalman: error of the "    \
                       "covariance of eq forces (default: 1e-10), Matern forces are exact")
#define CLI_IGNORE_OPTION                                                                                              \
    CLI_OPTION(ignore_columns, .name = "--ignore-columns", .kind = CLI_FLAG,                                           \
               .help = "drop the columns of CSV files that the format does not know instead of refusing them")
#define CLI_SEED_OPTION                                                                                                \
    CLI_OPTION(seed, .name = "--seed", .argument = "N", .kind = CLI_SEED,                                              \
               .help = "seed of draws and of sampled nodes; the same seed gives the same numbers (default: 1)")
#define CLI_THREADS_OPTION                                                                                             \
    CLI_OPTION(threads, .name = "--threads", .argument = "N", .kind = CLI_COUNT, .minimum = 1, .maximum = 1024,        \
               .help = "threads to use (default: as many as the machine has)")
#define CLI_QUIET_OPTION CLI_OPTION(quiet, .name = "--quiet", .kind = CLI_FLAG, .help = "print no notes, only errors")
#define CLI_JSON_OPTION(what) CLI_OPTION(json, .name = "--json", .kind = CLI_FLAG, .help = "print " what " as JSON")

#endif
