/* The statements of a text:
 *
 *     EXPRESSION = EXPRESSION
 *     output NAME [= EXPRESSION | = average(EXPRESSION, WIDTH)] [noise = v [fixed]]
 *     quantity NAME = EXPRESSION
 *     start rest | start steady | start NAME ~ normal(EXPRESSION, EXPRESSION)
 *     time UNIT
 *
 * and the declarations of declarations.c and parameter_statement.c. `output NAME` is short for `output NAME = NAME`. */
#include <math.h>
#include <string.h>

#include "base/axis.h"
#include "base/context.h"
#include "equations/draft.h"

static lf_status unexpected(lf_eq_draft *draft, const char *remedy)
{
    char found[LF_EQ_EXCERPT];
    lf_eq_token_text(draft, found);
    if (lf_eq_is_sign(draft, ')')) {
        remedy = "no parenthesis is open";
    }
    return lf_eq_wrong(draft, draft->token.start, "%s is not expected here; %s", found, remedy);
}

static lf_status equation(lf_eq_draft *draft)
{
    lf_eq_equation read;
    lf_eq_token first = draft->token;
    char text[LF_EQ_EXCERPT];
    lf_eq_token_text(draft, text);
    lf_status status = lf_eq_parse_expression(draft, &read.left);
    if (status) {
        return status;
    }
    if (!lf_eq_is_sign(draft, '=')) {
        int lone = first.kind == TOKEN_NAME && read.left.first == read.left.root;
        if (lone && !lf_eq_is_sign(draft, ')')) {
            return lf_eq_wrong(draft, first.start,
                               "%s does not begin a statement; statements are equations or begin with input, force, "
                               "parameter, output, quantity, start or time; a product needs a *",
                               text);
        }
        return lf_eq_at_end(draft) ? lf_eq_wrong(draft, draft->token.start, "an equation needs = and a right-hand side")
                                   : unexpected(draft, "an operator or = is missing before it");
    }
    status = lf_eq_next(draft);
    if (!status) {
        status = lf_eq_parse_expression(draft, &read.right);
    }
    if (status) {
        return status;
    }
    if (!lf_eq_at_end(draft)) {
        return unexpected(draft,
                          lf_eq_is_sign(draft, '=') ? "an equation has one =" : "an operator is missing before it");
    }
    lf_eq_equation *added = lf_eq_append(draft, &draft->equations, sizeof read);
    if (!added) {
        return draft->status;
    }
    *added = read;
    return LF_OK;
}

/* average(EXPRESSION, WIDTH), with average as the token. */
static lf_status average(lf_eq_draft *draft, lf_eq_expression *expression, double *width)
{
    lf_status status = lf_eq_next(draft);
    if (!status) {
        status = lf_eq_expect(draft, '(', "average");
    }
    if (!status) {
        status = lf_eq_parse_expression(draft, expression);
    }
    if (!status && lf_eq_is_sign(draft, ')')) {
        return lf_eq_wrong(draft, draft->token.start, "average needs a width: average(EXPRESSION, WIDTH)");
    }
    if (!status) {
        status = lf_eq_expect(draft, ',', "the expression that is averaged");
    }
    size_t position = draft->token.start;
    if (!status) {
        status = lf_eq_parse_number(draft, "the width of an average", width);
    }
    if (!status && !(*width > 0)) {
        return lf_eq_wrong(draft, position, "the width of an average is %g and must be greater than 0", *width);
    }
    return status ? status : lf_eq_expect(draft, ')', "the width of an average");
}

static lf_status output(lf_eq_draft *draft)
{
    lf_eq_output read = {.noise.value = NAN, .position = draft->token.start};
    lf_eq_expression expression;
    lf_eq_draft before = *draft;
    int symbol;
    lf_status status = lf_eq_declare(draft, KIND_OUTPUT, draft->outputs.count, &symbol);
    if (status) {
        return status;
    }
    read.name = lf_eq_symbol_at(draft, symbol)->name;
    if (lf_eq_is_sign(draft, '=')) {
        status = lf_eq_next(draft);
    } else { /* the name is the expression too */
        draft->offset = before.offset;
        draft->token = before.token;
    }
    if (!status) {
        status = lf_eq_is_word(draft, WORD_AVERAGE) ? average(draft, &expression, &read.width)
                                                    : lf_eq_parse_expression(draft, &expression);
    }
    if (!status && lf_eq_is_word(draft, WORD_NOISE)) {
        status = lf_eq_next(draft);
        LF_TRY(status, lf_eq_parse_scale(draft, "noise", 1, &read.noise));
    }
    if (status) {
        return status;
    }
    if (!lf_eq_at_end(draft)) {
        return unexpected(draft, read.width > 0 ? "average(…) must be the whole expression of an output"
                                                : "an operator, or noise = VALUE, or the end of the line is missing");
    }
    lf_eq_output *added = lf_eq_append(draft, &draft->outputs, sizeof read);
    lf_eq_expression *with = added ? lf_eq_append(draft, &draft->output_expressions, sizeof *with) : NULL;
    if (!with) {
        return draft->status;
    }
    *added = read;
    *with = expression;
    return LF_OK;
}

static lf_status quantity(lf_eq_draft *draft)
{
    lf_eq_quantity read = {.position = draft->token.start};
    lf_eq_expression expression;
    int symbol;
    lf_status status = lf_eq_declare(draft, KIND_QUANTITY, draft->quantities.count, &symbol);
    if (!status) {
        status = lf_eq_expect(draft, '=', "the name of a quantity");
    }
    if (!status) {
        status = lf_eq_parse_expression(draft, &expression);
    }
    if (status) {
        return status;
    }
    if (!lf_eq_at_end(draft)) {
        return unexpected(draft, "an operator is missing before it");
    }
    read.name = lf_eq_symbol_at(draft, symbol)->name;
    lf_eq_quantity *added = lf_eq_append(draft, &draft->quantities, sizeof read);
    lf_eq_expression *with = added ? lf_eq_append(draft, &draft->quantity_expressions, sizeof *with) : NULL;
    if (!with) {
        return draft->status;
    }
    *added = read;
    *with = expression;
    return LF_OK;
}

/* NAME ~ normal(EXPRESSION, EXPRESSION) */
static lf_status start_of_variable(lf_eq_draft *draft, lf_eq_draft_start *read)
{
    static const char remedy[] = "a start is start rest, start steady or start NAME ~ normal(MEAN, SD)";
    if (lf_eq_at_end(draft)) {
        return lf_eq_wrong(draft, read->position, "the start %s is not known; %s",
                           lf_eq_symbol_at(draft, read->symbol)->name, remedy);
    }
    if (!lf_eq_is_sign(draft, '~')) {
        return unexpected(draft, remedy);
    }
    lf_status status = lf_eq_next(draft);
    if (!status && !lf_eq_is_name(draft, "normal")) {
        return unexpected(draft, remedy);
    }
    if (!status) {
        status = lf_eq_next(draft);
    }
    if (!status) {
        status = lf_eq_expect(draft, '(', "normal");
    }
    if (!status) {
        status = lf_eq_parse_expression(draft, &read->mean);
    }
    if (!status) {
        status = lf_eq_expect(draft, ',', "the mean");
    }
    if (!status) {
        status = lf_eq_parse_expression(draft, &read->sd);
    }
    return status ? status : lf_eq_expect(draft, ')', "the standard deviation");
}

static lf_status start(lf_eq_draft *draft)
{
    lf_eq_token token = draft->token;
    lf_eq_draft_start read = {.symbol = token.symbol, .primes = token.primes, .position = token.start};
    int rest = lf_eq_is_name(draft, "rest"), steady = lf_eq_is_name(draft, "steady");
    if (token.kind != TOKEN_NAME) {
        return unexpected(draft, "a start is start rest, start steady or start NAME ~ normal(MEAN, SD)");
    }
    lf_status status = lf_eq_next(draft);
    if (status) {
        return status;
    }
    if ((rest || steady) && lf_eq_at_end(draft)) {
        if (draft->start) {
            return lf_eq_wrong(draft, token.start, "the start is given twice; line %d says it already",
                               lf_eq_line_of(draft, draft->start_at));
        }
        draft->start = rest ? LF_EQ_START_REST : LF_EQ_START_STEADY;
        draft->start_at = token.start;
        return LF_OK;
    }
    status = start_of_variable(draft, &read);
    if (status) {
        return status;
    }
    if (!lf_eq_at_end(draft)) {
        return unexpected(draft, "the statement ends after normal(MEAN, SD)");
    }
    lf_eq_draft_start *added = lf_eq_append(draft, &draft->starts, sizeof read);
    if (!added) {
        return draft->status;
    }
    *added = read;
    return LF_OK;
}

static lf_status time_unit(lf_eq_draft *draft)
{
    const char *unit = NULL;
    if (draft->token.kind == TOKEN_NAME) {
        const char *word = lf_eq_symbol_at(draft, draft->token.symbol)->name;
        int year = strcmp(word, "a") == 0 || strcmp(word, "year") == 0 || strcmp(word, "years") == 0;
        unit = year ? "a" : lf_time_unit(word);
    }
    if (!unit) {
        return unexpected(draft, "the unit of time is ms, s, min, h, d or a");
    }
    if (draft->time_unit) {
        return lf_eq_wrong(draft, draft->token.start, "the unit of time is given twice");
    }
    draft->time_unit = unit;
    lf_status status = lf_eq_next(draft);
    return status || lf_eq_at_end(draft) ? status : unexpected(draft, "the statement ends after the unit of time");
}

lf_status lf_eq_parse_statements(lf_eq_draft *draft)
{
    static lf_status (*const readers[])(lf_eq_draft *) = {
        [WORD_INPUT] = lf_eq_parse_input, [WORD_FORCE] = lf_eq_parse_force, [WORD_PARAMETER] = lf_eq_parse_parameter,
        [WORD_OUTPUT] = output,           [WORD_QUANTITY] = quantity,       [WORD_START] = start,
        [WORD_TIME] = time_unit};
    lf_status status = lf_eq_next(draft);
    while (!status && draft->token.kind != TOKEN_END) {
        if (draft->token.kind == TOKEN_WORD && draft->token.word <= WORD_TIME) {
            lf_eq_word word = draft->token.word;
            status = lf_eq_next(draft);
            LF_TRY(status, readers[word](draft));
        } else if (draft->token.kind != TOKEN_LINE) {
            status = equation(draft);
        }
        if (!status && draft->token.kind == TOKEN_LINE) {
            status = lf_eq_next(draft);
        }
    }
    return status;
}
