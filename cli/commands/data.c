/* latentforce data: reads tables as every other command does, and writes what was read in the long shape. */
#include <stdio.h>

#include "commands.h"
#include "message.h"
#include "options/session.h"

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_data *data = NULL;
    int status = cli_read_files(ctx, settings, NULL, 0, settings->row_files.count, settings->row_files.item, &data);
    status = status ? status : cli_check(ctx, lf_data_write(ctx, data, settings->output));
    lf_data_free(data);
    return status;
}

static const cli_option operands[] = {
    CLI_OPTION(row_files, .name = "DATA", .kind = CLI_INPUTS,
               .help = "data files, or a pattern of their names ('part-*.csv'), read as one table"),
    CLI_END};

static const cli_option options[] = {CLI_OUTPUT_OPTION, CLI_READ_OPTIONS, CLI_QUIET_OPTION, CLI_END};

const cli_command cli_data = {.name = "data",
                              .summary = "show how data files are read",
                              .description =
                                  "Reads data files exactly as fit and the other commands do, says what was understood "
                                  "and what looks wrong in the "
                                  "values, and writes the table with one row per value: output,x,y and, where they are "
                                  "used, replicate, sd and split. "
                                  "Nothing is computed. 'latentforce help files' describes what can be read.",
                              .example = "latentforce data logger.csv --time when --drop status",
                              .operands = operands,
                              .options = options,
                              .run = run};
