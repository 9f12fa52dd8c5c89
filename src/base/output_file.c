/* Atomic output files: written under a temporary name in the folder of the target, then renamed over the target.
 * Symbolic links are resolved first, so that the file they point to is replaced and not the link. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/memory.h"

static lf_status write_fail(lf_context *ctx, const char *path, int error)
{
    return lf_fail(ctx, LF_ERROR_IO, "%s: cannot be written: %s", path ? path : "<stdout>", strerror(error));
}

/* Creates a file in the folder of `path` and stores its name in *temporary. Returns -1 and sets errno on failure.
 * mkstemp is not used because its files ignore the umask. */
static int open_beside(const char *path, char **temporary)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    size_t size = (size_t)folder + 64;
    *temporary = malloc(size);
    int fd = -1;
    errno = ENOMEM;
    for (int attempt = 0; *temporary && attempt < 10000; attempt++) {
        snprintf(*temporary, size, "%.*s.latentforce-%ld-%d", folder, path, (long)getpid(), attempt);
        fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            break;
        }
    }
    if (fd < 0) {
        free(*temporary);
        *temporary = NULL;
    }
    return fd;
}

/* Opens the target in the way that suits what exists at the path: file, device, link or nothing. */
static lf_status open_target(lf_context *ctx, const char *path, lf_output_file *file)
{
    struct stat target, out;
    int exists = stat(path, &target) == 0;
    if (!exists && errno != ENOENT) {
        return write_fail(ctx, path, errno);
    }
    if (exists && S_ISDIR(target.st_mode)) {
        return lf_fail(ctx, LF_ERROR_IO, "%s: cannot be written: is a directory", path);
    }
    if (exists && fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == target.st_dev && out.st_ino == target.st_ino) {
        file->stream = stdout; /* /dev/stdout, wherever it is redirected */
        return LF_OK;
    }
    struct stat link;
    int dangling = !exists && lstat(path, &link) == 0;
    file->path = exists && S_ISREG(target.st_mode) ? realpath(path, NULL) : lf_copy_string(path);
    if (!file->path) {
        return write_fail(ctx, path, errno);
    }
    int fd;
    if (dangling || (exists && !S_ISREG(target.st_mode))) {
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    } else if (exists && access(path, W_OK) != 0) {
        fd = -1; /* rename() would replace a file without write permission */
    } else {
        fd = open_beside(file->path, &file->temporary);
    }
    if (fd < 0) {
        return write_fail(ctx, path, errno);
    }
    if (exists && file->temporary && fchmod(fd, target.st_mode & 0777) != 0) {
        int error = errno;
        close(fd);
        return write_fail(ctx, path, error);
    }
    file->stream = fdopen(fd, "w");
    if (!file->stream) {
        close(fd);
        return lf_no_memory(ctx);
    }
    return LF_OK;
}

lf_status lf_file_create(lf_context *ctx, const char *path, lf_output_file *file)
{
    *file = (lf_output_file){0};
    if (!path || strcmp(path, "-") == 0) {
        file->stream = stdout;
        return LF_OK;
    }
    if (path[0] == '\0') {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the name of the file to write is empty");
    }
    lf_status status = open_target(ctx, path, file);
    if (status != LF_OK) {
        lf_file_discard(file);
    }
    return status;
}

/* A block larger than the buffer of the stream is written at once; when that fails the buffer is empty, and flushing it finds no
 * error any more. One more character meets the same error again, unless there is room by now. */
int lf_flush(FILE *stream)
{
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream)) {
        return 0;
    }
    if (errno == 0) {
        clearerr(stream);
        fputc('\n', stream);
        fflush(stream);
    }
    return errno ? errno : EIO;
}

/* The bytes must be on the disk before the name is: after a crash there is the old file or the new one, whole. Some devices and
 * file systems cannot do that; then nothing is lost by going on. */
static int synchronise(FILE *stream)
{
    return fsync(fileno(stream)) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : errno;
}

lf_status lf_file_commit(lf_context *ctx, lf_output_file *file)
{
    int error = lf_flush(file->stream), failed = error != 0;
    if (!failed && file->temporary) {
        error = synchronise(file->stream);
        failed = error != 0;
    }
    if (file->stream != stdout) {
        if (fclose(file->stream) != 0 && !failed) {
            failed = 1;
            error = errno;
        }
        file->stream = NULL;
    }
    if (!failed && file->temporary) {
        if (rename(file->temporary, file->path) == 0) {
            free(file->temporary);
            file->temporary = NULL;
        } else {
            failed = 1;
            error = errno;
        }
    }
    lf_status status = failed ? write_fail(ctx, file->path, error) : LF_OK;
    lf_file_discard(file);
    return status;
}

void lf_file_discard(lf_output_file *file)
{
    if (file->stream && file->stream != stdout) {
        fclose(file->stream);
    }
    if (file->temporary) {
        unlink(file->temporary);
    }
    free(file->path);
    free(file->temporary);
    *file = (lf_output_file){0};
}
