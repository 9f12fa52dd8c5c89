/* The files of tests/intake, read by several processes: each one gives the table of one process, or its message. So do longer files with the
 * same lines, of which all processes read only the first, and damaged ones. LF_DAMAGED_FILES in the environment is the number of these. */
#include "shared_reading.h"

#include <dirent.h>
#include <unistd.h>

enum { MOST_WORDS = 16 };

static char scratch[] = "/tmp/lf_test_intake_XXXXXX";

/* The words of a text that is quoted as for a shell. */
static int split_words(char *text, char *word[MOST_WORDS])
{
    int count = 0;
    for (char *p = text; *p;) {
        p += strspn(p, " \t\n");
        if (!*p || count == MOST_WORDS) {
            break;
        }
        char quote = *p == '\'' || *p == '"' ? *p++ : '\0';
        word[count++] = p;
        p += quote ? strcspn(p, (char[]){quote, '\0'}) : strcspn(p, " \t\n");
        p += *p ? (*p = '\0', 1) : 0;
    }
    return count;
}

/* A second --missing or --drop is added to the first. */
static void set_option(files *f, char *name, char *value, char joined[256])
{
    lf_read_options *o = &f->options;
    struct {
        const char *name;
        const char **field;
    } const texts[] = {{"--decimal", &o->decimal},
                       {"--drop", &o->drop},
                       {"--missing", &o->missing},
                       {"--output-column", &o->output_column},
                       {"--outputs", &o->outputs},
                       {"--replicate-column", &o->replicate_column},
                       {"--separator", &o->separator},
                       {"--time", &o->time},
                       {"--time-format", &o->time_format},
                       {"--time-in", &o->time_in},
                       {"--time-unit", &o->time_unit},
                       {"--value-column", &o->value_column},
                       {"--x", &o->x}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(texts[i].name, name) == 0) {
            if (*texts[i].field) {
                snprintf(joined, 256, "%s,%s", *texts[i].field, value);
            }
            *texts[i].field = *texts[i].field ? joined : value;
            return;
        }
    }
    print_error("the option %s is not known here\n", name);
    fail();
}

static void read_options(const char *data, files *f, char text[1024], char joined[256])
{
    char name[300], *word[MOST_WORDS];
    snprintf(name, sizeof name, "%.*s.options", (int)strcspn(data, "."), data);
    FILE *stream = fopen(name, "rb");
    size_t size = stream ? fread(text, 1, 1023, stream) : 0;
    text[size] = '\0';
    if (stream) {
        fclose(stream);
    }
    int count = split_words(text, word);
    for (int i = 0; i < count; i++) {
        if (strcmp(word[i], "--replicates-by-file") == 0) {
            f->options.replicates_by_file = 1;
        } else if (strcmp(word[i], "--ignore-columns") == 0) {
            f->options.ignore_columns = 1;
        } else if (word[i][0] == '-') {
            assert_true(i + 1 < count);
            set_option(f, word[i], word[i + 1], joined);
            i++;
        } else {
            f->path[f->count++] = word[i];
        }
    }
}

/* Writes the lines of a file several times: those before `first`, and then the others. */
static void repeat_lines(const char *from, const char *to, int first, int times)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    char line[4096];
    assert_true(in && out);
    for (int i = 0; i < times; i++) {
        rewind(in);
        for (int number = 0; fgets(line, sizeof line, in); number++) {
            if (i == 0 || number >= first) {
                fputs(line, out);
                fputs(strchr(line, '\n') ? "" : "\n", out);
            }
        }
    }
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static int is_data(const char *name)
{
    const char *end = strchr(name, '.');
    return end && (strcmp(end, ".csv") == 0 || strcmp(end, ".tsv") == 0 || strcmp(end, ".txt") == 0 ||
                   strcmp(end, ".csv.gz") == 0);
}

static void test_intake(void **state)
{
    (void)state;
    int cases = 0, accepted = 0, cut = 0, failures = 0;
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        for (int longer = 0; longer < 3 && is_data(entry->d_name); longer++) {
            files f = {.count = 1, .path = {longer ? scratch : entry->d_name}};
            char text[1024], joined[256];
            int parts;
            if (longer) {
                repeat_lines(entry->d_name, scratch, 2 * longer - 1, longer == 1 ? 2 : 60);
            }
            read_options(entry->d_name, &f, text, joined);
            int wrong = check_files(&f, &parts);
            if (wrong) {
                print_error("this is %s, %s\n", entry->d_name, longer ? "made longer" : "as it is");
            }
            failures += wrong;
            cases++;
            accepted += f.one.status == LF_OK;
            cut += parts > 1;
            release(&f.one);
        }
    }
    closedir(folder);
    print_message("%d files, %d of them read, %d by several processes\n", cases, accepted, cut);
    assert_int_equal(failures, 0);
    assert_true(cases > 150 && cut > 100);
}

/* ---- damaged files ---- */

static char *names[400];
static size_t name_count;

static void list_names(void)
{
    struct dirent **entry;
    int count = scandir(".", &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (is_data(entry[i]->d_name) && !strstr(entry[i]->d_name, ".gz") && name_count < 400) {
            names[name_count++] = strdup(entry[i]->d_name);
        }
        free(entry[i]);
    }
    free(entry);
}

static size_t draw(lf_random *random, size_t count) { return (size_t)(lf_random_uniform(random) * (double)count); }

/* Lines of the file many times, and some characters that are not those of the file. */
static void damage(lf_random *random, const char *from, const char *to)
{
    static const char marks[] = ",;\t\n\r\"#0-x. ";
    static char text[1 << 20];
    repeat_lines(from, to, 1 + (int)draw(random, 3), 1 + (int)draw(random, 40));
    FILE *stream = fopen(to, "rb");
    assert_non_null(stream);
    size_t size = fread(text, 1, sizeof text, stream);
    fclose(stream);
    for (size_t i = draw(random, 2) * draw(random, 4); i > 0 && size > 0; i--) {
        text[draw(random, size)] = marks[draw(random, sizeof marks - 1)];
    }
    stream = fopen(to, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static void test_damaged(void **state)
{
    (void)state;
    const char *text = getenv("LF_DAMAGED_FILES");
    int cases = text ? atoi(text) : 150, accepted = 0, failures = 0;
    char path[3][sizeof scratch + 24];
    for (int c = 0; c < cases; c++) {
        lf_random random;
        lf_random_seed(&random, (uint64_t)c);
        files f = {.count = 1 + draw(&random, 3)};
        size_t name = draw(&random, name_count);
        for (size_t i = 0; i < f.count; i++) {
            snprintf(path[i], sizeof path[i], "%s.%zu", scratch, i);
            damage(&random, names[(name + draw(&random, 5) / 4) % name_count], path[i]);
            f.path[i] = path[i];
        }
        f.options.replicates_by_file = draw(&random, 4) == 0;
        f.options.ignore_columns = draw(&random, 2) == 0;
        f.options.drop = draw(&random, 8) == 0 ? "a,T" : NULL;
        int parts, wrong = check_files(&f, &parts);
        if (wrong) {
            print_error("this is case %d\n", c);
        }
        failures += wrong;
        accepted += f.one.status == LF_OK;
        release(&f.one);
        for (size_t i = 0; i < f.count; i++) {
            unlink(path[i]);
        }
    }
    print_message("%d cases, %d of them read\n", cases, accepted);
    assert_int_equal(failures, 0);
    assert_true(accepted > cases / 10);
}

int main(void)
{
    const char *source = getenv("LF_SOURCE_DIR");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/tests/intake", source ? source : "..");
    int fd = mkstemp(scratch);
    if (fd < 0 || chdir(folder) != 0) {
        print_error("%s: cannot be entered\n", folder);
        return 1;
    }
    close(fd);
    list_names();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_intake), cmocka_unit_test(test_damaged)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    while (name_count > 0) {
        free(names[--name_count]);
    }
    unlink(scratch);
    return failed;
}
