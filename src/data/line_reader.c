/* Reads lines from large blocks. All files go through zlib, which passes files that are not gzip through unchanged. */
#include "data/line_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/output_file.h"
#include "base/processes.h"

enum { BLOCK = 1 << 18, SMALL_BLOCK = 1 << 14 };

static lf_status open_blocks(lf_context *ctx, const char *path, unsigned block, lf_line_reader *reader)
{
    int standard_input = strcmp(path, "-") == 0;
    *reader = (lf_line_reader){.name = standard_input ? "<stdin>" : path, .stop = SIZE_MAX};
    /* A duplicate, so that closing the reader does not close standard input. */
    int fd = standard_input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return lf_fail(ctx, LF_ERROR_IO, "%s: cannot be opened: %s", reader->name, lf_error_text(errno));
    }
    struct stat info;
    if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        close(fd);
        return lf_fail(ctx, LF_ERROR_IO, "%s: is a directory", reader->name);
    }
    reader->file = gzdopen(fd, "rb");
    if (!reader->file) {
        close(fd);
        return lf_no_memory(ctx);
    }
    gzbuffer(reader->file, block);
    reader->capacity = block;
    reader->buffer = malloc(reader->capacity + 1);
    if (!reader->buffer) {
        lf_lines_close(reader);
        return lf_no_memory(ctx);
    }
    return LF_OK;
}

lf_status lf_lines_open(lf_context *ctx, const char *path, lf_line_reader *reader)
{
    return open_blocks(ctx, path, BLOCK, reader);
}

lf_status lf_lines_open_head(lf_context *ctx, const char *path, lf_line_reader *reader)
{
    return open_blocks(ctx, path, SMALL_BLOCK, reader);
}

void lf_lines_close(lf_line_reader *reader)
{
    if (reader->file) {
        gzclose(reader->file);
    }
    free(reader->buffer);
    *reader = (lf_line_reader){0};
}

/* The number of line ends in the first bytes of a file. */
static size_t count_line_ends(const char *path, size_t bytes)
{
    static const size_t block = 1 << 16;
    char buffer[1 << 16];
    size_t count = 0, got = 1;
    FILE *file = fopen(path, "rb");
    while (file && bytes > 0 && got > 0) {
        got = fread(buffer, 1, bytes < block ? bytes : block, file);
        bytes -= got;
        for (size_t i = 0; i < got; i++) {
            count += buffer[i] == '\n';
        }
    }
    if (file) {
        fclose(file);
    }
    return count;
}

/* The number of the last line in its file, or of the row in memory. Counts the lines before a part of a file, in the file. */
static size_t line_number(const lf_line_reader *reader)
{
    return reader->line + (reader->from > 0 ? count_line_ends(reader->name, reader->from) : 0);
}

const char *lf_line_place(const lf_line_reader *reader, char text[LF_LINE_SIZE])
{
    text[0] = '\0';
    if (!reader->in_memory) {
        snprintf(text, LF_LINE_SIZE, ":%zu", line_number(reader));
    } else if (reader->line > 0) { /* else it is about the headings */
        snprintf(text, LF_LINE_SIZE, ", row %zu", reader->line - 1);
    }
    return text;
}

lf_status lf_line_fail(lf_context *ctx, const lf_line_reader *reader, const char *format, ...)
{
    char message[sizeof ctx->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    char place[LF_LINE_SIZE];
    return lf_fail(ctx, LF_ERROR_DATA, "%s%s: %s", reader->name, lf_line_place(reader, place), message);
}

/* Reads more bytes behind the unread ones in the buffer. */
static lf_status fill(lf_context *ctx, lf_line_reader *reader)
{
    memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->begin = 0;
    if (reader->end == reader->capacity) {
        if (reader->capacity > SIZE_MAX / 4) {
            return lf_no_memory(ctx);
        }
        char *grown = realloc(reader->buffer, 2 * reader->capacity + 1);
        if (!grown) {
            return lf_no_memory(ctx);
        }
        reader->buffer = grown;
        reader->capacity *= 2;
    }
    size_t room = reader->capacity - reader->end;
    unsigned wanted = room < 1u << 30 ? (unsigned)room : 1u << 30;
    errno = 0;
    int got = gzread(reader->file, reader->buffer + reader->end, wanted);
    if (got < (int)wanted) {
        int code;
        const char *reason = gzerror(reader->file, &code);
        if (code == Z_ERRNO) {
            return lf_fail(ctx, LF_ERROR_IO, "%s: cannot be read: %s", reader->name, lf_error_text(errno));
        }
        if (code == Z_MEM_ERROR) {
            return lf_no_memory(ctx);
        }
        if (code == Z_BUF_ERROR) {
            return lf_fail(ctx, LF_ERROR_IO, "%s: the gzip file is cut short (%s)", reader->name, reason);
        }
        if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
            return lf_fail(ctx, LF_ERROR_IO, "%s: the gzip file is damaged (%s)", reader->name, reason);
        }
        reader->at_end = 1;
    }
    reader->end += (size_t)got;
    reader->filled += (size_t)got;
    return LF_OK;
}

lf_status lf_lines_open_copied(lf_context *ctx, const char *path, lf_line_reader *reader)
{
    lf_status status = LF_OK;
    if (lf_process_rank(ctx) == 0) {
        status = lf_lines_open(ctx, path, reader);
        while (!status && !reader->at_end) {
            status = fill(ctx, reader);
        }
    } else {
        *reader = (lf_line_reader){.name = strcmp(path, "-") == 0 ? "<stdin>" : path, .stop = SIZE_MAX, .at_end = 1};
    }
    status = lf_agree(ctx, status);
    LF_TRY(status, lf_broadcast(ctx, 0, sizeof reader->end, &reader->end));
    if (!status && !reader->buffer) {
        reader->filled = reader->capacity = reader->end;
        reader->buffer = malloc(reader->end + 1);
    }
    LF_TRY(status, lf_agree(ctx, reader->buffer ? LF_OK : lf_no_memory(ctx)));
    return status ? status : lf_broadcast(ctx, 0, reader->end, reader->buffer);
}

lf_status lf_lines_restrict(lf_context *ctx, lf_line_reader *reader, size_t from, size_t stop)
{
    size_t next = reader->filled - (reader->end - reader->begin);
    reader->stop = stop > from ? stop : 0;
    if (from <= next || stop <= from) {
        return LF_OK;
    }
    if (from - 1 < reader->filled) {
        reader->begin = reader->end - (reader->filled - (from - 1));
    } else if (gzseek(reader->file, (z_off_t)(from - 1), SEEK_SET) < 0) {
        return lf_fail(ctx, LF_ERROR_IO, "%s: cannot be read from byte %zu on", reader->name, from - 1);
    } else {
        reader->begin = reader->end = 0;
        reader->filled = from - 1;
        reader->at_end = 0;
    }
    for (;;) { /* the line that contains byte from - 1 is not of this part */
        char *at = reader->buffer + reader->begin, *end = memchr(at, '\n', reader->end - reader->begin);
        reader->begin = end ? (size_t)(end + 1 - reader->buffer) : reader->end;
        if (end || reader->at_end) {
            reader->from = reader->filled - (reader->end - reader->begin);
            reader->line = 0;
            return LF_OK;
        }
        lf_status status = fill(ctx, reader);
        if (status) {
            return status;
        }
    }
}

static int is_blank(const char *line, size_t length)
{
    size_t i = 0;
    while (i < length && (line[i] == ' ' || line[i] == '\t')) {
        i++;
    }
    return i == length;
}

/* What a file is that is not text in UTF-8, from its first bytes; NULL: it may be text. */
static const char *other_format(const char *text, size_t length)
{
    static const struct {
        const char *start;
        size_t length;
        const char *what;
    } formats[] = {{"PK\x03\x04", 4, "a spreadsheet or zip archive; save the sheet as CSV"},
                   {"\xd0\xcf\x11\xe0", 4, "an old Excel file; save the sheet as CSV"},
                   {"\xff\xfe", 2, "text in UTF-16; save it as CSV in UTF-8"},
                   {"\xfe\xff", 2, "text in UTF-16; save it as CSV in UTF-8"},
                   {"PAR1", 4, "a Parquet file; write it as CSV"},
                   {"\x89HDF", 4, "an HDF5 file; write it as CSV"},
                   {"%PDF", 4, "a PDF file"}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (length >= formats[i].length && memcmp(text, formats[i].start, formats[i].length) == 0) {
            return formats[i].what;
        }
    }
    return NULL;
}

lf_status lf_lines_next(lf_context *ctx, lf_line_reader *reader, char **line, size_t *length)
{
    *line = NULL;
    *length = 0;
    size_t searched = 0; /* bytes after begin known to hold no line end */
    for (;;) {
        char *start = reader->buffer + reader->begin;
        size_t available = reader->end - reader->begin;
        char *stop = memchr(start + searched, '\n', available - searched);
        if (!stop && !reader->at_end) {
            searched = available;
            lf_status status = fill(ctx, reader);
            if (status != LF_OK) {
                return status;
            }
            continue;
        }
        size_t first = reader->filled - available;
        if ((!stop && available == 0) || first >= reader->stop) {
            return LF_OK;
        }
        searched = 0;
        size_t bytes = stop ? (size_t)(stop - start) : available;
        reader->begin += bytes + (stop != NULL);
        reader->line++;
        reader->start = first;
        int top = reader->line == 1 && reader->from == 0;
        if (bytes > 0 && start[bytes - 1] == '\r') {
            bytes--;
        }
        if (top && bytes >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) {
            start += 3;
            bytes -= 3;
        }
        const char *other = top ? other_format(start, bytes) : NULL;
        if (other) {
            return lf_fail(ctx, LF_ERROR_DATA, "%s: the file is %s", reader->name, other);
        }
        if (is_blank(start, bytes)) {
            continue;
        }
        if (memchr(start, '\0', bytes)) {
            return lf_line_fail(ctx, reader, "the line holds a NUL byte; the file must be text in UTF-8");
        }
        start[bytes] = '\0';
        *line = start;
        *length = bytes;
        return LF_OK;
    }
}
