/* The command-line program: finds the command, reads its options and runs it, alone or as one of several processes. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/output_file.h"
#include "commands.h"
#include "help/help.h"
#include "message.h"
#include "options/options.h"
#include "options/suggest.h"
#include "program.h"

const cli_command *const cli_commands[] = {
    &cli_data,       &cli_fit,  &cli_evaluate,    &cli_condition, &cli_predict, &cli_score, &cli_compare, &cli_simulate,
    &cli_covariance, &cli_show, &cli_report_page, &cli_update,    &cli_plot,    &cli_demo,  &cli_help,    NULL};

static const cli_processes *processes; /* NULL: there is only this one */

static int print_version(void)
{
    printf("%s %s\n", processes ? "latentforce-mpi" : "latentforce", lf_version());
    return cli_flush();
}

/* OpenBLAS and GNU OpenMP end the process when they have no memory; the file that is open then must not stay. */
static const lf_output_file *open_file;

static void remove_open_file(void)
{
    if (open_file && open_file->temporary) {
        unlink(open_file->temporary);
    }
}

/* Runs a command that prints its result, with standard output going to the file of --output, which appears whole or not at all. */
static int run_into_file(lf_context *ctx, const cli_command *command, const cli_settings *settings)
{
    lf_output_file file;
    int status = cli_check(ctx, lf_file_create(ctx, settings->output, &file));
    if (status != CLI_DONE) {
        return status;
    }
    open_file = &file;
    int registered = atexit(remove_open_file), saved = dup(STDOUT_FILENO);
    (void)registered; /* without it a later command removes the file */
    if (saved < 0 || dup2(fileno(file.stream), STDOUT_FILENO) < 0) {
        status = cli_fail("%s: cannot be written: %s", settings->output, lf_error_text(errno));
    }
    status = status ? status : command->run(ctx, settings);
    int flushed = cli_flush();
    status = status ? status : flushed;
    if (saved >= 0) {
        dup2(saved, STDOUT_FILENO);
        close(saved);
    }
    status = status ? status : cli_check(ctx, lf_file_commit(ctx, &file));
    lf_file_discard(&file);
    open_file = NULL;
    return status;
}

/* OpenBLAS waits forever when it cannot map its work memory, which happens where the address space is limited (ulimit -v). The context
 * lets it do so for one thread, if there is room. *few: there is not enough for more of them. */
static int has_room_for_blas(int *few)
{
    const size_t room = (size_t)192 << 20, plenty = (size_t)4 << 30;
    struct rlimit limit;
    *few = 0;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return 1;
    }
    *few = limit.rlim_cur < plenty;
    void *trial = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return trial != MAP_FAILED && munmap(trial, room) == 0;
}

static int run(lf_context *ctx, const cli_command *command, const cli_settings *settings)
{
    if (!settings->has_room) {
        return cli_fail("out of memory: the address space is limited to less than OpenBLAS needs; raise the limit "
                        "(ulimit -v), 1000000 is enough for small problems");
    }
    lf_context_set_seed(ctx, settings->seed);
    size_t threads = settings->threads == 0 && processes ? (size_t)processes->threads : settings->threads;
    if (threads > 0 || settings->few_threads) {
        lf_context_set_threads(ctx, settings->few_threads ? 1 : threads);
    }
    int status = cli_check(ctx, lf_context_set_memory(ctx, settings->memory));
    status = status || !processes ? status : cli_check(ctx, processes->join(ctx));
    if (status != CLI_DONE) {
        return status;
    }
    if (!settings->quiet) {
        lf_context_set_log(ctx, cli_note, NULL);
    }
    return cli_has_output(command) || strcmp(settings->output, "-") == 0 ? command->run(ctx, settings)
                                                                         : run_into_file(ctx, command, settings);
}

static int answer(lf_context *ctx, const cli_command *command, const cli_settings *settings)
{
    if (settings->version) {
        return print_version();
    }
    if (settings->help_engines) {
        return command == &cli_help ? cli_print_topic("engines") : cli_print_engine_help(command);
    }
    return settings->help ? cli_print_help(command) : run(ctx, command, settings);
}

static int is_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

static int is_version(const char *word)
{
    return strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0 || strcmp(word, "-V") == 0;
}

/* What messages call several files; `text` holds it where there is more than one. NULL: there is none. */
static const char *name_files(const cli_list *files, char text[32])
{
    if (files->count == 0) {
        return NULL;
    }
    if (files->count == 1 && strcmp(files->item[0], "-") != 0) {
        return files->item[0];
    }
    snprintf(text, 32, files->count > 1 ? "%zu files" : "<stdin>", files->count);
    return text;
}

/* Whether several processes run a command together. */
static int is_for_several(const cli_command *command)
{
    const cli_command *const shared[] = {&cli_fit, &cli_evaluate, &cli_condition, &cli_predict, &cli_score, &cli_help};
    int found = 0;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        found = found || command == shared[i];
    }
    return found;
}

/* Process 0 alone prints and writes; errors are held by cli_hold_errors, files by lf_file_create. */
static void silence(cli_settings *settings)
{
    settings->quiet = 1;
    settings->progress = 0;
    settings->trace = NULL;
}

int cli_run(int argc, char *const *argv)
{
    cli_settings settings = {.argc = argc,
                             .argv = argv,
                             .several = processes && processes->count > 1,
                             .output = "-",
                             .reading = {.size = sizeof(lf_read_options)},
                             .repeat = 1,
                             .seed = 1};
    settings.has_room = has_room_for_blas(&settings.few_threads);
    const cli_command *command = is_help(argv[0]) ? &cli_help : cli_find_command(argv[0]);
    if (!command) {
        return cli_unknown_command(argv[0]);
    }
    if (processes && !is_for_several(command)) {
        return cli_usage_error(NULL, "%s: run 'latentforce %s', which needs one process", command->name, command->name);
    }
    lf_context *ctx = lf_context_create();
    int status = ctx && lf_options_create(ctx, "fit", &settings.fit) == LF_OK ? CLI_DONE : cli_no_memory();
    status = status ? status : cli_parse(ctx, command, argc - 1, argv + 1, &settings);
    char names[2][32];
    settings.rows = name_files(&settings.row_files, names[0]);
    settings.data = name_files(&settings.data_files, names[1]);
    if (processes && processes->rank > 0) {
        silence(&settings);
    }
    if (status == CLI_DONE) {
        status = answer(ctx, command, &settings);
    }
    cli_settings_clear(&settings);
    lf_context_free(ctx);
    return status;
}

/* The kernels of OpenBLAS for this processor, by what it can do; NULL: as OpenBLAS chooses. OpenBLAS goes by a list of processors, and
 * has slow kernels for those that are newer than it. */
static const char *blas_kernels(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        return "SkylakeX";
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return "Haswell";
    }
#endif
    return NULL;
}

/* Sets what OpenMP and OpenBLAS read only in the environment a program starts with; so the program starts itself again. Where that fails,
 * it goes on as it is. Idle threads of GNU OpenMP spin before they sleep: on a busy machine they take the processors that the others
 * need. */
static void start_with_environment(char **argv)
{
    char path[4096];
    const char *kernels = getenv("OPENBLAS_CORETYPE") ? NULL : blas_kernels();
    int spins = !getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT");
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if ((!spins && !kernels) || length <= 0) {
        return;
    }
    path[length] = '\0';
    if ((!spins || setenv("OMP_WAIT_POLICY", "passive", 1) == 0) &&
        (!kernels || setenv("OPENBLAS_CORETYPE", kernels, 1) == 0)) {
        execv(path, argv);
    }
}

/* A standard stream that is closed gets the wrong kind of /dev/null, so that its use fails, and no file that is opened later takes
 * its number and receives what was meant for it. */
static void occupy_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) {
            return;
        }
    }
}

void cli_prepare(char **argv)
{
    occupy_standard_streams();
    start_with_environment(argv);
}

int cli_main(int argc, char **argv, const cli_processes *others)
{
    processes = others;
    if (argc < 2) {
        return cli_print_help(NULL);
    }
    if (is_version(argv[1])) {
        return print_version();
    }
    if (strcmp(argv[1], "--help-engines") == 0) {
        return cli_print_topic("engines");
    }
    return cli_run(argc - 1, argv + 1);
}
