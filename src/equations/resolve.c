/* What each name is. A name with primes in an equation is a variable; a name that is neither variable nor declared is a parameter. Each name
 * has one meaning, except that an output may have the name of the variable that it reads. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "equations/draft.h"

/* Where an expression stands decides which names it may have. */
typedef enum place { IN_EQUATION, IN_OUTPUT, IN_START, IN_QUANTITY } place;

static const lf_eq_equation *equation_at(const lf_eq_draft *draft, int i)
{
    return (const lf_eq_equation *)draft->equations.items + i;
}

/* An equation in which nothing has a prime. */
static lf_status no_derivative(lf_eq_draft *draft, const lf_eq_equation *equation)
{
    const lf_eq_node *left = lf_eq_node_at(draft, equation->left.root);
    char name[LF_EQ_EXCERPT], right[LF_EQ_EXCERPT];
    int names = 0;
    for (int i = equation->right.first; i <= equation->right.root; i++) {
        names += lf_eq_node_at(draft, i)->op == OP_NAME;
    }
    lf_eq_node_text(draft, equation->left.root, name);
    lf_eq_node_text(draft, equation->right.root, right);
    size_t length = strlen(name);
    if (length > 4 && name[0] == 'd' && strcmp(name + length - 3, "/dt") == 0) {
        return lf_eq_wrong(draft, left->start, "a derivative by time is written with a prime: %.*s' instead of %s",
                           (int)(length - 4), name + 1, name);
    }
    if (left->op != OP_NAME) {
        return lf_eq_wrong(
            draft, left->start,
            "an equation needs a derivative, such as x'; this one has none; solve it for one variable and put "
            "that in the place of the variable");
    }
    if (names == 0) {
        return lf_eq_wrong(draft, left->start,
                           "an equation needs a derivative, such as x'; for a constant write parameter %s = %s fixed",
                           name, right);
    }
    return lf_eq_wrong(
        draft, left->start,
        "an equation needs a derivative, such as x'; put (%s) in the place of %s, or write output %s = … to "
        "observe it",
        right, name, name);
}

/* Primes in equations make variables. */
static lf_status find_variables(lf_eq_draft *draft)
{
    for (int e = 0; e < draft->equations.count; e++) {
        int primes = 0;
        for (int i = equation_at(draft, e)->left.first; i <= equation_at(draft, e)->right.root; i++) {
            const lf_eq_node *node = lf_eq_node_at(draft, i);
            if (node->op != OP_NAME || node->primes == 0) {
                continue;
            }
            lf_eq_symbol *symbol = lf_eq_symbol_at(draft, node->symbol);
            if (symbol->declared && symbol->declared != KIND_OUTPUT) {
                return lf_eq_wrong(draft, node->start,
                                   "%s has a derivative here and is %s (line %d); a name has one meaning", symbol->name,
                                   lf_eq_kind_text(symbol->declared), lf_eq_line_of(draft, symbol->declared_at));
            }
            primes += node->primes;
            if (node->primes > symbol->order) {
                symbol->order = node->primes;
                symbol->primed_at = node->start;
            }
        }
        if (primes == 0) {
            return no_derivative(draft, equation_at(draft, e));
        }
    }
    int states = 0;
    for (int i = 0; i < draft->symbols.count; i++) {
        lf_eq_symbol *symbol = lf_eq_symbol_at(draft, i);
        if (symbol->order == 0) {
            continue;
        }
        symbol->variable = draft->variables.count;
        lf_eq_variable *variable = lf_eq_append(draft, &draft->variables, sizeof *variable);
        if (!variable) {
            return draft->status;
        }
        *variable = (lf_eq_variable){symbol->name, symbol->order, states, symbol->primed_at};
        states += symbol->order;
        if (states > LF_EQ_MOST_STATES) {
            return lf_eq_wrong(draft, symbol->primed_at, "the equations have more than %d states", LF_EQ_MOST_STATES);
        }
    }
    return LF_OK;
}

/* An output that has the name of a variable must read that variable. */
static lf_status check_output_name(lf_eq_draft *draft, const lf_eq_symbol *symbol)
{
    const lf_eq_expression *read = (const lf_eq_expression *)draft->output_expressions.items + symbol->declared_index;
    const lf_eq_node *node = lf_eq_node_at(draft, read->root);
    if (read->first != read->root || node->op != OP_NAME || node->primes ||
        lf_eq_symbol_at(draft, node->symbol) != symbol) {
        return lf_eq_wrong(
            draft, symbol->declared_at,
            "%s is a variable; an output of this name must be output %s = %s; give another one another name",
            symbol->name, symbol->name, symbol->name);
    }
    return LF_OK;
}

/* A name that an equation, an output, a start or a quantity uses; `current` is the index of the quantity. */
static lf_status use(lf_eq_draft *draft, const lf_eq_node *node, place in, int current)
{
    static const char *const containers[] = {"an equation", "an output", "a start", "a quantity"};
    lf_eq_symbol *symbol = lf_eq_symbol_at(draft, node->symbol);
    lf_eq_kind kind = symbol->variable >= 0 ? KIND_VARIABLE : symbol->declared;
    int line = symbol->declared ? lf_eq_line_of(draft, symbol->declared_at) : 0;
    int of_parameters = in == IN_START || in == IN_QUANTITY;
    if (kind == KIND_QUANTITY) {
        if (in == IN_QUANTITY && symbol->declared_index < current && !node->primes) {
            return LF_OK;
        }
        return in == IN_QUANTITY
                   ? lf_eq_wrong(draft, node->start, "the quantity %s is used before it is defined (line %d)",
                                 symbol->name, line)
                   : lf_eq_wrong(draft, node->start,
                                 "%s is a quantity (line %d), which %s cannot use; write out its expression",
                                 symbol->name, line, containers[in]);
    }
    if (kind == KIND_OUTPUT) {
        return in == IN_OUTPUT && symbol->declared_index == current
                   ? lf_eq_wrong(draft, node->start,
                                 "the output %s is not a variable: no equation has %s'; write output %s = EXPRESSION",
                                 symbol->name, symbol->name, symbol->name)
                   : lf_eq_wrong(draft, node->start,
                                 "%s is an output (line %d), which %s cannot use; write out its expression",
                                 symbol->name, line, containers[in]);
    }
    if (of_parameters && kind != KIND_PARAMETER && kind != KIND_NONE) {
        return lf_eq_wrong(draft, node->start, "%s is %s; the expression of %s may have only parameters", symbol->name,
                           lf_eq_kind_text(kind), containers[in]);
    }
    if (node->primes && kind != KIND_VARIABLE) {
        return kind == KIND_NONE ? lf_eq_wrong(draft, node->start, "no equation has a derivative of %s; %s needs one",
                                               symbol->name, symbol->name)
                                 : lf_eq_wrong(draft, node->start, "%s is %s (line %d) and has no derivative",
                                               symbol->name, lf_eq_kind_text(kind), line);
    }
    if (kind == KIND_VARIABLE && node->primes > symbol->order) {
        return lf_eq_wrong(draft, node->start,
                           "the highest derivative of %s in the equations has %d %s; %s cannot have more", symbol->name,
                           symbol->order, symbol->order == 1 ? "prime" : "primes", containers[in]);
    }
    if (kind == KIND_INPUT) {
        ((lf_eq_input *)draft->inputs.items)[symbol->declared_index].used = 1;
    } else if (kind == KIND_FORCE) {
        ((lf_eq_force *)draft->forces.items)[symbol->declared_index].used = 1;
    } else if (kind != KIND_VARIABLE) {
        symbol->use |= in == IN_QUANTITY ? LF_EQ_USED_IN_QUANTITY : LF_EQ_USED_IN_SYSTEM;
    }
    return LF_OK;
}

static lf_status use_all(lf_eq_draft *draft, lf_eq_expression expression, place in, int current)
{
    lf_status status = LF_OK;
    for (int i = expression.first; i <= expression.root && !status; i++) {
        const lf_eq_node *node = lf_eq_node_at(draft, i);
        status = node->op == OP_NAME ? use(draft, node, in, current) : LF_OK;
    }
    return status;
}

static lf_status use_everything(lf_eq_draft *draft)
{
    lf_status status = LF_OK;
    for (int i = 0; i < draft->equations.count && !status; i++) {
        lf_eq_expression whole = {equation_at(draft, i)->left.first, equation_at(draft, i)->right.root};
        status = use_all(draft, whole, IN_EQUATION, i);
    }
    for (int i = 0; i < draft->outputs.count && !status; i++) {
        status = use_all(draft, ((lf_eq_expression *)draft->output_expressions.items)[i], IN_OUTPUT, i);
    }
    for (int i = 0; i < draft->starts.count && !status; i++) {
        const lf_eq_draft_start *start = (const lf_eq_draft_start *)draft->starts.items + i;
        status = use_all(draft, start->mean, IN_START, i);
        LF_TRY(status, use_all(draft, start->sd, IN_START, i));
    }
    for (int i = 0; i < draft->quantities.count && !status; i++) {
        status = use_all(draft, ((lf_eq_expression *)draft->quantity_expressions.items)[i], IN_QUANTITY, i);
    }
    return status;
}

/* Parameters in the order of the text. */
static lf_status list_parameters(lf_eq_draft *draft)
{
    for (int i = 0; i < draft->symbols.count; i++) {
        lf_eq_symbol *symbol = lf_eq_symbol_at(draft, i);
        int declared = symbol->declared == KIND_PARAMETER;
        if (!declared && !symbol->use) {
            continue;
        }
        symbol->parameter = draft->parameters.count;
        lf_eq_parameter *parameter = lf_eq_append(draft, &draft->parameters, sizeof *parameter);
        if (!parameter) {
            return draft->status;
        }
        if (declared) {
            *parameter = ((lf_eq_parameter *)draft->declared.items)[symbol->declared_index];
        } else {
            *parameter = (lf_eq_parameter){.name = symbol->name,
                                           .value = NAN,
                                           .positive = 1,
                                           .upper = INFINITY,
                                           .line = lf_eq_line_of(draft, symbol->first_at),
                                           .position = symbol->first_at};
        }
        parameter->used = (symbol->use & LF_EQ_USED_IN_SYSTEM) != 0;
        if (!parameter->used && symbol->use && !parameter->fixed && !parameter->prior) {
            return lf_eq_wrong(
                draft, parameter->position,
                "no equation, output or start has %s, so that no data determine it; write parameter %s = "
                "VALUE fixed, or correct the name",
                symbol->name, symbol->name);
        }
    }
    return LF_OK;
}

static lf_status check_starts(lf_eq_draft *draft)
{
    for (int i = 0; i < draft->starts.count; i++) {
        const lf_eq_draft_start *start = (const lf_eq_draft_start *)draft->starts.items + i;
        const lf_eq_symbol *symbol = lf_eq_symbol_at(draft, start->symbol);
        if (symbol->variable < 0) {
            return lf_eq_wrong(draft, start->position, "%s is not a variable: no equation has %s'", symbol->name,
                               symbol->name);
        }
        if (start->primes >= symbol->order) {
            return lf_eq_wrong(draft, start->position, "%s%.*s cannot have a start: the equations determine it",
                               symbol->name, start->primes, LF_EQ_PRIMES);
        }
        if (draft->start == LF_EQ_START_STEADY) {
            return lf_eq_wrong(draft, start->position,
                               "start steady (line %d) is the start of every variable; remove one of the two",
                               lf_eq_line_of(draft, draft->start_at));
        }
        for (int j = 0; j < i; j++) {
            const lf_eq_draft_start *other = (const lf_eq_draft_start *)draft->starts.items + j;
            if (other->symbol == start->symbol && other->primes == start->primes) {
                return lf_eq_wrong(draft, start->position, "this start is given twice; line %d says it already",
                                   lf_eq_line_of(draft, other->position));
            }
        }
    }
    return LF_OK;
}

/* An output that reads only parameters is a mistake: an equation or a prime was forgotten. */
static lf_status check_output_reads(lf_eq_draft *draft, int output)
{
    const lf_eq_expression read = ((lf_eq_expression *)draft->output_expressions.items)[output];
    const lf_eq_output *declared = (lf_eq_output *)draft->outputs.items + output;
    const char *parameter = NULL;
    for (int i = read.first; i <= read.root; i++) {
        const lf_eq_node *node = lf_eq_node_at(draft, i);
        const lf_eq_symbol *symbol = node->op == OP_NAME ? lf_eq_symbol_at(draft, node->symbol) : NULL;
        if (symbol && (symbol->variable >= 0 || symbol->declared == KIND_INPUT || symbol->declared == KIND_FORCE)) {
            return LF_OK;
        }
        parameter = symbol ? symbol->name : parameter;
    }
    return parameter ? lf_eq_wrong(draft, declared->position,
                                   "the output %s reads no variable: %s is a parameter, because no equation has %s'",
                                   declared->name, parameter, parameter)
                     : lf_eq_wrong(draft, declared->position, "the output %s reads no variable", declared->name);
}

lf_status lf_eq_resolve(lf_eq_draft *draft)
{
    if (draft->equations.count == 0) {
        return lf_fail(draft->ctx, LF_ERROR_MODEL, "%s: the text has no equation, such as T' = (To - T)/tau",
                       draft->source->name);
    }
    if (draft->outputs.count == 0) {
        return lf_fail(draft->ctx, LF_ERROR_MODEL,
                       "%s: the text has no output; output NAME = EXPRESSION says what the column NAME reads",
                       draft->source->name);
    }
    lf_status status = find_variables(draft);
    for (int i = 0; i < draft->symbols.count && !status; i++) {
        const lf_eq_symbol *symbol = lf_eq_symbol_at(draft, i);
        if (symbol->variable >= 0 && symbol->declared == KIND_OUTPUT) {
            status = check_output_name(draft, symbol);
        }
    }
    if (!status) {
        status = use_everything(draft);
    }
    for (int d = 0; d < draft->outputs.count && !status; d++) {
        status = check_output_reads(draft, d);
    }
    if (!status) {
        status = list_parameters(draft);
    }
    return status ? status : check_starts(draft);
}
