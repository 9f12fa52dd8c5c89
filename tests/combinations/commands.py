"""The sweep of commands: a combination is a fit and one command on its model. `COMMANDS` lists them."""
from dataclasses import replace

from kinds import DETAILS, EQUATIONS, KINDS, LAYOUTS, MODELS, SPLITS, problem
from option_values import Options
from tables import text, time_text, write

# Words in capitals stand for: DATA the files of data; AT points; LATER newer rows; READ options of reading; ENGINE options of the engine; FIRST, LAST
# and STEP times. Each command works in the folder in which `fit` has written m.json.
COMMANDS = {
    "fit": [],
    "fit by": ["fit DATA READ ENGINE --by replicate --forces 1 --period none --max-iterations 2 --errors no --calibrate no -o many.jsonl"],
    "data": ["data DATA READ"],
    "evaluate": ["evaluate m.json DATA READ ENGINE --json"],
    "evaluate gradient": ["evaluate m.json DATA READ ENGINE --gradient --repeat 2"],
    "predict at": ["predict m.json --at AT READ"],
    "predict at data": ["predict m.json --at AT --data DATA READ ENGINE --json"],
    "predict grid": ["predict m.json --grid 4"],
    "predict ahead": ["predict m.json --ahead STEP --step HALF"],
    "predict ahead data": ["predict m.json --ahead STEP --data DATA READ ENGINE"],
    "predict from": ["predict m.json --from FIRST --to LAST"],
    "predict forces": ["predict m.json --forces --grid 4 --samples 2"],
    "predict states": ["predict m.json --states --grid 4 --json"],
    "predict rates": ["predict m.json --rates --grid 4 --data DATA READ ENGINE"],
    "predict samples": ["predict m.json --samples 2 --grid 4 --data DATA READ ENGINE"],
    "score": ["score m.json DATA READ"],
    "score data": ["score m.json DATA --data DATA READ ENGINE --json"],
    "score rows": ["score m.json DATA READ --rows rows.csv --threshold 2"],
    "score cross-validate": ["score m.json DATA READ --cross-validate 2"],
    "score rolling": ["score m.json DATA READ --rolling auto --span 6 --step 3 --no-refit"],
    "score no refit": ["score m.json DATA READ ENGINE --cross-validate 2 --no-refit --rows rows.csv"],
    "condition": ["condition m.json DATA READ ENGINE -o c.json", "predict c.json --at AT READ"],
    "update": ["condition m.json DATA READ --engine kalman -o k.json", "update k.json LATER READ -o u.json", "predict u.json --ahead STEP"],
    "covariance": ["covariance m.json --at AT READ --with-forces"],
    "covariance features": ["covariance m.json --at AT READ --engine features"],
    "simulate": ["simulate m.json --at AT READ --seed 3 --forces forces.csv"],
    "simulate noise-free": ["simulate m.json --at AT READ --noise-free"],
    "show": ["show m.json"],
    "show json": ["show m.json --json"],
    "state space": ["show m.json --json --state-space --step 0.5"],
    "compare": ["compare m.json m.json --data DATA READ ENGINE --json"],
    "compare cross-validate": ["compare m.json m.json --data DATA READ ENGINE --cross-validate 2 --no-refit"],
    "compare rolling": ["compare m.json m.json --data DATA READ ENGINE --rolling auto --span 6 --no-refit"],
    "report": ["report m.json --data DATA READ ENGINE --dygraphs . -o page.html"],
    "report stored": ["report m.json --dygraphs . -o page.html --all-forces"],
}
# Options that are not tried, or stand in COMMANDS; a new one of a command that is in neither place makes the sweep fail.
OPTIONS_LEFT_OUT = {"--help", "--help-engines", "--version", "--quiet", "--output", "--only", "--output-name", "--title", "--xlabel", "--ylabel", "--size",
                    "--init", "--all-forces", "--grid", "--at", "--verbose"}
BASE = {"--max-iterations": "2", "--restarts": "1", "--errors": "no", "--calibrate": "no", "--threads": "1"}
INDUCING = ("dtc", "variational", "fitc", "pitc")
FORMULAS = ["periodic(5)", "quasiperiodic(5)", "matern32+constant", "cosine(5)*eq", "0.5*linear(20)+matern12", "periodic(5)*matern32(20)+0.2*white"]
# What no combination answers, and why.
NEVER = {("split", "all"): "there is no training row", ("split", "output"): "an output needs a training row", ("detail", "one time"): "a fit needs rows at several inputs",
         ("kernel", "--force-kernel periodic(5)*matern32(20)+0.2*white"): "white stands alone", ("option", "--separator tab"): "the files have commas",
         ("option", "--require-convergence"): "two iterations do not converge"}
ENGINE_OPTIONS = ("--engine", "--nodes", "--features", "--inducing", "--inducing-inputs", "--inducing-noise", "--learn-inducing", "--tolerance")
# What a value may need beside it to be answered, tried one after the other.
COMPANY = [{}, {"kind": "map"}, {"kind": "rc1"}, {"model": "linear input"}, {"engine": "--engine lowrank --nodes mc --features 8"},
           {"engine": "--engine fitc --inducing 3", "kernel": "--force-kernel eq"}, {"layout": "long"}, {"layout": "long dates"},
           {"model": "initial stationary"}, {"kind": "rc3"}, {"kind": "counts"}, {"kind": "yes or no"},
           {"kernel": "--force-kernel eq", "model": "no private"}, {"detail": "unequal replicates"}]
# Where a mistake in the selection of rows or in the index of a parameter has shown: triples.
RISKY_DETAILS = ["replicates", "unequal replicates", "missing", "width", "one row"]


REPEATED = ("--operator", "--likelihood", "--input", "--force-kernel", "--fix", "--free", "--missing", "--drop", "--outputs")


def without(words, name):
    """The words without an option and its values."""
    kept, inside = [], False
    for word in words:
        inside = word == name or inside and not word.startswith("--")
        kept += [] if inside else [word]
    return kept


def engines(options):
    """The values of the factor "engine": every engine, and every rule for nodes with the engines that have it."""
    found = [()]
    for e in options.listed("fit", "--engine"):
        found.append(("--engine", e) + (("--inducing", "3") if e in INDUCING else ()))
    for n in options.listed("fit", "--nodes"):
        found += [("--engine", "lowrank", "--nodes", n, "--features", "8"), ("--engine", "dense", "--nodes", n),
                  ("--engine", "fitc", "--inducing", "3", "--nodes", n)]
    inducing = ("--engine", "variational", "--inducing", "3")
    for how in options.listed("fit", "--inducing-inputs"):
        found.append(inducing + ("--inducing-inputs", how))
    found += [inducing + ("--inducing-noise", "1e-4"), inducing + ("--learn-inducing",)]
    return found


class Sweep:
    """The factors of the sweep and what a combination stands for."""

    def __init__(self, program):
        self.options = Options(program.path)
        given, self.unknown = self.options.of_fit()
        commands = COMMANDS | {f"plot {w}": [f"plot m.json --data DATA READ ENGINE --what {w} --grid 5 -o figure.svg"]
                               for w in self.options.listed("plot", "--what")}
        self.commands = commands
        kernels = [()] + [("--force-kernel", k) for k in self.options.listed("fit", "--force-kernel") + FORMULAS]
        self.values = {"engine": engines(self.options), "kernel": kernels, "option": [()] + given}
        self.factors = {"command": list(commands), "kind": list(KINDS), "model": list(MODELS), "layout": list(LAYOUTS), "split": SPLITS,
                        "detail": DETAILS} | {f: [" ".join(v) for v in values] for f, values in self.values.items()}
        # Equations determine the model and the kernels of their forces: there these two factors have nothing to vary.
        self.families = [self.factors | {"kind": [k for k in KINDS if not KINDS[k].equations]},
                         self.factors | {"kind": [k for k in KINDS if KINDS[k].equations], "model": ["plain"], "kernel": [""]}]
        self.risky = [{"kind": None, "split": ["start", "middle", "output", "replicate"], "option": ["--prior firm", "--calibrate yes", "--errors yes"]},
                      {"kind": None, "split": ["start", "middle", "replicate"], "detail": RISKY_DETAILS},
                      {"kind": None, "split": ["start", "middle", "replicate"],
                       "command": ["score rows", "score no refit", "predict ahead", "predict at data", "update", "report"]}]
        self.default = {f: values[0] for f, values in self.factors.items()}
        used = " ".join(line for lines in commands.values() for line in lines).split()
        fit_options = set(self.options.of["fit"])
        for command, accepted in self.options.of.items():
            if command not in ("fit", "demo", "help"):
                self.unknown += [f"{command} {o}" for o in accepted if o not in fit_options and o not in used and o not in OPTIONS_LEFT_OUT]

    def words(self, factor, value):
        return next(v for v in self.values[factor] if " ".join(v) == value)

    def accepted(self, command, words):
        """Those pairs of an option and its value that a command has."""
        kept, i = [], 0
        while i < len(words):
            size = 2 if i + 1 < len(words) and not words[i + 1].startswith("--") else 1
            if self.options.has(command, words[i]):
                kept += words[i:i + size]
            i += size
        return kept

    def table(self, combination):
        return problem(combination["kind"], combination["model"], combination["detail"], combination["split"])[0]

    def steps(self, combination, folder, table):
        """Writes the files; yields each command as its words."""
        kind, layout = KINDS[combination["kind"]], LAYOUTS[combination["layout"]]
        model = problem(combination["kind"], combination["model"], combination["detail"], combination["split"])[1]
        if kind.equations:
            name = f"{combination['kind']}.eq"
            (folder / name).write_text((EQUATIONS / name).read_text())
        data = write(table, folder, "d", layout)
        first_output = table.outputs()[0]
        option = [w.format(noise=f"{first_output}.noise_variance", output=first_output) for w in self.words("option", combination["option"])]
        engine = self.words("engine", combination["engine"])
        read = (["--x", ",".join(table.axes)] if kind.maps else []) + (["--replicates-by-file"] if layout.by_file else [])
        if option and self.options.has("data", option[0]):
            read += option
            option = []
        base = dict(BASE) if kind.equations or kind.maps else BASE | {"--period": "none", "--forces": "1"}
        given = [w for w in option if w.startswith("--") and w not in REPEATED]
        chosen = list(model) + list(engine) + list(self.words("kernel", combination["kernel"]))
        for name in given:
            chosen = without(chosen, name)
        chosen += option
        for name, value in base.items():
            if name not in chosen:
                chosen += [name, value]
        fit = ["fit"] + data + chosen + read
        if "first.json" in option:
            yield ["fit"] + data + without(chosen, "--init") + read + ["-o", "first.json"]
            for name in [w for w in model if w.startswith("--")] + ["--forces", "--period", "--force-kernel"]:
                fit = without(fit, name)
        yield fit + ["-o", "m.json"]
        times = sorted({r.x for r in table.rows})
        step = text(max(times[-1][0] - times[0][0], 1) / 8)
        self.write_points(table, folder, layout, times)
        for line in self.commands[combination["command"]]:
            yield list(self.filled(line, data, read, engine, table, folder, layout, times, step))

    def filled(self, line, data, read, engine, table, folder, layout, times, step):
        command, previous = line.split()[0], None
        for word in line.split():
            if word == "DATA" and previous == "--data":
                yield data[0]
                for more in data[1:]:
                    yield from ("--data", more)
            elif word == "DATA":
                yield from data
            elif word == "AT":
                yield "at.csv"
            elif word == "LATER":
                yield from self.later(table, folder, layout, times)
            elif word == "READ":
                yield from self.accepted(command, read)
            elif word == "ENGINE":
                yield from self.accepted(command, engine)
            elif word in ("FIRST", "LAST"):
                yield time_text(times[0 if word == "FIRST" else -1][0], layout)
            elif word == "STEP":
                yield step + ("h" if layout.dates else "")
            elif word == "HALF":
                yield text(float(step) / 2) + ("h" if layout.dates else "")
            else:
                yield word
            previous = word

    @staticmethod
    def write_points(table, folder, layout, times):
        chosen = times[:: max(1, len(times) // 3)] + [times[-1]]
        lines = [[time_text(x, layout) for x in time] for time in dict.fromkeys(chosen)]
        (folder / "at.csv").write_text("\n".join(",".join(line) for line in [list(table.axes)] + lines) + "\n")
        for name in ("dygraph.min.js", "dygraph.min.css"):
            (folder / name).touch()

    @staticmethod
    def later(table, folder, layout, times):
        span = times[-1][0] - times[0][0] + 1
        rows = [replace(r, x=(r.x[0] + span,) + r.x[1:]) for r in table.rows if r.x in times[:4]]
        return write(table.with_rows(rows), folder, "later", layout)
