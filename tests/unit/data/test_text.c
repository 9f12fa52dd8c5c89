/* The text behind data: numbers exactly as strtod reads them, names by the thousand, what may be a name and how foreign text
 * is shown. */
#include "support.h"

#include "base/number.h"
#include "data/names.h"
#include "data/text.h"

static void assert_parses_as_strtod(const char *text)
{
    char *end;
    double expected = strtod(text, &end), value = 0;
    int accepted = lf_parse_number(text, strlen(text), &value);
    int wanted = *text && *end == '\0' && isfinite(expected) && !strpbrk(text, "xXnN \t");
    if (accepted != wanted || (accepted && memcmp(&value, &expected, sizeof value) != 0)) {
        print_error("'%s': accepted %d (strtod: %d), %.17g (strtod: %.17g)\n", text, accepted, wanted, value, expected);
        fail();
    }
}

static void numbers_are_those_of_strtod(void **state)
{
    (void)state;
    char cases[] =
        "0|-0|+1|.|-|+.e1|1.|.5|1e|1e+|1e5|1E-5|1e5.0|1..2|--1|0x1p3|inf|nan|1e309|1e308|5e-324|2e-324|1e-400| "
        "1|"
        "1 |1,5|1e22|1e23|9007199254740992e22|9007199254740993|1e0000000000001|0e99999999999999999999|"
        "1e-99999999999999999999|1e99999999999999999999|18446744073709551615|18446744073709551616|"
        "00000000000000000000000001.5|0.0000000000000000000000000000000000000000000012345e40|"
        "2.2250738585072011e-308|179769313486231580793728971405301e276|1d5|1f|infinity|1_000";
    assert_parses_as_strtod("");
    for (char *text = strtok(cases, "|"); text; text = strtok(NULL, "|")) {
        assert_parses_as_strtod(text);
    }
    /* The exponent that cancels a very long fraction. */
    static char lengthy[3000];
    memset(lengthy, '0', 2500);
    lengthy[1] = '.';
    strcpy(lengthy + 2500, "7e2500");
    assert_parses_as_strtod(lengthy);

    lf_random random;
    lf_random_seed(&random, 11);
    for (int i = 0; i < 100000; i++) {
        char text[96], *out = text;
        uint64_t bits = lf_random_bits(&random);
        switch (bits % 4) {
        case 0: /* as programs print doubles */
            sprintf(text, "%.*g", (int)((bits >> 8) % 17) + 1, any_double(&random));
            break;
        case 1:
            sprintf(text, "%.*f", (int)((bits >> 8) % 20), lf_random_normal(&random) * 1000);
            break;
        case 2: { /* digits, a point, digits, an exponent, each perhaps absent */
            static const char *const sign[] = {"", "", "-", "+"};
            out += sprintf(out, "%s", sign[bits >> 8 & 3]);
            for (uint64_t n = (bits >> 10) % 12; n > 0; n--) {
                *out++ = (char)('0' + lf_random_bits(&random) % 10);
            }
            *out = '\0';
            out += sprintf(out, "%s", bits >> 20 & 1 ? "." : "");
            for (uint64_t n = (bits >> 21) % 14; n > 0; n--) {
                *out++ = (char)('0' + lf_random_bits(&random) % 10);
            }
            *out = '\0';
            if (bits >> 30 & 1) {
                sprintf(out, "e%s%d", sign[bits >> 31 & 3], (int)((bits >> 33) % 40));
            }
            break;
        }
        default: /* anything made of a number's characters */
            for (uint64_t n = (bits >> 8) % 9; n > 0; n--) {
                *out++ = "0123456789..eE+-x a"[lf_random_bits(&random) % 19];
            }
            *out = '\0';
        }
        assert_parses_as_strtod(text);
    }
}

static void names_by_the_thousand(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    lf_names names = {0};
    char name[32];
    assert_int_equal(lf_names_find(&names, "a", 1), -1);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++) {
            size_t length = (size_t)sprintf(name, "gene-%d", i);
            assert_int_equal(lf_names_add(&names, name, length), i);
        }
    }
    assert_int_equal(names.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        size_t length = (size_t)sprintf(name, "gene-%d!", i) - 1;
        assert_int_equal(lf_names_find(&names, name, length), i); /* only `length` bytes count */
        assert_int_equal(lf_names_find(&names, name, length + 1), -1);
        assert_string_equal(names.name[i] + 5, (name[length] = '\0', name + 5));
    }
    assert_int_equal(lf_names_find(&names, "gene-", 5), -1); /* a prefix is another name */
    lf_names_clear(&names);
    assert_int_equal(lf_names_find(&names, "gene-1", 6), -1);
    lf_names_clear(&names);
}

static void rules_for_names(void **state)
{
    (void)state;
    static const char *const good[] = {
        "a", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    char bad[] = "\x80|\xc1\xbf|\xc2|\xe0\x9f\xbf|\xed\xa0\x80|\xf0\x8f\xbf\xbf|\xf4\x90\x80\x80|"
                 "\xf5\x80\x80\x80|\xe2\x82|\xff";
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_null(lf_name_problem(good[i], strlen(good[i])));
    }
    for (char *text = strtok(bad, "|"); text; text = strtok(NULL, "|")) {
        assert_string_equal(lf_name_problem(text, strlen(text)), "is not valid UTF-8");
    }
    assert_string_equal(lf_name_problem("", 0), "is empty");
    assert_string_equal(lf_name_problem("a\tb", 3), "contains a control character");
    lf_shown_text shown;
    assert_string_equal(lf_shown(&shown, "a\r\x7f\xff\xc3\xa9", 6), "a\\x0d\\x7f\\xff\xc3\xa9");
    char many[200];
    memset(many, 1, sizeof many); /* the longest that can be shown */
    assert_int_equal(strlen(lf_shown(&shown, many, sizeof many)), sizeof shown.text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_strtod),
        cmocka_unit_test(names_by_the_thousand),
        cmocka_unit_test(rules_for_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
