/* A library to preload: from the start of main on, the N-th allocation of the program or of a library it uses fails, or every one
 * from the N-th on. At the end of main it writes how many there were and what was not released.
 *
 *   FAIL_AT=N      the allocation that fails; 0 or not set: none, they are only counted
 *   FAIL_ON=1      every later one fails too
 *   FAIL_IN=NAME   only allocations by the shared object whose name contains NAME count (default: by all but those of SPARED)
 *   FAIL_REPORT=F  file for the report: "calls N", "failed SITE…" for each failure shown, "leak SIZE SITE…" for each block left
 *   FAIL_TRACE=1   sites are stacks instead of the caller alone
 *   FAIL_SITES=F   file for 8 bytes for each call: a hash of its stack, to choose one call of each kind
 *
 * The runtimes in SPARED end the process themselves when they have no memory, and keep blocks until the end on purpose. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const SPARED[] = {"libgomp", "libopenblas", "libgfortran", "ld-linux",
                                     "libasan", "libubsan",    "libgcc_s"};
#define PROGRAM "latentforce"
enum { DEPTH = 24, SITE_DEPTH = 8, TABLE = 1 << 18, EARLY = 1 << 16 };

typedef struct block {
    void *address;
    size_t size;
    int depth;
    void *site[DEPTH];
} block;

static void *(*real_malloc)(size_t), *(*real_calloc)(size_t, size_t), *(*real_realloc)(void *, size_t),
    *(*real_aligned)(size_t, size_t), *(*real_memalign)(size_t, size_t);
static void (*real_free)(void *);
static int (*real_main)(int, char **, char **);
static block table[TABLE];
static char early[EARLY]; /* for dlsym, which allocates while it looks up malloc */
static size_t early_used;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_long calls;
static long fail_at;
static int active, fail_on, trace, shown;
static const char *fail_in;
static int report = -1, sites = -1;
static _Thread_local int inside;

static void find_functions(void)
{
    static int finding;
    if (real_free || finding) {
        return;
    }
    finding = 1;
    real_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    real_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    real_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    real_aligned = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
    real_memalign = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "memalign");
    real_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
}

static void *early_block(size_t size)
{
    size_t begin = (early_used + 63) / 64 * 64;
    if (begin + size > EARLY) {
        abort();
    }
    early_used = begin + size;
    return early + begin;
}

static int is_early(const void *p) { return (const char *)p >= early && (const char *)p < early + EARLY; }

static const char *object_of(const void *address)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname) {
        return "?";
    }
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static int spared(const char *object)
{
    for (size_t i = 0; i < sizeof SPARED / sizeof *SPARED; i++) {
        if (strstr(object, SPARED[i])) {
            return 1;
        }
    }
    return 0;
}

static void write_site(const char *what, size_t size, void *const *site, int depth)
{
    char line[4096];
    int n = snprintf(line, sizeof line, "%s %zu", what, size);
    for (int i = 0; i < depth && n < 3900; i++) {
        Dl_info info = {0};
        dladdr(site[i], &info);
        n += snprintf(line + n, sizeof line - (size_t)n, " %s+0x%lx", object_of(site[i]),
                      (unsigned long)((uintptr_t)site[i] - (uintptr_t)info.dli_fbase - 1));
    }
    line[n++] = '\n';
    if (write(report, line, (size_t)n) < 0) {
        _exit(99);
    }
}

static int stack(void *caller, void **site)
{
    void *frames[DEPTH];
    int n = backtrace(frames, DEPTH), first = 0;
    while (first < n && frames[first] != caller) {
        first++;
    }
    if (first == n) {
        site[0] = caller;
        return 1;
    }
    memcpy(site, frames + first, (size_t)(n - first) * sizeof *frames);
    return n - first;
}

/* Whether this call fails. Calls made by this library itself are not seen. */
static int fails(size_t size, void *caller)
{
    if (!active || inside) {
        return 0;
    }
    inside = 1;
    const char *object = object_of(caller);
    int counts = fail_in ? strstr(object, fail_in) != NULL : !spared(object), failing = 0;
    if (counts && sites >= 0) {
        void *site[DEPTH];
        uint64_t hash = 0xcbf29ce484222325u;
        int depth = stack(caller, site);
        for (int i = 0; i < depth && i < SITE_DEPTH; i++) {
            hash = (hash ^ (uint64_t)(uintptr_t)site[i]) * 0x100000001b3u;
        }
        if (write(sites, &hash, sizeof hash) < 0) {
            _exit(99);
        }
    }
    if (counts) {
        long call = atomic_fetch_add(&calls, 1) + 1;
        failing = fail_at && (call == fail_at || (fail_on && call > fail_at));
        if (failing && report >= 0 && shown++ == 0) {
            void *site[DEPTH];
            write_site("failed", size, site, stack(caller, site));
        }
    }
    inside = 0;
    if (failing) {
        errno = ENOMEM;
    }
    return failing;
}

static size_t place(const void *address)
{
    return (size_t)(((uintptr_t)address >> 4) * 0x9e3779b97f4a7c15u >> 46) % TABLE;
}

static void keep(void *address, size_t size, void *caller)
{
    if (!active || !address || inside || spared(object_of(caller))) {
        return;
    }
    inside = 1;
    block b = {.address = address, .size = size, .depth = 1, .site = {caller}};
    if (trace) {
        b.depth = stack(caller, b.site);
    }
    while (atomic_flag_test_and_set(&lock)) {
    }
    size_t i = place(address);
    for (size_t tries = 0; tries < TABLE && table[i].address && table[i].address != (void *)-1; tries++) {
        i = (i + 1) % TABLE;
    }
    table[i] = b;
    atomic_flag_clear(&lock);
    inside = 0;
}

static void forget(void *address)
{
    if (!active || !address) {
        return;
    }
    while (atomic_flag_test_and_set(&lock)) {
    }
    size_t i = place(address);
    for (size_t tries = 0; tries < TABLE && table[i].address; tries++, i = (i + 1) % TABLE) {
        if (table[i].address == address) {
            table[i].address = (void *)-1; /* removed; the search goes on behind it */
            break;
        }
    }
    atomic_flag_clear(&lock);
}

void *malloc(size_t size)
{
    void *caller = __builtin_return_address(0);
    find_functions();
    if (!real_malloc) {
        return early_block(size);
    }
    void *p = fails(size, caller) ? NULL : real_malloc(size);
    keep(p, size, caller);
    return p;
}

void *calloc(size_t n, size_t size)
{
    void *caller = __builtin_return_address(0);
    find_functions();
    if (!real_calloc) {
        return early_block(n * size);
    }
    void *p = fails(n * size, caller) ? NULL : real_calloc(n, size);
    keep(p, n * size, caller);
    return p;
}

void *realloc(void *old, size_t size)
{
    void *caller = __builtin_return_address(0);
    find_functions();
    if (is_early(old)) {
        void *p = malloc(size);
        if (p) {
            size_t room = (size_t)(early + EARLY - (char *)old);
            memcpy(p, old, size < room ? size : room);
        }
        return p;
    }
    if (fails(size, caller)) {
        return NULL;
    }
    forget(old);
    void *p = real_realloc(old, size);
    keep(p, size, caller);
    return p;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    void *caller = __builtin_return_address(0);
    find_functions();
    void *p = fails(size, caller) ? NULL : real_aligned(alignment, size);
    keep(p, size, caller);
    return p;
}

void *memalign(size_t alignment, size_t size)
{
    void *caller = __builtin_return_address(0);
    find_functions();
    void *p = fails(size, caller) ? NULL : real_memalign(alignment, size);
    keep(p, size, caller);
    return p;
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    void *caller = __builtin_return_address(0);
    find_functions();
    if (fails(size, caller)) {
        return ENOMEM;
    }
    *p = real_memalign(alignment, size);
    keep(*p, size, caller);
    return *p ? 0 : ENOMEM;
}

void free(void *p)
{
    find_functions();
    if (!p || is_early(p)) {
        return;
    }
    forget(p);
    real_free(p);
}

static int is_stream_buffer(const void *address)
{
    return address == stdout->_IO_buf_base || address == stderr->_IO_buf_base || address == stdin->_IO_buf_base;
}

static int run_main(int argc, char **argv, char **environment)
{
    const char *at = getenv("FAIL_AT"), *path = getenv("FAIL_REPORT"), *list = getenv("FAIL_SITES");
    void *frames[2];
    backtrace(frames, 2); /* loads what it needs */
    fail_at = at ? atol(at) : 0;
    fail_on = getenv("FAIL_ON") != NULL;
    trace = getenv("FAIL_TRACE") != NULL;
    fail_in = getenv("FAIL_IN");
    report = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    sites = list ? open(list, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    active = 1;
    int status = real_main(argc, argv, environment);
    active = 0;
    for (size_t i = 0; report >= 0 && i < TABLE; i++) {
        if (table[i].address && table[i].address != (void *)-1 && !is_stream_buffer(table[i].address)) {
            write_site("leak", table[i].size, table[i].site, table[i].depth);
        }
    }
    if (report >= 0) {
        char line[64];
        int n = snprintf(line, sizeof line, "calls %ld\n", (long)calls);
        if (write(report, line, (size_t)n) != n) {
            _exit(99);
        }
    }
    return status;
}

int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void *end)
{
    typedef int function(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                         void *);
    function *real_start = (function *)dlsym(RTLD_NEXT, "__libc_start_main");
    const char *name = strrchr(argv[0], '/');
    real_main = start;
    int ours = strcmp(name ? name + 1 : argv[0], PROGRAM) == 0; /* and not gnuplot, which it starts */
    return real_start(ours ? run_main : start, argc, argv, init, fini, loader, end);
}
