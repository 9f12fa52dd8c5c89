/* The options of a verb, such as "fit" or "report". Every field left 0 is the default; options.c sets fields by the names of the option table. */
#ifndef LF_PLAN_OPTIONS_H
#define LF_PLAN_OPTIONS_H

#include "latentforce.h"

/* What a fit assumes about parameters before it sees the rows; docs/fitting.md has the numbers. */
typedef enum lf_prior_kind {
    LF_PRIOR_DEFAULT, /* firm with private forces of differential equations and more than 100 free parameters, or weak */
    LF_PRIOR_WEAK,    /* sizes that the data suggest are slightly preferred */
    LF_PRIOR_FIRM,    /* for many outputs: small, uncertain sensitivities, large private forces, some noise */
    LF_PRIOR_NONE     /* plain maximum likelihood; limits that keep computations possible remain */
} lf_prior_kind;

/* An option that may be set several times. */
typedef struct lf_option_list {
    size_t count;
    char **item; /* (count), then NULL */
} lf_option_list;

/* The shape of a model that is made for data. */
typedef struct lf_shape_options {
    const char *operator_type; /* "ode1", "ode2", "ode:P", "gaussian"; default ode1, several inputs: gaussian */
    const char *const *output_operators; /* "NAME=ode2", … for single outputs; ends with NULL */
    int forces;                          /* Q; 0: by the number of outputs (lf_default_forces) */
    int copies;                          /* of each force, with the same lengthscales; default 1 */
    const char *force_kernel;            /* of all forces, or the last of the kernels; NULL: lf_fill_shape */
    const char *const
        *kernels; /* where several are given: one for each force, and the last for those beyond; ends with NULL */
    int period_count;
    const double *periods;      /* each adds a shared force that repeats with it; in the unit of the input */
    const char *private_forces; /* "yes", "no"; default: yes with one input and two outputs or more */
    const char *private_kernel; /* NULL: lf_fill_shape */
    const char *initial;        /* default "free" */
    const double *origin;       /* default: the first input */
    const char *offset;         /* "first", "mean", "learned", "none"; default: first with initial "zero", else mean */
    const char *scale;          /* "sd", "none"; default sd */
} lf_shape_options;

/* At which points a model is asked, and what a table of predictions has. */
typedef struct lf_request_options {
    const char *targets;       /* "outputs", "rates", "forces" or "states"; NULL: outputs */
    lf_option_list outputs;    /* names of those that are predicted; none: all */
    lf_option_list replicates; /* likewise */
    size_t grid;               /* inputs of a grid in each direction; 0: 200 where nothing else is asked for */
    const char *ahead, *from, *to, *step; /* as in the data; NULL: not given */
    double level;                         /* probability between the bounds; 0: a table has none */
    const char *noise;                    /* "yes" or "no"; NULL: yes */
    size_t samples;                       /* columns of samples */
    int rows;                             /* a table has the column row */
} lf_request_options;

/* A verb and the table of its options. */
typedef struct lf_verb {
    const char *name, *noun; /* "fit", "a fit" */
    size_t count;
    const lf_option *(*option)(size_t index);
} lf_verb;

struct lf_options {
    const lf_verb *verb; /* NULL: a fit without any option set */
    const char **value;  /* (count of the verb) the text that each was last set to, owned by the lists; NULL: not set */
    lf_shape_options shape;
    lf_engine_options engine; /* tolerance 0: 1e-3 with smooth forces, 1e-4 otherwise */
    size_t restarts;       /* starts in all: the model's own parameters and perturbed ones; 0: 2, of lf_fit_model 1 */
    size_t max_iterations; /* of each start; 0: 500, or 300 with more than 100 free parameters */
    /* stop when ten iterations gain less than ten times this share of the objective; 0: 1e-6, or 0.002 for each free parameter
     * (0.01 with a firm prior, 0.02 after a first stage) if that is more */
    double relative_decrease;
    double gradient; /* stop when no entry of the gradient is larger, parameters in units of their size; 0: 1e-3 */
    lf_prior_kind prior;
    double max_seconds;        /* by the clock, after which the best model so far is the result; 0: no limit */
    const char *checkpoint;    /* file that an interrupted fit can be resumed from; NULL: none */
    double checkpoint_seconds; /* how often it is written; 0: 30 */
    int resume;                /* continue from the checkpoint, if the file is there */

    /* What lf_fit does before and after the optimisation. */
    int select_operator, select_kernel, select_forces; /* compare several */
    const char *origin;         /* time of the initial state, as in the data; NULL: the first input */
    const char *horizon;        /* the largest input predictions will be asked for, as in the data; NULL: the last */
    const char *equations;      /* file of equations */
    lf_model *equations_model;  /* the model of equations that were read before, owned */
    lf_option_list inputs;      /* known inputs: "NAME" or "NAME=constant" */
    const char *init;           /* model file to start from */
    lf_model *init_model;       /* model to start from, owned */
    lf_option_list fixed;       /* "NAME=VALUE" or "NAME" */
    lf_option_list freed;       /* the same */
    lf_option_list operators;   /* what shape.output_operators points to */
    lf_option_list kernels;     /* what shape.kernels points to */
    lf_option_list likelihoods; /* "LIKELIHOOD" or "NAME=LIKELIHOOD" */
    lf_option_list periods;     /* "24h", …, as in the data; lf_fit puts their values into the shape */
    int no_periods;             /* 0 and no periods: auto */
    int learn_inducing;         /* fit the inducing inputs too */
    double inducing_noise;      /* start from this variance, and fit it; 0: none */
    const char *errors;         /* "auto", "yes", "no" */
    const char *calibrate;      /* "auto", "yes", "no" */
    int no_posterior;
    const uint64_t *seed;    /* NULL: that of the context */
    const char *coordinates; /* of a log posterior: "theta" or "unconstrained"; NULL: unconstrained */
    size_t threads;          /* 0: those of the context */
    const char *memory;      /* NULL: that of the context */
    lf_option_list command;
    lf_option_list panels;     /* of a report: "outputs", "forces", … */
    lf_option_list only;       /* of a report: names of what has a panel */
    lf_option_list replicates; /* of a report: names */
    lf_option_list given;      /* "NAME=VALUE" of everything that was set, in this order */

    /* Of a validation. */
    size_t folds;               /* 0: not given */
    const char *rolling;        /* first origin, as in the data, or "auto"; NULL: none */
    const char *span;           /* of rolling origins, with request.step; NULL: the usual one */
    int no_refit;               /* the model keeps its parameters */
    double threshold;           /* of |z|; 0: 3 */
    const char *table_name;     /* of the rows, in messages; NULL: none */
    lf_option_list model_names; /* in messages */
    lf_request_options request;

    /* What the pointers above point to. */
    uint64_t seed_value;
    lf_option_list texts;
};

/* One file each. */
extern const lf_verb lf_fit_verb, lf_engine_verb, lf_report_verb, lf_request_verb, lf_validate_verb;
/* The options of reading, which are the fields of lf_read_options. */
extern const lf_verb lf_read_verb;

/* NULL: there is no such verb. */
const lf_verb *lf_verb_find(const char *name);
/* The position of an option in the table of a verb; its count: it has none of that name. */
size_t lf_verb_index(const lf_verb *verb, const char *name);

/* An option of a fit by number, from 0, or by name; NULL: there is none. */
const lf_option *lf_fit_option(size_t index);
const lf_option *lf_fit_option_find(const char *name);
/* The option of a fit whose name is the first `length` bytes of a text; NULL: there is none. */
const lf_option *lf_fit_option_find_part(const char *text, size_t length);

/* 1 and the number when all of the text is one, whatever the locale; else 0. */
int lf_option_number(const char *text, double *value);

/* Checks the text by the type of the option; number and count are set where the type has them. */
lf_status lf_option_parse(lf_context *ctx, const lf_option *option, const char *text, double *number, uint64_t *count);
/* Stores a value that was parsed; the text is owned by the options. */
lf_status lf_option_store(lf_context *ctx, lf_options *o, const char *name, const char *text, double number,
                          uint64_t count);
/* Whether the word is one of the values that the table lists. */
int lf_option_lists(const lf_option *option, const char *word);

/* Refuses options of another verb; NULL are the defaults of any. */
lf_status lf_options_are(lf_context *ctx, const lf_options *options, const char *verb);
/* The first option that was set of those that say how an engine computes; NULL: none was. */
const char *lf_options_of_engine(const lf_options *options);
/* Refuses requests that contradict themselves. */
lf_status lf_request_check(lf_context *ctx, const lf_request_options *request);
/* "weak", "firm", …. */
const char *lf_prior_name(lf_prior_kind kind);

/* The text that an option was last set to; NULL: it was not set, or the verb has none of that name. */
const char *lf_options_text(const lf_options *options, const char *name);

#endif
