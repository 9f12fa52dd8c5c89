/* The options of a fit. */
#include <string.h>

#include "base/context.h"
#include "likelihood/likelihood.h"
#include "options/options.h"

static const lf_option fit_table[] = {
    /* ---- the model ---- */
    {.name = "operator",
     .group = "model",
     .argument = "OP",
     .type = "list",
     .fallback = "ode1; gaussian with several inputs",
     .values = "ode1, ode2, gaussian, auto",
     .help = "equation between forces and outputs: ode1 (decay), ode2 (mass, spring, damper), ode:P (any linear "
             "equation of "
             "order P), gaussian (smoothing; any number of inputs), or auto (compares ode1 and ode2). NAME=OP sets it "
             "for one "
             "output; may be repeated"},
    {.name = "equations",
     .group = "model",
     .argument = "FILE",
     .type = "file",
     .fallback = "every output obeys an operator of its own",
     .help =
         "the model is the linear system that this file describes: coupled equations, known inputs, forces, outputs "
         "(see 'latentforce help equations')"},
    {.name = "input",
     .group = "model",
     .argument = "NAME",
     .type = "list",
     .fallback = "none",
     .help = "the column NAME is a known input: it drives every output through its operator, with a gain to be "
             "estimated. NAME=constant holds it between readings instead of taking it as linear, NAME=impulse takes "
             "readings as doses; may be repeated"},
    {.name = "forces",
     .group = "model",
     .argument = "Q",
     .type = "count",
     .fallback =
         "2 to 6 outputs: auto, or two more than outputs, at most 6, where an evaluation is expensive; more "
         "outputs: 4, 8, 12, 16, 24 or as many as outputs, at most 36, by how well outputs follow from each other; "
         "several inputs: as many as outputs, at most 3; a single output: 1",
     .values = "auto",
     .minimum = 1,
     .maximum = 1000,
     .help = "number of forces, or auto (compares 1, 2, 3, 4, 5, 6 and 8, at most two more than outputs, "
             "and the default)"},
    {.name = "copies",
     .group = "model",
     .argument = "R",
     .type = "count",
     .fallback = "1",
     .minimum = 1,
     .maximum = 1000,
     .help = "copies of each force that share its lengthscales and have their own sensitivities"},
    {.name = "force-kernel",
     .group = "model",
     .argument = "K",
     .type = "list",
     .fallback = "matern32 with private forces and up to 6 outputs, eq with several inputs, otherwise matern12; white "
                 "where forces is auto, readings are that rough and the evidence asks for it",
     .values = "matern12, matern32, matern52, eq, rbf, se, white, linear, constant, auto",
     .help =
         "covariance of the forces: matern12 (rough), matern32, matern52, eq (very smooth; also rbf or se), a formula "
         "such as 'quasiperiodic(24h) + matern32' (see 'latentforce help kernels'), or auto (compares the first four, "
         "and the default). "
         "May be repeated: one kernel for each force, the last for those beyond"},
    {.name = "period",
     .group = "model",
     .argument = "P",
     .type = "list",
     .fallback = "auto",
     .values = "auto, none",
     .help =
         "add shared forces that repeat with this period, such as 24h or 7d, or in the unit of the data, and change "
         "slowly (quasiperiodic); auto: with periods seen in the training rows, if a short fit is better with "
         "them; none: no such forces. May be repeated"},
    {.name = "initial",
     .group = "model",
     .argument = "I",
     .type = "text",
     .fallback = "free",
     .values = "zero, stationary, free",
     .help = "initial state: zero (at rest), stationary (the forces have acted forever) or free (unknown)"},
    {.name = "origin",
     .group = "model",
     .argument = "T0",
     .type = "time",
     .fallback = "the first training input, or an earlier dose",
     .help = "time of the initial state, as in the data: a number or a date"},
    {.name = "private",
     .group = "model",
     .type = "switch",
     .fallback = "yes with one input and two outputs or more",
     .help = "give every output a private force, for what it does not share with the others",
     .no_help = "no private forces"},
    {.name = "private-kernel",
     .group = "model",
     .argument = "K",
     .type = "kernel",
     .fallback = "matern12, or that of the forces where force-kernel names one",
     .values = "matern12, matern32, matern52, eq, rbf, se, white, linear, constant",
     .help = "covariance of the private forces: a name, or a formula as in --force-kernel"},
    {.name = "offset",
     .group = "model",
     .argument = "O",
     .type = "text",
     .fallback = "first with initial zero, otherwise mean",
     .values = "first, mean, learned, none",
     .help =
         "what is subtracted from each output: its first value, its mean, a parameter of the fit (learned), or none"},
    {.name = "scale",
     .group = "model",
     .argument = "S",
     .type = "text",
     .fallback = "sd",
     .values = "sd, none",
     .help = "what each output is divided by: its standard deviation (sd) or nothing (none)"},
    {.name = "likelihood",
     .group = "model",
     .argument = "L",
     .type = "list",
     .fallback = "gaussian, or that of --init",
     .values = LF_LIKELIHOOD_NAMES,
     .help =
         "distribution of the readings: gaussian; student (Student-t) for outliers; poisson or negative-binomial for "
         "counts; bernoulli for 0 and 1; gamma for positive readings. NAME=L sets it for one output; may be repeated"},
    {.name = "init",
     .group = "model",
     .argument = "MODEL",
     .type = "file",
     .fallback = "a model made for the data",
     .help = "model file to start from: its shape, parameters, bounds, and what it fixes or ties"},
    {.name = "fix",
     .group = "model",
     .argument = "NAME=VALUE",
     .type = "list",
     .fallback = "none",
     .help = "hold a parameter at a value, or with NAME alone at its starting value; may be repeated"},
    {.name = "free",
     .group = "model",
     .argument = "NAME",
     .type = "list",
     .fallback = "none",
     .help = "fit a parameter that is fixed otherwise, as a period is; NAME=VALUE gives its start; may be repeated"},
    /* ---- the fit ---- */
    {.name = "prior",
     .group = "fit",
     .argument = "P",
     .type = "choice",
     .fallback = "auto",
     .values = "auto, weak, firm, none",
     .help =
         "prior of the parameters. weak: sizes of lengthscales, constants and sensitivities that the data suggest are "
         "slightly preferred; firm: for many outputs, with small, uncertain sensitivities, large private forces, and "
         "noise "
         "of at least 0.1 % of an output's variance, less where other outputs determine it; none: plain maximum "
         "likelihood; auto: firm with private forces "
         "and "
         "more than 100 free parameters, otherwise weak"},
    {.name = "restarts",
     .group = "fit",
     .argument = "R",
     .type = "count",
     .fallback = "2; 1 with a firm prior; 4 for equations",
     .minimum = 1,
     .maximum = 10000,
     .help =
         "number of starts: the first from the data, the others from perturbations of it, in parallel; the best wins"},
    {.name = "max-iterations",
     .group = "fit",
     .argument = "I",
     .type = "count",
     .fallback = "500, or 300 with more than 100 free parameters",
     .minimum = 1,
     .maximum = 10000000,
     .help = "largest number of iterations of each start"},
    {.name = "errors",
     .group = "fit",
     .argument = "E",
     .type = "choice",
     .fallback = "auto",
     .values = "auto, yes, no",
     .help = "standard errors of the parameters; auto: yes for up to 100 free parameters"},
    {.name = "calibrate",
     .group = "fit",
     .argument = "C",
     .type = "choice",
     .fallback = "auto",
     .values = "auto, yes, no",
     .help = "fit again without windows of single outputs, and widen intervals by what the rows left out need; "
             "auto: yes for several outputs with gaps, in windows as long as these"},
    {.name = "posterior",
     .group = "fit",
     .type = "switch",
     .fallback = "yes",
     .help = "store the posterior in the model, which then predicts without the data",
     .no_help = "do not store the posterior: a small file that needs the data to predict"},
    {.name = "checkpoint",
     .group = "machine",
     .argument = "FILE",
     .type = "file",
     .fallback = "none",
     .about_machine = 1,
     .help = "write the state of the fit to this file at intervals, each time as a whole"},
    {.name = "max-seconds",
     .group = "machine",
     .argument = "S",
     .type = "number",
     .fallback = "no limit",
     .about_machine = 1,
     .help = "seconds by the clock after which the best model so far is written, with its posterior; calibration and "
             "standard errors are left out where their time would be beyond"},
    {.name = "checkpoint-every",
     .group = "machine",
     .argument = "SECONDS",
     .type = "number",
     .fallback = "30",
     .about_machine = 1,
     .help = "interval between checkpoints"},
    {.name = "resume",
     .group = "machine",
     .type = "flag",
     .fallback = "no",
     .about_machine = 1,
     .help = "continue from the checkpoint, if there is one"},
    /* ---- the engine ---- */
    {.name = "engine",
     .group = "engine",
     .argument = "E",
     .type = "text",
     .fallback = "auto",
     .values = "auto, dense, lowrank, features, fourier, kalman, dtc, variational, fitc, pitc",
     .help =
         "how to compute: dense (exact; cost grows with the cube of the rows), lowrank or features (frequencies as "
         "columns; "
         "cost grows with the rows), fourier (the same for one input and uniform nodes; cost nearly independent of the "
         "rows), kalman (a filter along time, for differential equations with few outputs; cost grows with the rows, "
         "not "
         "with their span), the approximations dtc, variational (a lower bound), fitc and pitc by inducing values, or "
         "auto "
         "(the cheapest exact one that applies)"},
    {.name = "nodes",
     .group = "engine",
     .argument = "R",
     .type = "text",
     .fallback = "auto",
     .values = "auto, uniform, mc, qmc, orthogonal, closed-form, state-space, exact",
     .help =
         "how frequencies are chosen: uniform (one input); lowrank and inducing engines: mc (at random), qmc (low "
         "discrepancy, up to 37 inputs); lowrank: orthogonal (random orthogonal directions); dense and inducing "
         "engines: "
         "closed-form (no frequencies); inducing engines: exact (covariances exact to rounding by the faster route)"},
    {.name = "features",
     .group = "engine",
     .argument = "S",
     .type = "count",
     .fallback = "with uniform nodes as many as the tolerance requires",
     .minimum = 1,
     .maximum = 1000000,
     .help = "frequencies per force; mc, qmc and orthogonal nodes need it"},
    {.name = "tolerance",
     .group = "engine",
     .argument = "EPS",
     .type = "share",
     .fallback = "dense 1e-13, lowrank and fourier 1e-10, with Matern forces 1e-7 and 1e-5; kalman 1e-10; while "
                 "fitting 1e-3 or "
                 "1e-4",
     .help = "error of covariances due to uniform nodes, relative to the largest; kalman: of the covariance of eq "
             "forces (Matern "
             "forces are exact)"},
    {.name = "inducing",
     .group = "engine",
     .argument = "K",
     .type = "count",
     .fallback = "those of the model",
     .minimum = 1,
     .maximum = 100000,
     .help = "inducing engines: number of inducing values per force that has none in the model"},
    {.name = "inducing-inputs",
     .group = "engine",
     .argument = "HOW",
     .type = "text",
     .fallback = "even, with several inputs kmeans",
     .values = "even, data, kmeans",
     .help = "inducing engines: where the inducing inputs are placed: even (evenly spaced; one input), data (a subset "
             "of the "
             "inputs) or kmeans (centres of clusters of the inputs)"},
    {.name = "learn-inducing",
     .group = "engine",
     .type = "flag",
     .fallback = "no",
     .help = "inducing engines: fit the inducing inputs too"},
    {.name = "inducing-noise",
     .group = "engine",
     .argument = "G",
     .type = "number",
     .fallback = "none",
     .help = "inducing engines: starting value of a fitted variance that is added to that of the inducing values"},
    {.name = "horizon",
     .group = "engine",
     .argument = "T",
     .type = "time",
     .fallback = "the last input of the data",
     .help = "lowrank and fourier: largest input at which predictions will be asked for, a number or a date"},
    /* ---- the machine ---- */
    {.name = "seed",
     .group = "machine",
     .argument = "N",
     .type = "seed",
     .fallback = "1",
     .help = "seed of perturbed starts, draws and sampled nodes; the same seed gives the same numbers"},
    {.name = "threads",
     .group = "machine",
     .argument = "N",
     .type = "count",
     .fallback = "as many as the machine has",
     .minimum = 1,
     .maximum = 1024,
     .about_machine = 1,
     .help = "number of threads"},
    {.name = "device",
     .group = "machine",
     .argument = "D",
     .type = "text",
     .fallback = "cpu",
     .values = "cpu, gpu",
     .about_machine = 1,
     .help = "where lowrank, dense and the inducing engines compute: cpu, or gpu (an NVIDIA GPU, where latentforce was "
             "built with CUDA); results agree to rounding"},
    {.name = "memory",
     .group = "machine",
     .argument = "SIZE",
     .type = "size",
     .fallback = "half of what is available",
     .values = "half",
     .help = "most memory that a computation may take, such as 500M or 4G; what is estimated to need more is refused "
             "before it begins, and automatic choices are made among what needs less"},
};

enum { FIT_COUNT = sizeof fit_table / sizeof *fit_table };

const lf_option *lf_fit_option(size_t index) { return index < FIT_COUNT ? &fit_table[index] : NULL; }

const lf_option *lf_fit_option_find(const char *name) { return lf_fit_option(lf_verb_index(&lf_fit_verb, name)); }

const lf_option *lf_fit_option_find_part(const char *text, size_t length)
{
    for (size_t i = 0; i < FIT_COUNT; i++) {
        if (strlen(fit_table[i].name) == length && strncmp(fit_table[i].name, text, length) == 0) {
            return &fit_table[i];
        }
    }
    return NULL;
}

const lf_verb lf_fit_verb = {"fit", "a fit", FIT_COUNT, lf_fit_option};
