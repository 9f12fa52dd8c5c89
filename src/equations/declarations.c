/* Declarations of inputs and forces:
 *
 *     input NAME, … [linear | constant | impulse]
 *     force NAME, … [~ KERNEL [(lengthscale = v [fixed], amplitude = v [fixed])]]
 *     force NAME, … [~ white [(sd = v [fixed])]]
 *
 * Kernels are text here; the caller looks them up. */
#include <math.h>
#include <string.h>

#include "equations/draft.h"

lf_status lf_eq_declare(lf_eq_draft *draft, lf_eq_kind kind, int count, int *symbol)
{
    lf_eq_token token = draft->token;
    char text[LF_EQ_EXCERPT];
    *symbol = token.symbol;
    lf_eq_token_text(draft, text);
    if (token.kind == TOKEN_WORD) {
        return lf_eq_wrong(draft, token.start, "%s is a word of the language; use another name, or \"%s\"", text, text);
    }
    if (token.kind != TOKEN_NAME) {
        return lf_eq_wrong(draft, token.start, "the name of %s is expected, not %s", lf_eq_kind_text(kind), text);
    }
    lf_eq_symbol *declared = lf_eq_symbol_at(draft, token.symbol);
    if (token.primes) {
        return lf_eq_wrong(draft, token.start,
                           "%s cannot be declared: a name with primes is a variable, found by its equation", text);
    }
    if (declared->declared) {
        return lf_eq_wrong(draft, token.start, "%s is already %s (line %d); a name has one meaning", text,
                           lf_eq_kind_text(declared->declared), lf_eq_line_of(draft, declared->declared_at));
    }
    if (count >= LF_EQ_MOST_COLUMNS && kind != KIND_PARAMETER) {
        return lf_eq_wrong(draft, token.start, "%s is the %dth of its kind; %d are allowed", text, count + 1,
                           LF_EQ_MOST_COLUMNS);
    }
    declared->declared = kind;
    declared->declared_index = count;
    declared->declared_at = token.start;
    return lf_eq_next(draft);
}

/* The statement must end here. */
static lf_status end(lf_eq_draft *draft, const char *remedy)
{
    if (lf_eq_at_end(draft)) {
        return LF_OK;
    }
    char found[LF_EQ_EXCERPT];
    lf_eq_token_text(draft, found);
    return lf_eq_wrong(draft, draft->token.start, "%s is not expected here; %s", found, remedy);
}

lf_status lf_eq_parse_input(lf_eq_draft *draft)
{
    static const char *const holds[] = {"linear", "constant", "impulse"};
    int first = draft->inputs.count;
    for (;;) {
        size_t position = draft->token.start;
        int symbol = 0;
        lf_status status = lf_eq_declare(draft, KIND_INPUT, draft->inputs.count, &symbol);
        if (status) {
            return status;
        }
        lf_eq_input *input = lf_eq_append(draft, &draft->inputs, sizeof *input);
        if (!input) {
            return draft->status;
        }
        *input = (lf_eq_input){.name = lf_eq_symbol_at(draft, symbol)->name, .position = position};
        if (!lf_eq_is_sign(draft, ',')) {
            break;
        }
        if ((status = lf_eq_next(draft))) {
            return status;
        }
    }
    for (int hold = 0; hold < 3; hold++) {
        if (lf_eq_is_name(draft, holds[hold])) {
            for (int i = first; i < draft->inputs.count; i++) {
                ((lf_eq_input *)draft->inputs.items)[i].hold = (lf_hold)hold;
            }
            lf_status status = lf_eq_next(draft);
            return status ? status : end(draft, "an input statement ends with linear, constant or impulse");
        }
    }
    return end(draft, "names are separated by commas; linear, constant or impulse may follow");
}

lf_status lf_eq_parse_scale(lf_eq_draft *draft, const char *what, int zero, lf_eq_number *number)
{
    if (!isnan(number->value)) {
        return lf_eq_wrong(draft, draft->token.start, "the %s is given twice", what);
    }
    lf_status status = lf_eq_expect(draft, '=', what);
    size_t position = draft->token.start;
    if (!status) {
        status = lf_eq_parse_number(draft, what, &number->value);
    }
    if (!status && lf_eq_is_word(draft, WORD_FIXED)) {
        number->fixed = 1;
        status = lf_eq_next(draft);
    }
    if (!status && !(number->value > 0) && !(zero && number->fixed && number->value == 0)) {
        return lf_eq_wrong(draft, position, "the %s is %g and must be greater than 0%s", what, number->value,
                           zero ? ", or fixed at 0" : "");
    }
    return status;
}

/* ( key = value [fixed], … ) */
static lf_status kernel_numbers(lf_eq_draft *draft, lf_eq_force *force)
{
    lf_status status = lf_eq_next(draft);
    while (!status) {
        int lengthscale = lf_eq_is_name(draft, "lengthscale"), amplitude = lf_eq_is_name(draft, "amplitude"),
            sd = lf_eq_is_name(draft, "sd");
        if (force->white ? !sd : !lengthscale && !amplitude) {
            char found[LF_EQ_EXCERPT];
            lf_eq_token_text(draft, found);
            return lf_eq_wrong(draft, draft->token.start,
                               force->white ? "%s is not a property of a white force, which has sd"
                                            : "%s is not a property of a force, which has lengthscale and amplitude",
                               found);
        }
        status = lf_eq_next(draft);
        if (!status) {
            status = lengthscale ? lf_eq_parse_scale(draft, "lengthscale", 0, &force->lengthscale)
                                 : lf_eq_parse_scale(draft, sd ? "sd" : "amplitude", 1, &force->amplitude);
        }
        if (status || !lf_eq_is_sign(draft, ',')) {
            break;
        }
        status = lf_eq_next(draft);
    }
    return status ? status : lf_eq_expect(draft, ')', "the properties of a force");
}

/* ~ KERNEL [( … )], with ~ as the token. */
static lf_status kernel(lf_eq_draft *draft, lf_eq_force *force)
{
    lf_status status = lf_eq_next(draft);
    if (status) {
        return status;
    }
    if (draft->token.kind != TOKEN_NAME || draft->token.primes) {
        char found[LF_EQ_EXCERPT];
        lf_eq_token_text(draft, found);
        return lf_eq_wrong(draft, draft->token.start, "the name of a kernel, or white, is expected after ~, not %s",
                           found);
    }
    force->kernel = lf_eq_symbol_at(draft, draft->token.symbol)->name;
    force->kernel_position = draft->token.start;
    force->white = strcmp(force->kernel, "white") == 0;
    status = lf_eq_next(draft);
    return !status && lf_eq_is_sign(draft, '(') ? kernel_numbers(draft, force) : status;
}

lf_status lf_eq_parse_force(lf_eq_draft *draft)
{
    int first = draft->forces.count;
    lf_eq_force like = {.lengthscale.value = NAN, .amplitude.value = NAN};
    for (;;) {
        size_t position = draft->token.start;
        int symbol;
        lf_status status = lf_eq_declare(draft, KIND_FORCE, draft->forces.count, &symbol);
        if (status) {
            return status;
        }
        lf_eq_force *force = lf_eq_append(draft, &draft->forces, sizeof *force);
        if (!force) {
            return draft->status;
        }
        *force = (lf_eq_force){.name = lf_eq_symbol_at(draft, symbol)->name, .position = position};
        if (!lf_eq_is_sign(draft, ',')) {
            break;
        }
        if ((status = lf_eq_next(draft))) {
            return status;
        }
    }
    if (lf_eq_is_sign(draft, '~')) {
        lf_status status = kernel(draft, &like);
        if (status) {
            return status;
        }
    }
    for (int i = first; i < draft->forces.count; i++) {
        lf_eq_force *force = (lf_eq_force *)draft->forces.items + i;
        like.name = force->name;
        like.position = force->position;
        like.amplitude_given = !isnan(like.amplitude.value);
        *force = like;
    }
    return end(draft, "names are separated by commas; ~ KERNEL may follow");
}
