/* The check that no result replaces a file that is read. */
#include <string.h>
#include <sys/stat.h>

#include "message.h"
#include "options/file_kind.h"

/* Whether two paths lead to one plain file. A file that does not exist yet is known by its path alone. */
static int same_file(const char *one, const char *other)
{
    struct stat a, b;
    if (strcmp(one, "-") == 0 || strcmp(other, "-") == 0) {
        return 0;
    }
    if (stat(one, &a) || stat(other, &b)) {
        return strcmp(one, other) == 0;
    }
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* As in messages: "-o", "--trace" or "DATA". */
static const char *label(const cli_option *option) { return option->short_name ? option->short_name : option->name; }

int cli_check_results(const cli_command *command, const cli_named_file *file, size_t count,
                      const cli_named_file *result, size_t result_count)
{
    for (size_t i = 0; i < result_count; i++) {
        const cli_option *option = result[i].option;
        for (size_t k = 0; k < count; k++) {
            int model = file[k].option->kind == CLI_MODEL && cli_file_kind(file[k].path) != CLI_FILE_EQUATIONS;
            if (!(model && option->kind == CLI_NEW_MODEL) && same_file(result[i].path, file[k].path)) {
                return cli_usage_error(command->name,
                                       "%s %s is also read as %s, and would be replaced; choose another file",
                                       label(option), result[i].path, label(file[k].option));
            }
        }
        for (size_t k = 0; k < i; k++) {
            if (same_file(result[i].path, result[k].path)) {
                const char *one = label(result[k].option), *other = label(option);
                int in_order = strcmp(other, "-o") != 0; /* "-o and --trace", however they were typed */
                return cli_usage_error(command->name, "%s and %s name the same file '%s'", in_order ? one : other,
                                       in_order ? other : one, result[i].path);
            }
        }
    }
    return CLI_DONE;
}
