/* Whether a parameter already is the amplitude of a force. In S1*load and S2*load the amplitude of load only scales S1 and S2: it is fixed
 * at 1. A parameter serves for this if it is free and only scales forces: in k*(u - x) the coefficient k is that of x as well. */
#include <math.h>
#include <string.h>

#include "equations/compiler.h"

enum { SCALES_OTHERS = 1, IS_SCALED = 2 };

/* Marks the registers on which anything but coefficients of forces depends. */
static void mark_others(lf_eq_compiler *compiler, uint8_t *mark)
{
    const lf_eq_tape *tape = &compiler->program->tape;
    int first = compiler->states + compiler->inputs, last = first + compiler->forces;
    for (int part = 0; part < PART_COUNT; part++) {
        const lf_eq_term *terms = compiler->program->terms[part].items;
        int to_forces = part == PART_K || part == PART_G;
        for (int i = 0; i < compiler->program->terms[part].count; i++) {
            if (!to_forces || terms[i].column < first || terms[i].column >= last) {
                mark[terms[i].reg] |= SCALES_OTHERS;
            }
        }
    }
    for (int i = tape->count - 1; i >= 0; i--) {
        const lf_eq_instruction *at = &tape->instructions[i];
        mark[at->a] |= mark[at->out] & SCALES_OTHERS;
        mark[at->b] |= mark[at->out] & SCALES_OTHERS;
    }
}

/* Marks the registers that have a free parameter which only scales forces as a factor. */
static void mark_scaled(lf_eq_compiler *compiler, uint8_t *mark)
{
    const lf_eq_tape *tape = &compiler->program->tape;
    const lf_eq_parameter *parameters = compiler->draft->parameters.items;
    for (int i = 0; i < tape->parameters; i++) {
        mark[i] |= !parameters[i].fixed && !(mark[i] & SCALES_OTHERS) ? IS_SCALED : 0;
    }
    for (int i = 0; i < tape->count; i++) {
        const lf_eq_instruction *at = &tape->instructions[i];
        if (at->op == OP_MULTIPLY) {
            mark[at->out] |= (mark[at->a] | mark[at->b]) & IS_SCALED;
        } else if (at->op == OP_NEGATE || at->op == OP_DIVIDE) {
            mark[at->out] |= mark[at->a] & IS_SCALED;
        }
    }
}

void lf_eq_fix_amplitudes(lf_eq_compiler *compiler, uint8_t *mark)
{
    int first = compiler->states + compiler->inputs;
    lf_eq_force *forces = compiler->draft->forces.items;
    memset(mark, 0, (size_t)compiler->program->tape.registers);
    mark_others(compiler, mark);
    mark_scaled(compiler, mark);
    for (int f = 0; f < compiler->forces; f++) {
        if (forces[f].used && !forces[f].amplitude_given) {
            forces[f].amplitude = (lf_eq_number){1, 1};
        }
    }
    for (int part = PART_K; part <= PART_G; part++) {
        const lf_eq_term *terms = compiler->program->terms[part].items;
        for (int i = 0; i < compiler->program->terms[part].count && part != PART_H; i++) {
            int force = terms[i].column - first;
            if (force >= 0 && force < compiler->forces && !forces[force].amplitude_given &&
                !(mark[terms[i].reg] & IS_SCALED)) {
                forces[force].amplitude = (lf_eq_number){NAN, 0};
            }
        }
    }
}
