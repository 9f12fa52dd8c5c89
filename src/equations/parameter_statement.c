/* parameter NAME [= value] [fixed] [in low .. high] [~ normal(m, s) | lognormal(median, s)] [real]
 *
 * A parameter is positive unless it is real, or fixed at a value that is not. */
#include <math.h>

#include "base/context.h"
#include "equations/draft.h"

/* A bound: a number, inf or -inf. */
static lf_status bound(lf_eq_draft *draft, double *value)
{
    int negative = lf_eq_is_sign(draft, '-');
    lf_eq_draft before = *draft;
    lf_status status = negative ? lf_eq_next(draft) : LF_OK;
    if (!status && lf_eq_is_name(draft, "inf")) {
        *value = negative ? -INFINITY : INFINITY;
        return lf_eq_next(draft);
    }
    if (status) {
        return status;
    }
    draft->offset = before.offset; /* back to the sign */
    draft->open = before.open;
    draft->token = before.token;
    return lf_eq_parse_number(draft, "a bound", value);
}

/* in low .. high, with in as the token */
static lf_status bounds(lf_eq_draft *draft, lf_eq_parameter *parameter)
{
    size_t position = draft->token.start;
    lf_status status = lf_eq_next(draft);
    if (!status) {
        status = bound(draft, &parameter->lower);
    }
    if (!status && draft->token.kind != TOKEN_RANGE) {
        char found[LF_EQ_EXCERPT];
        lf_eq_token_text(draft, found);
        return lf_eq_wrong(draft, draft->token.start, ".. is expected between the bounds, as in 0.1 .. 10, not %s",
                           found);
    }
    if (!status) {
        status = lf_eq_next(draft);
    }
    if (!status) {
        status = bound(draft, &parameter->upper);
    }
    if (!status && !(parameter->lower < parameter->upper)) {
        return lf_eq_wrong(draft, position, "the lower bound %g is not less than the upper bound %g", parameter->lower,
                           parameter->upper);
    }
    return status;
}

/* ~ normal(m, s) or ~ lognormal(median, s), with ~ as the token */
static lf_status prior(lf_eq_draft *draft, lf_eq_parameter *parameter)
{
    lf_status status = lf_eq_next(draft);
    size_t position = draft->token.start;
    int lognormal = !status && lf_eq_is_name(draft, "lognormal");
    if (!status && !lognormal && !lf_eq_is_name(draft, "normal")) {
        char found[LF_EQ_EXCERPT];
        lf_eq_token_text(draft, found);
        return lf_eq_wrong(draft, position, "a prior is normal(mean, sd) or lognormal(median, sd), not %s", found);
    }
    parameter->prior = lognormal ? LF_EQ_PRIOR_LOGNORMAL : LF_EQ_PRIOR_NORMAL;
    if (!status) {
        status = lf_eq_next(draft);
    }
    if (!status) {
        status = lf_eq_expect(draft, '(', lognormal ? "lognormal" : "normal");
    }
    if (!status) {
        status = lf_eq_parse_number(draft, lognormal ? "the median" : "the mean", &parameter->prior_at);
    }
    if (!status) {
        status = lf_eq_expect(draft, ',', lognormal ? "the median" : "the mean");
    }
    if (!status) {
        status = lf_eq_parse_number(draft, "the standard deviation", &parameter->prior_width);
    }
    if (!status && !(parameter->prior_width > 0)) {
        return lf_eq_wrong(draft, position, "the standard deviation of the prior is %g and must be greater than 0",
                           parameter->prior_width);
    }
    if (!status && lognormal && !(parameter->prior_at > 0)) {
        return lf_eq_wrong(draft, position, "the median of the prior is %g and must be greater than 0",
                           parameter->prior_at);
    }
    return status ? status : lf_eq_expect(draft, ')', "the standard deviation");
}

/* What the parts of the statement say together. */
static lf_status check(lf_eq_draft *draft, lf_eq_parameter *p, int real, int bounded, int has_value)
{
    size_t at = p->position;
    if (p->fixed && !has_value) {
        return lf_eq_wrong(draft, at, "%s is fixed and has no value; write parameter %s = VALUE fixed", p->name,
                           p->name);
    }
    if (p->fixed && (p->prior || bounded)) {
        return lf_eq_wrong(draft, at, "%s is fixed: bounds and a prior have no effect; remove them, or fixed", p->name);
    }
    if (p->prior == LF_EQ_PRIOR_LOGNORMAL && real) {
        return lf_eq_wrong(draft, at, "%s has a lognormal prior, which is of positive numbers; remove real", p->name);
    }
    p->positive = !real && !(p->fixed && p->value <= 0);
    if (bounded && p->positive && p->lower < 0) {
        return lf_eq_wrong(draft, at, "parameters are positive, and %g is not; add real to the statement", p->lower);
    }
    if (!bounded) {
        p->lower = p->positive ? 0 : -INFINITY;
        p->upper = INFINITY;
    }
    if (has_value && !p->fixed && p->positive && p->value <= 0) {
        return lf_eq_wrong(draft, at, "%s starts at %g and parameters are positive; add real to the statement", p->name,
                           p->value);
    }
    if (has_value && !p->fixed && !(p->value > p->lower && p->value < p->upper)) {
        return lf_eq_wrong(draft, at, "%s starts at %g, which is not between its bounds %g and %g", p->name, p->value,
                           p->lower, p->upper);
    }
    return LF_OK;
}

lf_status lf_eq_parse_parameter(lf_eq_draft *draft)
{
    lf_eq_parameter p = {.value = NAN, .declared = 1, .position = draft->token.start};
    int symbol, real = 0, bounded = 0, has_value = 0;
    lf_status status = lf_eq_declare(draft, KIND_PARAMETER, draft->declared.count, &symbol);
    if (status) {
        return status;
    }
    p.name = lf_eq_symbol_at(draft, symbol)->name;
    p.line = lf_eq_line_of(draft, p.position);
    while (!status && !lf_eq_at_end(draft)) {
        size_t position = draft->token.start;
        char found[LF_EQ_EXCERPT];
        lf_eq_token_text(draft, found);
        int given = lf_eq_is_sign(draft, '=')       ? has_value
                    : lf_eq_is_sign(draft, '~')     ? p.prior != LF_EQ_PRIOR_NONE
                    : lf_eq_is_word(draft, WORD_IN) ? bounded
                                                    : 0;
        if (given) {
            return lf_eq_wrong(draft, position, "%s stands twice in the statement", found);
        }
        if (lf_eq_is_sign(draft, '=')) {
            has_value = 1;
            status = lf_eq_next(draft);
            LF_TRY(status, lf_eq_parse_number(draft, "the value of a parameter", &p.value));
        } else if (lf_eq_is_sign(draft, '~')) {
            status = prior(draft, &p);
        } else if (lf_eq_is_word(draft, WORD_IN)) {
            bounded = 1;
            status = bounds(draft, &p);
        } else if (lf_eq_is_word(draft, WORD_FIXED) || lf_eq_is_word(draft, WORD_REAL)) {
            *(draft->token.word == WORD_FIXED ? &p.fixed : &real) = 1;
            status = lf_eq_next(draft);
        } else {
            return lf_eq_wrong(draft, position,
                               "%s is not expected here; after the value come fixed, real, in LOW .. HIGH and ~ PRIOR",
                               found);
        }
    }
    if (!status) {
        status = check(draft, &p, real, bounded, has_value);
    }
    if (status) {
        return status;
    }
    lf_eq_parameter *added = lf_eq_append(draft, &draft->declared, sizeof p);
    if (!added) {
        return draft->status;
    }
    *added = p;
    return LF_OK;
}
