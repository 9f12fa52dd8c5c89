/* Any bytes as a data file: the result is a table that can be written and read again, or a message. Bytes at random, and texts
 * of every kind with random mutations; the seed is fixed. */
#include "data/data.h"
#include "support.h"

#include <dirent.h>
#include <unistd.h>

enum { MOST_TEXTS = 400, MOST_BYTES = 4096 };

typedef struct text {
    size_t length;
    char bytes[MOST_BYTES];
} text;

static lf_context *ctx;
static lf_random stream;
static char folder[64], path[128];
static text texts[MOST_TEXTS];
static size_t text_count;

static void count_note(void *user, lf_level level, const char *note)
{
    (void)level;
    assert_true(strlen(note) > 0);
    ++*(size_t *)user;
}

static size_t below(size_t n) { return (size_t)(lf_random_bits(&stream) % n); }

static void add_text(const char *bytes, size_t length)
{
    if (text_count < MOST_TEXTS && length > 0 && length <= MOST_BYTES) {
        memcpy(texts[text_count].bytes, bytes, length);
        texts[text_count++].length = length;
    }
}

static int is_table(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".csv") == 0;
}

/* The small files of tests/intake, where they are at hand, in the order of their names. */
static void add_folder(const char *name)
{
    struct dirent **entries;
    int count = scandir(name, &entries, is_table, alphasort);
    for (int i = 0; i < count; i++) {
        char file[2048], bytes[MOST_BYTES + 1];
        snprintf(file, sizeof file, "%s/%s", name, entries[i]->d_name);
        FILE *f = fopen(file, "rb");
        if (f) {
            size_t length = fread(bytes, 1, sizeof bytes, f);
            fclose(f);
            add_text(bytes, length);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

static int setup(void **state)
{
    (void)state;
    static const char *const built_in[] = {
        "output,x,y,sd,split,replicate\na,0,1.5,0.1,train,r1\nb,1e-1,-2,,test,r2\na,2,3,0,,r1\n",
        "time,b,a,c\n0,,1,\n1,2,NA,\n2,nan,NaN,na\n3,5,6,\n",
        "when;T_in [°C];T±;text\n2019-12-23 10:00;20,5;0,1;ja\n2019-12-23 11:00;21,5;0,1;nein\n",
        "# logger 7\n# date,time,a,b\n2020-02-29,10:00,1,2\n2020-02-29,10:10,3,-999\n",
        ",timestamp,p (kPa)\n0,1577840400,1\n1,1577844000,2\n2,1577847600,3\n",
        "t\tu|v\ta\n0\t1\t2\n1\t2\t3\n",
        "x1,x2,output,y\n1,2,\"a, \"\"b\"\"\",4\n3,4,c,5\n",
        "  t   a   b\n  0   1   2\n  1   3   4\n",
        "2020-01-01T00:00:00Z,1\n2020-01-01T00:00:00+01:00,2\n",
        "\xef\xbb\xbftime [h],\"a\",a.sd,\r\n0,1,0.5,\r\n1,2,,\r\n,,,\r\n"};
    const char *source = getenv("LF_SOURCE_DIR");
    char intake[1024];
    ctx = lf_context_create();
    strcpy(folder, "/dev/shm/lf_test_bytes_XXXXXX"); /* in memory, where there is such a folder */
    if (!mkdtemp(folder)) {
        strcpy(folder, "/tmp/lf_test_bytes_XXXXXX");
        if (!mkdtemp(folder)) {
            return -1;
        }
    }
    if (!ctx) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/f.csv", folder);
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        add_text(built_in[i], strlen(built_in[i]));
    }
    snprintf(intake, sizeof intake, "%s/tests/intake", source ? source : ".");
    add_folder(intake);
    lf_random_seed(&stream, 11);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lf_context_free(ctx);
    unlink(path);
    return rmdir(folder);
}

static void put_bytes(const char *bytes, size_t length)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static void check_table(const lf_data *data)
{
    size_t n = lf_data_count(data, LF_KIND_ROW);
    assert_true(n > 0 && (int)lf_data_count(data, LF_KIND_INPUT) > 0);
    for (size_t i = 0; i < n; i++) {
        lf_observation row = lf_data_row(data, i);
        assert_true(row.output < (int)lf_data_count(data, LF_KIND_OUTPUT) &&
                    row.replicate < (int)lf_data_count(data, LF_KIND_REPLICATE));
        for (int k = 0; k < (int)lf_data_count(data, LF_KIND_INPUT); k++) {
            assert_true(isfinite(row.x[k]));
        }
        assert_true(!isinf(row.y) && row.sd >= 0 && isfinite(row.sd));
        assert_true(isnan(row.y) || row.output >= 0);
    }
    for (int d = 0; d < (int)lf_data_count(data, LF_KIND_OUTPUT); d++) {
        assert_true(strlen(lf_data_name(data, LF_KIND_OUTPUT, (size_t)d)) > 0);
        assert_non_null(lf_data_output_unit(data, d));
    }
}

/* Reads the bytes; what was read can be selected from, written and read again. Returns whether it was read. */
static int read_bytes(const char *bytes, size_t length, const lf_read_options *options)
{
    lf_data *data, *part, *again;
    size_t notes = 0;
    put_bytes(bytes, length);
    lf_context_set_log(ctx, count_note, &notes);
    lf_status status = lf_data_read(ctx, path, options, &data);
    if (status) {
        assert_null(data);
        assert_true(strlen(lf_context_message(ctx)) > 0);
        return 0;
    }
    assert_true(notes > 0); /* what was read is said */
    check_table(data);
    lf_context_set_log(ctx, NULL, NULL);
    if (lf_data_select(ctx, data, NULL, "train", &part) == LF_OK) {
        check_table(part);
        lf_data_free(part);
    }
    assert_ok(ctx, lf_data_write(ctx, data, path));
    /* Headings such as "a.sd" mean something else in the long shape: then there is a message. */
    lf_read_options same = {.size = sizeof same, .inputs_only = options->inputs_only};
    if (lf_data_read(ctx, path, &same, &again) == LF_OK) {
        check_table(again);
        if ((int)lf_data_count(data, LF_KIND_INPUT) == (int)lf_data_count(again, LF_KIND_INPUT)) {
            assert_int_equal(lf_data_count(again, LF_KIND_ROW), lf_data_count(data, LF_KIND_ROW));
        }
        lf_data_free(again);
    }
    lf_data_free(data);
    return 1;
}

static size_t mutate(char *bytes, size_t length)
{
    static const char *const pieces[] = {",", ";",          "\t",    "|",   "\"", "\n",     "\r\n", "#",      "[",
                                         "]", "2020-02-30", "1e999", "nan", "-",  "±",      ".sd",  "output", "x",
                                         "y", "split",      "0",     "T",   ":",  "+01:00", "\xff", "é"};
    size_t changes = 1 + below(3);
    for (size_t c = 0; c < changes; c++) {
        size_t at = length ? below(length) : 0;
        const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
        size_t size = strlen(piece), end = length - at < 1 + below(12) ? length : at + 1 + below(length - at);
        switch (below(5)) {
        case 0: /* another byte */
            bytes[at] = (char)lf_random_bits(&stream);
            break;
        case 1: /* a piece comes in */
            memmove(bytes + at + size, bytes + at, length - at);
            memcpy(bytes + at, piece, size);
            length += size;
            break;
        case 2: /* some bytes leave */
            memmove(bytes + at, bytes + end, length - end);
            length -= end - at;
            break;
        case 3: /* cut short */
            length = below(4) ? length : at;
            break;
        default: /* a part comes twice */
            if (length + (end - at) <= MOST_BYTES) {
                memmove(bytes + end, bytes + at, length - at);
                length += end - at;
            }
        }
    }
    return length;
}

/* Options that reach every branch, from the name of no column to wrong words. */
static lf_read_options random_options(void)
{
    static const char *const names[] = {"time", "a", "b", "when", "row", "zz", "output", "y", "T_in [°C]"};
    static const char *const lists[] = {"a", "a,b", "b,zz", "\"a\",b", "a,b,c,a", "x1,x2", "-999,ja"};
    static const char *const units[] = {"s", "min", "h", "d", "epoch", "number", "weeks"};
    lf_read_options options = {.size = sizeof options};
    switch (below(24)) {
    case 0:
        options.time = names[below(9)];
        break;
    case 1:
        options.x = lists[below(7)];
        break;
    case 2:
        options.outputs = lists[below(7)];
        break;
    case 3:
        options.drop = lists[below(7)];
        break;
    case 4:
        options.output_column = names[below(9)];
        options.value_column = below(2) ? names[below(9)] : NULL;
        break;
    case 5:
        options.missing = lists[below(7)];
        options.replicate_column = below(3) == 0 ? names[below(9)] : NULL;
        break;
    case 6:
        options.time_in = units[below(7)];
        break;
    case 7:
        options.time_unit = units[below(7)];
        break;
    case 8:
        options.inputs_only = options.ignore_columns = 1;
        break;
    case 9:
        options.separator = below(2) ? "space" : ";";
        options.decimal = below(2) ? "," : NULL;
        break;
    default:
        options.replicates_by_file = below(2) == 0;
    }
    return options;
}

static void bytes_at_random(void **state)
{
    (void)state;
    static const char alphabet[] = "0123456789.,;-+e \t\n\n\n\"#ax:T[]";
    for (int i = 0; i < 1500; i++) {
        char bytes[600];
        size_t length = below(sizeof bytes);
        int any = i % 3 == 0;
        for (size_t k = 0; k < length; k++) {
            bytes[k] = any ? (char)lf_random_bits(&stream) : alphabet[below(sizeof alphabet - 1)];
        }
        lf_read_options options = random_options();
        read_bytes(bytes, length, &options);
    }
}

static void mutations(void **state)
{
    (void)state;
    size_t accepted = 0, rounds = 6000;
    for (size_t i = 0; i < rounds; i++) {
        static char bytes[2 * MOST_BYTES];
        const text *from = &texts[i % text_count];
        lf_read_options options = random_options();
        memcpy(bytes, from->bytes, from->length);
        size_t length = mutate(bytes, from->length);
        accepted += (size_t)read_bytes(bytes, length, &options);
    }
    assert_true(accepted > rounds / 50 && accepted < rounds); /* both ends are reached */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_at_random), cmocka_unit_test(mutations)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
