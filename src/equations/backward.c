/* Derivatives by the parameters, in reverse mode. With Y = (C D E d) = G + H X and X = -M⁻¹ K,
 *
 *     by X = the rows of by (A B L c) that X fills + Hᵀ by Y,      by H = by Y Xᵀ,      by G = by Y,
 *     W = M⁻ᵀ by X,      by K = -W,      by M = -W Xᵀ,
 *
 * and the tape carries these from its registers to the parameters. Only the entries that have terms are computed. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "equations/workspace.h"

/* by X, before M⁻ᵀ. */
static void gather(const lf_equations *equations, const lf_system_matrices *by, lf_eq_workspace *w)
{
    const lf_eq_program *program = equations->program;
    size_t v = (size_t)program->variables, width = (size_t)program->width;
    for (size_t k = 0; k < v; k++) {
        int last = equations->variables[k].first_state + equations->variables[k].order - 1;
        for (size_t j = 0; j < width; j++) {
            w->by_X[k * width + j] = *lf_eq_entry(by, 0, last, (int)j);
        }
        for (int o = 0; o < by->outputs && program->terms[PART_H].count; o++) {
            double h = w->H[(size_t)o * v + k];
            for (size_t j = 0; j < width && h != 0; j++) {
                w->by_X[k * width + j] += h * *lf_eq_entry(by, 1, o, (int)j);
            }
        }
    }
}

static void spread(const lf_equations *equations, const lf_system_matrices *by, lf_eq_workspace *w)
{
    const lf_eq_program *program = equations->program;
    const lf_eq_list *lists = program->terms;
    const lf_eq_term *terms = lists[PART_H].items;
    size_t width = (size_t)program->width;
    for (int i = 0; i < lists[PART_H].count; i++) {
        const double *X = w->X + (size_t)terms[i].column * width;
        for (size_t j = 0; j < width; j++) {
            w->by[terms[i].reg] += *lf_eq_entry(by, 1, terms[i].row, (int)j) * X[j];
        }
    }
    terms = lists[PART_M].items;
    for (int i = 0; i < lists[PART_M].count; i++) {
        const double *W = w->by_X + (size_t)terms[i].row * width, *X = w->X + (size_t)terms[i].column * width;
        for (size_t j = 0; j < width; j++) {
            w->by[terms[i].reg] -= W[j] * X[j];
        }
    }
    terms = lists[PART_K].items;
    for (int i = 0; i < lists[PART_K].count; i++) {
        w->by[terms[i].reg] -= w->by_X[(size_t)terms[i].row * width + (size_t)terms[i].column];
    }
    terms = lists[PART_G].items;
    for (int i = 0; i < lists[PART_G].count; i++) {
        w->by[terms[i].reg] += *lf_eq_entry(by, 1, terms[i].row, terms[i].column);
    }
    for (int k = 0; k < 2; k++) {
        terms = lists[k ? PART_SD : PART_MEAN].items;
        for (int i = 0; i < lists[PART_SD].count; i++) {
            w->by[terms[i].reg] += (k ? by->start_sd : by->start_mean)[terms[i].row];
        }
    }
}

lf_status lf_equations_backward(lf_context *ctx, const lf_equations *equations, const double *parameters,
                                const lf_system_matrices *matrices, const lf_system_matrices *by, double *gradient)
{
    const lf_eq_program *program = equations->program;
    lf_eq_workspace *w = matrices->workspace;
    (void)parameters; /* the registers hold them */
    gather(equations, by, w);
    lf_eq_lu_solve_transposed(program->variables, w->M, w->pivot, program->width, w->by_X);
    memset(w->by, 0, (size_t)program->tape.registers * sizeof *w->by);
    spread(equations, by, w);
    if (!lf_eq_tape_backward(&program->tape, w->registers, w->by)) {
        return lf_eq_tape_backward_fail(ctx, equations, &program->tape, w->registers);
    }
    for (int i = 0; i < equations->parameter_count; i++) {
        gradient[i] += w->by[i];
    }
    return LF_OK;
}

lf_status lf_equations_quantities(lf_context *ctx, const lf_equations *equations, const double *parameters,
                                  double *values, double *gradient)
{
    const lf_eq_tape *tape = &equations->program->quantity_tape;
    const int *reg = equations->program->quantity_register;
    size_t count = (size_t)tape->registers;
    double *registers = lf_doubles(count, 1), *by = lf_doubles(count, 1);
    lf_status status = registers && by ? LF_OK : lf_no_memory(ctx);
    if (!status && count > 0) {
        memcpy(registers, tape->initial, count * sizeof *registers);
        status = lf_eq_tape_run(tape, parameters, registers) ? LF_OK : lf_eq_tape_fail(ctx, equations, tape, registers);
    }
    for (int q = 0; q < equations->quantity_count && !status; q++) {
        values[q] = registers[reg[q]];
        if (!gradient) {
            continue;
        }
        memset(by, 0, count * sizeof *by);
        by[reg[q]] = 1;
        if (!lf_eq_tape_backward(tape, registers, by)) {
            status = lf_eq_tape_backward_fail(ctx, equations, tape, registers);
        }
        memcpy(gradient + (size_t)q * (size_t)tape->parameters, by, (size_t)tape->parameters * sizeof *by);
    }
    free(registers);
    free(by);
    return status;
}
