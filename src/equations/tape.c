/* Building a tape and running it forward and backward. */
#include "equations/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double lf_eq_apply(lf_eq_op op, double a, double b)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUBTRACT:
        return a - b;
    case OP_MULTIPLY:
        return a * b;
    case OP_DIVIDE:
        return a / b;
    case OP_NEGATE:
        return -a;
    case OP_POWER:
        return b == 2 ? a * a : pow(a, b);
    case OP_EXP:
        return exp(a);
    case OP_LOG:
        return log(a);
    case OP_SQRT:
        return sqrt(a);
    default:
        return NAN;
    }
}

static int new_register(lf_eq_tape *tape, double value, int constant)
{
    if (tape->registers == tape->register_capacity) {
        int capacity = tape->register_capacity ? 2 * tape->register_capacity : 64;
        double *initial = realloc(tape->initial, (size_t)capacity * sizeof *initial);
        if (initial) {
            tape->initial = initial;
        }
        uint8_t *constants = initial ? realloc(tape->constant, (size_t)capacity) : NULL;
        if (!constants) {
            return -1;
        }
        tape->constant = constants;
        tape->register_capacity = capacity;
    }
    tape->initial[tape->registers] = value;
    tape->constant[tape->registers] = (uint8_t)constant;
    return tape->registers++;
}

int lf_eq_tape_init(lf_eq_tape *tape, int parameters)
{
    *tape = (lf_eq_tape){.parameters = parameters};
    for (int i = 0; i < parameters; i++) {
        if (new_register(tape, 0, 0) < 0) {
            return 0;
        }
    }
    return 1;
}

void lf_eq_tape_clear(lf_eq_tape *tape)
{
    free(tape->instructions);
    free(tape->initial);
    free(tape->constant);
}

int lf_eq_tape_constant(lf_eq_tape *tape, double value) { return new_register(tape, value, 1); }

static int is_one(const lf_eq_tape *tape, int reg) { return tape->constant[reg] && tape->initial[reg] == 1; }

int lf_eq_tape_emit(lf_eq_tape *tape, lf_eq_op op, int a, int b, uint32_t start, uint32_t end)
{
    int unary = op == OP_NEGATE || op == OP_EXP || op == OP_LOG || op == OP_SQRT;
    if (op == OP_MULTIPLY && is_one(tape, a)) {
        return b;
    }
    if ((op == OP_MULTIPLY || op == OP_DIVIDE || op == OP_POWER) && is_one(tape, b)) {
        return a;
    }
    if (tape->constant[a] && (unary || tape->constant[b])) {
        return lf_eq_tape_constant(tape, lf_eq_apply(op, tape->initial[a], unary ? 0 : tape->initial[b]));
    }
    if (tape->count == tape->capacity) {
        int capacity = tape->capacity ? 2 * tape->capacity : 64;
        lf_eq_instruction *instructions = realloc(tape->instructions, (size_t)capacity * sizeof *instructions);
        if (!instructions) {
            return -1;
        }
        tape->instructions = instructions;
        tape->capacity = capacity;
    }
    int out = new_register(tape, 0, 0);
    if (out >= 0) {
        tape->instructions[tape->count++] =
            (lf_eq_instruction){.op = op, .out = out, .a = a, .b = unary ? a : b, .start = start, .end = end};
    }
    return out;
}

int lf_eq_tape_run(const lf_eq_tape *tape, const double *parameters, double *registers)
{
    double check = 0; /* becomes NaN with the first value that is not finite */
    for (int i = 0; i < tape->parameters; i++) {
        registers[i] = parameters[i];
        check += 0 * parameters[i];
    }
    for (int i = 0; i < tape->count; i++) {
        const lf_eq_instruction *at = &tape->instructions[i];
        double value = lf_eq_apply(at->op, registers[at->a], registers[at->b]);
        registers[at->out] = value;
        check += 0 * value;
    }
    return check == 0;
}

void lf_eq_derivatives(const lf_eq_tape *tape, const lf_eq_instruction *at, const double *registers, double *by_a,
                       double *by_b)
{
    double a = registers[at->a], b = registers[at->b], value = registers[at->out];
    *by_a = *by_b = 0;
    switch (at->op) {
    case OP_ADD:
        *by_a = *by_b = 1;
        break;
    case OP_SUBTRACT:
        *by_a = 1;
        *by_b = -1;
        break;
    case OP_MULTIPLY:
        *by_a = b;
        *by_b = a;
        break;
    case OP_DIVIDE:
        *by_a = 1 / b;
        *by_b = -value / b;
        break;
    case OP_NEGATE:
        *by_a = -1;
        break;
    case OP_POWER:
        if (!tape->constant[at->a]) {
            *by_a = b == 0 ? 0 : b == 2 ? 2 * a : b * pow(a, b - 1);
        }
        if (!tape->constant[at->b]) {
            *by_b = a == 0 ? 0 : value * log(a);
        }
        break;
    case OP_EXP:
        *by_a = value;
        break;
    case OP_LOG:
        *by_a = 1 / a;
        break;
    case OP_SQRT:
        *by_a = 0.5 / value;
        break;
    default:
        break;
    }
}

int lf_eq_tape_backward(const lf_eq_tape *tape, const double *registers, double *by)
{
    double check = 0;
    for (int i = tape->count - 1; i >= 0; i--) {
        const lf_eq_instruction *at = &tape->instructions[i];
        double by_a, by_b, by_out = by[at->out];
        if (by_out != 0) {
            lf_eq_derivatives(tape, at, registers, &by_a, &by_b);
            by[at->a] += by_out * by_a;
            by[at->b] += by_out * by_b;
        }
    }
    for (int i = 0; i < tape->parameters; i++) {
        check += 0 * by[i];
    }
    return check == 0;
}
