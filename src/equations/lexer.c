/* Text to tokens. Comments and blanks separate them; the end of a line is a token unless a parenthesis is open. */
#include <string.h>

#include "base/context.h"
#include "base/number.h"
#include "equations/draft.h"

static const char *const words[WORD_COUNT] = {"input",   "force", "parameter", "output", "quantity",
                                              "start",   "time",  "exp",       "log",    "sqrt",
                                              "average", "noise", "fixed",     "in",     "real"};

/* Characters that word processors and web pages put in place of those of the language. */
static const struct {
    const char *found, *meant;
} look_alikes[] = {{"−", "-"}, {"–", "-"},  {"×", "*"},  {"·", "*"},  {"⋅", "*"},  {"÷", "/"},           {"′", "'"},
                   {"’", "'"}, {"“", "\""}, {"”", "\""}, {"²", "^2"}, {"³", "^3"}, {"\u00a0", "a space"}};

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Moves past blanks and comments, and past line ends within parentheses. */
static void skip(lf_eq_draft *draft)
{
    const char *text = draft->source->text;
    size_t i = draft->offset;
    if (i == 0 && strncmp(text, "\xef\xbb\xbf", 3) == 0) {
        i = 3; /* byte order mark */
    }
    for (;; i++) {
        if (text[i] == '#') {
            i += strcspn(text + i, "\n");
        }
        int blank = text[i] == ' ' || text[i] == '\t' || text[i] == '\r';
        if (!blank && !(text[i] == '\n' && draft->open > 0)) {
            break;
        }
    }
    draft->offset = i;
}

static lf_status read_number(lf_eq_draft *draft)
{
    const char *text = draft->source->text + draft->offset, *p = text;
    lf_eq_token *token = &draft->token;
    p += strspn(p, "0123456789");
    if (*p == '.' && p[1] != '.') {
        p++;
        p += strspn(p, "0123456789");
    }
    if (*p == 'e' || *p == 'E') {
        const char *digits = p + 1 + (p[1] == '+' || p[1] == '-');
        if (is_digit(*digits)) {
            p = digits + strspn(digits, "0123456789");
        }
    }
    size_t length = (size_t)(p - text);
    char copy[LF_EQ_LONGEST_NAME + 1];
    token->kind = TOKEN_NUMBER;
    token->end = token->start + length;
    if (length > LF_EQ_LONGEST_NAME) {
        return lf_eq_wrong(draft, token->start, "this number has more than %d digits", LF_EQ_LONGEST_NAME);
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (!lf_parse_number(copy, length, &token->number)) {
        return lf_eq_wrong(draft, token->start, "%s is too large for a number", copy);
    }
    if (is_letter(*p)) {
        return lf_eq_wrong(draft, token->end, "a number is followed by a letter; write * between factors");
    }
    return LF_OK;
}

/* Primes that follow a name at once. */
static lf_status read_primes(lf_eq_draft *draft)
{
    lf_eq_token *token = &draft->token;
    size_t primes = strspn(draft->source->text + token->end, "'");
    if (primes > LF_EQ_MOST_PRIMES) {
        return lf_eq_wrong(draft, token->end, "%zu primes; a derivative has an order of at most %d", primes,
                           LF_EQ_MOST_PRIMES);
    }
    token->primes = (int)primes;
    token->end += primes;
    return LF_OK;
}

static lf_status read_name(lf_eq_draft *draft)
{
    const char *text = draft->source->text + draft->offset;
    lf_eq_token *token = &draft->token;
    size_t length = 0;
    while (is_letter(text[length]) || is_digit(text[length])) {
        length++;
    }
    token->end = token->start + length;
    for (int w = 0; w < WORD_COUNT; w++) {
        if (strlen(words[w]) == length && strncmp(words[w], text, length) == 0) {
            token->kind = TOKEN_WORD;
            token->word = (lf_eq_word)w;
            return LF_OK;
        }
    }
    token->kind = TOKEN_NAME;
    token->symbol = lf_eq_intern(draft, text, length, token->start);
    return token->symbol < 0 ? draft->status : read_primes(draft);
}

/* "…", in which "" stands for a quotation mark. */
static lf_status read_quoted(lf_eq_draft *draft)
{
    const char *text = draft->source->text + draft->offset + 1;
    char name[LF_EQ_LONGEST_NAME + 8];
    size_t i = 0, length = 0;
    while (text[i] != '"' || text[i + 1] == '"') {
        size_t bytes = lf_eq_utf8(text + i);
        if (text[i] == '\0' || text[i] == '\n') {
            return lf_eq_wrong(draft, draft->token.start, "this quotation mark is not closed");
        }
        int control = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ||
                      ((unsigned char)text[i] == 0xc2 && (unsigned char)text[i + 1] < 0xa0);
        if (bytes == 0 || control) {
            return lf_eq_wrong(draft, draft->offset + 1 + i, "a name in quotation marks must be printable UTF-8 text");
        }
        if (length + bytes > LF_EQ_LONGEST_NAME) {
            return lf_eq_wrong(draft, draft->token.start, "this name has more than %d bytes; give it a shorter one",
                               LF_EQ_LONGEST_NAME);
        }
        memcpy(name + length, text + i, bytes);
        length += bytes;
        i += bytes + (text[i] == '"');
    }
    if (length == 0) {
        return lf_eq_wrong(draft, draft->token.start, "there is no name between the quotation marks");
    }
    draft->token.kind = TOKEN_NAME;
    draft->token.quoted = 1;
    draft->token.end = draft->token.start + i + 2;
    draft->token.symbol = lf_eq_intern(draft, name, length, draft->token.start);
    return draft->token.symbol < 0 ? draft->status : read_primes(draft);
}

static lf_status unknown_character(lf_eq_draft *draft)
{
    const char *text = draft->source->text + draft->offset;
    for (size_t i = 0; i < sizeof look_alikes / sizeof *look_alikes; i++) {
        if (strncmp(text, look_alikes[i].found, strlen(look_alikes[i].found)) == 0) {
            return lf_eq_wrong(draft, draft->offset, "the character %s is not part of the language; write %s",
                               look_alikes[i].found, look_alikes[i].meant);
        }
    }
    if (*text == '\'') {
        return lf_eq_wrong(draft, draft->offset, "a prime follows the name of a variable at once, as in x'");
    }
    if (*text == ';') {
        return lf_eq_wrong(draft, draft->offset, "a statement ends with its line; begin a new line in place of ;");
    }
    char shown[LF_EQ_EXCERPT];
    size_t bytes = lf_eq_utf8(text);
    lf_eq_excerpt(draft->source, draft->offset, draft->offset + (bytes ? bytes : 1), shown);
    return bytes > 1
               ? lf_eq_wrong(draft, draft->offset, "names with characters such as %s stand in quotation marks", shown)
               : lf_eq_wrong(draft, draft->offset, "the character %s is not part of the language", shown);
}

lf_status lf_eq_next(lf_eq_draft *draft)
{
    skip(draft);
    const char *text = draft->source->text + draft->offset;
    draft->token = (lf_eq_token){.start = draft->offset, .end = draft->offset + 1, .sign = *text};
    lf_status status = LF_OK;
    if (*text == '\0') {
        if (draft->open > 0) {
            return lf_eq_wrong(draft, draft->opened_at, "this parenthesis is not closed");
        }
        draft->token.kind = TOKEN_END;
        draft->token.end = draft->offset;
    } else if (*text == '\n') {
        draft->token.kind = TOKEN_LINE;
    } else if (is_digit(*text) || (*text == '.' && is_digit(text[1]))) {
        status = read_number(draft);
    } else if (is_letter(*text)) {
        status = read_name(draft);
    } else if (*text == '"') {
        status = read_quoted(draft);
    } else if (*text == '.' && text[1] == '.') {
        draft->token.kind = TOKEN_RANGE;
        draft->token.end++;
    } else if (strchr("+-*/^(),=~", *text)) {
        draft->token.kind = TOKEN_SIGN;
        if (*text == '(' && draft->open++ == 0) {
            draft->opened_at = draft->offset;
        }
        draft->open -= *text == ')' && draft->open > 0;
    } else {
        status = unknown_character(draft);
    }
    draft->offset = draft->token.end;
    return status;
}

int lf_eq_is_sign(const lf_eq_draft *draft, char sign)
{
    return draft->token.kind == TOKEN_SIGN && draft->token.sign == sign;
}

int lf_eq_is_word(const lf_eq_draft *draft, lf_eq_word word)
{
    return draft->token.kind == TOKEN_WORD && draft->token.word == word;
}

int lf_eq_is_name(const lf_eq_draft *draft, const char *name)
{
    return draft->token.kind == TOKEN_NAME && !draft->token.quoted && draft->token.primes == 0 &&
           strcmp(lf_eq_symbol_at(draft, draft->token.symbol)->name, name) == 0;
}

int lf_eq_at_end(const lf_eq_draft *draft) { return draft->token.kind == TOKEN_LINE || draft->token.kind == TOKEN_END; }

lf_status lf_eq_expect(lf_eq_draft *draft, char sign, const char *after)
{
    if (!lf_eq_is_sign(draft, sign)) {
        char found[LF_EQ_EXCERPT];
        lf_eq_token_text(draft, found);
        return lf_eq_wrong(draft, draft->token.start, "%c is expected after %s, not %s", sign, after, found);
    }
    return lf_eq_next(draft);
}
