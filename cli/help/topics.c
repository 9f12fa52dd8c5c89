/* The topics of 'latentforce help TOPIC'. Paragraphs are separated by an empty line; lines that begin with two spaces are printed as
 * they are. */
#include <stddef.h>
#include <string.h>

#include "help/help.h"

static const char files_text[] =
    "Data are tables with a header, plain or gzipped (.gz); '-' is standard input. The separator (comma, semicolon, "
    "tab, | or runs of spaces), a decimal comma, a byte order mark and comment lines that begin with # are recognised. "
    "The header determines "
    "the "
    "shape.\n\n"
    "Wide: one column of times, every other column an output. Optional columns: split, replicate, and A.sd or A± for "
    "the "
    "known standard error of the output A.\n\n"
    "  time,kitchen [°C],hall [°C]\n"
    "  2024-01-08 06:00,19.2,18.4\n"
    "  2024-01-08 07:00,19.9,NA\n\n"
    "Long: one observation per row. Optional columns: sd (known standard error of y), split, replicate. With p inputs "
    "the "
    "columns are output,x1,...,xp,y.\n\n"
    "  output,x,y\n"
    "  kitchen,0,19.2\n"
    "  hall,0,18.4\n\n"
    "A column width (long) or A.width (wide) says that a value is the mean over this time before its own; where times "
    "are dates its heading has a unit, width [min].\n\n"
    "The time of a wide table is the column with dates; year, month, day, hour or year, quarter together; the first "
    "column with the name of a time (time, t, hours); or the first column. Numbers must go one way and hardly repeat. "
    "Where they do not, or start again for each subject, the table is refused, and the message names the columns "
    "that may be meant.\n\n"
    "Lines before the header are skipped where it is plain which line has the names; a row of units below it is read "
    "as "
    "units, and 50% as 50.\n\n"
    "split is train or test: fit leaves out rows marked test, and score scores them. replicate is any label: "
    "replicates "
    "share all parameters and have independent draws of the forces.\n\n"
    "Times are numbers or dates, best as 2024-01-08 07:30; other forms are read where all rows allow one reading. "
    "Dates are counted in ms, s, min, h, d or a "
    "from "
    "the "
    "first "
    "one; the model file keeps the unit. Missing values are empty cells, a lone point and the words NA, N/A, nan, "
    "null, None, - and ?. A unit in a header, as in T [°C], stays with the output. Several files are read as one "
    "table.\n\n"
    "Options for tables that differ:\n\n"
    "  --time COL, --x COL,COL       column of times; columns of several inputs\n"
    "  --time row                    no times: rows are numbered from 0\n"
    "  --replicate-column COL        column of subjects, runs or batches\n"
    "  --outputs A,B   --drop A,B    columns to use; columns to leave out\n"
    "  --output-column COL, --value-column COL   names of a long table\n"
    "  --separator S   --decimal D   comma, semicolon, tab, pipe, space; , or .\n"
    "  --missing WORD                one more word for a missing value\n"
    "  --time-in U   --time-unit U   unit of numeric times; unit to work in\n"
    "  --time-format F               how dates are written: '%d.%m.%Y %H:%M'\n"
    "  --replicates-by-file          every file is a replicate\n\n"
    "Files of inputs (--at) have the columns output,x, or only x for every output; replicate is optional. Known inputs "
    "('latentforce help equations') are columns, or outputs of a long file, with their names; each may have its own "
    "times.\n\n"
    "A model is a JSON file, which can be written by hand: forces with their kernels ('latentforce help kernels') and "
    "lengthscales; outputs with their operators (ode1, ode2, ode, gaussian), "
    "sensitivities to the forces, noise variance, offset and scale. 'latentforce fit' and 'latentforce condition' add "
    "a "
    "posterior, 'latentforce update' continues it. '-' is standard input or output: latentforce fit data.csv -o - | "
    "latentforce show -. docs/model-file.md describes every member. A file of equations in which all values are given "
    "(NAME.eq) stands for a model too.";

static const char parameters_text[] =
    "Every number that a fit can change has a name. NAME is an output:\n\n"
    "  force1.lengthscale        how fast force 1 varies, in units of the input\n"
    "  force1.period, force1.period_lengthscale, force1.term2.weight   of formulas\n"
    "                            ('latentforce help kernels'); periods are fixed\n"
    "  NAME.decay                ode1: rate, 1 / time constant\n"
    "  NAME.mass, NAME.damper, NAME.spring   ode2\n"
    "  NAME.coefficient0, ...    ode: coefficients, the highest derivative first\n"
    "  NAME.precision            gaussian: 1 / squared width of the smoothing\n"
    "  NAME.sensitivity1, ...    of the scaled output to force 1, ...\n"
    "  NAME.noise_variance       of the scaled output\n"
    "  NAME.initial_variance0, ...   of the initial state, with --initial free\n"
    "  NAME.private.lengthscale, NAME.private.amplitude   private force\n"
    "  NAME.offset               value of the output where f = 0\n"
    "  NAME.gain1, ...           of the first known input (--input), ...\n"
    "  Ro, gains.lengthscale, gains.amplitude, white1.sd   of equations: constants by\n"
    "                            their names, and the numbers of their forces\n\n"
    "With several inputs lengthscales and precisions are numbered: force1.lengthscale1. Parameters that cannot be "
    "negative "
    "are optimised as logarithms; gradients then have names such as force1.log_lengthscale. Values and bounds are "
    "never "
    "logarithms.\n\n"
    "Units: y = offset + scale (f + noise). Offset and scale are in the unit of the output, f has none. Lengthscales "
    "and "
    "time constants are in the unit of the input, rates are per that unit.\n\n"
    "Hold a parameter at a value, or at its starting value:\n\n"
    "  latentforce fit data.csv --fix kitchen.decay=0.4 --fix hall.offset -o model.json\n\n"
    "Fit one that is fixed by default:\n\n"
    "  latentforce fit d.csv --forces 1 --period 24h --free force2.period -o m.json\n\n"
    "Bounds, ties and what is fixed stand in a model file, from which a fit starts with --init MODEL:\n\n"
    "  \"parameters\": {\n"
    "    \"fixed\": [\"kitchen.decay\"],  \"free\": [\"hall.offset\"],\n"
    "    \"tied\": [[\"force1.lengthscale\", \"force2.lengthscale\"]],\n"
    "    \"bounds\": {\"force1.lengthscale\": [0.1, 2], \"hall.sensitivity1\": [0, null]} }\n\n"
    "'latentforce show MODEL' prints the values with their standard errors, 'latentforce show MODEL --json' every "
    "parameter "
    "by name, 'latentforce evaluate MODEL DATA --gradient' the gradient.";

static const char engines_text[] =
    "An engine computes likelihoods and posteriors. All engines compute the same model, so the choice matters for time "
    "and memory, not for what the parameters mean. The default, auto, takes the engine with the lowest estimated cost "
    "of "
    "the first four. Choose by hand where a computation is too slow, where memory is short, or to check a result.\n\n"
    "  engine    cost for N rows   takes\n"
    "  dense     N^3               anything; exact\n"
    "  lowrank   N M^2             any number of inputs; M columns (also: features)\n"
    "  fourier   M^3               one input; nearly independent of N\n"
    "  kalman    N n^3             differential equations, few outputs; n states\n"
    "  variational, dtc, fitc, pitc   approximations with --inducing K values\n\n"
    "Few rows: dense. Many rows and smooth forces (eq): fourier. Long series, rough forces (Matern) and few outputs, "
    "or "
    "data that keep arriving (latentforce update): kalman. Several inputs and many rows: lowrank with --features S. "
    "The "
    "inducing engines are for comparison with published results; variational is a lower bound of the likelihood.\n\n"
    "Tolerance: lowrank and fourier with uniform nodes, and kalman with eq forces, compute covariances to --tolerance, "
    "relative to the largest. The default, 1e-10 (1e-5 for Matern forces in lowrank and fourier), is far below the "
    "noise "
    "of data. A larger tolerance needs fewer columns. 'latentforce evaluate' prints the engine, the reason for its "
    "choice, its columns and a bound on the error; --repeat N measures the time.\n\n"
    "lowrank and fourier predict up to a horizon, by default the last input of the data; --horizon T extends it. The "
    "other engines predict at any input.\n\n"
    "Every engine estimates its memory before it begins. What is above --memory SIZE (default: half of what is "
    "available) is "
    "refused, with what would fit, and auto chooses among the others; fit may take pitc or fewer forces, and notes "
    "it.\n\n"
    "'latentforce COMMAND --help-engines' lists the engine options of a command.";

static const char equations_text[] =
    "A linear system is written as a text: its equations, what is measured, and what is not. The commands are those of "
    "other models; the columns that the equations name must be in the data.\n\n"
    "  # house.eq: a wall and the air of a room\n"
    "  time d\n"
    "  input To, Qh                # measured: columns of the data\n"
    "  force gains                 # not measured: a Gaussian process\n"
    "  Cw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri\n"
    "  Ci*Ti' = (Tw - Ti)/Ri + Qh + gains\n"
    "  output xi = Ti              # the column xi is Ti plus noise\n"
    "  quantity HTC = 1/(Ro + Ri)  # reported with its standard error\n\n"
    "  latentforce fit data.csv --equations house.eq -o house.json\n"
    "  latentforce show house.json\n"
    "  latentforce predict house.json --grid 200 --states      (or --forces)\n"
    "  latentforce predict house.json --at next-days.csv       (with To and Qh)\n\n"
    "Statements, one in a line:\n\n"
    "  EXPR = EXPR                an equation; x' and x'' are derivatives by time\n"
    "                             a name with a prime is a variable, a name that\n"
    "                             is nothing else is a parameter\n"
    "  input NAME, ... [HOLD]     HOLD: linear (default) or constant between\n"
    "                             readings, or impulse (doses)\n"
    "  force NAME, ... [~ KERNEL(lengthscale = v, amplitude = v)]\n"
    "  force NAME, ... ~ white(sd = v)   noise of the process: variance sd^2 t\n"
    "  output NAME = EXPR [noise = v]    the column NAME reads EXPR plus noise\n"
    "  output NAME = average(EXPR, w)    the mean over the preceding time w\n"
    "  quantity NAME = EXPR       of parameters; reported with its error\n"
    "  parameter NAME = v [fixed] [real] [in low .. high] [~ PRIOR]\n"
    "                             v: start of the fit; positive unless real\n"
    "                             PRIOR: normal(m, s) or lognormal(median, s)\n"
    "  start rest                 every variable starts at 0\n"
    "  start steady               the system has run forever\n"
    "  start NAME ~ normal(m, s)  m and s may have parameters; NAME may be x'\n"
    "  time UNIT                  of the equations: ms, s, min, h, d or a (year)\n\n"
    "v may be followed by fixed. Operators + - * / ^ ( ), functions exp log sqrt. Equations are linear in variables, "
    "inputs and forces; coefficients are any expression of parameters. # begins a comment; a statement ends with its "
    "line "
    "unless a parenthesis is open; a name that is no word stands in quotation marks. A file with all values is a "
    "model: "
    "latentforce simulate house.eq --at weather.csv. docs/equations.md has the rest.\n\n"
    "Known inputs go with the other operators too, with one gain for each output: latentforce fit data.csv --input To "
    "--input dose=impulse -o model.json";

static const char kernels_text[] =
    "The kernel of a force is its covariance at two times: how rough it is, whether it repeats, whether it drifts. "
    "--force-kernel gives that of the shared forces, --private-kernel that of the private ones.\n\n"
    "  matern12        rough, no derivative: draughts, load, prices\n"
    "  matern32        with a derivative\n"
    "  matern52        with two derivatives\n"
    "  eq              smooth (also rbf, se)\n"
    "  periodic(T)     repeats with the period T and never changes\n"
    "  quasiperiodic(T)   repeats, and changes its shape slowly\n"
    "  cosine(T)       a pure sinusoid of random phase and amplitude\n"
    "  constant        an unknown level\n"
    "  linear          an unknown slope; 0 at the origin of the model\n"
    "  white           independent from one instant to the next\n\n"
    "Kernels are added with + and multiplied with *; a number is a weight. A term is at most one of matern12, "
    "matern32, matern52, eq times at most one of periodic, cosine; or constant; or linear. white stands alone.\n\n"
    "  quasiperiodic(24h) + matern32          a daily cycle and the rest\n"
    "  quasiperiodic(24h) + quasiperiodic(7d) + 0.1*linear\n"
    "  cosine(12h)*eq + cosine(5h)*eq         a spectral mixture\n"
    "  (periodic(24h) + 1)*matern32           products are multiplied out\n\n"
    "Arguments, where a kernel has them; the first one needs no name:\n\n"
    "  period=24h              fixed in the fit; must be given\n"
    "  lengthscale=3h          start of the fit; how long a cycle keeps its shape\n"
    "  period_lengthscale=0.5  start; smaller: more detail within a period\n"
    "  harmonics=6             of periodic: how many (default 4)\n"
    "  quasiperiodic(24h, eq)  another envelope than matern32\n\n"
    "Units are ms, s, min, h, d and a (years); a plain number is in the unit of the data.\n\n"
    "  latentforce fit d.csv --force-kernel 'quasiperiodic(1d) + matern32' -o m.json\n"
    "  latentforce fit d.csv --period 24h --period 7d -o m.json\n"
    "  latentforce fit d.csv --force-kernel 'periodic(1d)' --force-kernel matern32 \\\n"
    "      --forces 3 --private-kernel white -o m.json\n\n"
    "--period adds shared forces that repeat, two copies so that outputs can have other phases. By default (auto) fit "
    "looks for periods; where forces are as rough as the readings can show, it also tries white ones, which have no "
    "values to predict. --force-kernel given several times has one kernel for each force, the last for those beyond. "
    "The engines kalman and dense take every kernel; lowrank those without "
    "linear and white; fourier moreover none with an undamped cycle or a constant; engines with inducing values "
    "matern12, matern32, matern52 and eq alone. Several inputs: "
    "these four. docs/kernels.md has the rest.";

const cli_topic cli_topics[] = {
    {"files", "data files and model files", "FILES", files_text},
    {"parameters", "names, units, --fix and bounds", "PARAMETERS", parameters_text},
    {"engines", "how likelihoods are computed, and when to care", "ENGINES", engines_text},
    {"equations", "models written as equations; known inputs", "EQUATIONS", equations_text},
    {"kernels", "covariances of forces: cycles, sums and products", "KERNELS", kernels_text},
    {NULL, NULL, NULL, NULL}};

const cli_topic *cli_find_topic(const char *name)
{
    static const struct {
        const char *name;
        size_t topic;
    } synonyms[] = {{"file", 0},   {"model", 0},   {"models", 0}, {"csv", 0},      {"parameter", 1},
                    {"names", 1},  {"units", 1},   {"engine", 2}, {"equation", 3}, {"inputs", 3},
                    {"kernel", 4}, {"periods", 4}, {"period", 4}};
    for (const cli_topic *topic = cli_topics; topic->name; topic++) {
        if (strcmp(topic->name, name) == 0) {
            return topic;
        }
    }
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        if (strcmp(synonyms[i].name, name) == 0) {
            return &cli_topics[synonyms[i].topic];
        }
    }
    return NULL;
}
