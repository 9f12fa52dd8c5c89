/* Opens text files, and standard input for several processes. */
#include "base/input_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/output_file.h"
#include "base/processes.h"

/* All of standard input. The text has one byte more than its length, so that it is never empty. */
static lf_status read_all(lf_context *ctx, char **text, size_t *length)
{
    size_t capacity = 0;
    *text = NULL;
    *length = 0;
    do {
        if (*length + 1 >= capacity) {
            char *larger = realloc(*text, capacity = 2 * capacity + 65536);
            if (!larger) {
                return lf_no_memory(ctx);
            }
            *text = larger;
        }
        *length += fread(*text + *length, 1, capacity - *length - 1, stdin);
    } while (!feof(stdin) && !ferror(stdin));
    return ferror(stdin) ? lf_fail(ctx, LF_ERROR_IO, "<stdin>: cannot be read") : LF_OK;
}

static lf_status copy_standard_input(lf_context *ctx, lf_input_file *file)
{
    size_t length = 0;
    lf_status status = lf_process_rank(ctx) == 0 ? read_all(ctx, &file->copy, &length) : LF_OK;
    status = lf_agree(ctx, status);
    LF_TRY(status, lf_broadcast(ctx, 0, sizeof length, &length));
    if (!status && lf_process_rank(ctx) > 0) {
        file->copy = malloc(length + 1);
    }
    status = lf_agree(ctx, status || file->copy ? status : lf_no_memory(ctx));
    LF_TRY(status, lf_broadcast(ctx, 0, length, file->copy));
    if (!status) {
        file->copy[length] = '\n'; /* fmemopen refuses an empty text */
        file->stream = fmemopen(file->copy, length + 1, "r");
        status = file->stream ? LF_OK : lf_no_memory(ctx);
    }
    return status;
}

static lf_status check_stream(lf_context *ctx, const lf_input_file *file)
{
    struct stat info;
    if (!file->stream) {
        return lf_fail(ctx, errno == ENOMEM ? LF_ERROR_MEMORY : LF_ERROR_IO, "%s: cannot be opened: %s", file->name,
                       lf_error_text(errno));
    }
    return fstat(fileno(file->stream), &info) == 0 && S_ISDIR(info.st_mode)
               ? lf_fail(ctx, LF_ERROR_IO, "%s: is a directory, not a model file", file->name)
               : LF_OK;
}

lf_status lf_input_open(lf_context *ctx, const char *path, lf_input_file *file)
{
    int standard = strcmp(path, "-") == 0;
    *file = (lf_input_file){.name = standard ? "<stdin>" : path};
    lf_status status;
    if (standard && lf_process_count(ctx) > 1) {
        status = copy_standard_input(ctx, file);
    } else {
        file->stream = standard ? stdin : fopen(path, "rb");
        status = check_stream(ctx, file);
    }
    if (status) {
        lf_input_close(file);
    }
    return status;
}

void lf_input_close(lf_input_file *file)
{
    if (file->stream && file->stream != stdin) {
        fclose(file->stream);
    }
    free(file->copy);
    file->stream = NULL;
    file->copy = NULL;
}
