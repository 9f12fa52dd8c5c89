/* Figures by gnuplot: the script is its standard input. Its standard output is a pipe, from which the figure is copied to the file:
 * gnuplot does not notice when it cannot write. Paths and names of the user never appear in a shell command. */
#include "plot/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"

extern char **environ;

/* The gnuplot terminal for each kind of file. */
static const struct kind {
    const char *ending, *terminal, *options;
    double unit; /* 1/96 inch in the unit of sizes of the terminal */
    const char *unit_name;
} kinds[] = {{".png", "pngcairo", "fontscale 2 linewidth 2 pointscale 1.5", 2, ""},
             {".svg", "svg", "fontscale 1.2", 1, ""},
             {".pdf", "pdfcairo", "fontscale 0.75 pointscale 0.8", 1.0 / 96, "in"}};

/* A png whose size is given in pixels has exactly these. */
static const struct kind pixels = {".png", "pngcairo", "pointscale 0.75", 1, ""};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const struct kind *find_kind(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < KINDS; i++) {
        size_t tail = strlen(kinds[i].ending);
        if (length > tail && strcmp(path + length - tail, kinds[i].ending) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* "800x600", "16x10cm" or "6x4in". Returns 1/96 inches per unit of the text, 1 for pixels, 0 if it cannot be read. */
static double read_size(const char *text, double *width, double *height)
{
    char *end;
    *width = strtod(text, &end);
    if (end == text || (*end != 'x' && *end != 'X')) {
        return 0;
    }
    const char *second = end + 1;
    *height = strtod(second, &end);
    double unit = strcmp(end, "") == 0 || strcmp(end, "px") == 0 ? 1
                  : strcmp(end, "cm") == 0                       ? 96 / 2.54
                  : strcmp(end, "in") == 0                       ? 96
                                                                 : 0;
    int fits = end != second && *width * unit >= 100 && *height * unit >= 80 && *width * unit <= 20000 &&
               *height * unit <= 20000;
    return fits ? unit : 0;
}

int cli_figure_check(const cli_settings *settings)
{
    double width, height;
    if (!find_kind(settings->output)) {
        return cli_usage_error("plot", "-o '%s': the name must end in .png, .svg or .pdf", settings->output);
    }
    if (settings->size && read_size(settings->size, &width, &height) == 0) {
        return cli_usage_error("plot",
                               "--size '%s': expected WIDTHxHEIGHT from 100x80 to 20000x20000 pixels, as in 800x600, "
                               "or a length as in 16x10cm or 6x4in",
                               settings->size);
    }
    return CLI_DONE;
}

void cli_figure_size(const cli_settings *settings, int *width, int *height)
{
    double w = 0, h = 0, unit = settings->size ? read_size(settings->size, &w, &h) : 0;
    *width = (int)(w * unit + 0.5);
    *height = (int)(h * unit + 0.5);
}

int cli_figure_title_height(const cli_settings *settings) { return settings->title ? 30 : 0; }

int cli_figure_too_small(const cli_settings *settings, const char *what, int width, int height)
{
    return cli_fail("--size '%s' is too small for %s: it needs at least %dx%d pixels (1/96 inch each); give a larger "
                    "size, or draw fewer with --only NAME",
                    settings->size, what, width, height);
}

/* Starts gnuplot with these three streams. Returns 0 or an error number. */
static int start_gnuplot(char *const *argv, int in, int out, int err, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) {
        return error;
    }
    const int streams[3] = {in, out, err};
    for (int i = 0; i < 3 && !error; i++) {
        error = posix_spawn_file_actions_adddup2(&actions, streams[i], i);
    }
    error = error ? error : posix_spawnp(child, "gnuplot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Reads the pipe to its end, also after a failed write, which the commit of the file reports. Returns the number of bytes. */
static size_t copy_pipe(int pipe, FILE *stream)
{
    char block[1 << 14];
    size_t total = 0;
    for (;;) {
        ssize_t got = read(pipe, block, sizeof block);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return total;
        }
        total += got > 0 ? fwrite(block, 1, (size_t)got, stream) : 0;
    }
}

/* Runs gnuplot, copies what it writes to `stream` and waits for it. Returns its exit status, or -1 and errno if it did not
 * start. */
static int run_gnuplot(char *const *argv, int in, FILE *stream, int err, size_t *size)
{
    pid_t child = 0;
    int ends[2], status = 0;
    if (pipe(ends) != 0) {
        return -1;
    }
    int failed = fcntl(ends[0], F_SETFD, FD_CLOEXEC) < 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) < 0 ? errno : 0;
    failed = failed ? failed : start_gnuplot(argv, in, ends[1], err, &child);
    close(ends[1]);
    *size = failed ? 0 : copy_pipe(ends[0], stream);
    close(ends[0]);
    while (!failed && waitpid(child, &status, 0) < 0) {
        failed = errno == EINTR ? 0 : errno;
    }
    errno = failed;
    return failed ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int cli_figure_possible(void)
{
    FILE *null_device = fopen("/dev/null", "r+");
    char name[] = "gnuplot", version[] = "--version";
    char *const argv[] = {name, version, NULL};
    int fd = null_device ? fileno(null_device) : -1;
    size_t size;
    int possible = null_device && run_gnuplot(argv, fd, null_device, fd, &size) == 0;
    if (null_device) {
        fclose(null_device);
    }
    return possible;
}

int cli_figure_begin(lf_context *ctx, const cli_settings *settings, int width, int height, cli_figure *figure)
{
    *figure = (cli_figure){.width = width, .height = height};
    const char *path = settings->output;
    const struct kind *kind = find_kind(path);
    double given[2];
    int status = kind ? cli_check(ctx, lf_file_create(ctx, path, &figure->file)) : cli_figure_check(settings);
    if (status == CLI_DONE && kind->unit == 2 && settings->size &&
        read_size(settings->size, &given[0], &given[1]) == 1) {
        kind = &pixels;
    }
    if (status != CLI_DONE) {
        return status;
    }
    figure->script = tmpfile();
    if (!figure->script) {
        status = cli_fail("%s: no temporary file for its script: %s", path, lf_error_text(errno));
        lf_file_discard(&figure->file);
        return status;
    }
    fprintf(figure->script, "set encoding utf8\nset terminal %s size %.10g%s,%.10g%s %s", kind->terminal,
            width * kind->unit, kind->unit_name, height * kind->unit, kind->unit_name, kind->options);
    fputs(" font \"sans,10\" noenhanced background \"white\"\n"
          "set border 3 lw 0.8 lc rgb \"#444444\"\nset tics out nomirror scale 0.6\nunset key\nset multiplot",
          figure->script);
    if (settings->title) {
        fputs(" title ", figure->script);
        cli_figure_text(figure->script, settings->title);
        fputs(" font \"sans,13\" noenhanced", figure->script);
    }
    fputc('\n', figure->script);
    return CLI_DONE;
}

/* The last line of the messages of gnuplot that is not empty: it contains the error. */
static void last_line(FILE *stream, char *line, size_t size)
{
    char next[512];
    snprintf(line, size, "no message");
    rewind(stream);
    while (fgets(next, sizeof next, stream)) {
        next[strcspn(next, "\n")] = '\0';
        if (next[strspn(next, " \t^")]) {
            snprintf(line, size, "%s", next + strspn(next, " \t"));
        }
    }
}

static int draw(lf_context *ctx, cli_figure *figure, FILE *messages)
{
    char name[] = "gnuplot", default_settings[] = "--default-settings", line[512];
    char *const argv[] = {name, default_settings, NULL};
    size_t size;
    errno = 0;
    fputs("unset multiplot\n", figure->script);
    if (fflush(figure->script) != 0 || ferror(figure->script) || fseek(figure->script, 0, SEEK_SET) != 0) {
        return cli_fail("the script for gnuplot could not be written: %s", lf_error_text(errno ? errno : EIO));
    }
    int result = run_gnuplot(argv, fileno(figure->script), figure->file.stream, fileno(messages), &size);
    if (result < 0) {
        return errno == ENOENT ? cli_fail("gnuplot, which draws the figures, is not installed; on Debian and Ubuntu: "
                                          "apt-get install gnuplot-nox")
                               : cli_fail("gnuplot could not be started: %s", lf_error_text(errno));
    }
    if (result == 0 && ferror(figure->file.stream)) {
        return cli_check(ctx, lf_file_commit(ctx, &figure->file)); /* reports why it could not be written */
    }
    if (result != 0 || size == 0) {
        last_line(messages, line, sizeof line);
        return cli_fail("%s: gnuplot failed (exit status %d): %s", figure->file.path ? figure->file.path : "<stdout>",
                        result, line);
    }
    return cli_check(ctx, lf_file_commit(ctx, &figure->file));
}

int cli_figure_end(lf_context *ctx, cli_figure *figure)
{
    FILE *messages = tmpfile();
    int status = messages ? draw(ctx, figure, messages) : cli_fail("no temporary file: %s", lf_error_text(errno));
    if (messages) {
        fclose(messages);
    }
    fclose(figure->script);
    lf_file_discard(&figure->file);
    *figure = (cli_figure){0};
    return status;
}

/* Letters, digits and bytes beyond ASCII are printed as they are; other characters are printed in octal, so that
 * gnuplot interprets no quote, backquote, macro or escape. Control characters are displayed as \xNN. */
void cli_figure_text(FILE *script, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ";
    fputc('"', script);
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte >= 0x80 || strchr(plain, byte)) {
            fputc(byte, script);
        } else if (byte < 0x20 || byte == 0x7f) {
            fprintf(script, "\\0134x%02x", byte);
        } else {
            fprintf(script, "\\0%03o", byte); /* four digits, the most that gnuplot reads */
        }
    }
    fputc('"', script);
}

void cli_figure_place(const cli_figure *figure, cli_panel panel)
{
    double width = figure->width, height = figure->height;
    fprintf(figure->script,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset tmargin at screen %.6f\n"
            "set bmargin at screen %.6f\n",
            panel.left / width, (panel.left + panel.width) / width, 1 - panel.top / height,
            1 - (panel.top + panel.height) / height);
}

void cli_figure_heading(FILE *script, const char *text)
{
    fputs("set label 1 ", script);
    cli_figure_text(script, text);
    fputs(" at graph 0, graph 1 left offset character 0, character 0.6 noenhanced\n", script);
}

const char *cli_figure_colour(int index)
{
    static const char *const colours[CLI_COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"};
    return colours[index % CLI_COLOURS];
}
