/* Options in texts as keywords of a language. Texts are written with the spelling of the command line: "--force-kernel eq". */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "options/options.h"

/* "--NAME" in a text, and what follows it. */
typedef struct spelt_option {
    const char *name, *word; /* word: in small letters, which may be its value; NULL: there is none */
    size_t name_length, word_length;
    int space;       /* a space before what is no such word: "--x A,B" */
    const char *end; /* of all this */
} spelt_option;

static int is_small(char c) { return c >= 'a' && c <= 'z'; }

static int is_word(char c)
{
    return is_small(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

/* The length of "NAME=VALUE" or of a word, with the points and the colon that follow it. */
static size_t word_length(const char *word)
{
    size_t length = 0;
    while (is_word(word[length]) || (word[length] && strchr(".:", word[length]))) {
        length++;
    }
    size_t end = word[length] == '=' ? length + 1 : length, value = length;
    while (end > length && (is_word(word[end]) || (word[end] && strchr(".+-", word[end])))) {
        value = is_word(word[end]) ? end + 1 : value;
        end++;
    }
    return value;
}

/* The option at the text, if one begins there. */
static int find_option(const char *text, spelt_option *found)
{
    const char *name = text + 2;
    size_t length = 0, last = 0;
    if (strncmp(text, "--", 2) != 0 || !is_small(*name)) {
        return 0;
    }
    for (; is_small(name[length]) || name[length] == '-'; length++) {
        last = is_small(name[length]) ? length + 1 : last;
    }
    *found = (spelt_option){.name = name, .name_length = last, .end = name + last};
    const char *next = found->end + 1;
    if (last == 1 && *name != 'x') {
        return 0;
    }
    if (*found->end == ' ' && is_small(*next)) {
        found->word = next;
        found->word_length = word_length(next);
        found->end = next + found->word_length;
    } else if (*found->end == ' ' && *next && (strchr("'\"", *next) || (is_word(*next) && *next != '_' && *next > 0))) {
        found->space = 1;
        found->end = next;
    }
    return 1;
}

static const lf_option *look_up(const char *name, size_t length)
{
    const lf_option *(*const tables[])(size_t) = {lf_read_verb.option, lf_fit_verb.option, lf_validate_verb.option};
    const lf_option *option = NULL;
    for (size_t table = 0; table < sizeof tables / sizeof *tables; table++) {
        const lf_option *(*row)(size_t) = tables[table];
        for (size_t i = 0; !option && row(i); i++) {
            option = strlen(row(i)->name) == length && memcmp(row(i)->name, name, length) == 0 ? row(i) : NULL;
        }
    }
    return option;
}

/* Whether the word is one of the values "a, b, c". */
static int lists(const char *values, const char *word, size_t length)
{
    for (const char *at = values; at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL) {
        if (strcspn(at, ",") == length && memcmp(at, word, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* A text that is made; what does not fit is left out. */
typedef struct maker {
    char *text;
    size_t size, length;
} maker;

static void add(maker *m, const char *text, size_t length)
{
    size_t room = m->size - 1 - m->length;
    size_t added = length <= room ? length : (size_t)lf_whole_characters(text, room);
    memcpy(m->text + m->length, text, added);
    m->length += added;
    m->size = added < length ? m->length + 1 : m->size;
}

static void add_text(maker *m, const char *text) { add(m, text, strlen(text)); }

static void add_keyword(maker *m, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        add(m, name[i] == '-' ? "_" : name + i, 1);
    }
}

/* The word as the value of the option, or as what the sentence goes on with. */
static void add_value(maker *m, const lf_option *option, const spelt_option *o)
{
    size_t length = o->word_length;
    while (length > 0 && strchr(":.", o->word[length - 1])) {
        length--;
    }
    const char *end = o->word + length;
    size_t rest = o->word_length - length;
    if (length > 0 &&
        (memchr(o->word, '=', length) || (rest == 1 && *end == ':') || lists(option->values, o->word, length) ||
         (strcmp(option->name, "time") == 0 && lists("row", o->word, length)))) {
        add_text(m, "'");
        add(m, o->word, length);
        add_text(m, "'");
        add(m, end, rest);
    } else if (o->word) {
        add_text(m, " ");
        add(m, o->word, o->word_length);
    }
}

/* Adds the option as a keyword; 0: it is none. */
static int add_option(maker *m, const spelt_option *o)
{
    /* Options of the program that are arguments of other functions. */
    static const char *const others[][2] = {{"at", "t="},      {"ahead", "ahead="},      {"step", "step="},
                                            {"grid", "grid="}, {"level", "level="},      {"output", "outputs="},
                                            {"data", "data="}, {"dygraphs", "dygraphs="}};
    const lf_option *option = look_up(o->name, o->name_length);
    int no = !option && o->name_length > 3 && strncmp(o->name, "no-", 3) == 0;
    option = no ? look_up(o->name + 3, o->name_length - 3) : option;
    if (option && (no || strcmp(option->type, "flag") == 0 || strcmp(option->type, "switch") == 0)) {
        add_keyword(m, option->name, strlen(option->name));
        add_text(m, no ? "=False" : "=True");
        add_text(m, o->space || o->word ? " " : "");
        add(m, o->word ? o->word : "", o->word_length);
        return 1;
    }
    if (option) {
        add_keyword(m, option->name, strlen(option->name));
        add_text(m, "=");
        add_value(m, option, o);
        return 1;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strlen(others[i][0]) == o->name_length && memcmp(others[i][0], o->name, o->name_length) == 0) {
            add_text(m, others[i][1]);
            add_text(m, o->word && o->word[o->word_length - 1] != ':' ? " " : "");
            add(m, o->word ? o->word : "", o->word_length);
            return 1;
        }
    }
    return 0;
}

static void spell_keywords(const char *text, size_t size, char *spelt)
{
    maker m = {.text = spelt, .size = size};
    for (const char *at = text; *at;) {
        spelt_option o;
        int begins = (at == text || (!is_word(at[-1]) && at[-1] != '-')) && find_option(at, &o);
        if (begins && add_option(&m, &o)) {
            at = o.end;
        } else {
            add(&m, at, 1);
            at++;
        }
    }
    spelt[m.length] = '\0';
}

void lf_context_set_spelling(lf_context *ctx, lf_spelling spelling)
{
    ctx->spell = spelling == LF_SPELLING_KEYWORD ? spell_keywords : NULL;
}

lf_status lf_context_spell(lf_context *ctx, const char *text, char **spelt)
{
    *spelt = NULL;
    if (!text) {
        return lf_missing(ctx, "text");
    }
    *spelt = lf_spelt(ctx->spell, text);
    return *spelt ? LF_OK : lf_no_memory(ctx);
}
