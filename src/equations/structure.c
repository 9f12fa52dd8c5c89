/* What can be said without parameter values. The equations determine the variables only if each highest derivative can be given an equation
 * of its own in which it stands: a matching, found by augmenting paths. Highest derivatives in an output contain whatever their equations
 * contain; white forces and impulses have no value at an instant. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "equations/compiler.h"

typedef struct matching {
    const lf_eq_compiler *compiler;
    int variables, equations;
    int *first, *equation;    /* variable v stands in equation[first[v]] … equation[first[v + 1] - 1] */
    int *equation_of, *owner; /* of each variable; of each equation; -1: none */
    uint8_t *seen;            /* (equations) */
} matching;

static int matching_init(matching *m, const lf_eq_compiler *compiler)
{
    const lf_eq_list *list = &compiler->program->terms[PART_M];
    const lf_eq_term *terms = list->items;
    m->compiler = compiler;
    m->variables = compiler->draft->variables.count;
    m->equations = compiler->draft->equations.count;
    m->first = calloc((size_t)m->variables + 2, sizeof *m->first);
    m->equation = malloc(((size_t)list->count + 1) * sizeof *m->equation);
    m->equation_of = malloc((size_t)m->variables * sizeof *m->equation_of);
    m->owner = malloc((size_t)m->equations * sizeof *m->owner);
    m->seen = malloc((size_t)m->equations);
    if (!m->first || !m->equation || !m->equation_of || !m->owner || !m->seen) {
        return 0;
    }
    for (int i = 0; i < list->count; i++) {
        m->first[terms[i].column + 2]++;
    }
    for (int v = 0; v < m->variables; v++) {
        m->first[v + 2] += m->first[v + 1];
        m->equation_of[v] = -1;
    }
    for (int i = 0; i < list->count; i++) {
        m->equation[m->first[terms[i].column + 1]++] = terms[i].row;
    }
    for (int e = 0; e < m->equations; e++) {
        m->owner[e] = -1;
    }
    return 1;
}

static void matching_clear(matching *m)
{
    free(m->first);
    free(m->equation);
    free(m->equation_of);
    free(m->owner);
    free(m->seen);
}

/* Gives variable v an equation; others may change theirs. No deeper than the number of variables. */
static int augment(matching *m, int v)
{
    for (int i = m->first[v]; i < m->first[v + 1]; i++) {
        int e = m->equation[i];
        if (m->seen[e]) {
            continue;
        }
        m->seen[e] = 1;
        if (m->owner[e] < 0 || augment(m, m->owner[e])) {
            m->owner[e] = v;
            m->equation_of[v] = e;
            return 1;
        }
    }
    return 0;
}

/* The equations do not determine the variables: v is one without an equation, or -1. */
static lf_status undetermined(const matching *m, int v)
{
    lf_eq_draft *draft = m->compiler->draft;
    const lf_eq_variable *variable = v < 0 ? NULL : (const lf_eq_variable *)draft->variables.items + v;
    int spare = m->equations - 1; /* the last equation that no variable owns */
    while (spare >= 0 && m->owner[spare] >= 0) {
        spare--;
    }
    if (m->equations < m->variables) {
        return lf_eq_wrong(
            draft, variable->position,
            "%d %s for %d variables: %s has no equation of its own; add one, or declare %s an input or a force",
            m->equations, m->equations == 1 ? "equation" : "equations", m->variables, variable->name, variable->name);
    }
    const lf_eq_equation *equation = (const lf_eq_equation *)draft->equations.items + spare;
    size_t position = lf_eq_node_at(draft, equation->left.first)->start;
    if (m->equations > m->variables) {
        return lf_eq_wrong(draft, position, "%d equations for %d %s: this one is one too many", m->equations,
                           m->variables, m->variables == 1 ? "variable" : "variables");
    }
    return lf_eq_wrong(
        draft, position,
        "the equations cannot be solved for the highest derivative of %s: this one does not contain it, or "
        "only derivatives that others determine; differentiate it, or put it into the others",
        variable->name);
}

/* Whether the symbol of a column of z has no value at an instant. */
static int is_impulsive(const lf_eq_compiler *compiler, int column)
{
    int input = column - compiler->states, force = input - compiler->inputs;
    if (input < 0 || force >= compiler->forces) {
        return 0;
    }
    return force < 0 ? ((const lf_eq_input *)compiler->draft->inputs.items)[input].hold == LF_HOLD_IMPULSE
                     : ((const lf_eq_force *)compiler->draft->forces.items)[force].white;
}

static lf_status impulsive_output(const lf_eq_compiler *compiler, const lf_eq_term *at, int column)
{
    lf_eq_draft *draft = compiler->draft;
    const lf_eq_output *output = (const lf_eq_output *)draft->outputs.items + at->row;
    int input = column - compiler->states, force = input - compiler->inputs;
    const char *name = force < 0 ? ((const lf_eq_input *)draft->inputs.items)[input].name
                                 : ((const lf_eq_force *)draft->forces.items)[force].name;
    return lf_eq_wrong(draft, at->start,
                       "the output %s would contain the %s %s, which has no value at an instant; observe a variable%s",
                       output->name, force < 0 ? "impulse" : "white force", name,
                       force < 0 ? "" : ", or give the force a kernel");
}

/* Terms of M and K by their equations. */
typedef struct rows {
    int *first, *column; /* equation e has the columns column[first[e]] …: of z, or -1 - a variable */
} rows;

static int rows_init(rows *r, const lf_eq_compiler *compiler, int equations)
{
    const lf_eq_list *lists = compiler->program->terms;
    r->first = calloc((size_t)equations + 2, sizeof *r->first);
    r->column = malloc(((size_t)lists[PART_M].count + (size_t)lists[PART_K].count + 1) * sizeof *r->column);
    if (!r->first || !r->column) {
        return 0;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (lf_eq_part part = PART_M; part <= PART_K; part++) {
            const lf_eq_term *terms = lists[part].items;
            for (int i = 0; i < lists[part].count; i++) {
                if (pass == 0) {
                    r->first[terms[i].row + 2]++;
                } else {
                    r->column[r->first[terms[i].row + 1]++] = part == PART_M ? -1 - terms[i].column : terms[i].column;
                }
            }
        }
        for (int e = 0; e < equations && pass == 0; e++) {
            r->first[e + 2] += r->first[e + 1];
        }
    }
    return 1;
}

/* A column without a value at an instant that the highest derivative of a variable contains, through its equation and those of the highest
 * derivatives there; -1: none. waiting (equations) is work. */
static int find_impulsive(const matching *m, const rows *r, int variable, int *waiting)
{
    int count = 1;
    memset(m->seen, 0, (size_t)m->equations);
    waiting[0] = m->equation_of[variable];
    m->seen[waiting[0]] = 1;
    while (count > 0) {
        int e = waiting[--count];
        for (int i = r->first[e]; i < r->first[e + 1]; i++) {
            int column = r->column[i];
            if (column >= 0 && is_impulsive(m->compiler, column)) {
                return column;
            }
            int next = column < 0 ? m->equation_of[-1 - column] : e;
            if (!m->seen[next]) {
                m->seen[next] = 1;
                waiting[count++] = next;
            }
        }
    }
    return -1;
}

/* No output contains a white force or an impulse, directly or in a highest derivative. */
static lf_status check_outputs(const matching *m)
{
    enum { UNKNOWN = -2 };
    const lf_eq_compiler *compiler = m->compiler;
    const lf_eq_list *direct = &compiler->program->terms[PART_G], *highest = &compiler->program->terms[PART_H];
    for (int i = 0; i < direct->count; i++) {
        const lf_eq_term *at = (const lf_eq_term *)direct->items + i;
        if (is_impulsive(compiler, at->column)) {
            return impulsive_output(compiler, at, at->column);
        }
    }
    rows r = {0};
    int *waiting = malloc((size_t)m->equations * sizeof *waiting),
        *found = malloc((size_t)m->variables * sizeof *found);
    lf_status status =
        rows_init(&r, compiler, m->equations) && waiting && found ? LF_OK : lf_no_memory(compiler->draft->ctx);
    for (int v = 0; v < m->variables && !status; v++) {
        found[v] = UNKNOWN;
    }
    for (int i = 0; i < highest->count && !status; i++) {
        const lf_eq_term *at = (const lf_eq_term *)highest->items + i;
        if (found[at->column] == UNKNOWN) {
            found[at->column] = find_impulsive(m, &r, at->column, waiting);
        }
        if (found[at->column] >= 0) {
            status = impulsive_output(compiler, at, found[at->column]);
        }
    }
    free(r.first);
    free(r.column);
    free(waiting);
    free(found);
    return status;
}

lf_status lf_eq_check_structure(lf_eq_compiler *compiler)
{
    matching m = {0};
    lf_status status = matching_init(&m, compiler) ? LF_OK : lf_no_memory(compiler->draft->ctx);
    int without = -1;
    for (int v = 0; v < m.variables && !status; v++) {
        memset(m.seen, 0, (size_t)m.equations);
        if (!augment(&m, v) && without < 0) {
            without = v;
        }
    }
    if (!status && (without >= 0 || m.equations > m.variables)) {
        status = undetermined(&m, without);
    }
    if (!status) {
        status = check_outputs(&m);
    }
    matching_clear(&m);
    return status;
}
