/* Expressions by recursive descent:
 *
 *     sum     = product { (+|-) product }
 *     product = signed { (*|/) signed }
 *     signed  = { - | + } power
 *     power   = primary [ ^ signed ]            so that -x^2 = -(x^2) and a^b^c = a^(b^c)
 *     primary = number | name | ( sum ) | function ( sum )
 *
 * The functions return a node, or -1 after a failure, whose status is in the draft. Recursion is bounded by LF_EQ_MOST_DEPTH. */
#include <math.h>
#include <string.h>

#include "equations/draft.h"
#include "equations/tape.h"

static int sum(lf_eq_draft *draft);

static int add_node(lf_eq_draft *draft, lf_eq_node node)
{
    if (draft->nodes.count == LF_EQ_MOST_NODES) {
        lf_eq_wrong(draft, node.start, "the expressions have more than %d terms and operations", LF_EQ_MOST_NODES);
        return -1;
    }
    lf_eq_node *added = lf_eq_append(draft, &draft->nodes, sizeof node);
    if (!added) {
        return -1;
    }
    *added = node;
    return draft->nodes.count - 1;
}

static int add_binary(lf_eq_draft *draft, lf_eq_op op, int a, int b)
{
    return add_node(
        draft,
        (lf_eq_node){
            .op = op, .a = a, .b = b, .start = lf_eq_node_at(draft, a)->start, .end = lf_eq_node_at(draft, b)->end});
}

static int deeper(lf_eq_draft *draft)
{
    if (++draft->depth > LF_EQ_MOST_DEPTH) {
        lf_eq_wrong(draft, draft->token.start, "parentheses, signs and powers are nested more than %d deep",
                    LF_EQ_MOST_DEPTH);
        return 0;
    }
    return 1;
}

/* ( sum ), with the parenthesis as the token; the node then spans the parentheses. */
static int in_parentheses(lf_eq_draft *draft, uint32_t start)
{
    if (!deeper(draft) || lf_eq_next(draft)) {
        return -1;
    }
    int node = sum(draft);
    if (node < 0) {
        return -1;
    }
    char found[LF_EQ_EXCERPT];
    lf_eq_token_text(draft, found);
    if (!lf_eq_is_sign(draft, ')')) {
        int line = lf_eq_line_of(draft, draft->token.start);
        if (line != lf_eq_line_of(draft, draft->opened_at)) {
            lf_eq_wrong(draft, draft->opened_at,
                        "this parenthesis is not closed, or an operator is missing before %s in line %d", found, line);
            return -1;
        }
        lf_eq_wrong(draft, draft->token.start, "an operator or ) is expected, not %s", found);
        return -1;
    }
    uint32_t end = (uint32_t)draft->token.end;
    draft->depth--;
    if (lf_eq_next(draft)) {
        return -1;
    }
    lf_eq_node_at(draft, node)->start = start;
    lf_eq_node_at(draft, node)->end = end;
    return node;
}

static int function(lf_eq_draft *draft)
{
    static const lf_eq_op ops[] = {[WORD_EXP] = OP_EXP, [WORD_LOG] = OP_LOG, [WORD_SQRT] = OP_SQRT};
    lf_eq_token word = draft->token;
    char name[LF_EQ_EXCERPT];
    lf_eq_token_text(draft, name);
    if (lf_eq_next(draft)) {
        return -1;
    }
    if (!lf_eq_is_sign(draft, '(')) {
        lf_eq_wrong(draft, word.start, "%s is a function: its argument follows in parentheses", name);
        return -1;
    }
    int a = in_parentheses(draft, (uint32_t)draft->token.start);
    if (a < 0) {
        return -1;
    }
    uint32_t end = lf_eq_node_at(draft, a)->end;
    return add_node(draft, (lf_eq_node){.op = ops[word.word], .a = a, .start = (uint32_t)word.start, .end = end});
}

static int name(lf_eq_draft *draft)
{
    lf_eq_token token = draft->token;
    char text[LF_EQ_EXCERPT];
    lf_eq_token_text(draft, text);
    if (lf_eq_next(draft)) {
        return -1;
    }
    if (lf_eq_is_sign(draft, '(')) {
        lf_eq_wrong(draft, token.start,
                    "%s is followed by a parenthesis; write * for a product; functions are exp, log and sqrt", text);
        return -1;
    }
    return add_node(draft, (lf_eq_node){.op = OP_NAME,
                                        .symbol = token.symbol,
                                        .primes = token.primes,
                                        .start = (uint32_t)token.start,
                                        .end = (uint32_t)token.end});
}

/* There is no operand where one should be. */
static int no_operand(lf_eq_draft *draft)
{
    char found[LF_EQ_EXCERPT];
    lf_eq_token_text(draft, found);
    if (lf_eq_is_word(draft, WORD_AVERAGE)) {
        lf_eq_wrong(draft, draft->token.start,
                    "average(…) must be the whole expression of an output: output NAME = average(EXPRESSION, WIDTH)");
    } else if (lf_eq_is_word(draft, WORD_TIME)) {
        lf_eq_wrong(draft, draft->token.start,
                    "the time itself cannot stand in an expression; make a column with what depends on it an input");
    } else if (draft->token.kind == TOKEN_WORD) {
        lf_eq_wrong(draft, draft->token.start, "%s is a word of the language; use another name, or \"%s\"", found,
                    found);
    } else if (draft->token.kind == TOKEN_LINE) {
        lf_eq_wrong(
            draft, draft->token.start,
            "a number, a name or ( is expected; a statement continues on the next line while a parenthesis is open");
    } else {
        lf_eq_wrong(draft, draft->token.start, "a number, a name or ( is expected, not %s", found);
    }
    return -1;
}

static int primary(lf_eq_draft *draft)
{
    lf_eq_token token = draft->token;
    if (token.kind == TOKEN_NUMBER) {
        return lf_eq_next(draft) ? -1
                                 : add_node(draft, (lf_eq_node){.op = OP_NUMBER,
                                                                .number = token.number,
                                                                .start = (uint32_t)token.start,
                                                                .end = (uint32_t)token.end});
    }
    if (token.kind == TOKEN_NAME) {
        return name(draft);
    }
    if (lf_eq_is_sign(draft, '(')) {
        return in_parentheses(draft, (uint32_t)token.start);
    }
    if (token.kind == TOKEN_WORD && token.word >= WORD_EXP && token.word <= WORD_SQRT) {
        return function(draft);
    }
    return no_operand(draft);
}

static int signed_power(lf_eq_draft *draft)
{
    if (lf_eq_is_sign(draft, '-') || lf_eq_is_sign(draft, '+')) {
        lf_eq_token sign = draft->token;
        if (!deeper(draft) || lf_eq_next(draft)) {
            return -1;
        }
        int a = signed_power(draft);
        draft->depth--;
        if (a < 0 || sign.sign == '+') {
            return a;
        }
        uint32_t end = lf_eq_node_at(draft, a)->end;
        return add_node(draft, (lf_eq_node){.op = OP_NEGATE, .a = a, .start = (uint32_t)sign.start, .end = end});
    }
    int base = primary(draft);
    if (base < 0 || !lf_eq_is_sign(draft, '^')) {
        return base;
    }
    if (!deeper(draft) || lf_eq_next(draft)) {
        return -1;
    }
    int exponent = signed_power(draft);
    draft->depth--;
    return exponent < 0 ? -1 : add_binary(draft, OP_POWER, base, exponent);
}

static int product(lf_eq_draft *draft)
{
    int a = signed_power(draft);
    while (a >= 0 && (lf_eq_is_sign(draft, '*') || lf_eq_is_sign(draft, '/'))) {
        lf_eq_op op = draft->token.sign == '*' ? OP_MULTIPLY : OP_DIVIDE;
        if (lf_eq_next(draft)) {
            return -1;
        }
        if (op == OP_MULTIPLY && lf_eq_is_sign(draft, '*')) {
            lf_eq_wrong(draft, draft->token.start, "a power is written with ^, not with **");
            return -1;
        }
        int b = signed_power(draft);
        a = b < 0 ? -1 : add_binary(draft, op, a, b);
    }
    return a;
}

static int sum(lf_eq_draft *draft)
{
    int a = product(draft);
    while (a >= 0 && (lf_eq_is_sign(draft, '+') || lf_eq_is_sign(draft, '-'))) {
        lf_eq_op op = draft->token.sign == '+' ? OP_ADD : OP_SUBTRACT;
        if (lf_eq_next(draft)) {
            return -1;
        }
        int b = product(draft);
        a = b < 0 ? -1 : add_binary(draft, op, a, b);
    }
    return a;
}

lf_status lf_eq_parse_expression(lf_eq_draft *draft, lf_eq_expression *expression)
{
    expression->first = draft->nodes.count;
    draft->depth = 0;
    expression->root = sum(draft);
    return expression->root < 0 ? draft->status : LF_OK;
}

lf_status lf_eq_parse_number(lf_eq_draft *draft, const char *what, double *value)
{
    lf_eq_expression expression;
    lf_status status = lf_eq_parse_expression(draft, &expression);
    if (status) {
        return status;
    }
    for (int i = expression.first; i <= expression.root; i++) {
        lf_eq_node *node = lf_eq_node_at(draft, i);
        char text[LF_EQ_EXCERPT];
        if (node->op == OP_NAME) {
            lf_eq_node_text(draft, i, text);
            return lf_eq_wrong(draft, node->start, "%s must be a number; %s is a name", what, text);
        }
        if (node->op != OP_NUMBER) {
            node->number =
                lf_eq_apply(node->op, lf_eq_node_at(draft, node->a)->number, lf_eq_node_at(draft, node->b)->number);
        }
        if (!isfinite(node->number)) {
            lf_eq_node_text(draft, i, text);
            return lf_eq_wrong(draft, node->start, "%s is not a finite number", text);
        }
    }
    *value = lf_eq_node_at(draft, expression.root)->number;
    draft->nodes.count = expression.first; /* the tree has served its purpose */
    return LF_OK;
}
