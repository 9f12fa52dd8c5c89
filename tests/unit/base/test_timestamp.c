/* Timestamps against the calendar of the C library: reading, writing, round trips, and texts that are none. */
#define _GNU_SOURCE /* timegm */
#include "support.h"

#include <time.h>

#include "base/date_text.h"

static lf_timestamp parse(const char *text)
{
    lf_timestamp stamp;
    if (lf_parse_timestamp(text, strlen(text), &stamp) != LF_TIMESTAMP) {
        fail_msg("'%s' was not read", text);
    }
    return stamp;
}

static int64_t calendar(int year, int month, int day, int hour, int minute, int second)
{
    struct tm tm = {.tm_year = year - 1900,
                    .tm_mon = month - 1,
                    .tm_mday = day,
                    .tm_hour = hour,
                    .tm_min = minute,
                    .tm_sec = second};
    return (int64_t)timegm(&tm);
}

/* Text of an instant by the C library. */
static void print_calendar(int64_t seconds, char text[64])
{
    time_t at = (time_t)seconds;
    struct tm tm;
    assert_non_null(gmtime_r(&at, &tm));
    assert_true(strftime(text, 64, "%Y-%m-%dT%H:%M:%S", &tm) > 0);
}

static void check_instant(int64_t seconds)
{
    char expected[64], found[LF_TIMESTAMP_SIZE];
    print_calendar(seconds, expected);
    lf_timestamp stamp = parse(expected);
    assert_true(stamp.seconds == seconds && stamp.fraction == 0);
    assert_true(stamp.has_time && !stamp.zoned && stamp.zone == 0);
    lf_format_timestamp(seconds, 0, 0, 0, 0, found);
    assert_string_equal(found, expected);
    lf_format_timestamp(0, (double)seconds, 0, 0, 0, found);
    assert_string_equal(found, expected);
}

static void agrees_with_the_c_library(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 3);
    double low = (double)calendar(1600, 1, 1, 0, 0, 0), high = (double)calendar(2400, 12, 31, 23, 59, 59);
    for (int i = 0; i < 20000; i++) {
        check_instant((int64_t)uniform_between(&random, low, high));
    }
    /* a second before and after every month, leap days among them */
    for (int year = 1600; year <= 2400; year++) {
        for (int month = 1; month <= 12; month++) {
            int64_t start = calendar(year, month, 1, 0, 0, 0);
            for (int64_t around = -1; around <= 1; around++) {
                check_instant(start + around);
            }
        }
        check_instant(calendar(year, 2, 28, 23, 59, 59) + 1);
    }
    check_instant(0);
    check_instant(-1);
}

/* Every day of 800 years exists, and no other day of the same months. */
static void days_that_exist(void **state)
{
    (void)state;
    for (int year = 1600; year <= 2400; year++) {
        for (int month = 1; month <= 12; month++) {
            for (int day = 26; day <= 33; day++) {
                char text[64];
                int64_t seconds = calendar(year, month, day, 0, 0, 0);
                time_t at = (time_t)seconds;
                struct tm tm;
                gmtime_r(&at, &tm);
                snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
                lf_timestamp stamp;
                lf_timestamp_kind kind = lf_parse_timestamp(text, strlen(text), &stamp);
                assert_int_equal(kind, tm.tm_mday == day ? LF_TIMESTAMP : LF_BAD_TIMESTAMP);
                if (kind == LF_TIMESTAMP) {
                    assert_true(stamp.seconds == seconds && !stamp.has_time);
                }
            }
        }
    }
}

static void forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int hour, minute, second;
        double fraction;
        int has_time, zoned, zone;
    } rows[] = {{"2020-02-29", 0, 0, 0, 0, 0, 0, 0},
                {"2020/02/29", 0, 0, 0, 0, 0, 0, 0},
                {"2020-02-29T10:20", 10, 20, 0, 0, 1, 0, 0},
                {"2020-02-29t10:20", 10, 20, 0, 0, 1, 0, 0},
                {"2020-02-29 10:20", 10, 20, 0, 0, 1, 0, 0},
                {"2020-02-29  10:20", 10, 20, 0, 0, 1, 0, 0},
                {"2020/02/29 10:20:30", 10, 20, 30, 0, 1, 0, 0},
                {"2020-02-29T10:20:30.25", 10, 20, 30, 0.25, 1, 0, 0},
                {"2020-02-29T10:20:30,5", 10, 20, 30, 0.5, 1, 0, 0},
                {"2020-02-29T10:20:30.000001", 10, 20, 30, 1e-6, 1, 0, 0},
                {"2020-02-29T10:20:30.123456789012345678901234567890", 10, 20, 30, 0.12345678901234568, 1, 0, 0},
                {"2020-02-29T10:20Z", 10, 20, 0, 0, 1, 1, 0},
                {"2020-02-29T10:20z", 10, 20, 0, 0, 1, 1, 0},
                {"2020-02-29T10:20:30Z", 10, 20, 30, 0, 1, 1, 0},
                {"2020-02-29T10:20:30 Z", 10, 20, 30, 0, 1, 1, 0},
                {"2020-02-29T10:20:30.5+01:00", 10, 20, 30, 0.5, 1, 1, 3600},
                {"2020-02-29 10:20:30 +0100", 10, 20, 30, 0, 1, 1, 3600},
                {"2020-02-29T10:20:30+01", 10, 20, 30, 0, 1, 1, 3600},
                {"2020-02-29T10:20:30-09:30", 10, 20, 30, 0, 1, 1, -34200},
                {"2020-02-29T10:20:30+05:45", 10, 20, 30, 0, 1, 1, 20700},
                {"2020-02-29T10:20:30-00:00", 10, 20, 30, 0, 1, 1, 0},
                {"2020-02-29T00:00", 0, 0, 0, 0, 1, 0, 0},
                {"2020-02-29T24:00", 24, 0, 0, 0, 1, 0, 0}, /* the end of the day */
                {"2020-02-29T24:00:00.000Z", 24, 0, 0, 0, 1, 1, 0},
                {"2020-02-29T23:59:60", 23, 59, 60, 0, 1, 0, 0}, /* a leap second: the first of the next day */
                {"2020-02-29T12:30:60.5Z", 12, 30, 60, 0.5, 1, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lf_timestamp stamp = parse(rows[i].text);
        if (stamp.seconds != calendar(2020, 2, 29, rows[i].hour, rows[i].minute, rows[i].second)) {
            fail_msg("%s is %lld", rows[i].text, (long long)stamp.seconds);
        }
        assert_near(stamp.fraction, rows[i].fraction, 1e-15);
        assert_int_equal(stamp.has_time, rows[i].has_time);
        assert_int_equal(stamp.zoned, rows[i].zoned);
        assert_int_equal(stamp.zone, rows[i].zone);
    }
    assert_true(parse("2019-12-31T24:00").seconds == calendar(2020, 1, 1, 0, 0, 0));
    assert_true(parse("2016-12-31T23:59:60Z").seconds == calendar(2017, 1, 1, 0, 0, 0));
    /* as many nines as a double cannot hold are almost a second, not none */
    lf_timestamp nines = parse("2020-01-01T00:00:00.99999999999999999999999999");
    assert_true(nines.fraction < 1);
    assert_near((double)(nines.seconds - calendar(2020, 1, 1, 0, 0, 0)) + nines.fraction, 1, 1e-15);
    assert_true(parse("0000-03-01").seconds == parse("0000-02-29").seconds + 86400);
    assert_true(parse("9999-12-31").seconds == calendar(9999, 12, 31, 0, 0, 0));
}

static void texts_that_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        lf_timestamp_kind kind;
    } rows[] = {{"", LF_NOT_A_TIMESTAMP},
                {"2020", LF_NOT_A_TIMESTAMP},
                {"2020-01", LF_TIMESTAMP},
                {"2020Q4", LF_TIMESTAMP},
                {"2020-13", LF_BAD_TIMESTAMP},
                {"2020Q5", LF_BAD_TIMESTAMP},
                {"2020-1", LF_NOT_A_TIMESTAMP},
                {"202001", LF_NOT_A_TIMESTAMP},
                {"2020-1-01", LF_NOT_A_TIMESTAMP},
                {"2020-01-1", LF_NOT_A_TIMESTAMP},
                {"20200101", LF_NOT_A_TIMESTAMP},
                {"20200101T101010", LF_NOT_A_TIMESTAMP},
                {"01/02/2020", LF_NOT_A_TIMESTAMP},
                {"01.02.2020 10:00", LF_NOT_A_TIMESTAMP},
                {"2020-01/01", LF_NOT_A_TIMESTAMP},
                {"2020.01.01", LF_NOT_A_TIMESTAMP},
                {"-020-01-01", LF_NOT_A_TIMESTAMP},
                {"+2020-01-01", LF_NOT_A_TIMESTAMP},
                {" 2020-01-01", LF_NOT_A_TIMESTAMP},
                {"12020-01-01", LF_NOT_A_TIMESTAMP},
                {"1577836800", LF_NOT_A_TIMESTAMP},
                {"some text here", LF_NOT_A_TIMESTAMP},
                {"2020-00-01", LF_BAD_TIMESTAMP},
                {"2020-13-01", LF_BAD_TIMESTAMP},
                {"2020-01-00", LF_BAD_TIMESTAMP},
                {"2020-01-32", LF_BAD_TIMESTAMP},
                {"2019-02-29", LF_BAD_TIMESTAMP},
                {"1900-02-29", LF_BAD_TIMESTAMP},
                {"2020-01-011", LF_BAD_TIMESTAMP},
                {"2020-01-01Z", LF_BAD_TIMESTAMP},
                {"2020-01-01x", LF_BAD_TIMESTAMP},
                {"2020-01-01 ", LF_BAD_TIMESTAMP},
                {"2020-01-01T", LF_BAD_TIMESTAMP},
                {"2020-01-01T1", LF_BAD_TIMESTAMP},
                {"2020-01-01T10", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:1", LF_BAD_TIMESTAMP},
                {"2020-01-01T1:10", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:1", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10.", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10.5", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10 AM", LF_BAD_TIMESTAMP},
                {"2020-01-01T25:00", LF_BAD_TIMESTAMP},
                {"2020-01-01T24:01", LF_BAD_TIMESTAMP},
                {"2020-01-01T24:00:01", LF_BAD_TIMESTAMP},
                {"2020-01-01T24:00:00.1", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:60", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:61", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10+", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10+1", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10+01:", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10+01:0", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10+01:60", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10+19:00", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10+01:00x", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10ZZ", LF_BAD_TIMESTAMP},
                {"2020-01-01T10:10:10 CET", LF_BAD_TIMESTAMP},
                {"2020-01-01,10:10", LF_BAD_TIMESTAMP}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lf_timestamp stamp;
        lf_timestamp_kind kind = lf_parse_timestamp(rows[i].text, strlen(rows[i].text), &stamp);
        if (kind != rows[i].kind) {
            fail_msg("'%s' is %d instead of %d", rows[i].text, (int)kind, (int)rows[i].kind);
        }
    }
}

/* What was written reads back to the microsecond, with every offset. */
static void round_trips(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 4);
    double low = (double)calendar(1600, 1, 1, 0, 0, 0), high = (double)calendar(2400, 1, 1, 0, 0, 0);
    for (int i = 0; i < 20000; i++) {
        char text[LF_TIMESTAMP_SIZE];
        int64_t base = (int64_t)uniform_between(&random, low, high),
                micro = (int64_t)(lf_random_bits(&random) % 1000000);
        int64_t shift = (int64_t)(lf_random_bits(&random) % 2000000) - 1000000;
        int zone = 900 * ((int)(lf_random_bits(&random) % 105) - 52), zoned = i % 3 > 0;
        lf_format_timestamp(base, (double)shift + (double)micro * 1e-6, 0, zoned, zone, text);
        lf_timestamp stamp = parse(text);
        assert_int_equal(stamp.zoned, zoned);
        assert_int_equal(stamp.zone, zoned ? zone : 0);
        assert_near((double)(stamp.seconds - base - shift) + stamp.fraction, (double)micro * 1e-6, 1.1e-9);
    }
}

static void written_texts(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        int date_only, zoned, zone;
        const char *text;
    } rows[] = {{0, 1, 0, 0, "2020-02-29"},
                {0, 0, 0, 0, "2020-02-29T00:00:00"},
                {1, 1, 0, 0, "2020-02-29T00:00:01"},
                {86400, 1, 0, 0, "2020-03-01"},
                {-0.5, 0, 0, 0, "2020-02-28T23:59:59.5"},
                {0.25, 0, 1, 0, "2020-02-29T00:00:00.25Z"},
                {0, 0, 1, 3600, "2020-02-29T00:00:00+01:00"},
                {0, 0, 1, -34200, "2020-02-29T00:00:00-09:30"},
                {86399.9999996, 0, 0, 0, "2020-03-01T00:00:00"}, /* rounded to microseconds */
                {86399.9999996, 1, 0, 0, "2020-03-01"},
                {86399.999999, 0, 0, 0, "2020-02-29T23:59:59.999999"},
                {4e-7, 0, 0, 0, "2020-02-29T00:00:00"},
                {1e-6, 0, 0, 0, "2020-02-29T00:00:00.000001"}};
    int64_t base = calendar(2020, 2, 29, 0, 0, 0);
    char text[LF_TIMESTAMP_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lf_format_timestamp(base, rows[i].seconds, rows[i].date_only, rows[i].zoned, rows[i].zone, text);
        assert_string_equal(text, rows[i].text);
    }
    /* no date of four digits: still a text */
    static const double far[] = {1e12, -1e12, 1e300, -1e300, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        lf_format_timestamp(base, far[i], 0, 1, 3600, text);
        assert_true(strlen(text) > 0 && strlen(text) < LF_TIMESTAMP_SIZE);
        assert_null(strchr(text, 'T'));
    }
    lf_format_timestamp(0, 253402300798.0, 0, 0, 0, text);
    assert_string_equal(text, "9999-12-31T23:59:58");
    lf_format_timestamp(0, -62167219200.0, 0, 0, 0, text);
    assert_string_equal(text, "0000-01-01T00:00:00");
}

static void times_of_day(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } rows[] = {{"00:00", 0},          {"10:20", 37200},
                {"10:20:30", 37230},   {"10:20:30.5", 37230.5},
                {"24:00", 86400},      {"23:59:60", 86400},
                {"24:01", -1},         {"10", -1},
                {"10:", -1},           {"1:00", 3600},
                {"1:05:30 pm", 47130}, {"12:00 AM", 0},
                {"13:00 PM", -1},      {"1:0", -1},
                {"10:60", -1},         {"10:20Z", -1},
                {"10:20 ", -1},        {"", -1},
                {"10:20:30.", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (lf_parse_time_of_day(rows[i].text, strlen(rows[i].text)) != rows[i].seconds) {
            fail_msg("'%s' is not %g", rows[i].text, rows[i].seconds);
        }
    }
}

static void dates_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        lf_date_order found;
        int year, month, day, hour, minute;
    } rows[] = {{"23.12.2019", LF_ORDER_NONE, 2019, 12, 23, 0, 0},
                {"3.4.2019 9:05", LF_ORDER_NONE, 2019, 4, 3, 9, 5},
                {"23/12/2019 00:00", LF_ORDER_DAY, 2019, 12, 23, 0, 0},
                {"12/23/2019 01:00 PM", LF_ORDER_MONTH, 2019, 12, 23, 13, 0},
                {"12/23/2019, 12:30:00 am", LF_ORDER_MONTH, 2019, 12, 23, 0, 30},
                {"03/04/2019", LF_ORDER_EITHER, 2019, 4, 3, 0, 0},
                {"23-12-2019", LF_ORDER_DAY, 2019, 12, 23, 0, 0},
                {"23-Dec-2019", LF_ORDER_NONE, 2019, 12, 23, 0, 0},
                {"3 september 2019 10:00", LF_ORDER_NONE, 2019, 9, 3, 10, 0},
                {"Sept 3, 2019", LF_ORDER_NONE, 2019, 9, 3, 0, 0},
                {"Jan 1974", LF_ORDER_NONE, 1974, 1, 1, 0, 0},
                {"May-1974", LF_ORDER_NONE, 1974, 5, 1, 0, 0},
                {"1974-01", LF_ORDER_NONE, 1974, 1, 1, 0, 0},
                {"1959Q3", LF_ORDER_NONE, 1959, 7, 1, 0, 0},
                {"1959-Q4", LF_ORDER_NONE, 1959, 10, 1, 0, 0},
                {"Q2 1959", LF_ORDER_NONE, 1959, 4, 1, 0, 0},
                {"2021-03-01 10:00 PM", LF_ORDER_NONE, 2021, 3, 1, 22, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lf_timestamp stamp;
        lf_date_order found;
        lf_timestamp_kind kind = lf_parse_date(rows[i].text, strlen(rows[i].text), LF_ORDER_EITHER, &stamp, &found);
        int64_t expected = calendar(rows[i].year, rows[i].month, rows[i].day, rows[i].hour, rows[i].minute, 0);
        if (kind != LF_TIMESTAMP || found != rows[i].found || stamp.seconds != expected) {
            fail_msg("'%s' is %d, %d, %lld", rows[i].text, (int)kind, (int)found,
                     (long long)(stamp.seconds - expected));
        }
    }
    static const struct {
        const char *text;
        lf_timestamp_kind kind;
    } none[] = {{"31.2.2019", LF_BAD_TIMESTAMP},       {"13/13/2019", LF_BAD_TIMESTAMP},
                {"12/23/19", LF_NOT_A_TIMESTAMP},      {"Jan 19", LF_NOT_A_TIMESTAMP},
                {"Mars 2019", LF_NOT_A_TIMESTAMP},     {"Sensor 2019", LF_NOT_A_TIMESTAMP},
                {"1.2.2019 25:00", LF_BAD_TIMESTAMP},  {"1.2.20190", LF_NOT_A_TIMESTAMP},
                {"23.12", LF_NOT_A_TIMESTAMP},         {"1959Q0", LF_BAD_TIMESTAMP},
                {"1/2/2019 noon", LF_NOT_A_TIMESTAMP}, {"192.168.0.1", LF_NOT_A_TIMESTAMP},
                {"1-2-3", LF_NOT_A_TIMESTAMP},         {"12/2019", LF_NOT_A_TIMESTAMP}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        lf_timestamp stamp;
        lf_date_order found;
        lf_timestamp_kind kind = lf_parse_date(none[i].text, strlen(none[i].text), LF_ORDER_EITHER, &stamp, &found);
        if (kind != none[i].kind) {
            fail_msg("'%s' is %d", none[i].text, (int)kind);
        }
    }
}

/* What strftime writes reads back by the same format. */
static void formats(void **state)
{
    (void)state;
    static const char *const all[] = {"%Y%m%d",   "%d.%m.%y %H:%M:%S", "%m/%d/%y %I:%M %p", "%d %B %Y %T",
                                      "%Y-%j %R", "%y%m%dT%H%M%S",     "%b %d %Y %H",       "%D %T",
                                      "%F %T",    "%%%Y %h %e"};
    lf_random random;
    lf_random_seed(&random, 6);
    for (size_t f = 0; f < sizeof all / sizeof *all; f++) {
        assert_null(lf_format_problem(all[f]));
        for (int i = 0; i < 500; i++) {
            char text[80], again[80];
            time_t at = (time_t)uniform_between(&random, 0, 3e9);
            struct tm tm;
            lf_timestamp stamp;
            gmtime_r(&at, &tm);
            size_t length = strftime(text, sizeof text, all[f], &tm);
            assert_int_equal(lf_parse_formatted(text, length, all[f], &stamp), LF_TIMESTAMP);
            at = (time_t)stamp.seconds;
            gmtime_r(&at, &tm);
            strftime(again, sizeof again, all[f], &tm);
            assert_string_equal(text, again);
        }
    }
    lf_timestamp stamp;
    assert_int_equal(lf_parse_formatted("20190231", 8, "%Y%m%d", &stamp), LF_BAD_TIMESTAMP);
    assert_int_equal(lf_parse_formatted("2019", 4, "%Y%m%d", &stamp), LF_NOT_A_TIMESTAMP);
    assert_int_equal(lf_parse_formatted("2019-3 10:00+02:00", 18, "%Y-%q %H:%M%z", &stamp), LF_TIMESTAMP);
    assert_true(stamp.seconds == calendar(2019, 7, 1, 10, 0, 0) && stamp.zoned && stamp.zone == 7200);
    assert_non_null(lf_format_problem("%H:%M"));
    assert_non_null(lf_format_problem("%Y %Q"));
    assert_non_null(lf_format_problem("%Y %"));
    assert_non_null(lf_format_problem("soon"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_c_library),
        cmocka_unit_test(days_that_exist),
        cmocka_unit_test(forms),
        cmocka_unit_test(texts_that_are_none),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(written_texts),
        cmocka_unit_test(times_of_day),
        cmocka_unit_test(dates_as_people_write_them),
        cmocka_unit_test(formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
