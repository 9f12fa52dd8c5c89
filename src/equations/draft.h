/* What the text says, statement by statement, before it is checked as a whole: tokens, names, expression trees and declarations. */
#ifndef LF_EQUATIONS_DRAFT_H
#define LF_EQUATIONS_DRAFT_H

#include <stdint.h>

#include "equations/equations.h"
#include "equations/source.h"

/* Limits that keep a hostile text harmless. */
enum {
    LF_EQ_MOST_CHARACTERS = 1000000,
    LF_EQ_MOST_NODES = 200000, /* of all expressions together */
    LF_EQ_MOST_DEPTH = 100,    /* of parentheses, signs and powers */
    LF_EQ_MOST_NAMES = 20000,
    LF_EQ_LONGEST_NAME = 200, /* bytes */
    LF_EQ_MOST_PRIMES = 20,
    LF_EQ_MOST_STATES = 500,
    LF_EQ_MOST_COLUMNS = 1000 /* inputs, forces, outputs and quantities, each */
};

#define LF_EQ_PRIMES "''''''''''''''''''''" /* LF_EQ_MOST_PRIMES of them */

/* ---- tokens ---- */

typedef enum lf_eq_word { /* reserved words, in the order of the table in lexer.c */
                          WORD_INPUT,
                          WORD_FORCE,
                          WORD_PARAMETER,
                          WORD_OUTPUT,
                          WORD_QUANTITY,
                          WORD_START,
                          WORD_TIME,
                          WORD_EXP,
                          WORD_LOG,
                          WORD_SQRT,
                          WORD_AVERAGE,
                          WORD_NOISE,
                          WORD_FIXED,
                          WORD_IN,
                          WORD_REAL,
                          WORD_COUNT
} lf_eq_word;

typedef enum lf_eq_token_kind {
    TOKEN_NAME,
    TOKEN_WORD,
    TOKEN_NUMBER,
    TOKEN_SIGN,
    TOKEN_RANGE,
    TOKEN_LINE,
    TOKEN_END
} lf_eq_token_kind;

typedef struct lf_eq_token {
    lf_eq_token_kind
        kind; /* TOKEN_SIGN: a character that `sign` holds; TOKEN_RANGE: ".."; TOKEN_LINE: the end of a line */
    char sign;
    lf_eq_word word;
    int symbol, primes; /* of a name */
    int quoted;
    double number;
    size_t start, end;
} lf_eq_token;

/* ---- names ---- */

typedef enum lf_eq_kind {
    KIND_NONE,
    KIND_INPUT,
    KIND_FORCE,
    KIND_PARAMETER,
    KIND_VARIABLE,
    KIND_OUTPUT,
    KIND_QUANTITY
} lf_eq_kind;

enum { LF_EQ_USED_IN_SYSTEM = 1, LF_EQ_USED_IN_QUANTITY = 2 };

typedef struct lf_eq_symbol {
    char *name;
    size_t first_at;     /* where it stands first; symbols are in this order */
    lf_eq_kind declared; /* by a statement of its own */
    int declared_index;  /* among the declarations of this kind */
    size_t declared_at;
    int variable;     /* its index; -1: it has no derivative in an equation */
    int parameter;    /* its index; -1: none */
    int use;          /* as a parameter: LF_EQ_USED_… */
    int order;        /* most primes in an equation */
    size_t primed_at; /* where it has them */
    int in_constant;  /* stands in a term without variables, inputs and forces */
} lf_eq_symbol;

/* ---- expressions ---- */

typedef enum lf_eq_op {
    OP_NUMBER,
    OP_NAME,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_NEGATE,
    OP_POWER,
    OP_EXP,
    OP_LOG,
    OP_SQRT
} lf_eq_op;

/* Operands precede their operation in the array, so that a loop visits a tree from the leaves to the root. */
typedef struct lf_eq_node {
    lf_eq_op op;
    int a, b; /* operands */
    int symbol, primes;
    double number;
    uint32_t start, end; /* in the text */
} lf_eq_node;

/* The nodes first … root. */
typedef struct lf_eq_expression {
    int first, root;
} lf_eq_expression;

typedef struct lf_eq_equation {
    lf_eq_expression left, right;
} lf_eq_equation;

typedef struct lf_eq_draft_start {
    int symbol, primes;
    lf_eq_expression mean, sd;
    size_t position;
} lf_eq_draft_start;

/* An array that grows. */
typedef struct lf_eq_list {
    void *items;
    int count, capacity;
} lf_eq_list;

typedef struct lf_eq_draft {
    lf_context *ctx;
    lf_eq_source *source;
    lf_status status; /* of the last failure */
    /* where reading stands */
    size_t offset;
    int open;         /* parentheses */
    size_t opened_at; /* the last one that was opened outside any other */
    lf_eq_token token;
    int depth;
    /* lists of the types above and of equations.h */
    lf_eq_list symbols, nodes;
    int *hash; /* of names; indices of symbols plus 1 */
    int hash_size;
    lf_eq_list inputs, forces, outputs, quantities; /* of the types of equations.h */
    lf_eq_list declared;                            /* lf_eq_parameter, those with a statement */
    lf_eq_list parameters, variables;               /* all of them; lf_eq_resolve makes them */
    lf_eq_list output_expressions, quantity_expressions, equations, starts;
    lf_eq_start start;
    size_t start_at;
    const char *time_unit;
} lf_eq_draft;

/* Room for one more item, zeroed, whose index is count before the call; NULL after a failure: then draft->status. */
void *lf_eq_append(lf_eq_draft *draft, lf_eq_list *list, size_t size);
void lf_eq_draft_clear(lf_eq_draft *draft);

lf_eq_symbol *lf_eq_symbol_at(const lf_eq_draft *draft, int symbol);
lf_eq_node *lf_eq_node_at(const lf_eq_draft *draft, int node);
/* The symbol of a name, a new one if need be; -1 after a failure: then draft->status. */
int lf_eq_intern(lf_eq_draft *draft, const char *name, size_t length, size_t position);
/* "an input", … */
const char *lf_eq_kind_text(lf_eq_kind kind);

/* A failure that points at a position; returns LF_ERROR_MODEL and stores it in draft->status. */
lf_status lf_eq_wrong(lf_eq_draft *draft, size_t position, const char *format, ...) LF_PRINTF(3, 4);
int lf_eq_line_of(const lf_eq_draft *draft, size_t position);
/* The text of the current token, or of a node. */
void lf_eq_token_text(const lf_eq_draft *draft, char text[LF_EQ_EXCERPT]);
void lf_eq_node_text(const lf_eq_draft *draft, int node, char text[LF_EQ_EXCERPT]);

/* Reads the next token. */
lf_status lf_eq_next(lf_eq_draft *draft);
int lf_eq_is_sign(const lf_eq_draft *draft, char sign);
int lf_eq_is_word(const lf_eq_draft *draft, lf_eq_word word);
/* Whether the token is a name that reads so, and was not quoted. */
int lf_eq_is_name(const lf_eq_draft *draft, const char *name);
/* Reads the sign, or fails: "… was expected after …". */
lf_status lf_eq_expect(lf_eq_draft *draft, char sign, const char *after);
int lf_eq_at_end(const lf_eq_draft *draft);

/* Reads an expression as far as it goes. */
lf_status lf_eq_parse_expression(lf_eq_draft *draft, lf_eq_expression *expression);
/* Reads an expression of numbers alone; `what` names it in messages. */
lf_status lf_eq_parse_number(lf_eq_draft *draft, const char *what, double *value);

/* Declares the name at the token, the count-th of its kind, and reads on; the symbol is stored. */
lf_status lf_eq_declare(lf_eq_draft *draft, lf_eq_kind kind, int count, int *symbol);
/* Statements that declare names; the token is the one after the first word. */
lf_status lf_eq_parse_input(lf_eq_draft *draft);
lf_status lf_eq_parse_force(lf_eq_draft *draft);
lf_status lf_eq_parse_parameter(lf_eq_draft *draft);
/* "= NUMBER [fixed]" of a scale: greater than 0, or fixed at 0 where `zero` allows that. */
lf_status lf_eq_parse_scale(lf_eq_draft *draft, const char *what, int zero, lf_eq_number *number);
/* All statements to the end of the text. */
lf_status lf_eq_parse_statements(lf_eq_draft *draft);

/* Decides what each name is, and makes the lists of variables and parameters. */
lf_status lf_eq_resolve(lf_eq_draft *draft);

#endif
