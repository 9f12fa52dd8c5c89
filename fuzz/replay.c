/* Stands in for libFuzzer in a build without it: runs every file of a folder, then COUNT inputs that are made from these by changes. The
 * changes are the same in every run. Usage: fuzz_NAME FOLDER COUNT. An input that fails is left in ./failed-NAME. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

/* Some targets have these. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=512:quarantine_size_mb=32";
}

enum { MOST_SEEDS = 1000, MOST_BYTES = 16384 };

typedef struct input {
    size_t size;
    uint8_t *bytes;
} input;

static input seeds[MOST_SEEDS];
static size_t seed_count;
static uint8_t current[MOST_BYTES];
static size_t current_size;
static char failed[4096];

/* ---- changes ---- */

static uint64_t state = 1;

static size_t below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(state >> 33) % n : 0;
}

static size_t change_once(uint8_t *bytes, size_t size, size_t most)
{
    size_t at = below(size + 1), length = 1 + below(8);
    if (size == 0 || (size < most && below(4) == 0)) { /* insert, mostly characters of texts and numbers */
        memmove(bytes + at + 1, bytes + at, size - at);
        bytes[at] = (uint8_t)(below(2) ? "0159-+.e,;\n \"{}[]="[below(18)] : (int)below(256));
        return size + 1;
    }
    at = below(size);
    length = length < size - at ? length : size - at;
    switch (below(4)) {
    case 0: /* remove */
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    case 1: /* copy from elsewhere */
        memmove(bytes + at, bytes + below(size - length + 1), length);
        return size;
    case 2:
        bytes[at] ^= (uint8_t)(1u << below(8));
        return size;
    default:
        bytes[at] = (uint8_t)below(256);
        return size;
    }
}

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most)
{
    for (size_t times = 1 + below(4); times > 0; times--) {
        size = change_once(bytes, size, most);
    }
    return size;
}

/* ---- runs ---- */

static void keep_failed(void)
{
    int file = open(failed, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file >= 0 && write(file, current, current_size) == (ssize_t)current_size) {
        fprintf(stderr, "the input that failed is in %s\n", failed);
    }
}

static void on_abort(int number)
{
    keep_failed();
    signal(number, SIG_DFL);
    raise(number);
}

static void read_seed(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    size_t size = fread(current, 1, MOST_BYTES, file);
    fclose(file);
    input *seed = &seeds[seed_count++];
    seed->size = size;
    seed->bytes = malloc(size + 1);
    if (!seed->bytes) {
        exit(2);
    }
    memcpy(seed->bytes, current, size);
}

/* A copy without room behind it, so that a read beyond the end is seen. */
static void run(void)
{
    uint8_t *bytes = malloc(current_size ? current_size : 1);
    if (!bytes) {
        exit(2);
    }
    memcpy(bytes, current, current_size);
    LLVMFuzzerTestOneInput(bytes, current_size);
    free(bytes);
}

static void take(const input *seed)
{
    memcpy(current, seed->bytes, seed->size);
    current_size = seed->size;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    char *here = getcwd(NULL, 0);
    struct dirent **list;
    int count = argc == 3 ? scandir(argv[1], &list, NULL, alphasort) : -1;
    if (count < 0 || count > MOST_SEEDS || !here) {
        fprintf(stderr, "usage: %s FOLDER COUNT\n", argv[0]);
        return 2;
    }
    snprintf(failed, sizeof failed, "%s/failed-%s", here, slash ? slash + 1 : argv[0]);
    free(here);
    for (int i = 0; i < count; i++) {
        if (list[i]->d_name[0] != '.') {
            read_seed(argv[1], list[i]->d_name);
        }
        free(list[i]);
    }
    free(list);
    signal(SIGABRT, on_abort);
    __sanitizer_set_death_callback(keep_failed);
    if ((LLVMFuzzerInitialize && LLVMFuzzerInitialize(&argc, &argv) != 0) || !freopen("/dev/null", "w", stdout)) {
        return 2;
    }
    for (size_t i = 0; i < seed_count; i++) {
        take(&seeds[i]);
        run();
    }
    long changed = strtol(argv[2], NULL, 10);
    for (long i = 0; i < changed; i++) {
        take(&seeds[below(seed_count)]);
        current_size = LLVMFuzzerCustomMutator
                           ? LLVMFuzzerCustomMutator(current, current_size, MOST_BYTES, (unsigned)below(1u << 30))
                           : LLVMFuzzerMutate(current, current_size, MOST_BYTES);
        run();
    }
    for (size_t i = 0; i < seed_count; i++) {
        free(seeds[i].bytes);
    }
    fprintf(stderr, "%zu seeds and %ld inputs made from them\n", seed_count, changed);
    return seed_count == 0;
}
