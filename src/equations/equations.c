/* Parsing and compiling a text, from its characters to a program. */
#include "equations/equations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/number.h"
#include "equations/compiler.h"

static lf_status compile_system(lf_eq_compiler *compiler)
{
    lf_eq_draft *draft = compiler->draft;
    lf_status status = LF_OK;
    for (int e = 0; e < draft->equations.count && !status; e++) {
        const lf_eq_equation *equation = (const lf_eq_equation *)draft->equations.items + e;
        status = lf_eq_collect(compiler, equation->left, 1, e, 0);
        LF_TRY(status, lf_eq_collect(compiler, equation->right, -1, e, 0));
    }
    for (int o = 0; o < draft->outputs.count && !status; o++) {
        status = lf_eq_collect(compiler, ((lf_eq_expression *)draft->output_expressions.items)[o], 1, o, 1);
    }
    return status ? status : lf_eq_check_structure(compiler);
}

static lf_status compile_starts(lf_eq_compiler *compiler, lf_eq_state_start *starts)
{
    lf_eq_draft *draft = compiler->draft;
    for (int i = 0; i < draft->starts.count; i++) {
        const lf_eq_draft_start *start = (const lf_eq_draft_start *)draft->starts.items + i;
        const lf_eq_symbol *symbol = lf_eq_symbol_at(draft, start->symbol);
        int state = ((lf_eq_variable *)draft->variables.items)[symbol->variable].first_state + start->primes;
        for (int k = 0; k < 2; k++) {
            lf_eq_expression expression = k ? start->sd : start->mean;
            const lf_eq_node *root = lf_eq_node_at(draft, expression.root);
            int reg;
            lf_status status = lf_eq_collect_constant(compiler, &compiler->program->tape, expression, &reg);
            if (status) {
                return status;
            }
            lf_eq_term *term = lf_eq_append(draft, &compiler->program->terms[k ? PART_SD : PART_MEAN], sizeof *term);
            if (!term) {
                return draft->status;
            }
            *term = (lf_eq_term){state, 0, reg, root->start, root->end};
        }
        starts[i] = (lf_eq_state_start){state, start->position};
    }
    return LF_OK;
}

static lf_status compile_quantities(lf_eq_compiler *compiler)
{
    lf_status status = LF_OK;
    for (int q = 0; q < compiler->draft->quantities.count && !status; q++) {
        status = lf_eq_collect_constant(compiler, &compiler->program->quantity_tape,
                                        ((lf_eq_expression *)compiler->draft->quantity_expressions.items)[q],
                                        &compiler->program->quantity_register[q]);
    }
    return status;
}

static void note_unused(const lf_eq_draft *draft)
{
    const lf_eq_input *inputs = draft->inputs.items;
    const lf_eq_force *forces = draft->forces.items;
    for (int i = 0; i < draft->inputs.count; i++) {
        if (!inputs[i].used) {
            lf_eq_note(draft->ctx, draft->source, inputs[i].position, "the input %s is not used", inputs[i].name);
        }
    }
    for (int i = 0; i < draft->forces.count; i++) {
        if (!forces[i].used) {
            lf_eq_note(draft->ctx, draft->source, forces[i].position, "the force %s is not used", forces[i].name);
        }
    }
    for (int i = 0; i < draft->symbols.count; i++) {
        const lf_eq_symbol *symbol = lf_eq_symbol_at(draft, i);
        if (symbol->declared == KIND_PARAMETER && !symbol->use) {
            lf_eq_note(draft->ctx, draft->source, symbol->declared_at, "the parameter %s is not used", symbol->name);
        }
    }
}

static void *take(lf_eq_list *list, int *count)
{
    void *items = list->items;
    *count = list->count;
    *list = (lf_eq_list){0};
    return items;
}

/* The lists of the draft become those of the equations. */
static lf_status hand_over(lf_eq_draft *draft, lf_equations *equations)
{
    lf_eq_program *program = equations->program;
    program->variables = draft->variables.count;
    program->width = program->states + draft->inputs.count + draft->forces.count + 1;
    program->names = calloc((size_t)draft->symbols.count + 1, sizeof *program->names);
    program->equation_start = malloc(((size_t)draft->equations.count + 1) * sizeof *program->equation_start);
    if (!program->names || !program->equation_start) {
        return lf_no_memory(draft->ctx);
    }
    for (int e = 0; e < draft->equations.count; e++) {
        program->equation_start[e] =
            lf_eq_node_at(draft, ((lf_eq_equation *)draft->equations.items)[e].left.first)->start;
    }
    for (int i = 0; i < draft->symbols.count; i++) {
        program->names[i] = lf_eq_symbol_at(draft, i)->name;
        lf_eq_symbol_at(draft, i)->name = NULL;
    }
    program->name_count = draft->symbols.count;
    equations->time_unit = draft->time_unit;
    equations->start = draft->start;
    equations->start_count = draft->starts.count;
    equations->state_count = program->states;
    equations->inputs = take(&draft->inputs, &equations->input_count);
    equations->forces = take(&draft->forces, &equations->force_count);
    equations->variables = take(&draft->variables, &equations->variable_count);
    equations->parameters = take(&draft->parameters, &equations->parameter_count);
    equations->outputs = take(&draft->outputs, &equations->output_count);
    equations->quantities = take(&draft->quantities, &equations->quantity_count);
    return LF_OK;
}

static lf_status compile(lf_eq_draft *draft, lf_equations *equations)
{
    lf_eq_program *program = equations->program;
    const lf_eq_variable *last = (const lf_eq_variable *)draft->variables.items + draft->variables.count - 1;
    program->states = last->first_state + last->order;
    lf_eq_compiler compiler = {draft, program, program->states, draft->inputs.count, draft->forces.count, NULL, NULL};
    size_t nodes = (size_t)draft->nodes.count;
    lf_eq_state_start *starts = calloc((size_t)draft->starts.count + 1, sizeof *starts);
    uint8_t *mark = NULL;
    equations->starts = starts;
    compiler.reg = malloc(nodes * sizeof *compiler.reg);
    compiler.factor = malloc(nodes * sizeof *compiler.factor);
    program->quantity_register = calloc((size_t)draft->quantities.count + 1, sizeof *program->quantity_register);
    lf_status status = starts && compiler.reg && compiler.factor && program->quantity_register &&
                               lf_eq_tape_init(&program->tape, draft->parameters.count) &&
                               lf_eq_tape_init(&program->quantity_tape, draft->parameters.count)
                           ? LF_OK
                           : lf_no_memory(draft->ctx);
    if (!status) {
        status = compile_system(&compiler);
    }
    if (!status) {
        status = compile_starts(&compiler, starts);
    }
    if (!status) {
        status = compile_quantities(&compiler);
    }
    if (!status) {
        mark = malloc((size_t)program->tape.registers + 1);
        status = mark ? LF_OK : lf_no_memory(draft->ctx);
    }
    if (!status) {
        lf_eq_fix_amplitudes(&compiler, mark);
        note_unused(draft);
        lf_eq_note_misspelt(draft);
        status = hand_over(draft, equations);
    }
    free(mark);
    free(compiler.reg);
    free(compiler.factor);
    return status;
}

lf_status lf_equations_parse(lf_context *ctx, const char *text, const char *name, lf_equations **equations)
{
    lf_equations *made = calloc(1, sizeof *made);
    lf_c_locale locale;
    *equations = NULL;
    if (!made || !(made->program = calloc(1, sizeof *made->program)) || !lf_c_locale_enter(&locale)) {
        lf_equations_free(made);
        return lf_no_memory(ctx);
    }
    lf_eq_draft draft = {.ctx = ctx, .source = &made->program->source};
    lf_status status = lf_eq_source_init(ctx, text, name, draft.source);
    if (!status && draft.source->length > LF_EQ_MOST_CHARACTERS) {
        status = lf_fail(ctx, LF_ERROR_MODEL, "%s: the equations have %zu characters; at most %d are read",
                         draft.source->name, draft.source->length, LF_EQ_MOST_CHARACTERS);
    }
    if (!status) {
        status = lf_eq_parse_statements(&draft);
    }
    if (!status) {
        status = lf_eq_resolve(&draft);
    }
    if (!status) {
        status = compile(&draft, made);
    }
    lf_c_locale_leave(&locale);
    lf_eq_draft_clear(&draft);
    if (status) {
        lf_equations_free(made);
        return status;
    }
    *equations = made;
    return LF_OK;
}

void lf_equations_free(lf_equations *equations)
{
    if (!equations) {
        return;
    }
    const void *lists[] = {equations->inputs,  equations->forces,     equations->variables, equations->parameters,
                           equations->outputs, equations->quantities, equations->starts};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free((void *)lists[i]);
    }
    lf_eq_program *program = equations->program;
    for (int i = 0; program && i < program->name_count; i++) {
        free(program->names[i]);
    }
    for (int part = 0; program && part < PART_COUNT; part++) {
        free(program->terms[part].items);
    }
    if (program) {
        lf_eq_source_clear(&program->source);
        lf_eq_tape_clear(&program->tape);
        lf_eq_tape_clear(&program->quantity_tape);
        free(program->names);
        free(program->equation_start);
        free(program->quantity_register);
    }
    free(program);
    free(equations);
}

const char *lf_equations_text(const lf_equations *equations) { return equations->program->source.text; }

void lf_equations_state_name(const lf_equations *equations, int state, size_t size, char *name)
{
    int v = equations->variable_count - 1;
    while (v > 0 && equations->variables[v].first_state > state) {
        v--;
    }
    snprintf(name, size, "%s%.*s", equations->variables[v].name, state - equations->variables[v].first_state,
             LF_EQ_PRIMES);
}

lf_status lf_equations_fail(lf_context *ctx, const lf_equations *equations, size_t position, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lf_eq_vfail(ctx, &equations->program->source, LF_ERROR_MODEL, position, format, arguments);
    va_end(arguments);
    return LF_ERROR_MODEL;
}
