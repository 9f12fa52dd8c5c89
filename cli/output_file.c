/* Result files written atomically: a temporary file in the same directory, then rename(2). */
#define _XOPEN_SOURCE 700 /* realpath */
#include "output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

static int cannot_write(const char *path, int error)
{
    return cli_fail("%s: cannot write: %s", path ? path : "standard output", strerror(error));
}

static void release(cli_output *out)
{
    free(out->temporary);
    free(out->path);
    *out = (cli_output){0};
}

/* mkstemp makes private files; a result gets the mode of the file it replaces, or the one the umask asks for. */
static mode_t result_mode(const struct stat *existing)
{
    if (existing) {
        return existing->st_mode & 0777;
    }
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int open_temporary(cli_output *out, const struct stat *existing)
{
    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(out->path);
    out->temporary = malloc(length + sizeof suffix);
    if (!out->temporary) {
        return cli_no_memory();
    }
    memcpy(out->temporary, out->path, length);
    memcpy(out->temporary + length, suffix, sizeof suffix);
    int descriptor = mkstemp(out->temporary);
    if (descriptor < 0) {
        int error = errno;
        free(out->temporary);
        out->temporary = NULL;
        return cannot_write(out->path, error);
    }
    if (fchmod(descriptor, result_mode(existing)) != 0 || !(out->stream = fdopen(descriptor, "w"))) {
        int error = errno;
        close(descriptor);
        return cannot_write(out->path, error);
    }
    return CLI_DONE;
}

int cli_output_open(cli_output *out, const char *path)
{
    struct stat existing, standard;
    *out = (cli_output){0};
    if (strcmp(path, "-") == 0) {
        out->stream = stdout;
        return CLI_DONE;
    }
    int exists = stat(path, &existing) == 0;
    if (exists && fstat(STDOUT_FILENO, &standard) == 0 && existing.st_dev == standard.st_dev &&
        existing.st_ino == standard.st_ino) {
        out->stream = stdout; /* /dev/stdout, wherever it leads */
        return CLI_DONE;
    }
    out->path = exists ? realpath(path, NULL) : strdup(path);
    if (!out->path) {
        return exists ? cannot_write(path, errno) : cli_no_memory();
    }
    int status = CLI_DONE;
    if (exists && access(path, W_OK) != 0) {
        status = cannot_write(path, errno);
    } else if (exists && S_ISDIR(existing.st_mode)) {
        status = cannot_write(path, EISDIR);
    } else if (exists && !S_ISREG(existing.st_mode)) {
        out->stream = fopen(path, "w");
        status = out->stream ? CLI_DONE : cannot_write(path, errno);
    } else {
        status = open_temporary(out, exists ? &existing : NULL);
    }
    if (status != CLI_DONE) {
        cli_output_discard(out);
    }
    return status;
}

int cli_output_close(cli_output *out)
{
    errno = 0;
    int failed = fflush(out->stream) != 0 || ferror(out->stream);
    int error = errno ? errno : EIO;
    if (!failed && out->temporary && fsync(fileno(out->stream)) != 0) {
        failed = 1;
        error = errno;
    }
    if (out->path) {
        if (fclose(out->stream) != 0 && !failed) {
            failed = 1;
            error = errno;
        }
        out->stream = NULL;
    }
    if (!failed && out->temporary && rename(out->temporary, out->path) != 0) {
        failed = 1;
        error = errno;
    }
    if (failed) {
        int status = cannot_write(out->path, error);
        cli_output_discard(out);
        return status;
    }
    release(out);
    return CLI_DONE;
}

void cli_output_discard(cli_output *out)
{
    if (out->stream && out->stream != stdout) {
        fclose(out->stream);
    }
    if (out->temporary) {
        unlink(out->temporary);
    }
    release(out);
}
