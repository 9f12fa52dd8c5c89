/* From a draft whose names are resolved to a program. */
#ifndef LF_EQUATIONS_COMPILER_H
#define LF_EQUATIONS_COMPILER_H

#include "equations/program.h"

typedef struct lf_eq_compiler {
    lf_eq_draft *draft;
    lf_eq_program *program;
    int states, inputs, forces; /* counts: z is (states, inputs, forces, 1) */
    int *reg;    /* (nodes) register of what depends on parameters alone; -1: has variables, inputs or forces */
    int *factor; /* (nodes) register of what multiplies the node in its statement; -1: not reached */
} lf_eq_compiler;

/* Adds the terms of factor * expression to a row. Equations go to M and K, outputs to H and G. Fails where the expression is not linear in
 * variables, inputs and forces. */
lf_status lf_eq_collect(lf_eq_compiler *compiler, lf_eq_expression expression, double factor, int row, int is_output);
/* The register of an expression of parameters, and of quantities where that is the tape. */
lf_status lf_eq_collect_constant(lf_eq_compiler *compiler, lf_eq_tape *tape, lf_eq_expression expression, int *reg);

/* Whether the equations determine the variables, by where their highest derivatives stand. Fails for outputs that would contain white
 * forces or impulses. */
lf_status lf_eq_check_structure(lf_eq_compiler *compiler);
/* Marks the names in a node that is a constant term. */
void lf_eq_mark_constant(const lf_eq_draft *draft, int node);
/* Notes parameters that may be misspelt variables, inputs or forces. */
void lf_eq_note_misspelt(const lf_eq_draft *draft);
/* Fixes the amplitudes of forces that parameters scale. */
void lf_eq_fix_amplitudes(lf_eq_compiler *compiler, uint8_t *mark);

#endif
