/* Whether a file is a model, data or equations, from its beginning and its name; and the check that none stands where another belongs. */
#ifndef CLI_FILE_KIND_H
#define CLI_FILE_KIND_H

#include "options/options.h"

typedef enum cli_file_kind_name {
    CLI_FILE_UNKNOWN,
    CLI_FILE_DATA,
    CLI_FILE_MODEL,
    CLI_FILE_EQUATIONS
} cli_file_kind_name;

/* Only plain files are looked into: standard input and pipes can be read only once, and are unknown. */
cli_file_kind_name cli_file_kind(const char *path);

/* A file that the command line names, with the operand or option it was given for. */
typedef struct cli_named_file {
    const cli_option *option;
    const char *path; /* a word of the command line, or a part of one */
} cli_named_file;

/* Whether values of this kind are files to read. */
int cli_reads_file(cli_kind kind);

/* Whether values of this kind are files to write. */
int cli_writes_file(cli_kind kind);

/* Fails if a file to write is also one to read, whatever their paths, unless a new model replaces a model; or if two results go to
 * one file. Devices and pipes may be both. */
int cli_check_results(const cli_command *command, const cli_named_file *file, size_t count,
                      const cli_named_file *result, size_t result_count);

/* Fails if a data file stands where a model belongs, or the other way round, or if equations stand elsewhere or something else in their
 * place. Where data and model are exchanged, the message has the command line with the two in order. */
int cli_check_files(const cli_command *command, const cli_settings *settings, const cli_named_file *file, size_t count);

#endif
