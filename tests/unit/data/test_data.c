/* Data: both CSV shapes, every refusal with its line and value, and the round trip. */
#include "data/data.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static lf_context *ctx;
static char folder[64], path[128];

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/lf_test_data_XXXXXX");
    ctx = lf_context_create();
    if (!ctx || !mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/f.csv", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lf_context_free(ctx);
    unlink(path);
    return rmdir(folder);
}

static void put_bytes(const char *content, size_t length)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(content, 1, length, stream), length);
    fclose(stream);
}

static lf_data *read_options(const char *content, lf_read_options options)
{
    put_bytes(content, strlen(content));
    lf_data *data;
    lf_status status = lf_data_read(ctx, path, &options, &data);
    if (status != LF_OK) {
        print_error("%s\n", lf_context_message(ctx));
    }
    assert_int_equal(status, LF_OK);
    return data;
}

static lf_data *read_text(const char *content)
{
    return read_options(content, (lf_read_options){.size = sizeof(lf_read_options)});
}
static lf_data *read_inputs(const char *content)
{
    return read_options(content, (lf_read_options){.size = sizeof(lf_read_options), .inputs_only = 1});
}

/* The message must be "FILE" and then exactly this. */
static void assert_message(const char *after_file)
{
    char expected[1024];
    snprintf(expected, sizeof expected, "%s%s", path, after_file);
    assert_string_equal(lf_context_message(ctx), expected);
}

static void refused_options(const char *content, lf_read_options options, const char *after_file)
{
    put_bytes(content, strlen(content));
    lf_data *data = (lf_data *)&options;
    assert_int_equal(lf_data_read(ctx, path, &options, &data), LF_ERROR_DATA);
    assert_null(data);
    assert_message(after_file);
}

static void refused(const char *content, const char *after_file)
{
    refused_options(content, (lf_read_options){.size = sizeof(lf_read_options)}, after_file);
}

static void refused_inputs(const char *content, const char *after_file)
{
    refused_options(content, (lf_read_options){.size = sizeof(lf_read_options), .inputs_only = 1}, after_file);
}

/* NULL: not marked. */
static void assert_split(const char *split, const char *expected)
{
    assert_string_equal(split ? split : "not marked", expected ? expected : "not marked");
}

static void assert_row(const lf_data *data, size_t i, const char *output, double x, double y)
{
    lf_observation row = lf_data_row(data, i);
    if (output) {
        assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output), output);
    } else {
        assert_int_equal(row.output, -1);
    }
    assert_true(row.x[0] == x);
    assert_true(row.y == y || (isnan(row.y) && isnan(y)));
}

static void long_shape(void **state)
{
    (void)state;
    lf_data *data = read_text("split,y,output,replicate,x,sd\n"
                              "train,1.5,a,r1,0,0.25\n"
                              "test,-2,b,r2,1e-1,\n"
                              ",3,a,r1,2,0\n");
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 3);
    assert_int_equal((int)lf_data_count(data, LF_KIND_INPUT), 1);
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 2);
    assert_int_equal((int)lf_data_count(data, LF_KIND_REPLICATE), 2);
    assert_row(data, 0, "a", 0, 1.5);
    assert_row(data, 1, "b", 0.1, -2);
    assert_row(data, 2, "a", 2, 3);
    const double sd[] = {0.25, 0, 0};
    const char *const split[] = {"train", "test", NULL};
    for (size_t i = 0; i < 3; i++) {
        assert_true(lf_data_row(data, i).sd == sd[i]);
        assert_split(lf_data_row(data, i).split, split[i]);
        assert_string_equal(lf_data_name(data, LF_KIND_REPLICATE, (size_t)(lf_data_row(data, i).replicate)),
                            i == 1 ? "r2" : "r1");
    }
    assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, 2), "");
    assert_string_equal(lf_data_name(data, LF_KIND_REPLICATE, LF_NONE), "");
    lf_data_free(data);
    lf_data_free(NULL);
}

static void several_inputs_in_any_order(void **state)
{
    (void)state;
    lf_data *data = read_text("x3,output,x1,y,x2\n30,a,10,1,20\n");
    assert_int_equal((int)lf_data_count(data, LF_KIND_INPUT), 3);
    lf_observation row = lf_data_row(data, 0);
    assert_true(row.x[0] == 10 && row.x[1] == 20 && row.x[2] == 30);
    assert_int_equal(row.replicate, -1);
    lf_data_free(data);
    data = read_text("output,x1,y\na,7,1\n");
    assert_int_equal((int)lf_data_count(data, LF_KIND_INPUT), 1);
    lf_data_free(data);
}

static void wide_shape(void **state)
{
    (void)state;
    lf_data *data = read_text("time,b,a,c\n0,,1,\n1,2,NA,\n2,nan,NaN,na\n3,5,6,\n");
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 4);
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 2); /* numbered as in the header; c has no value */
    assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, 0), "b");
    assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, 1), "a");
    assert_row(data, 0, "a", 0, 1);
    assert_row(data, 1, "b", 1, 2);
    assert_row(data, 2, "b", 3, 5);
    assert_row(data, 3, "a", 3, 6);
    lf_data_free(data);
    data =
        read_text("time,a,colour,b,\n1,2,red,3,\n2,4,blue,5\n"); /* text is dropped, and so is a separator at the end */
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 4);
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 2);
    assert_row(data, 3, "b", 2, 5);
    lf_data_free(data);
}

/* Every word for a missing value, in both shapes. */
static void missing_values(void **state)
{
    (void)state;
    static const char *const words[] = {"",     "NA",   "na",   "N/A",  "n/a", "nan", "NaN", "null",
                                        "NULL", "None", "none", "NONE", "-",   "?",   "."};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[200];
        snprintf(text, sizeof text, "output,x,y,sd\na,1,%s,\na,2,3,%s\n", words[i], words[i]);
        lf_data *data = read_text(text);
        assert_int_equal(lf_data_count(data, LF_KIND_ROW), 1);
        assert_row(data, 0, "a", 2, 3);
        assert_true(lf_data_row(data, 0).sd == 0);
        lf_data_free(data);
        snprintf(text, sizeof text, "x,a,b\n1,%s,4\n2,3,%s\n", words[i], words[i]);
        data = read_text(text);
        assert_int_equal(lf_data_count(data, LF_KIND_ROW), 2);
        assert_row(data, 0, "b", 1, 4);
        assert_row(data, 1, "a", 2, 3);
        lf_data_free(data);
    }
    refused("output,x,y\na,1,2\na,1,nil\n", ":3: y is not a finite number: 'nil'");
    lf_data *data = read_options("output,x,y\na,1,nil\na,2,-999.0\na,3,4\na,4,no value\n",
                                 (lf_read_options){.size = sizeof(lf_read_options), .missing = "nil,no value,-999"});
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 1);
    assert_row(data, 0, "a", 3, 4);
    lf_data_free(data);
}

static void inputs(void **state)
{
    (void)state;
    lf_data *data = read_inputs("output,x\na,1\nb,2\n");
    assert_row(data, 1, "b", 2, (double)NAN);
    lf_data_free(data);
    data = read_inputs("x2,x1,replicate\n1,2,r\n");
    assert_int_equal((int)lf_data_count(data, LF_KIND_INPUT), 2);
    assert_int_equal(lf_data_row(data, 0).output, -1);
    assert_int_equal(lf_data_row(data, 0).replicate, 0);
    lf_data_free(data);
    data = read_inputs("time\n1\n\n2\n");
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 2);
    assert_row(data, 1, NULL, 2, (double)NAN);
    lf_data_free(data);
    data = read_inputs("output,x,y,sd,split\na,1,junk,-1,maybe\n"); /* known columns are not looked at */
    assert_row(data, 0, "a", 1, (double)NAN);
    assert_true(lf_data_row(data, 0).sd == 0);
    lf_data_free(data);
    data = read_options("when,x\nnoon,1\n",
                        (lf_read_options){.size = sizeof(lf_read_options), .ignore_columns = 1, .inputs_only = 1});
    assert_row(data, 0, NULL, 1, (double)NAN);
    lf_data_free(data);
    refused_inputs("y\n1\n",
                   ":1: the header has no column x (or x1, x2, ... for several inputs); name the column of the "
                   "time with --time COL");
    refused_inputs("time,a\n1,2\n",
                   ":1: unknown column 'a' (column 2): the known columns are x or x1, x2, ..., output, width and "
                   "replicate; pass --ignore-columns or --drop to drop it");
    refused_inputs("x\n1\n1,2\n", ":3: expected 1 field, found 2");
}

static void text_forms(void **state)
{
    (void)state;
    lf_data *data = read_text("\xef\xbb\xbf\r\n \t\r\n\"output\", x ,\"y\"\r\n"
                              "\"a, \"\"b\"\"\" ,\t1 , \"2\"\r\n"
                              "   \n"
                              "\" padded \",+.5,5.\n"
                              "5\" pipe,-0,1E+2");
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 3);
    assert_row(data, 0, "a, \"b\"", 1, 2);
    assert_row(data, 1, " padded ", 0.5, 5);
    assert_row(data, 2, "5\" pipe", 0, 100);
    assert_true(signbit(lf_data_row(data, 2).x[0]));
    lf_data_free(data);
    data = read_options(",output,x,y,note\n1,a,2,3,\"x, y\"\n",
                        (lf_read_options){.size = sizeof(lf_read_options), .ignore_columns = 1});
    assert_row(data, 0, "a", 2, 3);
    lf_data_free(data);
    refused("output,x,y\n\"a,1,2\n", ":2: the quote that opens field 1 is not closed on this line (line breaks inside "
                                     "quotes are not supported)");
    refused("output,x,y\na,\"1\"2,2\n", ":2: field 2 goes on after its closing quote");
}

static void lines_of_any_length(void **state)
{
    (void)state;
    /* Longer than several blocks of the reader, then rows and blank lines across the ends of blocks. */
    size_t length = 3 << 20, used = 0;
    char *content = malloc(length + 64);
    assert_non_null(content);
    used += (size_t)sprintf(content, "output,x,y\n");
    for (; used < length; used++) {
        content[used] = 'n';
    }
    sprintf(content + used, ",1,2\nb,3,4\n");
    lf_data *data = read_text(content);
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 2);
    assert_int_equal(strlen(lf_data_name(data, LF_KIND_OUTPUT, 0)), length - 11);
    assert_row(data, 1, "b", 3, 4);
    lf_data_free(data);

    used = (size_t)sprintf(content, "x,a\n");
    size_t rows = 0;
    for (; used < length; rows++) {
        used += (size_t)sprintf(content + used, "%zu,%zu\n                \n", rows, rows % 977);
    }
    data = read_text(content);
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), rows);
    for (size_t i = 0; i < rows; i++) {
        assert_row(data, i, "a", (double)i, (double)(i % 977));
    }
    lf_data_free(data);
    free(content);
}

static void refused_headers(void **state)
{
    (void)state;
    refused("", ": the file is empty");
    refused("\n  \n", ": the file is empty");
    refused("output,x,y\n", ": the file has a header but no rows");
    refused("x,a\n1,\n2,NA\n", ": no cell of any output holds a value");
    refused("\noutput,x,y,x\n", ":2: two columns are named 'x': columns 2 and 4; rename one");
    refused("x,a,b,a\n1,2,3,4\n", ":1: two columns are named 'a': columns 2 and 4; rename one");
    refused("output,x\na,1\n", ":1: the header has no column y; name the column of the values with --value-column COL");
    refused("output,y\na,1\n", ":1: the header has no column x (or x1, x2, ... for several inputs); name the column of "
                               "the time with --time COL");
    refused("output,x,x1,y\na,1,1,1\n", ":1: the inputs are named both x and x1; use x, or x1 to xp");
    refused("output,x1,x3,y\na,1,1,1\n", ":1: column x2 is missing: inputs are numbered from x1 without gaps");
    refused("output,x99999999999999999999,y\na,1,1\n",
            ":1: column x1 is missing: inputs are numbered from x1 without gaps");
    refused("output,x,y,colour\na,1,1,1\n",
            ":1: unknown column 'colour' (column 4): the known columns are output, x or x1, x2, "
            "..., y, sd, width, split and replicate; pass --ignore-columns or --drop to drop it");
    refused("output,x,x01,y\na,1,1,1\n",
            ":1: unknown column 'x01' (column 3): the known columns are output, x or x1, x2, "
            "..., y, sd, width, split and replicate; pass --ignore-columns or --drop to drop it");
    refused("time\n1\n", ":1: no column is left for an output; a data file has output,x,y (one row per observation) or "
                         "an input and one column per output. --time row numbers the rows where no column is the "
                         "time; if the columns are separated by something else, give --separator");
    refused("time,a,\n1,2,3\n", ":2: column 3 has no name in the header but holds a value here: '3'");
    refused("time,,a\n1,2,3\n", ":1: the name of column 2 is empty: ''");
    refused("time,a\xb0\n1,2\n",
            ":1: the name of column 2 is not valid UTF-8: 'a\\xb0'; save the file as text in UTF-8");
}

static void refused_rows(void **state)
{
    (void)state;
    refused("output,x,y\na,1,2\na,1\n", ":3: expected 3 fields, found 2");
    refused("output,x,y\n\na,1,2,3\n", ":3: expected 3 fields, found 4");
    refused("output,x,y\na,1,2\na,1,inf\n", ":3: y is not a finite number: 'inf'");
    refused("output,x,y\na,1,nan\n", ": no cell of any output holds a value");
    refused("output,x,y\na,1,1e999\n", ":2: y is not a finite number: '1e999'");
    refused("output,x,y\na,0x10,1\n",
            ":2: x is not a finite number and not a date in the form 2019-12-23 10:00:00: '0x10'");
    refused("output,x1,x2,y\na,1,2 3,1\n", ":2: x2 is not a finite number: '2 3'");
    refused("output,x,y\na,1,\n", ": no cell of any output holds a value");
    refused("output,x,y\na,,1\n", ":2: x is empty");
    refused("output,x,y\n,1,1\n", ":2: output is empty");
    refused("output,x,y\n\"\",1,1\n", ":2: output is empty");
    refused("output,x,y\na\x01,1,1\n", ":2: output contains a control character: 'a\\x01'");
    refused("output,x,y\na\xff,1,1\n", ":2: output is not valid UTF-8: 'a\\xff'");
    refused("output,x,y,replicate\na,1,1,r\na,1,1,\n", ":3: replicate is empty");
    refused("output,x,y,sd\na,1,1,-0.5\n", ":2: sd is negative: '-0.5'");
    refused("output,x,y,sd\na,1,1,inf\n", ":2: sd is not a finite number: 'inf'");
    refused("output,x,y,split\na,1,1,valid\n", ":2: split must be train, test or empty: 'valid'");
    refused("time,a\n1,2\n2,x\n", ":3: a is not a number: 'x'; if it stands for a missing value, give --missing 'x'; "
                                  "--drop 'a' leaves the column out");
    refused("time,a\n,2\n", ":2: time is empty");
    refused("time,a\n1,2\n2,-inf\n", ":3: a is not a number: '-inf'; if it stands for a missing value, give --missing "
                                     "'-inf'; --drop 'a' leaves the column out");
    refused("time,a\n1,text\n2,3\n",
            ":3: the column 'a' contains the number '3' here, but text in line 2. If that text stands for a missing "
            "value, give it with --missing WORD; --drop 'a' leaves the column out");
    refused("time,a\nNA,2\n", ":2: time has no value: 'NA'; every row needs its time");
    refused("Zeit,a\nq,2\n", ":2: Zeit is not a finite number and not a date in the form 2019-12-23 10:00:00: 'q'; the "
                             "column is taken as the time; --time COL names another");
    refused("output,x,y\na,1,0123456789012345678901234567890123456789012345678901234567\xc3\xa9yz\n",
            ":2: y is not a finite number: '0123456789012345678901234567890123456789012345678901234567\xc3\xa9...'");
    const char nul[] = "output,x,y\na,1,2\na\0b,1,2\n";
    put_bytes(nul, sizeof nul - 1);
    lf_data *data;
    assert_int_equal(lf_data_read(ctx, path, NULL, &data), LF_ERROR_DATA);
    assert_message(":3: the line holds a NUL byte; the file must be text in UTF-8");
}

static void compressed(void **state)
{
    (void)state;
    gzFile gz = gzopen(path, "wb");
    assert_non_null(gz);
    gzputs(gz, "output,x,y\n");
    for (int i = 0; i < 20000; i++) {
        gzprintf(gz, "a,%d,%d\n", i, i * 7919 % 10007);
    }
    assert_int_equal(gzclose(gz), Z_OK);
    lf_data *data;
    assert_int_equal(lf_data_read(ctx, path, NULL, &data), LF_OK);
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 20000);
    assert_row(data, 19999, "a", 19999, 19999 * 7919 % 10007);
    lf_data_free(data);

    static char bytes[1 << 18];
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t length = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    put_bytes(bytes, length / 2);
    assert_int_equal(lf_data_read(ctx, path, NULL, &data), LF_ERROR_IO);
    assert_null(data);
    assert_non_null(strstr(lf_context_message(ctx), "f.csv: the gzip file is cut short ("));
    for (size_t i = 0; i < 64; i++) {
        bytes[length / 2 + i] = (char)~bytes[length / 2 + i];
    }
    put_bytes(bytes, length);
    assert_int_equal(lf_data_read(ctx, path, NULL, &data), LF_ERROR_IO);
    assert_non_null(strstr(lf_context_message(ctx), "f.csv: the gzip file is damaged ("));
}

static void bad_files(void **state)
{
    (void)state;
    lf_data *data;
    char expected[256];
    assert_int_equal(lf_data_read(ctx, folder, NULL, &data), LF_ERROR_IO);
    snprintf(expected, sizeof expected, "%s: is a directory", folder);
    assert_string_equal(lf_context_message(ctx), expected);
    unlink(path);
    assert_int_equal(lf_data_read(ctx, path, NULL, &data), LF_ERROR_IO);
    snprintf(expected, sizeof expected, ": cannot be opened: %s", strerror(ENOENT));
    assert_message(expected);
    if (geteuid() != 0) { /* root may read anything */
        put_bytes("x,a\n1,2\n", 8);
        assert_int_equal(chmod(path, 0), 0);
        assert_int_equal(lf_data_read(ctx, path, NULL, &data), LF_ERROR_IO);
        snprintf(expected, sizeof expected, ": cannot be opened: %s", strerror(EACCES));
        assert_message(expected);
        unlink(path);
    }
    assert_int_equal(lf_data_read(ctx, NULL, NULL, &data), LF_ERROR_ARGUMENT);
}

static void standard_input(void **state)
{
    (void)state;
    int saved = dup(STDIN_FILENO);
    for (int round = 0; round < 2; round++) {
        const char *content = round ? "output,x,y\na,1,!\n" : "output,x,y\na,1,2\n";
        put_bytes(content, strlen(content));
        int fd = open(path, O_RDONLY);
        assert_true(fd >= 0);
        dup2(fd, STDIN_FILENO);
        close(fd);
        lf_data *data;
        lf_status status = lf_data_read(ctx, "-", NULL, &data);
        assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* still open */
        if (round == 0) {
            assert_int_equal(status, LF_OK);
            assert_row(data, 0, "a", 1, 2);
        } else {
            assert_int_equal(status, LF_ERROR_DATA);
            assert_string_equal(lf_context_message(ctx), "<stdin>:2: y is not a finite number: '!'");
        }
        lf_data_free(data);
    }
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
}

static void adding_rows(void **state)
{
    (void)state;
    lf_data *data;
    assert_int_equal(lf_data_create(ctx, 0, &data), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_create(ctx, 2, &data), LF_OK);
    const double x[] = {1, 2}, bad[] = {1, (double)INFINITY}, nan = (double)NAN;
    assert_int_equal(lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = bad, .y = 1}),
                     LF_ERROR_DATA);
    assert_string_equal(lf_context_message(ctx), "row 1: x2 is not a finite number: inf");
    assert_int_equal(lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = x, .y = -bad[1]}),
                     LF_ERROR_DATA);
    assert_int_equal(lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = x, .y = 1, .sd = -1}),
                     LF_ERROR_DATA);
    assert_int_equal(
        lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = x, .y = 1, .sd = nan}),
        LF_ERROR_DATA);
    assert_int_equal(lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "", .x = x, .y = 1}),
                     LF_ERROR_DATA);
    assert_int_equal(lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a\nb", .x = x, .y = 1}),
                     LF_ERROR_DATA);
    assert_string_equal(lf_context_message(ctx), "row 1: output contains a control character: 'a\\x0ab'");
    assert_int_equal(
        lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = x, .y = 1, .split = "both"}),
        LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .x = x, .y = 1}), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_write(ctx, data, path), LF_ERROR_DATA);
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 0);
    assert_int_equal(lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = x, .y = 1}), LF_OK);
    assert_int_equal(lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = x, .y = nan}),
                     LF_ERROR_ARGUMENT);
    assert_int_equal(
        lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .replicate = "r", .x = x, .y = 1}),
        LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 1);
    lf_data_free(data);
    assert_int_equal(lf_data_create(ctx, 2, &data), LF_OK);
    assert_int_equal(lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .replicate = "r", .x = x, .y = nan}),
                     LF_OK);
    assert_int_equal(
        lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .replicate = "r", .x = x, .y = nan}),
        LF_ERROR_ARGUMENT);
    lf_data_free(data);
}

static void selecting(void **state)
{
    (void)state;
    lf_data *data = read_text("output,x,y,split\na,1,1,test\nb,2,2,train\nc,3,3,\nc,4,4,test\n"), *part;
    assert_int_equal(lf_data_select(ctx, data, NULL, "train", &part), LF_OK);
    assert_int_equal(lf_data_count(part, LF_KIND_ROW), 2);
    assert_int_equal((int)lf_data_count(part, LF_KIND_OUTPUT), 3); /* numbering is kept */
    assert_int_equal(lf_data_row(part, 0).output, 1);
    assert_row(part, 0, "b", 2, 2);
    assert_row(part, 1, "c", 3, 3);
    lf_data_free(part);
    assert_int_equal(lf_data_select(ctx, data, NULL, "test", &part), LF_OK);
    assert_int_equal(lf_data_count(part, LF_KIND_ROW), 2);
    assert_row(part, 0, "a", 1, 1);
    assert_row(part, 1, "c", 4, 4);
    lf_data *none;
    assert_int_equal(lf_data_choose(ctx, part, NULL, "train", &none), LF_ERROR_DATA);
    assert_string_equal(lf_context_message(ctx), "no training rows are left: every row is marked test");
    assert_null(none);
    lf_data_free(part);
    assert_int_equal(lf_data_select(ctx, data, NULL, NULL, &none), LF_ERROR_ARGUMENT);
    lf_data_free(data);
    data = read_text("x,a\n1,2\n");
    assert_int_equal(lf_data_choose(ctx, data, NULL, "test", &none), LF_ERROR_DATA);
    assert_string_equal(lf_context_message(ctx), "no rows are marked test");
    lf_data_free(data);
}

static void assert_same(const lf_data *a, const lf_data *b)
{
    assert_int_equal(lf_data_count(a, LF_KIND_ROW), lf_data_count(b, LF_KIND_ROW));
    assert_int_equal((int)lf_data_count(a, LF_KIND_INPUT), (int)lf_data_count(b, LF_KIND_INPUT));
    for (size_t i = 0; i < lf_data_count(a, LF_KIND_ROW); i++) {
        lf_observation r = lf_data_row(a, i), s = lf_data_row(b, i);
        assert_memory_equal(r.x, s.x, (size_t)(int)lf_data_count(a, LF_KIND_INPUT) * sizeof(double));
        assert_true(memcmp(&r.y, &s.y, sizeof r.y) == 0 || (isnan(r.y) && isnan(s.y)));
        assert_memory_equal(&r.sd, &s.sd, sizeof r.sd);
        assert_split(r.split, s.split);
        assert_int_equal(r.output < 0, s.output < 0);
        assert_int_equal(r.replicate < 0, s.replicate < 0);
        if (r.output >= 0) {
            assert_string_equal(lf_data_name(a, LF_KIND_OUTPUT, (size_t)r.output),
                                lf_data_name(b, LF_KIND_OUTPUT, (size_t)s.output));
        }
        if (r.replicate >= 0) {
            assert_string_equal(lf_data_name(a, LF_KIND_REPLICATE, (size_t)r.replicate),
                                lf_data_name(b, LF_KIND_REPLICATE, (size_t)s.replicate));
        }
    }
}

/* Tables that use every set of columns, awkward names, doubles of every size. */
static void round_trip(void **state)
{
    (void)state;
    static const char *const name[] = {"plain",    "with, comma",       "\"quoted\"",         " padded ",
                                       "5\" pipe", "\xc3\xa9t\xc3\xa9", "# no, it is a name", "a;b|c"};
    lf_random random;
    lf_random_seed(&random, 7);
    for (int form = 0; form < 64; form++) {
        int has_output = form & 1 || form & 4, p = form & 32 ? 3 : 1;
        lf_data *data, *again;
        assert_int_equal(lf_data_create(ctx, (size_t)p, &data), LF_OK);
        for (int i = 0; i < 50; i++) {
            double x[3] = {any_double(&random), any_double(&random), any_double(&random)};
            double sd = form & 8 && i % 3 ? fabs(any_double(&random)) : 0;
            static const char *const splits[] = {NULL, "train", "test"};
            const char *split = form & 16 ? splits[i % 3] : NULL;
            assert_int_equal(lf_data_add(ctx, data,
                                         &(lf_row){.size = sizeof(lf_row),
                                                   .output = has_output ? name[i % 8] : NULL,
                                                   .replicate = form & 2 ? name[i % 7] : NULL,
                                                   .x = x,
                                                   .y = form & 4 ? any_double(&random) : (double)NAN,
                                                   .sd = form & 4 ? sd : 0,
                                                   .split = form & 4 ? split : NULL}),
                             LF_OK);
        }
        assert_int_equal(lf_data_write(ctx, data, path), LF_OK);
        lf_read_options options = {.size = sizeof(lf_read_options), .inputs_only = !(form & 4)};
        assert_int_equal(lf_data_read(ctx, path, &options, &again), LF_OK);
        assert_same(data, again);
        lf_data_free(data);
        lf_data_free(again);
    }
    char line[64];
    lf_data *data = read_text("x,a,b\n1,0.1,\n2,,3\n");
    assert_int_equal(lf_data_write(ctx, data, path), LF_OK);
    lf_data_free(data);
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    assert_string_equal(fgets(line, sizeof line, stream), "output,x,y\n"); /* no column that no row uses */
    assert_string_equal(fgets(line, sizeof line, stream), "a,1,0.1\n");
    fclose(stream);
}

/* Counts since 1970 keep the digits that dates keep: steps of a microsecond differ from each other by rounding at 1e-4 s, not at 1e9 s. */
static void epochs_keep_their_digits(void **state)
{
    (void)state;
    static const char *const starts[] = {"1700000000.", "1700000000000.", "1700000000000000.", "2023-11-14 22:13:20."};
    static const double first[] = {1e-6, 1e-9, 1e-12, 1e-6}; /* of the last digit */
    static const int digits[] = {6, 6, 3, 6};
    for (size_t form = 0; form < 4; form++) {
        char text[4096] = "time,a\n";
        for (int i = 0; i < 100; i++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%0*d,%d\n", starts[form], digits[form], 7 * i, i % 5);
        }
        lf_data *data = read_text(text);
        double seconds = lf_axis_info(&data->axes[0]).seconds;
        for (size_t i = 0; i < 100; i++) {
            double expected = 7 * (double)i * first[form] * (form == 2 ? 1e3 : 1);
            assert_true(fabs(lf_data_row(data, i).x[0] * seconds - expected) < 1e-15 * expected + 1e-19);
        }
        lf_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_shape),      cmocka_unit_test(several_inputs_in_any_order),
        cmocka_unit_test(wide_shape),      cmocka_unit_test(inputs),
        cmocka_unit_test(text_forms),      cmocka_unit_test(lines_of_any_length),
        cmocka_unit_test(refused_headers), cmocka_unit_test(refused_rows),
        cmocka_unit_test(compressed),      cmocka_unit_test(bad_files),
        cmocka_unit_test(standard_input),  cmocka_unit_test(adding_rows),
        cmocka_unit_test(selecting),       cmocka_unit_test(round_trip),
        cmocka_unit_test(missing_values),  cmocka_unit_test(epochs_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
