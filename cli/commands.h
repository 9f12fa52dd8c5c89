/* The commands of the program; each has its own file. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options/options.h"

extern const cli_command cli_compare, cli_condition, cli_covariance, cli_data, cli_demo, cli_evaluate, cli_fit,
    cli_help, cli_plot, cli_predict, cli_report_page, cli_score, cli_show, cli_simulate, cli_update;

/* Runs the command named by argv[0] with the arguments that follow. Returns an exit status. */
int cli_run(int argc, char *const *argv);

#endif
