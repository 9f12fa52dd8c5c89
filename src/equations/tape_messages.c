/* Messages about values that are not finite: they show the expression, where it stands, and the parameters in it. */
#include <math.h>
#include <stdio.h>

#include "equations/program.h"
#include "equations/tape.h"

void lf_eq_tape_values(const lf_equations *equations, const lf_eq_tape *tape, const double *registers, int reg,
                       char text[LF_EQ_VALUES])
{
    enum { MOST = 4, STEPS = 64 };
    int waiting[STEPS] = {reg}, count = 1, found[MOST], founds = 0;
    size_t used = 0;
    while (count > 0 && founds < MOST) {
        int at = waiting[--count], known = 0;
        if (at < tape->parameters) {
            for (int i = 0; i < founds; i++) {
                known = known || found[i] == at;
            }
            if (!known) {
                found[founds++] = at;
            }
            continue;
        }
        int low = 0, high = tape->count; /* the outputs of instructions increase */
        while (low < high) {
            int middle = (low + high) / 2;
            if (tape->instructions[middle].out < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < tape->count && tape->instructions[low].out == at && count + 2 <= STEPS) {
            waiting[count++] = tape->instructions[low].b;
            if (tape->instructions[low].a != tape->instructions[low].b) {
                waiting[count++] = tape->instructions[low].a;
            }
        }
    }
    text[0] = '\0';
    for (int i = 0; i < founds && used + 50 < LF_EQ_VALUES; i++) {
        used += (size_t)snprintf(text + used, LF_EQ_VALUES - used, "%s%.*s = %.6g", i ? ", " : " where ",
                                 lf_eq_cut(equations->parameters[found[i]].name, 24),
                                 equations->parameters[found[i]].name, registers[found[i]]);
    }
}

static lf_status fail_at(lf_context *ctx, const lf_equations *equations, const lf_eq_tape *tape,
                         const double *registers, const lf_eq_instruction *at, const char *what)
{
    const lf_eq_source *source = &equations->program->source;
    char text[LF_EQ_EXCERPT], values[LF_EQ_VALUES];
    lf_eq_excerpt(source, at->start, at->end, text);
    lf_eq_tape_values(equations, tape, registers, at->out, values);
    return lf_eq_fail(ctx, source, LF_ERROR_NUMERIC, at->start, "%s%s is not finite%s", what, text, values);
}

lf_status lf_eq_tape_fail(lf_context *ctx, const lf_equations *equations, const lf_eq_tape *tape,
                          const double *registers)
{
    for (int i = 0; i < tape->parameters; i++) {
        if (!isfinite(registers[i])) {
            return lf_eq_fail(ctx, &equations->program->source, LF_ERROR_NUMERIC, equations->parameters[i].position,
                              "the parameter %s is %g", equations->parameters[i].name, registers[i]);
        }
    }
    for (int i = 0; i < tape->count; i++) {
        if (!isfinite(registers[tape->instructions[i].out])) {
            return fail_at(ctx, equations, tape, registers, &tape->instructions[i], "");
        }
    }
    return lf_eq_fail(ctx, &equations->program->source, LF_ERROR_NUMERIC, 0, "a coefficient is not finite");
}

lf_status lf_eq_tape_backward_fail(lf_context *ctx, const lf_equations *equations, const lf_eq_tape *tape,
                                   const double *registers)
{
    for (int i = 0; i < tape->count; i++) {
        double by_a, by_b;
        lf_eq_derivatives(tape, &tape->instructions[i], registers, &by_a, &by_b);
        if (!isfinite(by_a) || !isfinite(by_b)) {
            return fail_at(ctx, equations, tape, registers, &tape->instructions[i], "the derivative of ");
        }
    }
    return lf_eq_fail(ctx, &equations->program->source, LF_ERROR_NUMERIC, 0,
                      "the derivative by a parameter is not finite");
}
