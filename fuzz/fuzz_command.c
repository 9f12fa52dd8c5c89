/* The program: lines with its arguments, one each, then small files, each after a line "--- NAME"; the file "-" is standard input.
 * The command runs in this process, in a folder of its own that is emptied afterwards, and ends with exit status 0, 1 or 2; a
 * status other than 0 comes with an error message.
 *
 * No argument leaves the folder: '/' and ".." are replaced. Counts (iterations, points, draws) are reduced, because work that is
 * asked for may take its time; `fit` compares no shapes unless it is told to. The demo is left out, for the same reason. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "fuzz.h"
#include "options/options.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { MOST_ARGUMENTS = 40, MOST_FILES = 6, MOST_COUNT = 12 };

static char folder[4096];
static int home, errors; /* the working directory, and what the program writes to standard error */

static void empty_folder(const char *path, int remove_it)
{
    DIR *list = opendir(path);
    for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
        char name[8192];
        struct stat info;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && lstat(name, &info) == 0) {
            S_ISDIR(info.st_mode) ? empty_folder(name, 1) : (void)unlink(name);
        }
    }
    if (list) {
        closedir(list);
    }
    if (remove_it) {
        rmdir(path);
    }
}

static void remove_folder(void) { empty_folder(folder, 1); }

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *parent = getenv("TMPDIR");
    (void)argc;
    (void)argv;
    snprintf(folder, sizeof folder, "%s/latentforce-fuzz-XXXXXX", parent ? parent : "/tmp");
    home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    errors = memfd_create("errors", MFD_CLOEXEC);
    if (!mkdtemp(folder) || home < 0 || errors < 0 || setenv("PATH", "/nonexistent", 1) != 0) { /* no gnuplot */
        perror("fuzz_command");
        return 1;
    }
    atexit(remove_folder);
    return 0;
}

static void write_file(const char *name, const char *bytes, size_t size)
{
    FILE *file = strcmp(name, "-") == 0 ? NULL : fopen(name, "w");
    if (file) {
        fwrite(bytes, 1, size, file);
        fclose(file);
    }
}

/* ---- arguments ---- */

/* Keeps names within the folder. */
static void tame_name(char *text)
{
    for (char *at = text; *at; at++) {
        *at = *at == '/' ? '_' : *at;
        if (at[0] == '.' && at[1] == '.') {
            at[0] = '_';
        }
    }
}

static void tame_count(const cli_option *option, char *value)
{
    int iterations = strcmp(option->name, "--max-iterations") == 0, restarts = strcmp(option->name, "--restarts") == 0;
    unsigned long long most = iterations ? 3 : restarts ? 2 : MOST_COUNT;
    char *end;
    unsigned long long count = strtoull(value, &end, 10);
    if (option->kind == CLI_COUNT && *end == '\0' && strlen(value) > 0 && count > most) {
        snprintf(value, strlen(value) + 1, "%llu", count % (most + 1)); /* it has fewer digits */
    }
}

/* Added where they are not given and the command has them. */
enum { LIMITS = 4 };
static char limits[LIMITS][24] = {"--threads=1", "--max-iterations=2", "--restarts=1", "--forces=1"};

/* Reduces counts and adds limits. Returns the number of arguments. */
static int tame(const cli_command *command, int argc, char **argv)
{
    cli_option_set set;
    const cli_option *limited[LIMITS];
    if (!cli_option_set_create(command, &set)) {
        abort();
    }
    for (int k = 0; k < LIMITS; k++) {
        limited[k] = cli_option_find(&set, limits[k], strcspn(limits[k], "="));
        if (limited[k] && limited[k]->kind != CLI_COUNT) { /* --forces of predict is a flag, that of simulate a file */
            limited[k] = NULL;
        }
    }
    for (int i = 1; i < argc; i++) {
        size_t length = strcspn(argv[i], "=");
        const cli_option *option = argv[i][0] == '-' ? cli_option_find(&set, argv[i], length) : NULL;
        for (int k = 0; k < LIMITS; k++) {
            limited[k] = limited[k] == option ? NULL : limited[k];
        }
        if (option && argv[i][length] == '=') {
            tame_count(option, argv[i] + length + 1);
        } else if (option && option->kind != CLI_FLAG && i + 1 < argc) {
            tame_count(option, argv[i + 1]);
        }
    }
    for (int k = 0; k < LIMITS; k++) {
        if (limited[k]) {
            argv[argc++] = limits[k];
        }
    }
    cli_option_set_clear(&set);
    return argc;
}

/* ---- one run ---- */

/* A failure must leave a message; what was written is then thrown away. */
static void check_status(int status)
{
    char start[32] = "";
    fflush(stderr);
    ssize_t length = pread(errors, start, sizeof start - 1, 0);
    if (status < 0 || status > 2 || (status != 0 && length <= 0)) {
        fuzz_fail("exit status %d", status);
    }
}

static void run(int argc, char **argv, const char *input, size_t input_size)
{
    char path[64];
    int file = fuzz_file((const uint8_t *)input, input_size, path), saved[3];
    lseek(file, 0, SEEK_SET);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < 3; i++) {
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
    }
    if (nowhere < 0 || fchdir(home) != 0 || chdir(folder) != 0 || ftruncate(errors, 0) != 0 ||
        lseek(errors, 0, SEEK_SET) != 0) {
        abort();
    }
    dup2(file, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    rewind(stdin);
    clearerr(stdin);
    int status = cli_run(argc, argv);
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < 3; i++) {
        dup2(saved[i], i);
        close(saved[i]);
    }
    check_status(status);
    if (fchdir(home) != 0) {
        abort();
    }
    close(nowhere);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *argv[MOST_ARGUMENTS + LIMITS + 1] = {NULL}, *text = fuzz_text(bytes, size), *line = text, *end = text + size,
                                         *next;
    const char *input = "", *name = NULL, *start = NULL;
    size_t input_size = 0;
    int argc = 0, files = 0;
    if (fchdir(home) != 0 || chdir(folder) != 0) {
        abort();
    }
    for (; line <= end; line = next) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end + 1;
        int heading = end - line >= 4 && memcmp(line, "--- ", 4) == 0;
        if ((heading || !stop) && name) { /* a file ends here */
            size_t length = (size_t)((heading ? line : end) - start);
            if (strcmp(name, "-") == 0) {
                input = start;
                input_size = length;
            } else {
                write_file(name, start, length);
            }
            name = NULL;
        }
        if (!heading && !start && argc < MOST_ARGUMENTS && line < end) {
            argv[argc++] = line;
        }
        if (stop && (heading || !start)) {
            *stop = '\0';
        }
        if (heading && stop && files++ < MOST_FILES) {
            tame_name(line + 4);
            name = line + 4;
        }
        start = heading ? next : start;
    }
    for (int i = 0; i < argc; i++) {
        tame_name(argv[i]);
    }
    const cli_command *command = argc ? cli_find_command(argv[0]) : NULL;
    if (command) {
        argc = tame(command, argc, argv);
    }
    if (argc && command != &cli_demo) {
        fuzz_begin();
        run(argc, argv, input, input_size);
        fuzz_end(size);
    }
    empty_folder(folder, 0);
    if (fchdir(home) != 0) {
        abort();
    }
    free(text);
    return 0;
}
