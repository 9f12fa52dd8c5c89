/* Finds the files that match a pattern. */
#include "options/file_pattern.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

int cli_is_pattern(const char *word) { return strpbrk(word, "*?[") && access(word, F_OK) != 0; }

int cli_match_files(const char *command, const char *typed, const char *pattern, cli_settings *settings)
{
    glob_t found = {0};
    int error = glob(pattern, 0, NULL, &found), status = CLI_DONE;
    if (error == GLOB_NOMATCH) {
        status = cli_usage_error(command, "%s '%s': there is no such file, and no file matches it as a pattern", typed,
                                 pattern);
    } else if (error) {
        status =
            error == GLOB_NOSPACE ? cli_no_memory() : cli_fail("%s '%s': its folder cannot be read", typed, pattern);
    }
    for (size_t i = 0; i < found.gl_pathc && status == CLI_DONE; i++) {
        char *name = strdup(found.gl_pathv[i]);
        if (!name || !cli_list_add(&settings->matches, name)) {
            free(name);
            status = cli_no_memory();
        }
    }
    globfree(&found);
    return status;
}
