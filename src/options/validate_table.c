/* The options of scores: what is withheld, what a fold is predicted by, and how the posteriors of folds are computed. */
#include "options/options.h"

static const lf_option own[] = {
    {.name = "cross-validate",
     .group = "validate",
     .argument = "K",
     .type = "count",
     .fallback = "5, of lf_compare() none",
     .minimum = 2,
     .maximum = 1000,
     .help = "withhold every row once, in K parts, fit the model again without the part, with the options that it was "
             "fitted with, calibrated if it was, and score the predictions; rows marked test stay out"},
    {.name = "rolling",
     .group = "validate",
     .argument = "T0",
     .type = "text",
     .fallback = "none",
     .values = "auto",
     .help = "forecast from one time after the other: from T0 (a number or a date, as in the data; auto: the middle of "
             "the times) on, rows up to a time predict those that follow, and predictions are scored; readings of "
             "known inputs are known ahead; rows marked test stay out"},
    {.name = "span",
     .group = "validate",
     .argument = "SPAN",
     .type = "text",
     .fallback = "a tenth of the times",
     .help = "with --rolling: how far each forecast reaches, such as 48h, or a number in the unit of the data"},
    {.name = "step",
     .group = "validate",
     .argument = "SPAN",
     .type = "text",
     .fallback = "the span",
     .help = "with --rolling: from one origin of a forecast to the next"},
    {.name = "refit",
     .group = "validate",
     .type = "switch",
     .fallback = "yes",
     .help = "fit the model again without the rows that are withheld",
     .no_help = "with --cross-validate or --rolling: keep the parameters of the model and withhold rows from its "
                "posterior only; "
                "fast, but the parameters saw all rows"},
    {.name = "init",
     .group = "validate",
     .argument = "FILE",
     .type = "file",
     .fallback = "none",
     .help = "with --cross-validate or --rolling: the model that the fit of MODEL started from, where it was made with "
             "--init; the "
             "path in MODEL is not opened"},
    {.name = "threshold",
     .group = "validate",
     .argument = "Z",
     .type = "number",
     .fallback = "3",
     .help = "flag rows with |z| > Z as outlier"},
    {.name = "table-name",
     .group = "names",
     .argument = "NAME",
     .type = "text",
     .fallback = "none",
     .about_machine = 1,
     .help = "what messages and documents call the rows"},
    {.name = "model-name",
     .group = "names",
     .argument = "NAME",
     .type = "list",
     .fallback = "none",
     .about_machine = 1,
     .help = "what messages and documents call a model; of several models once for each, in their order"}};

static const char *const engine_names[] = {"engine",   "nodes",           "features", "tolerance",
                                           "inducing", "inducing-inputs", "horizon",  "device"};
enum { OWN = sizeof own / sizeof *own, ENGINE_NAMES = sizeof engine_names / sizeof *engine_names };

static const lf_option *validate_option(size_t index)
{
    return index < OWN                   ? &own[index]
           : index < OWN + ENGINE_NAMES  ? lf_fit_option_find(engine_names[index - OWN])
           : index == OWN + ENGINE_NAMES ? lf_fit_option_find("seed")
                                         : NULL;
}

const char *lf_options_of_engine(const lf_options *options)
{
    for (size_t i = 0; i < ENGINE_NAMES; i++) {
        if (lf_options_text(options, engine_names[i])) {
            return engine_names[i];
        }
    }
    return NULL;
}

const lf_verb lf_validate_verb = {"validate", "a validation", OWN + ENGINE_NAMES + 1, validate_option};
