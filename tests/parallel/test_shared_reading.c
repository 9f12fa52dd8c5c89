/* Several processes read shares of files: together they read what one process reads, and refuse what it refuses with its message. */
#include "shared_reading.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char folder[64], path[MOST_FILES][128];

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/lf_test_shares_XXXXXX");
    if (!mkdtemp(folder)) {
        return -1;
    }
    for (int i = 0; i < MOST_FILES; i++) {
        snprintf(path[i], sizeof path[i], "%s/part-%d.csv", folder, i);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < MOST_FILES; i++) {
        unlink(path[i]);
    }
    return rmdir(folder);
}

/* ---- texts ---- */

typedef struct text {
    char *bytes;
    size_t size, capacity;
} text;

static void add(text *t, const char *format, ...) LF_PRINTF(2, 3);

static void add(text *t, const char *format, ...)
{
    va_list arguments;
    if (t->size + 4096 > t->capacity) {
        t->capacity = 2 * t->capacity + 8192;
        t->bytes = realloc(t->bytes, t->capacity);
        assert_non_null(t->bytes);
    }
    va_start(arguments, format);
    t->size += (size_t)vsnprintf(t->bytes + t->size, 4096, format, arguments);
    va_end(arguments);
}

static void write_file(int file, const char *bytes, size_t size, int compressed)
{
    if (compressed) {
        gzFile stream = gzopen(path[file], "wb");
        assert_non_null(stream);
        assert_int_equal(gzwrite(stream, bytes, (unsigned)size), size);
        assert_int_equal(gzclose(stream), Z_OK);
        return;
    }
    FILE *stream = fopen(path[file], "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/* Writes the text as a file and empties it. */
static void put(text *t, int file, int compressed)
{
    write_file(file, t->bytes, t->size, compressed);
    free(t->bytes);
    *t = (text){0};
}

static files first_files(size_t count)
{
    files f = {.count = count};
    for (size_t i = 0; i < count; i++) {
        f.path[i] = path[i];
    }
    return f;
}

/* expected: the message must contain it; NULL: the files are read, by at least `parts` processes. */
static void check_parts(files f, const char *expected, int parts, int line)
{
    int found, failures = check_files(&f, &found);
    int right = expected ? f.one.status && strstr(f.one.message, expected) : !f.one.status;
    if (failures || !right || (!expected && found < parts)) {
        print_error("line %d: %s; %d parts\n", line, f.one.message, found);
    }
    release(&f.one);
    assert_int_equal(failures, 0);
    assert_true(right);
    assert_true(expected || found >= parts);
}

#define READ_BY(parts, f) check_parts((f), NULL, (parts), __LINE__)
#define REFUSED(message, f) check_parts((f), (message), 0, __LINE__)

/* ---- shapes ---- */

static void test_long(void **state)
{
    (void)state;
    text t = {0};
    /* names, splits and errors that appear late; comments, blank lines, quotes and line ends of both kinds */
    for (int lines = 1; lines <= 3000; lines = 7 * lines + 1) {
        add(&t, "# made by a test\noutput,x,y [mV],sd,split,replicate\n");
        for (int i = 0; i < lines; i++) {
            add(&t, "\"out %d, %s\",%d.5,%.17g,%s,%s,r%d%s", i * i % 7 + 2 * i / 300, i > 2000 ? "late" : "early",
                (i * 37) % 1000, sin(i), i % 3 ? "" : "0.25",
                i % 5   ? ""
                : i % 2 ? "test"
                        : "train",
                i / 411, i % 4 ? "\r\n" : "\n");
            add(&t, "%s", i % 50 == 7 ? "# a comment\n\n" : "");
        }
        put(&t, 0, 0);
        READ_BY(lines >= 400 ? 8 : lines >= 8 ? 3 : 1, first_files(1));
        files f = first_files(1);
        f.options.outputs = "\"out 1, early\"";
        if (lines > 50) {
            READ_BY(1, f);
        }
        f.options.outputs = "nothing";
        REFUSED("there is no such output", f);
    }
}

static void test_wide(void **state)
{
    (void)state;
    text t = {0};
    add(&t, "time [min];T [K];sd T [K];p;empty;late;remark\r\n");
    for (int i = 0; i < 1500; i++) {
        add(&t, "%d,5;%d,25;0,1;%s;;%s;%s\r\n", i, i % 17, i % 9 ? "1,5" : "-999", i > 900 ? "7,5" : "",
            i == 777 || i == 1400 ? "stopped" : "");
    }
    put(&t, 0, 0);
    files f = first_files(1);
    READ_BY(8, f);
    f.options.missing = "-999";
    READ_BY(8, f);
    f.options.time_unit = "h";
    READ_BY(8, f);
    f.options.drop = "p,remark";
    READ_BY(8, f);
}

/* Columns whose first value comes after the rows that every process reads. */
static void test_late_columns(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *refused;
    } cases[] = {{"1.5", "2", NULL},
                 {"word", "other", NULL},
                 {"", "word", NULL},
                 {"1.5", "word", "is not a number: 'word'"},
                 {"word", "1.5", "contains the number '1.5' here, but text in line 502"}};
    text t = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int where = 700; where < 2000; where += 400) {
            add(&t, "time,a,b\n");
            for (int i = 0; i < 2000; i++) {
                add(&t, "%d,%d,%s\n", i, i % 13, i == 500 ? cases[c].first : i == where ? cases[c].second : "");
            }
            put(&t, 0, 0);
            if (cases[c].refused) {
                REFUSED(cases[c].refused, first_files(1));
            } else {
                READ_BY(8, first_files(1));
            }
        }
    }
    /* a column of text that names the series: a tenth of the times repeats, and of two processes each has one series */
    add(&t, "time,value,station\n");
    for (int i = 0; i < 2000; i++) {
        add(&t, "%04d,%04d,%s\n", i < 1000 ? i : i - 100, i, i < 1000 ? "north" : "south");
    }
    put(&t, 0, 0);
    REFUSED("times repeat", first_files(1));
}

static void test_dates(void **state)
{
    (void)state;
    text t = {0};
    for (int days = 0; days < 2; days++) {
        add(&t, "when,a\n");
        for (int i = 0; i < 900; i++) {
            add(&t, "2020-%02d-%02d%s,%d\n", 1 + i / 75, 1 + i % 25, i == 870 && days ? " 12:30" : "", i);
        }
        put(&t, 0, 0);
        READ_BY(8, first_files(1));
    }
    add(&t, "time,a,width [min]\n");
    for (int i = 0; i < 900; i++) {
        add(&t, "%d,%d,%s\n", 1600000000 + 60 * i, i % 7, i > 600 ? "2" : "");
    }
    put(&t, 0, 0);
    READ_BY(8, first_files(1));
    add(&t, "x1,x2,y,output\n");
    for (int i = 0; i < 900; i++) {
        add(&t, "%d,%d,%d,a\n", i % 31, i % 37, i % 7);
    }
    put(&t, 0, 0);
    READ_BY(8, first_files(1));
}

/* Tables for equations, which do not mention some of the outputs. */
static void test_equations(void **state)
{
    (void)state;
    static const char *const names[] = {"T", "U", "q", "late", "later"};
    lf_context *ctx = lf_context_create();
    lf_model *model;
    text t = {0};
    assert_ok(ctx, lf_model_from_equations(ctx, "time s\ninput q\nforce f\nT' = -a*T + b*q + f\noutput T\n",
                                           "equations", &model));
    for (int shape = 0; shape < 3; shape++) {
        for (int file = 0; file < 2; file++) {
            add(&t, shape == 2 ? "time,T,U,q\n" : "output,time [s],y\n");
            for (int i = 0; i < 900; i++) {
                int which = i < 300 ? i % 2 : i % 5;
                if (shape == 2) {
                    add(&t, "%d,%d,%d,%d\n", i + 900 * file, i % 7, i % 5, i % 3);
                } else if (shape == 0 || which != 2) {
                    add(&t, "%s,%d,%d\n", names[(which + 3 * file) % 5], i + 900 * file, i % 7);
                }
            }
            put(&t, file, 0);
        }
        files f = first_files(2);
        f.options = (lf_read_options){.model = model, .unfitted = 1};
        if (shape == 1) {
            f.count = 1;
            REFUSED("has no values of 'q'", f);
        } else {
            READ_BY(5, f);
        }
        f.options = (lf_read_options){.model = model};
        READ_BY(5, f);
        f.options = (lf_read_options){.inputs_only = 1, .ignore_columns = 1, .time = "time"};
        READ_BY(5, f);
    }
    lf_model_free(model);
    lf_context_free(ctx);
}

/* Files for a model: the first may be in another unit than the model, the others are in that of the first. */
static void test_units(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    text t = {0};
    lf_model *model = parse_model(
        ctx, "{\"format\": \"latentforce-model\", \"version\": 1, \"inputs\": [{\"name\": \"t\", \"unit\": \"s\"}], "
             "\"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1}], \"outputs\": [{\"name\": \"a\", \"operator\": "
             "{\"type\": \"ode1\", \"decay\": 1}, \"sensitivity\": [1], \"noise_variance\": 0.1}]}");
    for (int hours = 0; hours < 2; hours++) {
        for (int file = 0; file < 2; file++) {
            add(&t, "t [%s],a,b\n", file && hours ? "h" : "min");
            for (int i = 0; i < 900; i++) {
                add(&t, "%d,%d,%d\n", i + 900 * file, i % 7, i % 3);
            }
            put(&t, file, 0);
        }
        files f = first_files(2);
        f.options = (lf_read_options){.model = model};
        if (hours) {
            REFUSED("is in h, but in min in the files before it", f);
        } else {
            READ_BY(8, f);
        }
    }
    lf_model_free(model);
    lf_context_free(ctx);
}

/* ---- several files ---- */

static void test_files(void **state)
{
    (void)state;
    text t = {0};
    for (int compressed = 0; compressed < 4; compressed++) { /* none, all, every second */
        for (int file = 0; file < 5; file++) {
            add(&t, "output,time [s],y [%s]\n", "V");
            for (int i = 0; i < 100 + 400 * (file % 3); i++) {
                add(&t, "%c%d,%d,%d\n", 'a' + (i * file) % 5, i / 350, i, i * file % 11);
            }
            put(&t, file, compressed == 1 || (compressed > 1 && file % 2 == compressed % 2));
        }
        files f = first_files(5);
        READ_BY(compressed == 1 ? 3 : 5, f);
        f.options.replicates_by_file = 1;
        READ_BY(compressed == 1 ? 3 : 5, f);
    }
    /* the same output in another unit, far from the first rows of both files */
    for (int file = 0; file < 2; file++) {
        add(&t, "output,time,y [%s]\n", file ? "mV" : "V");
        for (int i = 0; i < 1000; i++) {
            add(&t, "%c%s,%d,1\n", 'a' + file, i == 600 ? "c" : "", i);
        }
        add(&t, "%s,2000,1\n", "c");
        put(&t, file, 0);
    }
    REFUSED("the output 'c' is in mV, but in V", first_files(2));
    /* headings in one file only */
    add(&t, "time,a\n1,2\n2,3\n");
    put(&t, 0, 0);
    add(&t, "3,4\n4,5\n");
    put(&t, 1, 0);
    REFUSED("has no header", first_files(2));
    add(&t, "time,a\n");
    put(&t, 1, 0);
    REFUSED("has a header but no rows", first_files(2));
    unlink(path[1]);
    REFUSED("cannot be opened", first_files(2));
    add(&t, "time,a\n1,2\n");
    put(&t, 1, 0);
    READ_BY(2, first_files(2));
}

/* The error that comes first in the files is reported, with its line. */
static void test_errors(void **state)
{
    (void)state;
    static const char *const bad[] = {"oops,1,1", "1,oops,1", "1,1", "1,1,1,1", "\"1,1,1", "time,a,b", "1,1,1e999"};
    lf_random random;
    lf_random_seed(&random, 5);
    text t = {0};
    for (int c = 0; c < 40; c++) {
        int rows = c % 2 ? 1000 : 30, first = (int)(lf_random_uniform(&random) * rows);
        int second = (int)(lf_random_uniform(&random) * rows), in = c % 3;
        for (int file = 0; file < 3; file++) {
            add(&t, "time,a,b\n");
            for (int i = 0; i < rows; i++) {
                if (i == first && file >= in) {
                    add(&t, "%s\n", bad[c % 7]);
                } else if (i == second && file == 2) {
                    add(&t, "%s\n", bad[(c + 3) % 7]);
                } else {
                    add(&t, "%s%d,%d,%d\n", i % 19 ? "" : "\n# comment\n", i, i % 7, i % 5);
                }
            }
            put(&t, file, c % 5 == 4 && file == 1);
        }
        char place[200];
        snprintf(place, sizeof place, "part-%d.csv:", in);
        REFUSED(second < first && in == 2 ? "part-2.csv:" : place, first_files(3));
    }
}

/* A file that one process does not have. */
static void test_lost_file(void **state)
{
    (void)state;
    text t = {0};
    for (int file = 0; file < 2; file++) {
        add(&t, "time,a\n");
        for (int i = 0; i < 500; i++) {
            add(&t, "%d,%d\n", i + 500 * file, i % 7);
        }
        put(&t, file, 0);
    }
    for (int c = 0; c < 4; c++) {
        int whole = c % 2;
        files f = first_files(2);
        f.options = (lf_read_options){.size = sizeof f.options, .whole = whole};
        f.lost_rank = 2;
        f.lost_path = c < 2 ? "/nonexistent/part.csv" : NULL;
        run_processes(5, read_rank, &f);
        for (int r = 0; r < 5; r++) {
            int right =
                f.all[r].status == LF_ERROR_IO && !f.all[r].data &&
                strstr(f.all[r].message, c < 2 ? "/nonexistent/part.csv: cannot be opened" : "process 2 finds 1 files");
            release(&f.all[r]);
            assert_true(right);
        }
    }
}

/* ---- standard input, and tables that are not shared ---- */

static void test_standard_input(void **state)
{
    (void)state;
    text t = {0};
    int kept = dup(STDIN_FILENO);
    for (int bad = 0; bad < 2; bad++) {
        add(&t, "time,a [V]\n");
        for (int i = 0; i < 700; i++) {
            add(&t, "2020-01-01 00:00:%02d.%03d,%s\n", i % 60, i, bad && i == 650 ? "oops" : "1");
        }
        put(&t, 0, 0);
        for (int whole = 0; whole < 2; whole++) {
            for (int count = 0; count <= 5; count++) {
                static files f;
                int fd = open(path[0], O_RDONLY);
                assert_true(fd >= 0 && dup2(fd, STDIN_FILENO) >= 0);
                close(fd);
                if (count == 0) {
                    f = (files){.count = 1, .path = {"-"}};
                    f.options.whole = whole;
                    read_one(&f);
                    continue;
                }
                run_processes(count, read_rank, &f);
                const char *what = different(&f, count, whole);
                size_t others = count > 1 && !whole && f.all[1].data ? f.all[1].data->n : 0;
                for (int r = 0; r < count; r++) {
                    release(&f.all[r]);
                }
                if (what || count == 5) {
                    int refused = f.one.status != LF_OK;
                    release(&f.one);
                    assert_int_equal(refused, bad);
                }
                assert_null(what);
                assert_int_equal(others, 0);
            }
        }
    }
    dup2(kept, STDIN_FILENO);
    close(kept);
}

static void test_whole(void **state)
{
    (void)state;
    text t = {0};
    add(&t, "time,a\n");
    for (int i = 0; i < 700; i++) {
        add(&t, "%d,%d\n", i, i % 7);
    }
    put(&t, 0, 0);
    files f = first_files(1);
    f.options.whole = 1;
    READ_BY(8, f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long),      cmocka_unit_test(test_wide),          cmocka_unit_test(test_late_columns),
        cmocka_unit_test(test_dates),     cmocka_unit_test(test_equations),     cmocka_unit_test(test_units),
        cmocka_unit_test(test_files),     cmocka_unit_test(test_errors),        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_lost_file), cmocka_unit_test(test_standard_input)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
