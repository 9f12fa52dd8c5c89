/* Names that may be misspelt. A name that is nothing else is a parameter, so that a misspelt variable, input or force is one, and becomes
 * a constant term; t is one too. A parameter without a statement in a constant term, whose name is like that of a variable, input or force, is noted. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "equations/compiler.h"

enum { SHORTEST = 4 }; /* a letter more or less makes another word of shorter ones, such as Ri and Ti */

void lf_eq_mark_constant(const lf_eq_draft *draft, int node)
{
    size_t start = lf_eq_node_at(draft, node)->start;
    for (; node >= 0 && lf_eq_node_at(draft, node)->start >= start; node--) {
        if (lf_eq_node_at(draft, node)->op == OP_NAME) {
            lf_eq_symbol_at(draft, lf_eq_node_at(draft, node)->symbol)->in_constant = 1;
        }
    }
}

/* Whether a letter is added, removed or changed, or two neighbours are exchanged. Digits count names, as in tank1 and tank2. */
static int is_one_change(const char *one, const char *other)
{
    size_t n = strlen(one), m = strlen(other), from = 0, to = 0;
    while (from < n && from < m && one[from] == other[from]) {
        from++;
    }
    while (to + from < n && to + from < m && one[n - 1 - to] == other[m - 1 - to]) {
        to++;
    }
    size_t left = n - from - to, right = m - from - to;
    int exchanged = left == 2 && right == 2 && one[from] == other[from + 1] && one[from + 1] == other[from];
    int digit = (left > 0 && isdigit((unsigned char)one[from])) || (right > 0 && isdigit((unsigned char)other[from]));
    return !digit && (exchanged || (left <= 1 && right <= 1));
}

static int is_like(const char *one, const char *other)
{
    return strcasecmp(one, other) == 0 ||
           (strlen(one) >= SHORTEST && strlen(other) >= SHORTEST && is_one_change(one, other));
}

void lf_eq_note_misspelt(const lf_eq_draft *draft)
{
    for (int i = 0; i < draft->symbols.count; i++) {
        const lf_eq_symbol *symbol = lf_eq_symbol_at(draft, i);
        if (symbol->parameter >= 0 && symbol->declared == KIND_NONE && strcmp(symbol->name, "t") == 0) {
            lf_eq_note(
                draft->ctx, draft->source, symbol->first_at,
                "t is a parameter here, and not the time; what depends on time is an input, a column of the data. "
                "(Otherwise add 'parameter t'.)");
            continue;
        }
        if (!symbol->in_constant || symbol->parameter < 0 || symbol->declared != KIND_NONE) {
            continue;
        }
        for (int j = 0; j < draft->symbols.count; j++) {
            const lf_eq_symbol *other = lf_eq_symbol_at(draft, j);
            int is_input = other->declared == KIND_INPUT, is_force = other->declared == KIND_FORCE;
            if ((other->variable >= 0 || is_input || is_force) && is_like(symbol->name, other->name)) {
                lf_eq_note(draft->ctx, draft->source, symbol->first_at,
                           "%s is a parameter here; did you mean the %s %s? (Otherwise add 'parameter %s'.)",
                           symbol->name,
                           is_input   ? "input"
                           : is_force ? "force"
                                      : "variable",
                           other->name, symbol->name);
                break;
            }
        }
    }
}
