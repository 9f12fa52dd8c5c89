/* Files that appear whole or not at all. */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdio.h>

/* Regular files are written under a temporary name beside their own and renamed when closed; devices, pipes and
 * standard output ("-") are written directly. */
typedef struct cli_output {
    FILE *stream;
    char *path;      /* final name, links resolved; NULL: standard output */
    char *temporary; /* name written to; NULL: written directly */
} cli_output;

/* Both return an exit status and print what went wrong. */
int cli_output_open(cli_output *out, const char *path);
/* Checks that everything was written and puts the file in place; on failure the target is left as it was. */
int cli_output_close(cli_output *out);
/* Drops what was written. */
void cli_output_discard(cli_output *out);

#endif
