/* Atomic output files: written under a temporary name in the folder of the target, then renamed over the target.
 * Symbolic links are resolved first, so that the file they point to is replaced and not the link.
 *
 * Temporary files are called .latentforce-0, .latentforce-1, …; their writer holds a lock on them (flock), which ends with the process
 * however it ends. A file of this name without a lock was left by a process that was killed; the next writer in the folder removes it. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"

const char *lf_error_text(int error) { return error == ENOMEM ? "out of memory" : strerror(error); }

static lf_status write_fail(lf_context *ctx, const char *path, int error)
{
    return lf_fail(ctx, error == ENOMEM ? LF_ERROR_MEMORY : LF_ERROR_IO, "%s: cannot be written: %s",
                   path ? path : "<stdout>", lf_error_text(error));
}

enum {
    SEARCHED = 16, /* names at which files of killed processes are looked for */
    MOST = 10000   /* names tried before giving up */
};

/* Removes a temporary file whose writer is gone: a plain file with no other name, of this user, that nobody has locked. */
static void remove_abandoned(const char *name)
{
    struct stat opened, named;
    int fd = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) &&
        opened.st_uid == geteuid() && opened.st_nlink == 1 && lstat(name, &named) == 0 &&
        named.st_dev == opened.st_dev && named.st_ino == opened.st_ino) {
        unlink(name);
    }
    close(fd);
}

/* Locks a new file. 0: another process took it for abandoned before that, and has removed it or is about to. Where the file system
 * has no locks, nothing is ever taken for abandoned. */
static int hold(int fd)
{
    struct stat info;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        return errno != EWOULDBLOCK;
    }
    return fstat(fd, &info) != 0 || info.st_nlink > 0;
}

/* Creates a file in the folder of `path` and stores its name in *temporary. Returns -1 and sets errno on failure.
 * mkstemp is not used because its files ignore the umask. */
static int open_beside(const char *path, char **temporary)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    size_t size = (size_t)folder + 64;
    char *name = malloc(size);
    int fd = -1, error = ENOMEM;
    for (int i = 0; name && i < SEARCHED; i++) {
        snprintf(name, size, "%.*s.latentforce-%d", folder, path, i);
        remove_abandoned(name);
    }
    for (int i = 0; name && fd < 0 && i < MOST; i++) {
        snprintf(name, size, "%.*s.latentforce-%d", folder, path, i);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        error = errno;
        if (fd < 0 && error != EEXIST) {
            break;
        }
        if (fd >= 0 && !hold(fd)) {
            close(fd);
            fd = -1;
            error = EAGAIN;
        }
    }
    if (fd < 0) {
        free(name);
        name = NULL;
    }
    *temporary = name;
    errno = error;
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
    int writable = (fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) != O_RDONLY;
    if (exists && writable && fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == target.st_dev &&
        out.st_ino == target.st_ino) {
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
    file->held = file->temporary ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (file->temporary && (file->held < 0 || (exists && fchmod(fd, target.st_mode & 0777) != 0))) {
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

/* What processes other than the first write goes nowhere: all of them have the same to say. */
static lf_status open_nothing(lf_context *ctx, lf_output_file *file)
{
    file->stream = fopen("/dev/null", "w");
    return file->stream ? LF_OK : write_fail(ctx, "/dev/null", errno);
}

static lf_status open_path(lf_context *ctx, const char *path, lf_output_file *file)
{
    if (lf_process_rank(ctx) > 0) {
        return open_nothing(ctx, file);
    }
    if (!path || strcmp(path, "-") == 0) {
        file->stream = stdout;
        return LF_OK;
    }
    if (path[0] == '\0') {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the name of the file to write is empty");
    }
    return open_target(ctx, path, file);
}

lf_status lf_file_create(lf_context *ctx, const char *path, lf_output_file *file)
{
    *file = (lf_output_file){0};
    lf_status status = lf_agree(ctx, open_path(ctx, path, file));
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

static lf_status put_in_place(lf_context *ctx, lf_output_file *file)
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
            close(file->held);
            free(file->temporary);
            file->temporary = NULL;
        } else {
            failed = 1;
            error = errno;
        }
    }
    return failed ? write_fail(ctx, file->path, error) : LF_OK;
}

lf_status lf_file_commit(lf_context *ctx, lf_output_file *file)
{
    lf_status status = lf_agree(ctx, LF_OK); /* another process may have failed to come so far */
    LF_TRY(status, lf_agree(ctx, put_in_place(ctx, file)));
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
        if (file->held >= 0) {
            close(file->held);
        }
    }
    free(file->path);
    free(file->temporary);
    *file = (lf_output_file){0};
}

void lf_csv_text(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    if (!strpbrk(text, ",\";|\t\r\n") && text[0] != '#' && text[0] != ' ' && (length == 0 || text[length - 1] != ' ')) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (const char *c = text; *c; c++) {
        fputs(*c == '"' ? "\"" : "", stream);
        fputc(*c, stream);
    }
    fputc('"', stream);
}
