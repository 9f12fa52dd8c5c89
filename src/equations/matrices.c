/* The matrices of a system at parameter values, and quantities. program.h has the equations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "equations/workspace.h"

lf_status lf_system_matrices_create(lf_context *ctx, const lf_equations *equations, lf_system_matrices *matrices)
{
    const lf_eq_program *program = equations->program;
    lf_system_matrices m = {.n = equations->state_count,
                            .inputs = equations->input_count,
                            .forces = equations->force_count,
                            .outputs = equations->output_count};
    size_t n = (size_t)m.n, width = (size_t)program->width, outputs = (size_t)m.outputs, v = (size_t)program->variables,
           registers = (size_t)program->tape.registers;
    *matrices = (lf_system_matrices){0}; /* may be cleared after a failure */
    m.value_count = (n + outputs) * width + 2 * n;
    m.A = lf_doubles(m.value_count, 1);
    lf_eq_workspace *w = m.workspace = calloc(1, sizeof *w);
    if (w) {
        w->registers = lf_doubles(2 * registers + v * v + 2 * v * width + outputs * v + 2 * v, 1);
        w->pivot = calloc(v, sizeof *w->pivot);
    }
    if (!m.A || !w || !w->registers || !w->pivot) {
        lf_system_matrices_clear(&m);
        return lf_no_memory(ctx);
    }
    m.B = m.A + n * n;
    m.L = m.B + n * (size_t)m.inputs;
    m.c = m.L + n * (size_t)m.forces;
    m.C = m.c + n;
    m.D = m.C + outputs * n;
    m.E = m.D + outputs * (size_t)m.inputs;
    m.d = m.E + outputs * (size_t)m.forces;
    m.start_mean = m.d + outputs;
    m.start_sd = m.start_mean + n;
    w->by = w->registers + registers;
    w->M = w->by + registers;
    w->X = w->M + v * v;
    w->by_X = w->X + v * width;
    w->H = w->by_X + v * width;
    w->scale = w->H + outputs * v;
    memcpy(w->registers, program->tape.initial, registers * sizeof *w->registers);
    *matrices = m;
    return LF_OK;
}

void lf_system_matrices_clear(lf_system_matrices *matrices)
{
    free(matrices->A);
    if (matrices->workspace) {
        free(matrices->workspace->registers);
        free(matrices->workspace->pivot);
    }
    free(matrices->workspace);
    *matrices = (lf_system_matrices){0};
}

/* Where row `row` of (A B L c), or of (C D E d), has its entry for column `column` of z. */
static double *entry(const lf_system_matrices *m, int output, int row, int column)
{
    if (column < m->n) {
        return (output ? m->C : m->A) + (size_t)row * (size_t)m->n + column;
    }
    if ((column -= m->n) < m->inputs) {
        return (output ? m->D : m->B) + (size_t)row * (size_t)m->inputs + column;
    }
    if ((column -= m->inputs) < m->forces) {
        return (output ? m->E : m->L) + (size_t)row * (size_t)m->forces + column;
    }
    return (output ? m->d : m->c) + row;
}

double *lf_eq_entry(const lf_system_matrices *m, int output, int row, int column)
{
    return entry(m, output, row, column);
}

/* M is singular in the column of a variable. */
static lf_status cannot_solve(lf_context *ctx, const lf_equations *equations, const lf_eq_workspace *w, int v)
{
    const lf_eq_program *program = equations->program;
    const lf_eq_variable *variable = &equations->variables[v];
    const lf_eq_term *terms = program->terms[PART_M].items;
    char values[LF_EQ_VALUES] = "";
    for (int i = 0; i < program->terms[PART_M].count && !*values; i++) {
        if (terms[i].column == v) {
            lf_eq_tape_values(equations, &program->tape, w->registers, terms[i].reg, values);
        }
    }
    return lf_eq_fail(
        ctx, &program->source, LF_ERROR_NUMERIC, variable->position,
        "the equations cannot be solved for the highest derivative of %s%s: its coefficients are 0, or those of "
        "a derivative that is not independent of the others",
        variable->name, values);
}

/* M, X = -M⁻¹ K and H from the registers. */
static lf_status solve(lf_context *ctx, const lf_equations *equations, lf_eq_workspace *w)
{
    const lf_eq_program *program = equations->program;
    const lf_eq_list *lists = program->terms;
    const lf_eq_term *mass = lists[PART_M].items, *rest = lists[PART_K].items, *highest = lists[PART_H].items;
    size_t v = (size_t)program->variables, width = (size_t)program->width;
    memset(w->M, 0, v * v * sizeof *w->M);
    memset(w->X, 0, v * width * sizeof *w->X);
    memset(w->H, 0, (size_t)equations->output_count * v * sizeof *w->H);
    for (int i = 0; i < lists[PART_M].count; i++) {
        w->M[(size_t)mass[i].row * v + (size_t)mass[i].column] += w->registers[mass[i].reg];
    }
    for (int i = 0; i < lists[PART_K].count; i++) {
        w->X[(size_t)rest[i].row * width + (size_t)rest[i].column] -= w->registers[rest[i].reg];
    }
    for (int i = 0; i < lists[PART_H].count; i++) {
        w->H[(size_t)highest[i].row * v + (size_t)highest[i].column] += w->registers[highest[i].reg];
    }
    int singular = lf_eq_lu_factor(program->variables, w->M, w->pivot, w->scale);
    if (singular < program->variables) {
        return cannot_solve(ctx, equations, w, singular);
    }
    lf_eq_lu_solve(program->variables, w->M, w->pivot, program->width, w->X);
    return LF_OK;
}

/* The rows of X go to those of (A B L c); the other rows say that a state is the derivative of the one before it. */
static void fill_rows(const lf_equations *equations, const lf_eq_workspace *w, lf_system_matrices *m)
{
    const lf_eq_program *program = equations->program;
    size_t width = (size_t)program->width;
    for (int v = 0; v < program->variables; v++) {
        int first = equations->variables[v].first_state, last = first + equations->variables[v].order - 1;
        for (int i = first; i < last; i++) {
            m->A[(size_t)i * (size_t)m->n + (size_t)i + 1] = 1;
        }
        for (size_t j = 0; j < width; j++) {
            *entry(m, 0, last, (int)j) = w->X[(size_t)v * width + j];
        }
    }
}

/* (C D E d) = G + H X. */
static void fill_outputs(const lf_equations *equations, const lf_eq_workspace *w, lf_system_matrices *m)
{
    const lf_eq_program *program = equations->program;
    const lf_eq_term *direct = program->terms[PART_G].items;
    size_t v = (size_t)program->variables, width = (size_t)program->width;
    for (int i = 0; i < program->terms[PART_G].count; i++) {
        *entry(m, 1, direct[i].row, direct[i].column) += w->registers[direct[i].reg];
    }
    for (int o = 0; o < m->outputs && program->terms[PART_H].count; o++) {
        for (size_t k = 0; k < v; k++) {
            double h = w->H[(size_t)o * v + k];
            for (size_t j = 0; j < width && h != 0; j++) {
                *entry(m, 1, o, (int)j) += h * w->X[k * width + j];
            }
        }
    }
}

static lf_status fill_starts(lf_context *ctx, const lf_equations *equations, const lf_eq_workspace *w,
                             lf_system_matrices *m)
{
    const lf_eq_program *program = equations->program;
    const lf_eq_term *mean = program->terms[PART_MEAN].items, *sd = program->terms[PART_SD].items;
    for (int i = 0; i < m->n; i++) {
        m->start_mean[i] = m->start_sd[i] = NAN;
    }
    for (int i = 0; i < program->terms[PART_SD].count; i++) {
        m->start_mean[mean[i].row] = w->registers[mean[i].reg];
        m->start_sd[sd[i].row] = w->registers[sd[i].reg];
        if (!(m->start_sd[sd[i].row] >= 0)) {
            char values[LF_EQ_VALUES];
            lf_eq_tape_values(equations, &program->tape, w->registers, sd[i].reg, values);
            return lf_eq_fail(ctx, &program->source, LF_ERROR_NUMERIC, sd[i].start,
                              "the standard deviation of this start is %g%s", m->start_sd[sd[i].row], values);
        }
    }
    return LF_OK;
}

/* Coefficients are finite, and so is what the solution makes of them. */
static lf_status check_finite(lf_context *ctx, const lf_equations *equations, const lf_system_matrices *m)
{
    double check = 0;
    size_t count = m->value_count - 2 * (size_t)m->n;
    for (size_t i = 0; i < count; i++) {
        check += 0 * m->A[i];
    }
    return check == 0
               ? LF_OK
               : lf_eq_fail(ctx, &equations->program->source, LF_ERROR_NUMERIC, equations->program->equation_start[0],
                            "the equations, solved for the highest derivatives, have a coefficient that is not finite");
}

lf_status lf_equations_evaluate(lf_context *ctx, const lf_equations *equations, const double *parameters,
                                lf_system_matrices *matrices)
{
    lf_eq_workspace *w = matrices->workspace;
    if (!lf_eq_tape_run(&equations->program->tape, parameters, w->registers)) {
        return lf_eq_tape_fail(ctx, equations, &equations->program->tape, w->registers);
    }
    memset(matrices->A, 0, matrices->value_count * sizeof *matrices->A);
    lf_status status = solve(ctx, equations, w);
    if (status) {
        return status;
    }
    fill_rows(equations, w, matrices);
    fill_outputs(equations, w, matrices);
    status = check_finite(ctx, equations, matrices);
    return status ? status : fill_starts(ctx, equations, w, matrices);
}
