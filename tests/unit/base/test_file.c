/* Output files: whole or not at all, modes, links, pipes, and targets that cannot be written. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dirent.h>
#include <cmocka.h>

#include "base/output_file.h"

static lf_context *ctx;
static char folder[64];
static char text[256];

/* Stands in for the function of the C library: what is on the disk when it is called. */
static int synchronised, target_was_old;
static char watched[128];

int fsync(int descriptor)
{
    struct stat info, target;
    synchronised += fstat(descriptor, &info) == 0 && info.st_size > 0;
    target_was_old = stat(watched, &target) != 0 || target.st_ino != info.st_ino;
    return 0;
}

static const char *in_folder(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static void put(const char *path, const char *content)
{
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(content, stream);
    fclose(stream);
}

static const char *get(const char *path)
{
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

static int entries(void)
{
    int count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(directory);
    return count;
}

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/lf_test_file_XXXXXX");
    ctx = lf_context_create();
    return ctx && mkdtemp(folder) ? 0 : -1;
}

/* Fails when a test left anything in the folder: temporary files must never stay behind. */
static int teardown(void **state)
{
    (void)state;
    lf_context_free(ctx);
    return rmdir(folder);
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 0777;
}

static void new_file_obeys_umask(void **state)
{
    (void)state;
    char path[128];
    lf_output_file file;
    mode_t before = umask(027);
    assert_int_equal(lf_file_create(ctx, in_folder(path, "new"), &file), LF_OK);
    umask(before);
    fputs("hello\n", file.stream);
    assert_int_equal(access(path, F_OK), -1); /* nothing is there before the commit */
    assert_int_equal(entries(), 1);
    assert_int_equal(lf_file_commit(ctx, &file), LF_OK);
    assert_string_equal(get(path), "hello\n");
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(entries(), 1);
    lf_file_discard(&file); /* harmless after a commit */
    assert_int_equal(unlink(path), 0);
}

static void replaced_file_keeps_mode(void **state)
{
    (void)state;
    char path[128];
    lf_output_file file;
    put(in_folder(path, "old"), "old");
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(lf_file_create(ctx, path, &file), LF_OK);
    fputs("new", file.stream);
    fflush(file.stream);
    assert_string_equal(get(path), "old");
    assert_int_equal(lf_file_commit(ctx, &file), LF_OK);
    assert_string_equal(get(path), "new");
    assert_int_equal(mode_of(path), 0604);
    assert_int_equal(unlink(path), 0);
}

static void discard_leaves_target(void **state)
{
    (void)state;
    char path[128];
    lf_output_file file;
    put(in_folder(path, "kept"), "kept");
    assert_int_equal(lf_file_create(ctx, path, &file), LF_OK);
    fputs("dropped", file.stream);
    lf_file_discard(&file);
    assert_string_equal(get(path), "kept");
    assert_int_equal(entries(), 1);
    assert_int_equal(unlink(path), 0);
}

static void links_are_written_through(void **state)
{
    (void)state;
    char path[128], link[128];
    lf_output_file file;
    in_folder(path, "target");
    assert_int_equal(symlink("target", in_folder(link, "link")), 0);
    for (int round = 0; round < 2; round++) { /* dangling at first, then to a file */
        assert_int_equal(lf_file_create(ctx, link, &file), LF_OK);
        fprintf(file.stream, "round %d", round);
        assert_int_equal(lf_file_commit(ctx, &file), LF_OK);
        struct stat about;
        assert_int_equal(lstat(link, &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        assert_string_equal(get(path), round ? "round 1" : "round 0");
        assert_int_equal(entries(), 2);
    }
    assert_int_equal(unlink(link), 0);
    assert_int_equal(unlink(path), 0);
}

static void two_writers_do_not_meet(void **state)
{
    (void)state;
    char path[128];
    lf_output_file a, b;
    assert_int_equal(lf_file_create(ctx, in_folder(path, "f"), &a), LF_OK);
    assert_int_equal(lf_file_create(ctx, path, &b), LF_OK);
    fputs("a", a.stream);
    fputs("b", b.stream);
    assert_int_equal(lf_file_commit(ctx, &a), LF_OK);
    assert_string_equal(get(path), "a");
    assert_int_equal(lf_file_commit(ctx, &b), LF_OK);
    assert_string_equal(get(path), "b");
    assert_int_equal(unlink(path), 0);
}

static void fifo_is_written_directly(void **state)
{
    (void)state;
    char path[128];
    assert_int_equal(mkfifo(in_folder(path, "fifo"), 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    lf_output_file file;
    assert_int_equal(lf_file_create(ctx, path, &file), LF_OK);
    fputs("through", file.stream);
    assert_int_equal(lf_file_commit(ctx, &file), LF_OK);
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_memory_equal(text, "through", 7);
    close(reader);
    assert_int_equal(unlink(path), 0);
}

/* Runs with descriptor 1 on `target`; returns what commit said. */
static lf_status with_stdout(const char *target, const char *name, const char *content)
{
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    int fd = open(target, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_true(saved >= 0 && fd >= 0);
    dup2(fd, STDOUT_FILENO);
    close(fd);
    lf_output_file file;
    lf_status status = lf_file_create(ctx, name, &file);
    if (status == LF_OK) {
        fputs(content, file.stream);
        status = lf_file_commit(ctx, &file);
    }
    fflush(stdout);
    clearerr(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    return status;
}

static void standard_output(void **state)
{
    (void)state;
    char path[128];
    in_folder(path, "out");
    assert_int_equal(with_stdout(path, NULL, "a"), LF_OK);
    assert_int_equal(with_stdout(path, "-", "b"), LF_OK);
    assert_int_equal(with_stdout(path, "/dev/stdout", "c"), LF_OK);
    assert_string_equal(get(path), "abc"); /* stdout was neither closed nor replaced */
    assert_int_equal(unlink(path), 0);
}

static void assert_refused(const char *path, const char *reason)
{
    lf_output_file file;
    assert_int_equal(lf_file_create(ctx, path, &file), LF_ERROR_IO);
    assert_null(file.stream);
    char expected[512];
    snprintf(expected, sizeof expected, "%s: cannot be written: %s", path, reason);
    assert_string_equal(lf_context_message(ctx), expected);
    lf_file_discard(&file);
}

static void bad_targets(void **state)
{
    (void)state;
    char path[128];
    assert_refused(folder, "is a directory");
    assert_refused(in_folder(path, "absent/file"), strerror(ENOENT));
    assert_refused(in_folder(path, "absent/"), strerror(ENOENT));
    put(in_folder(path, "plain"), "");
    char below[160];
    snprintf(below, sizeof below, "%s/file", path);
    assert_refused(below, strerror(ENOTDIR));
    assert_int_equal(unlink(path), 0);
    lf_output_file file;
    assert_int_equal(lf_file_create(ctx, "", &file), LF_ERROR_ARGUMENT);
}

/* The bytes reach the disk before the name does, and only then. */
static void synchronised_before_rename(void **state)
{
    (void)state;
    lf_output_file file;
    char path[128];
    in_folder(watched, "synchronised");
    put(in_folder(path, "synchronised"), "old");
    synchronised = target_was_old = 0;
    assert_int_equal(lf_file_create(ctx, path, &file), LF_OK);
    fputs("new", file.stream);
    assert_int_equal(synchronised, 0);
    assert_int_equal(lf_file_commit(ctx, &file), LF_OK);
    assert_int_equal(synchronised, 1);
    assert_true(target_was_old);
    assert_string_equal(get(path), "new");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_file_obeys_umask),
        cmocka_unit_test(replaced_file_keeps_mode),
        cmocka_unit_test(discard_leaves_target),
        cmocka_unit_test(links_are_written_through),
        cmocka_unit_test(two_writers_do_not_meet),
        cmocka_unit_test(fifo_is_written_directly),
        cmocka_unit_test(standard_output),
        cmocka_unit_test(bad_targets),
        cmocka_unit_test(synchronised_before_rename),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
