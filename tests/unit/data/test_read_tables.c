/* Tables as people have them: several files, units, tables for a model, every option given wrongly, and the notes. */
#include "data/data.h"
#include "support.h"

#include <unistd.h>

enum { FILES = 3, MOST_NOTES = 40 };

static lf_context *ctx;
static char folder[64], path[FILES][128];
static char notes[MOST_NOTES][1024];
static int note_count;

static void keep_note(void *user, lf_level level, const char *note)
{
    (void)user;
    assert_true(note_count < MOST_NOTES);
    snprintf(notes[note_count++], sizeof notes[0], "%s%s", level == LF_LEVEL_WARNING ? "warning: " : "", note);
}

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/lf_test_tables_XXXXXX");
    ctx = lf_context_create();
    if (!ctx || !mkdtemp(folder)) {
        return -1;
    }
    for (int i = 0; i < FILES; i++) {
        snprintf(path[i], sizeof path[i], "%s/%c.csv", folder, 'p' + i);
    }
    lf_context_set_log(ctx, keep_note, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lf_context_free(ctx);
    for (int i = 0; i < FILES; i++) {
        unlink(path[i]);
    }
    return rmdir(folder);
}

/* Reads the texts as files; NULL ends them. */
static lf_status read_texts(const char *const texts[], lf_read_options options, lf_data **data)
{
    const char *paths[FILES];
    size_t count = 0;
    for (; count < FILES && texts[count]; count++) {
        paths[count] = path[count];
        FILE *stream = fopen(path[count], "wb");
        assert_non_null(stream);
        assert_true(fputs(texts[count], stream) >= 0);
        assert_int_equal(fclose(stream), 0);
    }
    options.size = sizeof options;
    note_count = 0;
    return lf_data_read_files(ctx, count, paths, &options, data);
}

#define TEXTS(...)                                                                                                     \
    (const char *const[]) { __VA_ARGS__, NULL }
#define OPTIONS(...)                                                                                                   \
    (lf_read_options) { .size = 0, __VA_ARGS__ }
#define DEFAULTS ((lf_read_options){0})

static lf_data *read_ok(const char *const texts[], lf_read_options options)
{
    lf_data *data;
    assert_ok(ctx, read_texts(texts, options, &data));
    return data;
}

#define refused(...) check_refused(__LINE__, __VA_ARGS__)

static void check_refused(int line, const char *const texts[], lf_read_options options, lf_status status,
                          const char *message)
{
    lf_data *data = (lf_data *)(void *)folder;
    lf_status found = read_texts(texts, options, &data);
    if (found != status || !strstr(lf_context_message(ctx), message)) {
        fail_msg("line %d: status %d, message: %s", line, (int)found, lf_context_message(ctx));
    }
    assert_null(data);
}

#define noted(part) check_noted(__LINE__, part)

static void check_noted(int line, const char *part)
{
    for (int i = 0; i < note_count; i++) {
        if (strstr(notes[i], part)) {
            return;
        }
    }
    for (int i = 0; i < note_count; i++) {
        print_error("%s\n", notes[i]);
    }
    fail_msg("line %d: there is no note '%s'", line, part);
}

/* The only note is the line of what was read. */
static void only_noted(const char *after_file)
{
    char expected[1200];
    snprintf(expected, sizeof expected, "%s: %s", path[0], after_file);
    assert_int_equal(note_count, 1);
    assert_string_equal(notes[0], expected);
}

static void check_row(const lf_data *data, size_t i, const char *output, const char *replicate, double x, double y)
{
    lf_observation row = lf_data_row(data, i);
    assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output), output);
    assert_int_equal(row.replicate < 0, replicate == NULL);
    if (replicate) {
        assert_string_equal(lf_data_name(data, LF_KIND_REPLICATE, (size_t)row.replicate), replicate);
    }
    assert_near(row.x[0], x, 1e-12 * fabs(x));
    assert_true(row.y == y);
}

/* ---- several files ---- */

static void several_files(void **state)
{
    (void)state;
    lf_data *data =
        read_ok(TEXTS("time,b [K],a\n0,1,2\n1,3,4\n", "t;a;c\n2;5,5;6\n", "output,x,y\nd,3,7\nb,4,8\n"), DEFAULTS);
    static const char *const outputs[] = {"b", "a", "c", "d"}; /* in the order of the headings, then of the rows */
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 4);
    for (int d = 0; d < 4; d++) {
        assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, (size_t)d), outputs[d]);
    }
    assert_string_equal(lf_data_output_unit(data, 0), "K");
    assert_string_equal(lf_data_output_unit(data, 1), "");
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 8);
    check_row(data, 0, "b", NULL, 0, 1);
    check_row(data, 3, "a", NULL, 1, 4);
    check_row(data, 4, "a", NULL, 2, 5.5); /* each file has its separator and decimal mark */
    check_row(data, 7, "b", NULL, 4, 8);
    assert_string_equal(lf_axis_info(&data->axes[0]).name, "time");
    noted("3 files: read 5 rows: time (0 to 4, step 1), outputs b [K], a, c, d");
    lf_data_free(data);

    data = read_ok(TEXTS("t,a\n0,1\n1,2\n", "t,a\n0,3\n1,5\n"), OPTIONS(.replicates_by_file = 1));
    assert_int_equal((int)lf_data_count(data, LF_KIND_REPLICATE), 2);
    check_row(data, 0, "a", "p", 0, 1);
    check_row(data, 3, "a", "q", 1, 5);
    noted("2 replicates");
    lf_data_free(data);
    data = read_ok(TEXTS("t,a\n0,1\n"), OPTIONS(.replicates_by_file = 1));
    check_row(data, 0, "a", "p", 0, 1);
    lf_data_free(data);
    data = read_ok(TEXTS("t,a,replicate\n0,1,u\n", "t,a,replicate\n0,2,v\n"), DEFAULTS);
    check_row(data, 1, "a", "v", 0, 2);
    lf_data_free(data);
}

static void files_that_do_not_fit(void **state)
{
    (void)state;
    refused(TEXTS("t,a [K]\n0,1\n", "t,a [°C]\n0,1\n"), DEFAULTS, LF_ERROR_DATA,
            "q.csv: the output 'a' is in °C, but in K in the files before it");
    refused(TEXTS("output,x,y [K]\na,0,1\n", "output,x,y [°C]\na,0,1\n"), DEFAULTS, LF_ERROR_DATA,
            "q.csv: the output 'a' is in °C, but in K in the files before it");
    refused(TEXTS("time [h],a\n0,1\n", "time [s],a\n0,1\n"), DEFAULTS, LF_ERROR_DATA,
            "q.csv: its times are in s, but in h in the files before it");
    refused(TEXTS("output,x1 [m],x2 [m],y\na,0,1,1\n", "output,x1 [m],x2 [cm],y\na,0,1,2\n"), DEFAULTS, LF_ERROR_DATA,
            "q.csv: the input 'x2' is in cm, but in m in the files before it");
    refused(TEXTS("output,x,y\na,0,1\n", "output,x1,x2,y\na,0,1,1\n"), DEFAULTS, LF_ERROR_DATA,
            "q.csv: has 2 input columns, but the files before it have 1");
    refused(TEXTS("t,a,replicate\n0,1,u\n", "t,a\n0,2\n"), DEFAULTS, LF_ERROR_DATA,
            "q.csv: either every file has a replicate column or none");
    refused(TEXTS("t,a\n0,1\n", "t,a,replicate\n0,1,u\n"), DEFAULTS, LF_ERROR_DATA,
            "q.csv: either every file has a replicate column or none");
    refused(TEXTS("t,a,replicate\n0,1,u\n"), OPTIONS(.replicates_by_file = 1), LF_ERROR_DATA,
            "has a replicate column, so --replicates-by-file cannot be used");
    refused(TEXTS("t,a\n0,1\n", "t,a\n2020-01-01,1\n"), DEFAULTS, LF_ERROR_DATA,
            "q.csv:2: t is a date, but the times are numbers: '2020-01-01'");
    refused(TEXTS("t,a\n2020-01-01,1\n", "t,a\n3,1\n"), DEFAULTS, LF_ERROR_DATA,
            "q.csv:2: t is a number, but the times are dates, such as 2019-12-23T10:00:00: '3'");
    refused(TEXTS("t,a\n2020-01-01T00:00Z,1\n", "t,a\n2020-01-01T00:00,1\n"), DEFAULTS, LF_ERROR_DATA,
            "q.csv:2: t has no time zone");
    refused(TEXTS("t,a\n0,1\n", "t,a\n"), DEFAULTS, LF_ERROR_DATA, "q.csv: the file has a header but no rows");
    refused(TEXTS("t,a\n0,1\n", ""), DEFAULTS, LF_ERROR_DATA, "q.csv: the file is empty");
    refused(TEXTS("t,a\n0,1\n", "t,b\n0,x\n"), OPTIONS(.outputs = "a"), LF_ERROR_DATA, "q.csv:1: --outputs 'a'");
    const char *twice[] = {path[0], path[0]};
    lf_read_options options = {.size = sizeof options, .replicates_by_file = 1};
    lf_data *data;
    assert_int_equal(lf_data_read_files(ctx, 2, twice, &options, &data), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "two files would be the replicate 'p'"));
    assert_int_equal(lf_data_read_files(ctx, 0, twice, &options, &data), LF_ERROR_ARGUMENT);
    /* outputs of one file have nothing to do with the units of another */
    data = read_ok(TEXTS("output,x,y [K]\na,0,1\n", "output,x,y [°C]\nb,0,1\n"), DEFAULTS);
    assert_string_equal(lf_data_output_unit(data, 0), "K");
    assert_string_equal(lf_data_output_unit(data, 1), "°C");
    lf_data_free(data);
    /* dates of all files are one axis */
    data = read_ok(TEXTS("t,a\n2020-01-02T06:00,1\n", "t,a\n2020-01-01T06:00,2\n2020-01-03T06:00,3\n"), DEFAULTS);
    assert_true(lf_data_row(data, 1).x[0] == -18 && lf_data_row(data, 2).x[0] == 30);
    lf_data_free(data);
}

/* ---- units ---- */

static void units_stay_with_their_outputs(void **state)
{
    (void)state;
    lf_data *data = read_ok(TEXTS("t,A [K],B\n0,,1\n1,,2\n"), DEFAULTS), *part; /* A leaves, B has no unit */
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 1);
    assert_string_equal(lf_data_output_unit(data, 0), "");
    lf_data_free(data);
    data = read_ok(TEXTS("t,A,B [K]\n0,1,\n1,2,\n"), DEFAULTS); /* B leaves with its unit */
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 1);
    assert_string_equal(lf_data_output_unit(data, 0), "");
    assert_ok(ctx, lf_data_select(ctx, data, NULL, "train", &part));
    lf_data_free(part);
    lf_data_free(data);
    data = read_ok(TEXTS("t,A [K],B [V],C [W],D [Pa]\n0,,1,,3\n1,,2,,4\n"), DEFAULTS);
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 2);
    assert_string_equal(lf_data_output_unit(data, 0), "V");
    assert_string_equal(lf_data_output_unit(data, 1), "Pa");
    assert_ok(ctx, lf_data_select(ctx, data, NULL, "train", &part));
    assert_string_equal(lf_data_output_unit(part, 1), "Pa");
    lf_data_free(part);
    lf_data_free(data);
}

static void units_of_headings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *unit, *output, *output_unit;
    } rows[] = {{"time [h],T_in [°C]\n0,1\n1,2\n", "time", "h", "T_in", "°C"},
                {"time (min),p (kPa)\n0,1\n1,2\n", "time", "min", "p", "kPa"},
                {"t [seconds],v [m/s]\n0,1\n1,2\n", "t", "s", "v", "m/s"},
                {"hours,q (%)\n0,1\n1,2\n", "hours", "h", "q", "%"},
                {"depth [m],c (ppm)\n0,1\n1,2\n", "depth", "m", "c", "ppm"},
                {"t,T (in)\n0,1\n1,2\n", "t", "", "T (in)", ""},
                {"t,ch [1]\n0,1\n1,2\n", "t", "", "ch [1]", ""},
                {"x,[K]\n0,1\n1,2\n", "", "", "[K]", ""},
                {"t,a [\n0,1\n1,2\n", "t", "", "a [", ""},
                {"t,a []\n0,1\n1,2\n", "t", "", "a []", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lf_data *data = read_ok(TEXTS(rows[i].text), DEFAULTS);
        assert_string_equal(lf_axis_info(&data->axes[0]).name, rows[i].name);
        assert_string_equal(lf_axis_info(&data->axes[0]).unit, rows[i].unit);
        assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, 0), rows[i].output);
        assert_string_equal(lf_data_output_unit(data, 0), rows[i].output_unit);
        lf_data_free(data);
    }
    /* two columns that only their units tell apart */
    lf_data *data = read_ok(TEXTS("t,T [K],T [°C]\n0,1,2\n"), DEFAULTS);
    assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, 0), "T [K]");
    assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, 1), "T [°C]");
    lf_data_free(data);
    data = read_ok(TEXTS("t [s],a\n0,1\n90,2\n"), OPTIONS(.time_unit = "min"));
    assert_true(lf_data_row(data, 1).x[0] == 1.5);
    assert_string_equal(lf_axis_info(&data->axes[0]).file_unit, "s");
    lf_data_free(data);
    data = read_ok(TEXTS("t,a\n0,1\n36,2\n"), OPTIONS(.time_in = "h", .time_unit = "d"));
    assert_true(lf_data_row(data, 1).x[0] == 1.5);
    assert_ok(ctx, lf_data_write(ctx, data, path[1]));
    lf_data_free(data);
    data = read_ok(TEXTS("t [h],a\n0,1\n36,2\n"), OPTIONS(.time_in = "number"));
    assert_true(lf_data_row(data, 1).x[0] == 36 && lf_axis_info(&data->axes[0]).seconds == 0);
    lf_data_free(data);
}

/* The unit of time follows from the span of the dates. */
static void units_of_spans(void **state)
{
    (void)state;
    static const struct {
        const char *last, *unit;
        double x;
    } rows[] = {{"2020-01-01T00:09:59", "s", 599}, {"2020-01-01T00:10", "min", 10}, {"2020-01-01T09:59", "min", 599},
                {"2020-01-01T10:00", "h", 10},     {"2020-04-09T00:00", "h", 2376}, {"2020-04-10T00:00", "d", 100},
                {"2021-01-01", "d", 366}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[100];
        snprintf(text, sizeof text, "when,a\n2020-01-01,1\n%s,2\n", rows[i].last);
        lf_data *data = read_ok(TEXTS(text), DEFAULTS);
        assert_string_equal(lf_axis_info(&data->axes[0]).unit, rows[i].unit);
        assert_true(lf_data_row(data, 1).x[0] == rows[i].x);
        lf_data_free(data);
        data = read_ok(TEXTS(text), OPTIONS(.time_unit = "hours"));
        assert_string_equal(lf_axis_info(&data->axes[0]).unit, "h");
        lf_data_free(data);
    }
    lf_data *data = read_ok(TEXTS("ts,a\n1577840400,1\n1577844000,2\n1577930400,4\n"), DEFAULTS);
    noted("the times are read as seconds since 1970");
    assert_true(lf_axis_info(&data->axes[0]).dated && lf_data_row(data, 0).x[0] == 1);
    lf_data_free(data);
    data = read_ok(TEXTS("ts,a\n1577840400000,1\n1577844000500,2\n"), DEFAULTS);
    noted("the times are read as milliseconds since 1970");
    lf_data_free(data);
    data = read_ok(TEXTS("ts,a\n1577840400,1\n1577844000,2\n"), OPTIONS(.time_in = "number"));
    assert_true(!lf_axis_info(&data->axes[0]).dated && lf_data_row(data, 0).x[0] == 1577840400);
    lf_data_free(data);
    data = read_ok(TEXTS("ts,a\n0,1\n60,2\n"), OPTIONS(.time_in = "epoch"));
    assert_true(lf_axis_info(&data->axes[0]).dated && lf_axis_info(&data->axes[0]).zero == 0);
    lf_data_free(data);
    refused(TEXTS("ts,a\n1e300,1\n"), OPTIONS(.time_in = "epoch"), LF_ERROR_DATA,
            "is not a number of seconds since 1970");
    refused(TEXTS("ts,a\n1577840400,1\nx,1\n"), OPTIONS(.time_in = "epoch"), LF_ERROR_DATA,
            "p.csv:3: ts does not count from 1970 in the unit of the times before it: 'x'");
}

/* ---- tables for a model ---- */

#define MODEL_OF(inputs)                                                                                               \
    "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"stationary\", " inputs                         \
    "\"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 0.5}], \"outputs\": [{\"name\": \"a\", \"operator\": "         \
    "{\"type\": "                                                                                                      \
    "\"ode1\", \"decay\": 1}, \"sensitivity\": [1], \"noise_variance\": 0.1}]}"

static void dated_model(void **state)
{
    (void)state;
    lf_model *model =
        parse_model(ctx, MODEL_OF("\"inputs\": [{\"name\": \"when\", \"unit\": \"h\", \"zero\": \"2020-03-01\"}], "));
    /* the file starts elsewhere, is long enough for days, and has its time in another column */
    lf_data *data =
        read_ok(TEXTS("id,a,when,other\n7,1,2020-02-29T12:00,5\n6,2,2021-03-01,6\n"), OPTIONS(.model = model));
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 2);
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 1);
    assert_string_equal(lf_axis_info(&data->axes[0]).unit, "h");
    assert_true(lf_data_row(data, 0).x[0] == -12 && lf_data_row(data, 1).x[0] == 8760);
    assert_true(lf_axis_info(&data->axes[0]).zero == lf_model_input(model, 0).zero);
    noted("not used, because the model has no such output: 'id', 'other'");
    lf_engine *engine;
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    lf_engine_free(engine);
    lf_data_free(data);
    data = read_ok(TEXTS("when,a\n1583024400,1\n"), OPTIONS(.model = model)); /* 2020-03-01T01:00Z */
    assert_true(lf_data_row(data, 0).x[0] == 1);
    lf_data_free(data);
    data = read_ok(TEXTS("when,a\n0,1\n90,2\n"), OPTIONS(.model = model, .time_in = "min"));
    assert_true(lf_data_row(data, 1).x[0] == 1.5); /* from the date of 0 on */
    lf_data_free(data);
    refused(TEXTS("when,a\n0,1\n"), OPTIONS(.model = model), LF_ERROR_DATA, "is a number, but the times are dates");
    refused(TEXTS("when,a\n2020-03-01T00:00Z,1\n"), OPTIONS(.model = model), LF_ERROR_DATA, "has a time zone");
    refused(TEXTS("when,a\n2020-03-01,1\n"), OPTIONS(.model = model, .time_unit = "d"), LF_ERROR_ARGUMENT,
            "--time-unit d: the times of the model are in h");
    /* read without the model, the same file counts from another date: engines refuse it */
    data = read_ok(TEXTS("when,a\n2020-02-29,1\n2020-02-29T12:00,2\n"), DEFAULTS);
    assert_string_equal(lf_axis_info(&data->axes[0]).unit, "h");
    assert_int_equal(lf_engine_create(ctx, model, data, NULL, &engine), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "lf_read_options.model"));
    lf_data_free(data);
    lf_model_free(model);
}

static void numeric_models(void **state)
{
    (void)state;
    lf_model *minutes = parse_model(
                 ctx, MODEL_OF("\"inputs\": [{\"name\": \"t\", \"unit\": \"h\", \"file_unit\": \"min\"}], ")),
             *plain = parse_model(ctx, MODEL_OF("")),
             *depth = parse_model(ctx, MODEL_OF("\"inputs\": [{\"unit\": \"m\"}], "));
    lf_data *data = read_ok(TEXTS("t,a\n90,1\n"), OPTIONS(.model = minutes));
    assert_true(lf_data_row(data, 0).x[0] == 1.5);
    lf_data_free(data);
    data = read_ok(TEXTS("output,t,y\na,90,1\n"), OPTIONS(.model = minutes));
    assert_true(lf_data_row(data, 0).x[0] == 1.5);
    lf_data_free(data);
    data = read_ok(TEXTS("t\n90\n"), OPTIONS(.model = minutes, .inputs_only = 1));
    assert_true(lf_data_row(data, 0).x[0] == 1.5);
    lf_data_free(data);
    data = read_ok(TEXTS("t,a\n5400,1\n"), OPTIONS(.model = minutes, .time_in = "s"));
    assert_true(lf_data_row(data, 0).x[0] == 1.5);
    lf_data_free(data);
    data = read_ok(TEXTS("t [s],a\n5400,1\n"), OPTIONS(.model = minutes)); /* the heading says it */
    assert_true(lf_data_row(data, 0).x[0] == 1.5);
    noted("the times are in s by their heading, and are converted to h, the unit of the model");
    lf_data_free(data);
    data = read_ok(TEXTS("t [h],a\n1.5,1\n"), OPTIONS(.model = minutes));
    assert_true(lf_data_row(data, 0).x[0] == 1.5);
    lf_data_free(data);
    data = read_ok(TEXTS("t [s],a\n90,1\n"), OPTIONS(.model = minutes, .time_in = "min")); /* options come first */
    assert_true(lf_data_row(data, 0).x[0] == 1.5);
    lf_data_free(data);
    refused(TEXTS("t [s],a\n5400,1\n", "t,a\n90,1\n"), OPTIONS(.model = minutes), LF_ERROR_DATA,
            "q.csv: the input 't' is in min, but in s in the files before it");
    refused(TEXTS("t,a\n2020-01-01,1\n"), OPTIONS(.model = minutes), LF_ERROR_DATA,
            "is a date, but the times are numbers");
    refused(TEXTS("t,a\n2020-01-01,1\n"), OPTIONS(.model = plain), LF_ERROR_DATA,
            "is a date, but the times are numbers");
    refused(TEXTS("t,a\n1,1\n"), OPTIONS(.model = plain, .time_in = "h"), LF_ERROR_ARGUMENT,
            "--time-in h: the model has no unit of time");
    refused(TEXTS("z [cm],a\n1,1\n"), OPTIONS(.model = depth), LF_ERROR_DATA,
            "p.csv: the input 'z' is in cm, but in m in the model");
    data = read_ok(TEXTS("z [m],a\n1,1\n"), OPTIONS(.model = depth));
    lf_data_free(data);
    data = read_ok(TEXTS("t,b,c\n1,2,3\n"),
                   OPTIONS(.model = plain)); /* none is an output of the model: the engine says so */
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 2);
    lf_data_free(data);
    data = read_ok(TEXTS("t,c,a\n1,2,3\n"), OPTIONS(.model = plain, .outputs = "c")); /* asked for by name */
    check_row(data, 0, "c", NULL, 1, 2);
    lf_data_free(data);
    lf_model_free(minutes);
    lf_model_free(plain);
    lf_model_free(depth);
}

/* ---- options ---- */

static void columns_by_option(void **state)
{
    (void)state;
    lf_data *data = read_ok(TEXTS("n,c,a,b\n7,2,3,4\n5,3,5,6\n"), OPTIONS(.time = "c", .drop = "n"));
    check_row(data, 0, "a", NULL, 2, 3);
    check_row(data, 3, "b", NULL, 3, 6);
    lf_data_free(data);
    data = read_ok(TEXTS("t,\"a,b\",c\n7,2,3\n"), OPTIONS(.outputs = "\"a,b\""));
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 1);
    check_row(data, 0, "a,b", NULL, 7, 2);
    lf_data_free(data);
    data = read_ok(TEXTS("t,T [K],c\n7,2,3\n"), OPTIONS(.outputs = "T [K]"));
    check_row(data, 0, "T", NULL, 7, 2);
    lf_data_free(data);
    data = read_ok(TEXTS("lon,lat,a,b\n1,2,3,4\n"), OPTIONS(.x = "lat,lon"));
    assert_int_equal((int)lf_data_count(data, LF_KIND_INPUT), 2);
    assert_true(lf_data_row(data, 0).x[0] == 2 && lf_data_row(data, 0).x[1] == 1);
    lf_data_free(data);
    data = read_ok(TEXTS("sensor,when,reading,note\nu,1,2,x\nv,1,3,y\n"),
                   OPTIONS(.output_column = "sensor", .value_column = "reading"));
    check_row(data, 1, "v", NULL, 1, 3);
    noted("the column 'note' is not used");
    lf_data_free(data);
    data = read_ok(TEXTS("output,x,y\na,1,2\nb,1,3\nc,1,4\n"), OPTIONS(.outputs = "a,c"));
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 2);
    check_row(data, 1, "c", NULL, 1, 4);
    lf_data_free(data);
    data = read_ok(TEXTS("output,x,y\na,1,2\nb,1,3\nc,1,4\n"), OPTIONS(.drop = "a"));
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 2);
    check_row(data, 0, "b", NULL, 1, 3);
    lf_data_free(data);
    data = read_ok(TEXTS("t,a,a.sd,b,b±\n1,2,0.5,3,\n2,4,,5,0.25\n"), DEFAULTS);
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 2);
    assert_true(lf_data_row(data, 0).sd == 0.5 && lf_data_row(data, 1).sd == 0 && lf_data_row(data, 3).sd == 0.25);
    lf_data_free(data);
    data = read_ok(TEXTS("t,a,a.sd,b\n1,2,0.5,3\n"), OPTIONS(.drop = "a")); /* its errors leave with it */
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 1);
    check_row(data, 0, "b", NULL, 1, 3);
    lf_data_free(data);
    data = read_ok(TEXTS("date,time,a\n2020-01-01,10:00,1\n2020-01-01,11:30,2\n"), DEFAULTS);
    assert_true(lf_data_row(data, 1).x[0] - lf_data_row(data, 0).x[0] == 90); /* minutes */
    lf_data_free(data);
    data = read_ok(TEXTS(",t,a\n0,5,1\n1,6,2\n2,7,4\n"), DEFAULTS); /* the index of pandas */
    check_row(data, 0, "a", NULL, 5, 1);
    noted("the first column counts the rows and is not used");
    lf_data_free(data);
}

static void separators(void **state)
{
    (void)state;
    static const struct {
        const char *text, *separator, *decimal, *note;
    } rows[] = {{"t,a\n0,1.5\n1,2\n", NULL, NULL, "output a"},
                {"t;a\n0;1.5\n1;2\n", NULL, NULL, "; separated by semicolons"},
                {"t;a\n0;1,5\n1;2\n", NULL, NULL, "; separated by semicolons; decimal commas"},
                {"t\ta\n0\t1.5\n1\t2\n", NULL, NULL, "; separated by tabs"},
                {"t|a\n0|1.5\n1|2\n", NULL, NULL, "; separated by |"},
                {"t  a\n 0  1.5\n1 2\n", NULL, NULL, "; separated by spaces"},
                {"t,a\n0,\"1,5\"\n1,\"2,0\"\n", NULL, NULL, "; decimal commas"},
                {"t:a\n0:1.5\n1:2\n", ":", NULL, "; separated by :"},
                {"t;a\n0;1,500\n1;2,000\n", "semicolon", ",", "; separated by semicolons; decimal commas"},
                {"t;a;\n0;1.5;\n1;2;\n", NULL, NULL, "; separated by semicolons"}, /* trailing separators */
                {"t,a\n0,1.5,\n1,2,\n", NULL, NULL, "output a"},
                {"# a remark\nt,a\n# another, with a comma\n0,1.5\n1,2\n", NULL, NULL, "output a"},
                {"# t,a\n0,1.5\n1,2\n", NULL, NULL, "output a"}, /* the heading in a comment */
                {"\xef\xbb\xbft,a\r\n0,1.5\r\n1,2\r\n,\r\n", NULL, NULL, "output a"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lf_data *data =
            read_ok(TEXTS(rows[i].text), OPTIONS(.separator = rows[i].separator, .decimal = rows[i].decimal));
        assert_int_equal(lf_data_count(data, LF_KIND_ROW), 2);
        check_row(data, 0, "a", NULL, 0, 1.5);
        check_row(data, 1, "a", NULL, 1, 2);
        noted(rows[i].note);
        lf_data_free(data);
    }
    lf_data *data = read_ok(TEXTS("t,P(A|B)\n0,1\n1,2\n"), DEFAULTS); /* a name with the mark of another separator */
    check_row(data, 0, "P(A|B)", NULL, 0, 1);
    lf_data_free(data);
    data = read_ok(TEXTS("t,a;b,c\n0,1,3\n1,2,4\n"), DEFAULTS);
    check_row(data, 0, "a;b", NULL, 0, 1);
    lf_data_free(data);
    refused(TEXTS("t;a;b\n0;1,5;1.5\n"), DEFAULTS, LF_ERROR_DATA,
            "p.csv:2: '1,5' has a decimal comma, but other cells");
    refused(TEXTS("t,a\n0,\"1,500\"\n"), DEFAULTS, LF_ERROR_DATA,
            "may have a decimal comma or a separator of thousands");
    refused(TEXTS("0,1\n1,2\n"), DEFAULTS, LF_ERROR_DATA, "p.csv:1: the file has no header: its first line is 0, 1.");
    refused(TEXTS("{\"format\": \"latentforce-model\"}\n"), DEFAULTS, LF_ERROR_DATA, "the file is JSON, not a table");
    refused(TEXTS("<html>\n"), DEFAULTS, LF_ERROR_DATA, "the file is HTML or XML");
}

static void wrong_options(void **state)
{
    (void)state;
    static const char wide[] = "t,a,b\n0,1,2\n1,3,4\n", lengthy[] = "output,x,y\na,0,1\nb,1,2\n";
    const lf_status argument = LF_ERROR_ARGUMENT;
    const struct {
        const char *text;
        lf_read_options options;
        lf_status status;
        const char *message;
    } rows[] = {
        {wide, OPTIONS(.time = "when"), LF_ERROR_DATA,
         "p.csv:1: --time 'when': there is no such column; the columns are t, a, b"},
        {wide, OPTIONS(.time = ""), LF_ERROR_DATA, "--time"},
        {wide, OPTIONS(.x = "t,when"), LF_ERROR_DATA, "--x 'when': there is no such column"},
        {wide, OPTIONS(.x = "t,t"), LF_ERROR_DATA, "--x names the column 't' twice"},
        {wide, OPTIONS(.x = "t,a,b,t"), LF_ERROR_DATA, "--x names the column 't' twice"},
        {wide, OPTIONS(.x = "t,a,b,when"), LF_ERROR_DATA, "--x 'when': there is no such column"},
        {wide, OPTIONS(.x = "t,a,b"), LF_ERROR_DATA, "no column is left for an output"},
        {wide, OPTIONS(.x = "t,,a"), argument, "--x 't,,a': a name is empty"},
        {wide, OPTIONS(.x = ""), argument, "--x '': a name is empty"},
        {wide, OPTIONS(.x = "\"t"), LF_ERROR_DATA, "--x:1: the quote"},
        {wide, OPTIONS(.x = "t", .time = "t"), argument, "give either --time or --x, not both"},
        {wide, OPTIONS(.outputs = "c"), LF_ERROR_DATA, "--outputs 'c': there is no such column"},
        {wide, OPTIONS(.outputs = "t"), LF_ERROR_DATA, "--outputs: 't' is the column of the time"},
        {wide, OPTIONS(.outputs = ","), argument, "--outputs ',': a name is empty"},
        {lengthy, OPTIONS(.outputs = "c"), LF_ERROR_DATA, ""},
        {lengthy, OPTIONS(.outputs = "a,c"), LF_ERROR_DATA,
         "--outputs 'c': there is no such output; the outputs are a, b"},
        {wide, OPTIONS(.drop = "c"), LF_ERROR_DATA, "--drop 'c': there is no such column"},
        {wide, OPTIONS(.drop = "a,b"), LF_ERROR_DATA, "no column is left for an output"},
        {wide, OPTIONS(.drop = "t,a,b"), LF_ERROR_DATA, "no column is left for the time"},
        {wide, OPTIONS(.output_column = "name"), LF_ERROR_DATA, "--output-column 'name': there is no such column"},
        {wide, OPTIONS(.output_column = "a", .value_column = "y"), LF_ERROR_DATA,
         "--value-column 'y': there is no such column"},
        {wide, OPTIONS(.value_column = "b"), LF_ERROR_DATA, "--value-column is for files with a column of names"},
        {wide, OPTIONS(.output_column = "a"), LF_ERROR_DATA,
         "the header has no column y; name the column of the values"},
        {wide, OPTIONS(.separator = ""), argument, "--separator '': expected comma"},
        {wide, OPTIONS(.separator = "commas"), argument, "--separator 'commas': expected comma"},
        {wide, OPTIONS(.separator = "#"), argument, "--separator '#'"},
        {wide, OPTIONS(.separator = "5"), argument, "--separator '5'"},
        {wide, OPTIONS(.separator = "\""), argument, "--separator '\"'"},
        {wide, OPTIONS(.separator = "semicolon"), LF_ERROR_DATA, "no column is left for an output"},
        {wide, OPTIONS(.decimal = ""), argument, "--decimal '': expected , (comma) or . (point)"},
        {wide, OPTIONS(.decimal = ";"), argument, "--decimal ';'"},
        {wide, OPTIONS(.missing = "a,,b"), argument, "--missing 'a,,b': a name is empty"},
        {wide, OPTIONS(.time_in = "weeks"), argument, "--time-in 'weeks': expected ms, s, min, h, d or a"},
        {wide, OPTIONS(.time_in = "e"), argument, "--time-in 'e': expected ms, s, min, h, d or a"},
        {wide, OPTIONS(.time_in = "epoch number"), argument, "--time-in 'epoch number'"},
        {wide, OPTIONS(.time_in = ""), argument, "--time-in ''"},
        {wide, OPTIONS(.time_unit = "number"), argument, "--time-unit 'number': expected ms, s, min, h, d or a"},
        {wide, OPTIONS(.time_unit = ""), argument, "--time-unit ''"},
        {wide, OPTIONS(.time_unit = "h"), argument, "--time-unit h: the times are numbers of unknown unit"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_refused((int)i, TEXTS(rows[i].text), rows[i].options, rows[i].status, rows[i].message);
        assert_true(strlen(lf_context_message(ctx)) > 0);
    }
    lf_data *data;
    lf_read_options small = {.size = 1};
    assert_int_equal(lf_data_read(ctx, path[0], &small, &data), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "lf_read_options.size is 1; set it to sizeof(lf_read_options)");
    /* a program built against fewer options */
    lf_read_options older = {.size = offsetof(lf_read_options, model), .time = "nonsense"};
    assert_ok(ctx, lf_data_read(ctx, path[0], &older, &data));
    lf_data_free(data);
}

/* Names of any length in the list of columns that a message shows. */
static void messages_hold_any_names(void **state)
{
    (void)state;
    char text[4000];
    for (int length = 1; length <= 81; length += 2) {
        size_t used = 0;
        for (int column = 0; column < 12; column++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%c", column ? "," : "", 'a' + column);
            for (int i = 1; i < length; i++) {
                text[used++] = i % 2 ? (char)0xc3 : (char)0xa9; /* é */
            }
        }
        snprintf(text + used, sizeof text - used, "\n1,2,3,4,5,6,7,8,9,10,11,12\n");
        refused(TEXTS(text), OPTIONS(.time = "when"), LF_ERROR_DATA,
                "--time 'when': there is no such column; the columns are a");
    }
}

/* ---- notes ---- */

static void line_of_what_was_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *note;
    } rows[] = {{"time [h],a,b [K]\n0,1,2\n1,3,\n2,4,5\n",
                 "read 3 rows: time (h, 0 to 2, step 1 h), outputs a, b [K]; 1 missing"},
                {"output,x,y,split\na,0,1,\na,1,2,test\na,2,4,test\n",
                 "read 3 rows: x (0 to 2, step 1), output a; 2 values marked test"},
                {"when,a\n2019-12-23T10:00,1\n2019-12-23T11:00,2\n2020-01-22T00:00,4\n",
                 "read 3 rows: when (h, 2019-12-23 to 2020-01-22, step about 29.5417 d), output a"},
                {"when,a\n2019-12-23T10:00,1\n2019-12-23T11:00,2\n2019-12-23T12:00,4\n",
                 "read 3 rows: when (min, 2019-12-23T10:00:00 to 2019-12-23T12:00:00, step 1 h), output a"},
                {"t,a\n5,1\n", "read 1 row: t (only 5), output a"},
                {"output,x1,x2,y,replicate\na,0,1,1,u\na,2,5,2,v\n",
                 "read 2 rows: inputs x1 (0 to 2), x2 (1 to 5), output a, 2 replicates"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lf_data *data = read_ok(TEXTS(rows[i].text), DEFAULTS);
        only_noted(rows[i].note);
        lf_data_free(data);
    }
    lf_data *data = read_ok(TEXTS("x,a,b,c,d,e,f,g,h,i\n0,1,2,3,4,5,6,7,8,9\n"), DEFAULTS);
    noted("outputs a, b, c, d, e, f, g, h, … (9 in all)");
    lf_data_free(data);
}

static void warnings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *note;
    } rows[] = {
        {"t,a,b\n0,5,1\n1,5,2\n2,5,3\n", "warning: %s: 'a' is constant (5 in all 3 rows); --drop leaves it out"},
        {"output,x,y\na,0,1\na,1,2\na,0,1\n", "warning: %s: 1 value repeats an earlier row in time, output and value; "
                                              "each is counted as a measurement of its own"},
        {"t,a\n0,1\n1,2\n1,2\n0,1\n", "warning: %s: 2 values repeat an earlier row"},
        {"t,a\n0,20\n1,-999\n2,21\n3,22\n",
         "warning: %s: 'a' has values of -999, far from all others (20 to 22); if they stand for missing values, give "
         "--missing -999"},
        {"t,a\n0,20\n1,9999\n2,21\n3,22\n", "warning: %s: 'a' has values of 9999, far from all others (20 to 22)"},
        {"t,a\n0,20\n1,1e30\n2,21\n3,22\n", "warning: %s: 'a' has values of 1e+30"},
        {"t,a\n0,1\n2,2\n1,3\n", "%s: rows are not in the order of time (first at 1); they are used all the same"},
        {"t,a\n2020-01-02,1\n2020-01-01,2\n", "%s: rows are not in the order of time (first at 2020-01-01)"},
        {"t,a\n0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n6,7\n7,8\n8,9\n9,8\n10,7\n11,6\n50,5\n51,1\n",
         "%s: 1 gap without any row; the widest is 39, from 11 to 50"},
        {"t,a,b\n0,1,\n1,2,\n", "%s: 'b' has no values and is not used"},
        {"t,a,b\n0,1,x\n1,2,y\n", "%s:2: the column 'b' contains text ('x') and is not used"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char note[1000];
        const char *rest = strstr(rows[i].note, "%s");
        lf_data *data = read_ok(TEXTS(rows[i].text), DEFAULTS);
        snprintf(note, sizeof note, "%.*s%s%s", (int)(rest - rows[i].note), rows[i].note, path[0], rest + 2);
        check_noted((int)i, note);
        lf_data_free(data);
    }
    static const char *const quiet[] = {"t,a\n0,1\n1,2\n2,3\n3,5\n", "t,a\n0,999\n1,1000\n2,1001\n",
                                        "output,x,y\na,0,1\nb,0,1\na,1,2\nb,1,2\n", "t,a\n0,-9\n1,-5\n2,3\n"};
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        lf_data *data = read_ok(TEXTS(quiet[i]), DEFAULTS);
        assert_int_equal(note_count, 1); /* nothing looks wrong */
        lf_data_free(data);
    }
    lf_data *data = read_ok(TEXTS("t,a,b,c,d,e,f\n0,1,1,1,1,1,1\n1,1,1,1,1,1,1\n"), DEFAULTS);
    noted("the same holds for more outputs: 6 are constant, 0 have values far from others");
    lf_data_free(data);
    refused(TEXTS("t,kind,a\n0,x,1\n0,y,2\n1,x,3\n1,y,4\n"), DEFAULTS, LF_ERROR_DATA,
            "times repeat, and the column 'kind' contains text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_files),
        cmocka_unit_test(files_that_do_not_fit),
        cmocka_unit_test(units_stay_with_their_outputs),
        cmocka_unit_test(units_of_headings),
        cmocka_unit_test(units_of_spans),
        cmocka_unit_test(dated_model),
        cmocka_unit_test(numeric_models),
        cmocka_unit_test(columns_by_option),
        cmocka_unit_test(separators),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(messages_hold_any_names),
        cmocka_unit_test(line_of_what_was_read),
        cmocka_unit_test(warnings),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
