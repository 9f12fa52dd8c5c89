/* The settings of all commands; the option table of a command (options.h) determines which fields are set. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "latentforce.h"

/* The values of an option that may be repeated. */
typedef struct cli_list {
    size_t count, capacity;
    const char **item; /* (count), then NULL; NULL where there is none */
} cli_list;

/* 0 when there is no memory. The text must outlive the list. */
int cli_list_add(cli_list *list, const char *text);

typedef struct cli_settings {
    int argc; /* the command line without the name of the program */
    char *const *argv;
    int several;               /* processes run the command */
    int has_room, few_threads; /* of the address space: enough to compute, enough for one thread only */
    const char *model;         /* operand MODEL */
    const char *rows;          /* operand DATA or TEST as messages name it; row_files has the files */
    const char *topic;         /* operand TOPIC of help */
    const char *completion;    /* help: the shell */
    const char *at;            /* file of inputs */
    const char *data;          /* training data as messages name them; data_files has the files */
    cli_list row_files, data_files;
    cli_list matches;            /* names of files that patterns stand for; they belong to the settings */
    const char *output;          /* "-": standard output */
    const char *forces_file;     /* simulate: file for the forces */
    const char *engine, *nodes;  /* NULL: the library's choice */
    double tolerance;            /* 0: the library's choice */
    const char *horizon;         /* as typed; NULL: not given */
    size_t features;             /* 0: the library's choice */
    size_t inducing;             /* 0: not given */
    const char *inducing_inputs; /* NULL: the library's choice */
    const char *device;          /* NULL: cpu */
    size_t grid, samples, repeat, threads;
    const char *memory; /* as typed; NULL: not given */
    uint64_t seed;
    int forces, rates, states, with_forces, noise_free;
    int gradient, json;
    int quiet;
    lf_read_options reading; /* without the lists that follow */
    cli_list read_outputs, drop, missing;
    /* fit */
    lf_options *fit; /* options of lf_fit; other commands use those that they share with fit */
    const char *trace;
    int require_convergence, progress, verbose, plan;
    const char *dygraphs;  /* folder of dygraphs; NULL: the one found at configure time */
    const char *what;      /* plot: --what; NULL: the default for the model */
    cli_list output_names; /* plot: --output-name */
    const char *folder;    /* demo; NULL: the default */
    /* score, compare */
    size_t folds;               /* --cross-validate; 0: not given */
    const char *rolling, *span; /* --rolling, --span with --step; NULL: not given */
    int no_refit;
    const char *init;      /* the model that the fits of a cross-validation start from */
    const char *rows_file; /* NULL: none */
    double threshold;      /* of |z| for outliers; 0: the default */
    cli_list models;       /* operands MODEL of compare */
    /* predict: spans and inputs as text, NULL: not given */
    const char *ahead, *from, *to, *step; /* step: show too */
    int state_space;                      /* show */
    int manual, help, help_engines, version;

    cli_list only; /* plot */
    const char *title, *xlabel, *ylabel, *size;
    int all_forces; /* plot, report: idle forces too */
} cli_settings;

/* Releases the lists and the options of the fit. */
void cli_settings_clear(cli_settings *settings);

#endif
