/* The limit of memory, and what the machine can give: of Linux MemAvailable, within the limits of control groups (version 1 and 2) and of
 * the address space; elsewhere the pages that sysconf counts. */
#define _DEFAULT_SOURCE /* _SC_AVPHYS_PAGES, MAP_ANONYMOUS */
#include "base/memory_limit.h"

#include <cblas.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/context.h"
#include "base/number.h"

static const double kilo = 1024;

enum { FILE_SIZE = 16384 };

/* The beginning of a file as text, "" where there is none. Without the streams of the C library, which allocate: that memory is short
 * must not change what is found. */
static void read_text(const char *path, char text[FILE_SIZE])
{
    size_t used = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t count = 1; file >= 0 && count > 0 && used<FILE_SIZE - 1; used += count> 0 ? (size_t)count : 0) {
        count = read(file, text + used, FILE_SIZE - 1 - used);
    }
    if (file >= 0) {
        close(file);
    }
    text[used] = '\0';
}

/* The line after this one; NULL: it was the last. */
static char *next_line(char *line)
{
    char *end = strchr(line, '\n');
    return end && end[1] ? end + 1 : NULL;
}

/* The number after `key` in a file of lines "key number"; key "": the first number of the file. NaN: there is none. */
static double read_entry(const char *path, const char *key)
{
    char text[FILE_SIZE];
    size_t length = strlen(key);
    read_text(path, text);
    for (char *line = text; line; line = next_line(line)) {
        char *end;
        unsigned long long number = strncmp(line, key, length) ? 0 : strtoull(line + length, &end, 10);
        if (strncmp(line, key, length) == 0 && end > line + length) {
            return (double)number;
        }
    }
    return NAN;
}

/* What a control group leaves: its limit less what is in use, where the cache of files does not count. Infinite: no limit. */
static double left_in_group(const char *folder, const char *limit_name, const char *usage_name, const char *cache_key)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, limit_name);
    double limit = read_entry(path, ""); /* "max" is no number */
    snprintf(path, sizeof path, "%s/%s", folder, usage_name);
    double used = read_entry(path, "");
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    double cache = read_entry(path, cache_key);
    if (isnan(limit)) {
        return INFINITY;
    }
    used = isnan(used) ? 0 : used - (isnan(cache) ? 0 : cache);
    return fmax(limit - fmax(used, 0), 0);
}

/* The group of the process and those around it, "/a/b", "/a" and "". */
static double left_in_groups(const char *root, char *group, int second)
{
    double left = INFINITY;
    char folder[768];
    for (int more = 1; more;) {
        snprintf(folder, sizeof folder, "%s%s", root, group);
        left = fmin(left, second ? left_in_group(folder, "memory.max", "memory.current", "inactive_file ")
                                 : left_in_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                                 "total_inactive_file "));
        char *slash = strrchr(group, '/');
        more = slash != NULL;
        if (slash) {
            *slash = '\0';
        }
    }
    return left;
}

static double left_by_control_groups(void)
{
    char text[FILE_SIZE];
    double left = INFINITY;
    read_text("/proc/self/cgroup", text);
    for (char *line = text, *next; line; line = next) { /* "0::/path" or "7:memory:/path" */
        next = next_line(line);
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path || (next && path >= next)) {
            continue;
        }
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (strcmp(path, "/") == 0) {
            *path = '\0';
        }
        if (controllers[1] == '\0') {
            left = fmin(left, left_in_groups("/sys/fs/cgroup", path, 1));
        } else if (strstr(controllers + 1, "memory")) {
            left = fmin(left, left_in_groups("/sys/fs/cgroup/memory", path, 0));
        }
    }
    return left;
}

/* What the limit of the address space (ulimit -v) leaves. */
static double left_by_limit(void)
{
    struct rlimit limit;
    double pages = read_entry("/proc/self/statm", "");
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return INFINITY;
    }
    return fmax((double)limit.rlim_cur - (isnan(pages) ? 0 : pages * (double)sysconf(_SC_PAGESIZE)), 0);
}

double lf_memory_available(void)
{
    double available = kilo * read_entry("/proc/meminfo", "MemAvailable:");
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (isnan(available)) {
        available = pages > 0 && page > 0 ? (double)pages * (double)page : INFINITY;
    }
    return fmin(available, fmin(left_by_control_groups(), left_by_limit()));
}

double lf_memory_limit(lf_context *ctx)
{
    if (!(ctx->memory > 0)) {
        ctx->memory = 0.5 * lf_memory_available();
    }
    return ctx->memory;
}

void lf_reserve_for_blas(void)
{
    const size_t room = (size_t)192 << 20; /* OpenBLAS maps 128 MB for each thread */
    struct rlimit limit;
    double A[16 * 16] = {0}, C[16 * 16] = {0};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return;
    }
    void *trial = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (trial != MAP_FAILED && munmap(trial, room) == 0) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, 16, 16, 1, A, 16, 0, C, 16);
    }
}

lf_status lf_check_memory(lf_context *ctx, double bytes, const char *remedy, const char *what, ...)
{
    char subject[256], needed[LF_SIZE_TEXT], allowed[LF_SIZE_TEXT], option[LF_SIZE_TEXT];
    va_list arguments;
    if (bytes <= lf_memory_limit(ctx)) {
        return LF_OK;
    }
    va_start(arguments, what);
    vsnprintf(subject, sizeof subject, what, arguments);
    va_end(arguments);
    return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                   "%s would take about %s, more than the limit of %s; %s, or allow more by --memory %s", subject,
                   lf_size_text(bytes, needed), lf_size_text(lf_memory_limit(ctx), allowed), remedy,
                   lf_size_option(bytes, option));
}

lf_status lf_context_set_memory(lf_context *ctx, const char *size)
{
    double bytes = 0;
    if (size && !lf_size_parse(size, &bytes)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "--memory '%s': expected a number of bytes above 0, with or without K, M, G or T (powers of "
                       "1024), as in 4G, or half",
                       size);
    }
    ctx->memory = bytes;
    return LF_OK;
}

int lf_size_parse(const char *text, double *bytes)
{
    static const char units[] = "KMGT";
    lf_c_locale locale;
    char digits[64], *rest;
    size_t length = strspn(text, "0123456789.");
    *bytes = 0;
    if (strcmp(text, "half") == 0) {
        return 1;
    }
    if (length == 0 || length >= sizeof digits || !lf_c_locale_enter(&locale)) {
        return 0;
    }
    memcpy(digits, text, length);
    digits[length] = '\0';
    *bytes = strtod(digits, &rest);
    lf_c_locale_leave(&locale);
    const char *end = text + length, *unit = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
    if (unit) {
        *bytes *= pow(kilo, (double)(unit - units + 1));
        end++;
    }
    end += unit && *end == 'i';
    end += *end == 'B' || *end == 'b';
    return *rest == '\0' && *end == '\0' && isfinite(*bytes) && *bytes >= 1;
}

const char *lf_size_text(double bytes, char text[LF_SIZE_TEXT])
{
    static const char *const units[] = {"MB", "GB", "TB"};
    double value = bytes / kilo / kilo;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= kilo;
        unit++;
    }
    snprintf(text, LF_SIZE_TEXT, value < 0.995 || value >= 99.5 ? "%.0f %s" : "%.2g %s", fmax(value, 1), units[unit]);
    return text;
}

const char *lf_size_option(double bytes, char text[LF_SIZE_TEXT])
{
    double megabytes = ceil(bytes / kilo / kilo), gigabytes = ceil(megabytes / kilo);
    snprintf(text, LF_SIZE_TEXT, megabytes < 10 * kilo ? "%.0fM" : "%.0fG",
             megabytes < 10 * kilo ? fmax(megabytes, 1) : gigabytes);
    return text;
}
