/* What the two files of the parser of kernel formulas share: a place in the text, and factors. */
#ifndef LF_MODEL_KERNEL_PARSER_H
#define LF_MODEL_KERNEL_PARSER_H

#include "base/axis.h"
#include "model/force_terms.h"

#define LF_SUPPORTED_KERNELS                                                                                           \
    "supported are sums of terms; a term is at most one of eq, matern12, matern32, matern52 times at most one of "     \
    "periodic, cosine (quasiperiodic is both), or constant, or linear; white stands alone"

typedef struct lf_kernel_parser {
    lf_context *ctx;
    const char *formula;
    const lf_axis *axis; /* of the input; NULL: units of time are refused */
    const char *at;
    int depth; /* of parentheses */
} lf_kernel_parser;

/* The message quotes the formula. */
lf_status lf_kernel_fail(const lf_kernel_parser *p, const char *format, ...);

/* Whether the next character that is no space is this one; it is passed over then. */
int lf_kernel_accept(lf_kernel_parser *p, char c);
lf_status lf_kernel_expect(lf_kernel_parser *p, char c);

/* A number as factor, which is the weight of a constant term, and a name with its arguments. */
lf_status lf_kernel_read_weight(lf_kernel_parser *p, lf_force_term *term);
lf_status lf_kernel_read_name(lf_kernel_parser *p, lf_force_term *term);

#endif
