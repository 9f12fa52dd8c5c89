/* The commands, one file each. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

extern const cli_command cli_condition, cli_covariance, cli_demo, cli_evaluate, cli_fit, cli_help, cli_plot,
    cli_predict, cli_report_page, cli_score, cli_show, cli_simulate, cli_update;

/* Runs the command that argv[0] names, with the arguments after it, as from the command line; returns an exit status. */
int cli_run(int argc, char *const *argv);

#endif
