/* The coefficients of a linear expression. From the leaves to the root: what has no variable, input or force becomes a register. From the
 * root to the leaves: each node receives what multiplies it, and a leaf adds that as a term to the entry of its symbol. The work is
 * proportional to the size of the expression. */
#include <math.h>

#include "base/context.h"
#include "equations/compiler.h"

static lf_status not_linear(lf_eq_compiler *compiler, int node)
{
    lf_eq_draft *draft = compiler->draft;
    const lf_eq_node *at = lf_eq_node_at(draft, node);
    static const char *const whats[] = {
        [OP_MULTIPLY] = "a product", [OP_DIVIDE] = "a division", [OP_POWER] = "a power",
        [OP_EXP] = "an exponential", [OP_LOG] = "a logarithm",   [OP_SQRT] = "a square root"};
    char text[LF_EQ_EXCERPT];
    lf_eq_node_text(draft, node, text);
    return lf_eq_wrong(draft, at->start,
                       "%s is not linear: %s %s variables, inputs or forces; linearise it, or make it an input", text,
                       whats[at->op], at->op == OP_DIVIDE ? "by" : "of");
}

/* What a name stands for in the matrices. */
static void place_of(const lf_eq_compiler *compiler, const lf_eq_node *node, int is_output, lf_eq_part *part,
                     int *column)
{
    const lf_eq_symbol *symbol = lf_eq_symbol_at(compiler->draft, node->symbol);
    *part = is_output ? PART_G : PART_K;
    if (symbol->variable >= 0) {
        const lf_eq_variable *variable = (const lf_eq_variable *)compiler->draft->variables.items + symbol->variable;
        *column = variable->first_state + node->primes;
        if (node->primes == variable->order) {
            *part = is_output ? PART_H : PART_M;
            *column = symbol->variable;
        }
    } else if (symbol->declared == KIND_INPUT) {
        *column = compiler->states + symbol->declared_index;
    } else {
        *column = compiler->states + compiler->inputs + symbol->declared_index;
    }
}

static lf_status add_term(lf_eq_compiler *compiler, lf_eq_part part, int row, int column, int reg,
                          const lf_eq_node *node)
{
    const lf_eq_tape *tape = &compiler->program->tape;
    if (reg < 0) {
        return lf_no_memory(compiler->draft->ctx);
    }
    if (tape->constant[reg] && tape->initial[reg] == 0) {
        return LF_OK;
    }
    lf_eq_term *term = lf_eq_append(compiler->draft, &compiler->program->terms[part], sizeof *term);
    if (!term) {
        return compiler->draft->status;
    }
    *term = (lf_eq_term){row, column, reg, node->start, node->end};
    return LF_OK;
}

static lf_status check_constant(lf_eq_compiler *compiler, const lf_eq_tape *tape, int reg, int node)
{
    if (reg < 0) {
        return lf_no_memory(compiler->draft->ctx);
    }
    if (tape->constant[reg] && !isfinite(tape->initial[reg])) {
        char text[LF_EQ_EXCERPT];
        lf_eq_node_text(compiler->draft, node, text);
        return lf_eq_wrong(compiler->draft, lf_eq_node_at(compiler->draft, node)->start, "%s%s is not a finite number",
                           compiler->reg[node] < 0 ? "a coefficient in " : "", text);
    }
    return LF_OK;
}

/* The register of a node whose operands have registers, or -1 for one with variables, inputs or forces. */
static lf_status visit(lf_eq_compiler *compiler, lf_eq_tape *tape, int node)
{
    const lf_eq_node *at = lf_eq_node_at(compiler->draft, node);
    int *reg = &compiler->reg[node];
    *reg = -1;
    if (at->op == OP_NUMBER) {
        *reg = lf_eq_tape_constant(tape, at->number);
        return check_constant(compiler, tape, *reg, node);
    }
    if (at->op == OP_NAME) {
        const lf_eq_symbol *symbol = lf_eq_symbol_at(compiler->draft, at->symbol);
        *reg = symbol->declared == KIND_QUANTITY ? compiler->program->quantity_register[symbol->declared_index]
                                                 : symbol->parameter;
        return LF_OK;
    }
    int binary = at->op >= OP_ADD && at->op <= OP_POWER && at->op != OP_NEGATE;
    int a = compiler->reg[at->a], b = binary ? compiler->reg[at->b] : a;
    if (a >= 0 && b >= 0) {
        *reg = lf_eq_tape_emit(tape, at->op, a, b, at->start, at->end);
        return check_constant(compiler, tape, *reg, node);
    }
    int linear = at->op == OP_ADD || at->op == OP_SUBTRACT || at->op == OP_NEGATE ||
                 (at->op == OP_MULTIPLY && (a >= 0 || b >= 0)) || (at->op == OP_DIVIDE && b >= 0);
    return linear ? LF_OK : not_linear(compiler, node);
}

/* Hands the factor of a node on to its operands, or adds its term. */
static lf_status hand_on(lf_eq_compiler *compiler, int node, int row, int is_output)
{
    lf_eq_tape *tape = &compiler->program->tape;
    const lf_eq_node *at = lf_eq_node_at(compiler->draft, node);
    int factor = compiler->factor[node], reg = compiler->reg[node], a = at->a, b = at->b;
    if (reg >= 0) { /* a constant term */
        int product = lf_eq_tape_emit(tape, OP_MULTIPLY, factor, reg, at->start, at->end);
        lf_status status = check_constant(compiler, tape, product, node);
        int column = compiler->states + compiler->inputs + compiler->forces;
        lf_eq_mark_constant(compiler->draft, node);
        return status ? status : add_term(compiler, is_output ? PART_G : PART_K, row, column, product, at);
    }
    if (at->op == OP_NAME) {
        lf_eq_part part;
        int column;
        place_of(compiler, at, is_output, &part, &column);
        return add_term(compiler, part, row, column, factor, at);
    }
    int given = factor, to = a;
    if (at->op == OP_ADD || at->op == OP_SUBTRACT) {
        compiler->factor[a] = factor;
        to = b;
    } else if (at->op == OP_MULTIPLY && compiler->reg[a] >= 0) {
        to = b;
    }
    if (at->op == OP_SUBTRACT || at->op == OP_NEGATE) {
        given = lf_eq_tape_emit(tape, OP_NEGATE, factor, factor, at->start, at->end);
    } else if (at->op == OP_MULTIPLY || at->op == OP_DIVIDE) {
        int constant = at->op == OP_DIVIDE || to == a ? compiler->reg[b] : compiler->reg[a];
        given = lf_eq_tape_emit(tape, at->op, factor, constant, at->start, at->end);
    }
    compiler->factor[to] = given;
    return check_constant(compiler, tape, given, node);
}

lf_status lf_eq_collect(lf_eq_compiler *compiler, lf_eq_expression expression, double factor, int row, int is_output)
{
    lf_status status = LF_OK;
    for (int i = expression.first; i <= expression.root && !status; i++) {
        compiler->factor[i] = -1;
        status = visit(compiler, &compiler->program->tape, i);
    }
    if (status) {
        return status;
    }
    compiler->factor[expression.root] = lf_eq_tape_constant(&compiler->program->tape, factor);
    status = check_constant(compiler, &compiler->program->tape, compiler->factor[expression.root], expression.root);
    for (int i = expression.root; i >= expression.first && !status; i--) {
        if (compiler->factor[i] >= 0) {
            status = hand_on(compiler, i, row, is_output);
        }
    }
    return status;
}

lf_status lf_eq_collect_constant(lf_eq_compiler *compiler, lf_eq_tape *tape, lf_eq_expression expression, int *reg)
{
    lf_status status = LF_OK;
    for (int i = expression.first; i <= expression.root && !status; i++) {
        status = visit(compiler, tape, i);
    }
    *reg = compiler->reg[expression.root];
    return status;
}
