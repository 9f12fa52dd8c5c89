/* Axes: units of time, texts to numbers and back, and what is refused. Dates are compared with the calendar of the C library. */
#define _GNU_SOURCE /* timegm */
#include "support.h"

#include <time.h>

#include "base/axis.h"
#include "base/number.h"

static lf_axis dated(const char *unit, const char *zero)
{
    lf_axis axis = {.unit = (char *)unit};
    lf_timestamp stamp;
    assert_int_equal(lf_parse_timestamp(zero, strlen(zero), &stamp), LF_TIMESTAMP);
    lf_axis_set_zero(&axis, &stamp);
    return axis;
}

static double value_of(const lf_axis *axis, const char *text)
{
    double x = (double)NAN;
    const char *problem = lf_axis_parse(axis, text, strlen(text), &x);
    if (problem) {
        fail_msg("'%s' %s", text, problem);
    }
    return x;
}

static void refused(const lf_axis *axis, const char *text, const char *problem)
{
    double x;
    const char *found = lf_axis_parse(axis, text, strlen(text), &x);
    if (!found || !strstr(found, problem)) {
        fail_msg("'%s': %s", text, found ? found : "was read");
    }
}

static void units_of_time(void **state)
{
    (void)state;
    static const struct {
        const char *word, *unit;
    } words[] = {{"s", "s"},      {"sec", "s"}, {"Seconds", "s"}, {"min", "min"}, {"minutes", "min"},
                 {"h", "h"},      {"H", "h"},   {"hr", "h"},      {"hours", "h"}, {"d", "d"},
                 {"Days", "d"},   {"ms", "ms"}, {"us", NULL},     {"m", NULL},    {"week", NULL},
                 {"", NULL},      {"h ", NULL}, {"hourss", NULL}, {"°C", NULL},   {"minute", "min"},
                 {"second", "s"}, {"day", "d"}, {"hour", "h"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *unit = lf_time_unit(words[i].word);
        assert_string_equal(unit ? unit : "none", words[i].unit ? words[i].unit : "none");
    }
    assert_null(lf_time_unit(NULL));
    assert_true(lf_unit_seconds("s") == 1 && lf_unit_seconds("min") == 60 && lf_unit_seconds("h") == 3600);
    assert_true(lf_unit_seconds("d") == 86400 && lf_unit_seconds("hours") == 0 && lf_unit_seconds(NULL) == 0);
}

/* Microseconds over decades, in every unit and zone: text to number against timegm, number to text and back. */
static void dates_in_every_unit(void **state)
{
    (void)state;
    static const char *const units[] = {"s", "min", "h", "d"};
    static const char *const zeros[] = {"1970-01-01", "2019-12-23T00:00:00", "1999-12-31T23:59:59Z",
                                        "2024-02-29T12:00:00+05:45"};
    static const int zones[] = {0, 0, 0, 20700};
    lf_random random;
    lf_random_seed(&random, 5);
    for (int form = 0; form < 16; form++) {
        lf_axis axis = dated(units[form / 4], zeros[form % 4]);
        double seconds = lf_unit_seconds(axis.unit);
        for (int i = 0; i < 2000; i++) {
            struct tm tm = {.tm_year = 60 + (int)(lf_random_bits(&random) % 120),
                            .tm_mon = (int)(lf_random_bits(&random) % 12),
                            .tm_mday = 1 + (int)(lf_random_bits(&random) % 28),
                            .tm_hour = (int)(lf_random_bits(&random) % 24),
                            .tm_min = (int)(lf_random_bits(&random) % 60),
                            .tm_sec = (int)(lf_random_bits(&random) % 60)};
            int micro = (int)(lf_random_bits(&random) % 1000000);
            char text[64], again[LF_TIMESTAMP_SIZE];
            size_t used = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
            snprintf(text + used, sizeof text - used, ".%06d%s", micro,
                     form % 4 == 2   ? "Z"
                     : form % 4 == 3 ? "+05:45"
                                     : "");
            double exact = (double)((int64_t)timegm(&tm) - zones[form % 4] - axis.zero);
            double x = value_of(&axis, text), shifted = x * seconds - exact;
            assert_near(shifted, micro * 1e-6, 1e-6); /* below a microsecond */
            lf_axis_format(&axis, x, again);
            assert_near((value_of(&axis, again) - x) * seconds, 0, 1.5e-6);
            /* whole seconds come back as the same text */
            snprintf(text + used, sizeof text - used, "%s", form % 4 == 2 ? "Z" : form % 4 == 3 ? "+05:45" : "");
            lf_axis_format(&axis, value_of(&axis, text), again);
            size_t length = strlen(again);
            if (length == 10) { /* an axis of dates alone writes midnight so */
                strcpy(again + length, "T00:00:00");
            }
            assert_string_equal(again, text);
        }
    }
}

static void zones(void **state)
{
    (void)state;
    lf_axis utc = dated("h", "2020-06-01T00:00:00Z"), plain = dated("h", "2020-06-01"),
            india = dated("h", "2020-06-01T00:00:00+05:30");
    char text[LF_TIMESTAMP_SIZE];
    assert_true(value_of(&utc, "2020-06-01T12:00Z") == 12);
    assert_true(value_of(&utc, "2020-06-01T12:00+02:00") == 10); /* another offset is the same clock */
    assert_true(value_of(&utc, "2020-06-01T12:00-03:30") == 15.5);
    assert_true(value_of(&india, "2020-06-01T12:00+05:30") == 12);
    assert_true(value_of(&india, "2020-06-01T12:00Z") == 17.5);
    assert_true(value_of(&india, "2020-06-02") == 24); /* a date alone is midnight on the clock that is shown */
    assert_true(value_of(&plain, "2020-06-02") == 24);
    lf_axis_format(&india, 12, text);
    assert_string_equal(text, "2020-06-01T12:00:00+05:30");
    lf_axis_format(&plain, 24, text);
    assert_string_equal(text, "2020-06-02");
    refused(&utc, "2020-06-01T12:00", "has no time zone");
    refused(&plain, "2020-06-01T12:00Z", "has a time zone, but the other times have none");
    refused(&plain, "2020-06-31", "not a date that exists");
    refused(&plain, "2020-06-01T12", "not a date that exists");
    refused(&plain, "12", "is a number, but the times are dates");
    refused(&plain, "noon", "is not a date in the form");
    refused(&plain, "", "is not a date in the form");
    assert_true(lf_axis_info(&india).zero == lf_axis_info(&plain).zero); /* both on the clock of the dates */
    assert_true(lf_axis_info(&india).dated && lf_axis_info(&india).seconds == 3600);
}

static void numbers(void **state)
{
    (void)state;
    lf_axis none = {0}, depth = {.name = (char *)"depth", .unit = (char *)"m"};
    lf_axis hours = {.unit = (char *)"h", .file_unit = (char *)"min"},
            days = {.unit = (char *)"d", .file_unit = (char *)"s"};
    assert_true(value_of(&none, "-2.5e3") == -2500);
    assert_true(value_of(&depth, "0.1") == 0.1 && lf_axis_factor(&depth) == 1);
    assert_true(value_of(&hours, "90") == 1.5);
    assert_true(value_of(&days, "43200") == 0.5);
    refused(&none, "2020-01-01", "is a date, but the times are numbers");
    refused(&hours, "2020-01-01T10:00", "is a date, but the times are numbers");
    refused(&none, "nan", "is not a finite number");
    refused(&none, "1e999", "is not a finite number");
    refused(&none, "1 h", "is not a finite number");
    lf_random random;
    lf_random_seed(&random, 6);
    for (int i = 0; i < 20000; i++) {
        char text[LF_TIMESTAMP_SIZE];
        double x = any_double(&random);
        lf_axis_format(&none, x, text);
        assert_true(value_of(&none, text) == x);
        x = uniform_between(&random, -1e6, 1e6);
        lf_axis_format(&hours, x, text);
        assert_near(value_of(&hours, text), x, 1e-13 * fabs(x));
        double seconds = (double)(int)uniform_between(&random, -1e8, 1e8); /* whole numbers stay whole */
        char whole[32];
        snprintf(whole, sizeof whole, "%.14g", seconds);
        lf_axis_format(&days, value_of(&days, whole), text);
        assert_string_equal(text, whole);
    }
    assert_false(lf_axis_is_known(&none));
    assert_true(lf_axis_is_known(&depth) && lf_axis_is_known(&hours));
    assert_string_equal(lf_axis_info(&hours).file_unit, "min");
    assert_string_equal(lf_axis_info(&depth).file_unit, "m");
    assert_true(lf_axis_info(&depth).seconds == 0 && lf_axis_info(&depth).scale == 1);
}

/* Seconds and milliseconds since 1970 on an axis of dates. */
static void epochs(void **state)
{
    (void)state;
    lf_axis utc = dated("h", "2020-01-01T00:00:00Z"), counted = dated("h", "2020-01-01T00:00:00Z");
    counted.file_unit = (char *)"min";
    assert_true(value_of(&utc, "1577836800") == 0);
    assert_true(value_of(&utc, "1577840400") == 1);
    assert_near(value_of(&utc, "1577840400.5"), 1 + 0.5 / 3600, 1e-9);
    assert_true(value_of(&utc, "1577840400000") == 1);
    assert_true(value_of(&counted, "1577840400") == 1);
    assert_true(value_of(&counted, "90") == 1.5); /* from the date of 0 on */
    assert_true(value_of(&counted, "2020-01-01T02:00Z") == 2);
    refused(&utc, "90", "is a number, but the times are dates");
    refused(&utc, "978307199", "is a number");
    assert_true(lf_epoch_divisor(978307200) == 1 && lf_epoch_divisor(4102444799.0) == 1);
    assert_true(lf_epoch_divisor(978307200e3) == 1000 && lf_epoch_divisor(4102444800.0) == 0);
    assert_true(lf_epoch_divisor(-1) == 0 && lf_epoch_divisor((double)NAN) == 0 && lf_epoch_divisor(1e300) == 0);
    assert_true(lf_epoch_divisor(1577836800e6) == 1e6 && lf_epoch_divisor(1577836800e9) == 1e9);
    assert_true(lf_epoch_divisor(1577836800e12) == 0);
}

static void headings(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int k, p;
        const char *heading;
    } rows[] = {{"when", 0, 1, "when"}, {NULL, 0, 1, "x"},     {NULL, 1, 3, "x2"},      {"when", 0, 2, "x1"},
                {"y", 0, 1, "x"},       {"split", 2, 3, "x3"}, {"sample1", 0, 1, "x"},  {"mean", 0, 1, "x"},
                {"output", 0, 2, "x1"}, {"Y", 0, 1, "Y"},      {"replicate", 0, 1, "x"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lf_axis axis = {.name = (char *)rows[i].name};
        char text[16];
        lf_axis_heading(&axis, rows[i].k, rows[i].p, sizeof text, text);
        assert_string_equal(text, rows[i].heading);
    }
    lf_axis axis = {.name = (char *)"a long name of an input"};
    char small[8];
    lf_axis_heading(&axis, 0, 1, sizeof small, small);
    assert_string_equal(small, "a long ");
}

static void copies(void **state)
{
    (void)state;
    lf_axis from[2] = {dated("h", "2020-01-01T10:00:00+01:00"), {.name = (char *)"depth", .unit = (char *)"m"}};
    from[0].file_unit = (char *)"s";
    lf_axis *copy = lf_axes_copy(from, 2);
    assert_non_null(copy);
    assert_ptr_not_equal(copy[1].name, from[1].name);
    assert_string_equal(copy[1].name, "depth");
    assert_string_equal(copy[0].file_unit, "s");
    assert_true(copy[0].zero == from[0].zero && copy[0].zone == 3600 && copy[0].dated && copy[0].zoned);
    assert_null(copy[0].name);
    lf_axes_free(copy, 2);
    lf_axes_free(NULL, 2);
}

static void messages(void **state)
{
    lf_context *ctx = *state;
    lf_axis axis = dated("h", "2020-01-01");
    double x;
    assert_int_equal(lf_axis_parse_text(ctx, &axis, "tomorrow", &x), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "'tomorrow' is not a date in the form 2019-12-23T10:00:00");
    assert_ok(ctx, lf_axis_parse_text(ctx, &axis, "2020-01-01 10:30", &x));
    assert_true(x == 10.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_time), cmocka_unit_test(dates_in_every_unit),
        cmocka_unit_test(zones),         cmocka_unit_test(numbers),
        cmocka_unit_test(epochs),        cmocka_unit_test(headings),
        cmocka_unit_test(copies),        cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
