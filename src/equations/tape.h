/* Expressions of the parameters as a tape: instructions in the order of evaluation, each of which fills one register from others. The
 * first registers are the parameters; constants have registers and no instruction. Derivatives are those of reverse mode. */
#ifndef LF_EQUATIONS_TAPE_H
#define LF_EQUATIONS_TAPE_H

#include "equations/draft.h"

typedef struct lf_eq_instruction {
    lf_eq_op op;
    int out, a, b;
    uint32_t start, end; /* the text it comes from */
} lf_eq_instruction;

typedef struct lf_eq_tape {
    int parameters;
    int count, capacity;
    lf_eq_instruction *instructions;
    int registers, register_capacity;
    double *initial;   /* (registers) the constants; 0 elsewhere */
    uint8_t *constant; /* (registers) */
} lf_eq_tape;

/* The value of an operation; b is not used by operations of one operand. */
double lf_eq_apply(lf_eq_op op, double a, double b);

/* A tape without instructions, for so many parameters. 0 when there is no memory. */
int lf_eq_tape_init(lf_eq_tape *tape, int parameters);
void lf_eq_tape_clear(lf_eq_tape *tape);

/* The register of a constant, or of an operation on registers; operations on constants are carried out at once, and products with 1 are
 * left out. -1 when there is no memory. */
int lf_eq_tape_constant(lf_eq_tape *tape, double value);
int lf_eq_tape_emit(lf_eq_tape *tape, lf_eq_op op, int a, int b, uint32_t start, uint32_t end);

/* Fills registers (registers), which hold the constants already. 0 when one of them is not finite. */
int lf_eq_tape_run(const lf_eq_tape *tape, const double *parameters, double *registers);
/* by (registers) holds the derivatives of a scalar by the registers that it uses, and 0 elsewhere; they are carried back to the parameters.
 * 0 when one by a parameter is not finite. */
int lf_eq_tape_backward(const lf_eq_tape *tape, const double *registers, double *by);

/* The derivatives of an operation by its operands, at its value. */
void lf_eq_derivatives(const lf_eq_tape *tape, const lf_eq_instruction *at, const double *registers, double *by_a,
                       double *by_b);

/* After lf_eq_tape_run or lf_eq_tape_backward found what is not finite: the message, with the expression and the values in it. */
lf_status lf_eq_tape_fail(lf_context *ctx, const lf_equations *equations, const lf_eq_tape *tape,
                          const double *registers);
lf_status lf_eq_tape_backward_fail(lf_context *ctx, const lf_equations *equations, const lf_eq_tape *tape,
                                   const double *registers);
/* " where a = 0, b = 2": the parameters on which a register depends, at most four of them; "" for none. */
enum { LF_EQ_VALUES = 160 };
void lf_eq_tape_values(const lf_equations *equations, const lf_eq_tape *tape, const double *registers, int reg,
                       char text[LF_EQ_VALUES]);

#endif
