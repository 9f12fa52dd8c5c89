/* Tells models from data by their first characters: a model is JSON and begins with '{', a table does not. Equations are known by the end
 * of their name. */
#include "options/file_kind.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "help/help.h"
#include "message.h"

enum { BEGINNING = 4096 };

static int ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), part = strlen(ending);
    return length > part && strcmp(path + length - part, ending) == 0;
}

static int has_data_name(const char *path)
{
    static const char *const endings[] = {".csv", ".tsv", ".txt", ".dat", ".gz"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (ends_in(path, endings[i])) {
            return 1;
        }
    }
    return 0;
}

/* The first bytes of a plain file; their number, 0 for anything else. */
static size_t read_beginning(const char *path, char *text)
{
    struct stat info;
    if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return 0;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, BEGINNING);
    if (file >= 0) {
        close(file);
    }
    return length > 0 ? (size_t)length : 0;
}

cli_file_kind_name cli_file_kind(const char *path)
{
    char text[BEGINNING + 1];
    size_t length = read_beginning(path, text), at = 0;
    text[length] = '\0';
    if (length > 1 && memcmp(text, "\x1f\x8b", 2) == 0) {
        return CLI_FILE_DATA;
    }
    if (memchr(text, '\0', length)) {
        return CLI_FILE_UNKNOWN;
    }
    if (length > 0 && (ends_in(path, ".eq") || ends_in(path, ".eqn")) && text[0] != '{') {
        return CLI_FILE_EQUATIONS;
    }
    at = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (isspace((unsigned char)text[at])) {
        at++;
    }
    if (text[at] == '{' && strchr("\"}", text[at + 1 + strspn(text + at + 1, " \t\r\n")])) {
        return strstr(text, "latentforce-model") ? CLI_FILE_MODEL : CLI_FILE_UNKNOWN;
    }
    size_t line = strcspn(text + at, "\r\n");
    int separated = strcspn(text + at, ",;\t|") < line;
    return text[at] && (separated || has_data_name(path)) ? CLI_FILE_DATA : CLI_FILE_UNKNOWN;
}

int cli_reads_file(cli_kind kind)
{
    return kind == CLI_INPUT || kind == CLI_INPUTS || kind == CLI_MODEL || kind == CLI_MODELS || kind == CLI_EQUATIONS;
}

int cli_writes_file(cli_kind kind) { return kind == CLI_RESULT || kind == CLI_NEW_MODEL; }

static int expects_model(const cli_named_file *file)
{
    return file->option->kind == CLI_MODEL || file->option->kind == CLI_MODELS;
}

/* A word as a shell reads it: quoted where it has to be. */
static void print_word(FILE *stream, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=+:,@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (; *word; word++) {
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stream);
    }
    fputc('\'', stream);
}

/* "latentforce score model.json data.csv": the command line with two of its words exchanged. */
static void print_exchanged(FILE *stream, const cli_settings *settings, const char *one, const char *other)
{
    fputs("latentforce", stream);
    for (int i = 0; i < settings->argc; i++) {
        const char *word = settings->argv[i];
        fputc(' ', stream);
        print_word(stream, word == one ? other : word == other ? one : word);
    }
}

static int is_word(const cli_settings *settings, const char *path)
{
    for (int i = 0; i < settings->argc; i++) {
        if (settings->argv[i] == path) {
            return 1;
        }
    }
    return 0;
}

static void print_remedy(FILE *stream, const cli_command *command, const cli_settings *settings,
                         const cli_named_file *data, const cli_named_file *model)
{
    if (data && model && is_word(settings, data->path) && is_word(settings, model->path)) {
        print_exchanged(stream, settings, data->path, model->path);
        return;
    }
    fprintf(stream, "latentforce %s", command->name);
    cli_print_required(stream, command, cli_plain_word);
    const cli_option *option = (data ? data : model)->option;
    if (option->argument && !option->choice) {
        fprintf(stream, " %s %s", option->name, option->argument);
    } else if (data && !model && settings->data_files.count) {
        fputs("; with several data files, write --data before each", stream);
    } else if (data && !model) {
        fputs("; a model is made by: latentforce fit ", stream);
        print_word(stream, data->path);
        fputs(" -o model.json", stream);
    }
}

/* Equations where something else belongs, or something else where they belong. With all values they are a model: an operand, but not the
 * model of --init, whose place is that of --equations. */
static int check_equations(const cli_command *command, const cli_named_file *file, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cli_file_kind_name kind = cli_file_kind(file[i].path);
        int wanted = file[i].option->kind == CLI_EQUATIONS;
        if (wanted && (kind == CLI_FILE_MODEL || (kind == CLI_FILE_DATA && has_data_name(file[i].path)))) {
            return cli_usage_error(command->name,
                                   "--equations %s: is a %s, not a file of equations; 'latentforce help "
                                   "equations' shows what one looks like%s",
                                   file[i].path, kind == CLI_FILE_MODEL ? "model" : "data file",
                                   kind == CLI_FILE_MODEL ? "; --init starts from a model" : "");
        }
        int model = expects_model(&file[i]), operand = !file[i].option->argument;
        if (!wanted && kind == CLI_FILE_EQUATIONS && !(model && operand)) {
            return cli_usage_error(command->name,
                                   "%s is a file of equations, not a %s: latentforce fit DATA "
                                   "--equations %s -o model.json",
                                   file[i].path, model ? "model" : "data file", file[i].path);
        }
    }
    return CLI_DONE;
}

int cli_check_files(const cli_command *command, const cli_settings *settings, const cli_named_file *file, size_t count)
{
    const cli_named_file *data = NULL, *model = NULL; /* those that stand where the other belongs */
    for (size_t i = 0; i < count; i++) {
        cli_file_kind_name kind = cli_file_kind(file[i].path);
        int equations = file[i].option->kind == CLI_EQUATIONS;
        data = !data && kind == CLI_FILE_DATA && expects_model(&file[i]) ? &file[i] : data;
        model = !model && kind == CLI_FILE_MODEL && !expects_model(&file[i]) && !equations ? &file[i] : model;
    }
    int misplaced = check_equations(command, file, count);
    if (misplaced != CLI_DONE || (!data && !model)) {
        return misplaced;
    }
    char *remedy = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&remedy, &size);
    if (!stream) {
        return cli_no_memory();
    }
    print_remedy(stream, command, settings, data, model);
    if (fclose(stream) != 0 || !remedy) { /* the C library may report success without the text */
        free(remedy);
        return cli_no_memory();
    }
    int status;
    if (data && model) {
        status =
            cli_usage_error(command->name, "%s is a data file, not a model, and %s is a model, not a data file: %s",
                            data->path, model->path, remedy);
    } else if (data) {
        status = cli_usage_error(command->name, "%s is a data file, not a model: %s", data->path, remedy);
    } else {
        status = cli_usage_error(command->name, "%s is a model, not a data file: %s", model->path, remedy);
    }
    free(remedy);
    return status;
}
