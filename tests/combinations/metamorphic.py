"""Compares equivalent fits (relations.py) and equivalent requests (equivalent_requests.py) over combinations of models, data, engines, kernels and options.

Two fits are compared after three iterations, where equivalent ones differ by rounding alone: 1e-5 in log density and log prior (of their size above 1), 1e-4
standard deviations in predictions; iterations multiply rounding, which is 1e-12 to 1e-9 in what is compared. If they differ, both run to convergence: an optimum is
found to some 1e-3 in the log density, and to sqrt(2e-3) = 0.05 standard errors in its position; so 0.02 and 0.05 count as different, and two fits of which one
did not converge are not compared. Where the training rows are the same, in whatever order and under
whatever names, the first comparison decides. --scale, priors and starting values follow the units of the data, so that nothing else may differ."""
import collections
import concurrent.futures
import csv
import io
import json
import math
import re
import shutil
from dataclasses import dataclass

from commands import Sweep, engines, without
from covering import covering, singles
from kinds import DETAILS, EQUATIONS, KINDS, LAYOUTS, MODELS, problem
from program import Program, SANITIZER, command_line
from relations import RELATIONS, Problem
from equivalent_requests import REQUESTS
from tables import text, time_text, write

FIT = {"--errors": "no", "--calibrate": "no", "--restarts": "1", "--forces": "1", "--period": "none"}
OPTIONS = ["", "--prior none", "--prior firm", "--calibrate yes", "--offset first", "--offset learned", "--offset none", "--scale none", "--period <5>",
           "--origin @-2@", "--forces auto", "--errors yes", "--restarts 2", "--private-kernel white", "--period auto", "--horizon @40@"]
KERNELS = ["", "--force-kernel eq", "--force-kernel matern12", "--force-kernel white", "--force-kernel constant",
           "--force-kernel quasiperiodic(<5>)", "--force-kernel matern32(<4>)+0.3*linear(<20>)"]
ENGINES = ["", "--engine dense", "--engine kalman", "--engine lowrank", "--engine fourier", "--engine fitc --inducing 3"]
SPLITS = ["none", "start", "middle", "replicate", "first replicate", "scattered"]
USED_LAYOUTS = ["wide", "long", "file per replicate"]


def factors():
    relations = list(RELATIONS) + list(REQUESTS)
    common = {"relation": relations, "model": list(MODELS), "detail": [d for d in DETAILS if d not in ("one time",)], "split": SPLITS,
              "layout": USED_LAYOUTS, "engine": ENGINES, "kernel": KERNELS, "option": OPTIONS}
    plain = [o for o in OPTIONS if o.split(" ")[0] in ("", "--prior", "--calibrate", "--errors", "--restarts", "--horizon")]
    return [common | {"kind": [k for k in KINDS if not KINDS[k].equations]},
            common | {"kind": [k for k in KINDS if KINDS[k].equations], "model": ["plain"], "kernel": [""], "engine": ENGINES[:3], "option": plain}]


RISKY = [{"relation": ["leave one out"], "engine": None, "option": ["", "--prior none", "--prior firm", "--calibrate yes"]},
         {"relation": None, "kind": None, "detail": ["plain", "unequal replicates"]}]


# What a relation that was not compared is tried with.
COMPANY = [{}, {"detail": "replicates"}]


@dataclass
class Side:
    problem: Problem
    folder: object
    data: list
    read: list
    engine: list
    words: list


def rendered(words, p):
    """Spans <5> and instants @5@ in the unit of this side."""
    span = lambda m: text(float(m[1]) * p.stretch)
    instant = lambda m: time_text(float(m[1]) * p.stretch + p.shift, p.layout)
    return [re.sub(r"@(-?[\d.]+)@", instant, re.sub(r"<([\d.]+)>", span, w)) for w in words]


class Checker:
    def __init__(self, program, mpi):
        self.program, self.mpi = program, mpi

    def prepare(self, p, folder, iterations, points):
        """Writes the files of one side; `points`: times of the first side at which predictions are compared."""
        folder.mkdir(parents=True, exist_ok=True)
        kind = KINDS[p.kind]
        if kind.equations:
            (folder / f"{p.kind}.eq").write_text((EQUATIONS / f"{p.kind}.eq").read_text())
        data = write(p.table, folder, "d", p.layout)
        read = (["--x", ",".join(p.table.axes)] if kind.maps else []) + (["--replicates-by-file"] if p.layout.by_file and any(p.table.replicates()) else [])
        words = rendered(p.options, p)
        for name, value in (FIT | {"--max-iterations": str(iterations)}).items():
            if name not in words and not (kind.equations and name in ("--forces", "--period") or kind.maps and name == "--period"):
                words += [name, value]
        at = [[time_text(p.stretch * x + p.shift, p.layout) for x in time] for time in points]
        (folder / "at.csv").write_text("\n".join(",".join(line) for line in [list(p.table.axes)] + at) + "\n")
        engine = [w for w in words[words.index("--engine"):][:2]] + (["--inducing", "3"] if "--inducing" in words else []) if "--engine" in words else []
        return Side(p, folder, data, read, engine, ["fit"] + data + read + words + ["--threads", str(p.threads), "-o", "m.json", "--json"])

    def runner(self, side, log):
        program = self.mpi if side.problem.processes > 1 else self.program

        def run(words):
            result = program.run(side.folder, words)
            log.append(f"{program.path} {command_line(words)}")
            wrong = program.complaint(result)
            if wrong:
                raise Wrong(wrong + ": " + result.err[-400:])
            return result
        return run

    def fitted(self, side, log):
        """(fit, log density, predictions), or the kind of its refusal."""
        run = self.runner(side, log)
        fit = run(side.words)
        if fit.status:
            return fit.kind
        single = self.program.run(side.folder, ["evaluate", "m.json"] + side.data + side.read + ["--json"])
        predicted = run(["predict", "m.json", "--at", "at.csv"] + side.read[:2 if "--x" in side.read else 0])
        if single.status or predicted.status:
            return single.kind if single.status else predicted.kind
        return json.loads(fit.out), json.loads(single.out)["log_density"], list(csv.DictReader(io.StringIO(predicted.out)))

    def difference(self, a, b, variant, table, tolerance, of_prediction):
        """What differs between two fits; "" if nothing does."""
        constant = -sum(math.log(variant.scale.get(r.output, (1, 0))[0]) for r in table.training())
        for what, x, y in (("log density", a[1] + constant, b[1]), ("log prior", a[0]["log_prior"], b[0]["log_prior"])):
            if abs(x - y) > tolerance * max(1, abs(x) if tolerance < 1e-3 else 1):
                return f"{what} {x:.8g} and {y:.8g}"
        names = lambda row: (variant.labels.get(row.get("replicate"), row.get("replicate")), variant.names.get(row["output"], row["output"]))
        places = collections.Counter()
        found = {}
        for row in b[2]:
            key = (row.get("replicate"), row["output"])
            found[key + (places[key],)] = row
            places[key] += 1
        seen = collections.Counter()
        for row in a[2]:
            key = names(row)
            other = found.get(key + (seen[key],))
            seen[key] += 1
            if other is None:
                continue
            factor, addend = variant.scale.get(row["output"], (1, 0))
            sd = factor * float(row["sd_y"])
            for name, x, y in [("mean", factor * float(row["mean"]) + addend, float(other["mean"]))] + \
                              [(n, factor * float(row[n]), float(other[n])) for n in ("sd_f", "sd_y")]:
                if abs(x - y) > of_prediction * sd + 1e-9 * abs(x):
                    return f"{name} {x:.8g} and {y:.8g} (sd {sd:.3g}) of {key} at the {seen[key]}. time"
        return ""

    def check(self, combination, folder, log, table=None):
        """What is wrong; "": nothing; None: not compared."""
        made, options = problem(combination["kind"], combination["model"], combination["detail"], combination["split"])
        table = table or made
        words = tuple(options) + sum((tuple(combination[f].split()) for f in ("engine", "kernel")), ())
        for name in [w for w in combination["option"].split() if w.startswith("--")]:
            words = tuple(without(words, name))
        words += tuple(combination["option"].split())
        first = Problem(combination["kind"], table, LAYOUTS[combination["layout"]], words)
        times = sorted({r.x for r in table.training()}) or sorted({r.x for r in table.readings()})
        points = times[:: max(1, len(times) // 5)]
        if combination["relation"] in REQUESTS:
            side = self.prepare(first, folder / "a", 5, points)
            run = self.runner(side, log)
            return None if run(side.words).status else REQUESTS[combination["relation"]](side, run)
        found = RELATIONS[combination["relation"]](first)
        if found is None or found[1].problem.processes > 1 and not self.mpi:
            return None
        p, variant = found
        for iterations, tolerance, of_prediction in ((3, 1e-5, 1e-4), (400, 0.02, 0.05)):
            # Not before the iterations: a comparison of candidates is decided after a few iterations of each, which may fall on either side.
            a = self.fitted(self.prepare(p, folder / "a", iterations, points), log)
            b = self.fitted(self.prepare(variant.problem, folder / "b", iterations, points), log)
            if isinstance(a, str) or isinstance(b, str):
                return None if isinstance(a, str) and isinstance(b, str) else f"one side is refused: {a if isinstance(a, str) else b}"
            if variant.exact:
                text_of = [(folder / s / "m.json").read_text() for s in "ab"]
                same = [re.sub(r'"(threads|command|created|seconds|provenance)".*', "", t) for t in text_of]
                return "" if same[0] == same[1] else "the model files differ"
            wrong = self.difference(a, b, variant, p.table, tolerance, of_prediction)
            if not wrong or variant.same:
                return wrong
        return wrong if a[0]["converged"] and b[0]["converged"] else None


class Wrong(Exception):
    pass


def run(options, program):
    families = factors()
    mpi = None
    if options.mpi:
        mpi = Program(options.mpi, options.seconds, ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "3"])
        mpi.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1", "ASAN_OPTIONS": "detect_leaks=0"}
    checker = Checker(program, mpi)
    default = {f: v[0] for f, v in families[0].items()}
    if options.only:
        given = dict(part.strip().split("=", 1) for part in options.only.split(";"))
        combinations = [default | given]
    else:
        from regressions import METAMORPHIC
        listed = [c for family in families for c in (singles(family) if options.share else covering(family, RISKY))]
        combinations = ([default | k for k in METAMORPHIC] + listed)[options.first:][:options.count]
    print(f"{len(combinations)} combinations of {', '.join(f'{len(v)} {f}' for f, v in families[0].items())}", flush=True)

    def one(item):
        number, combination = item
        folder, log = options.folder / f"{number}", []
        try:
            wrong = checker.check(combination, folder, log)
        except (Wrong, KeyError, ValueError) as error:  # also what a result lacks
            wrong = repr(error)
        if not (wrong and options.keep):
            shutil.rmtree(folder, ignore_errors=True)
        return number, combination, wrong, log

    compared, failures, skipped = collections.Counter(), [], collections.Counter()

    def run_all(items):
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for number, combination, wrong, log in pool.map(one, items):
                (skipped if wrong is None else compared)[combination["relation"]] += 1
                if wrong:
                    failures.append(combination)
                    small = shrink(checker, options.folder / f"{number}-shrinking", combination, default) if not options.only else combination
                    print(f"FAIL  {combination['relation']}: {wrong}\n      {number}; --only '{named(small, default)}'")
                    print("".join(f"      {line}\n" for line in log[-4:]) + f"      files: {options.folder / str(number)}" * options.keep, flush=True)

    run_all(enumerate(combinations, options.first))
    for i, company in enumerate(COMPANY if not options.only else ()):
        run_all((f"alone{i}-{k}", default | {"relation": r} | company) for k, r in enumerate(r for r in list(skipped) if not compared[r]))
    print(f"{sum(compared.values()) + sum(skipped.values())} combinations, {program.runs + (mpi.runs if mpi else 0)} commands: {sum(compared.values())} compared, "
          f"{sum(skipped.values())} refused or without meaning; {len(failures)} failures")
    never = [r for r in list(RELATIONS) + list(REQUESTS) if not compared[r] and skipped[r] and not (r == "processes" and not mpi)]
    for relation in never:
        print(f"FAIL  never compared: {relation}")
    if options.refusals:
        for relation in families[0]["relation"]:
            print(f"{compared[relation]:6d} compared, {skipped[relation]:6d} not: {relation}")
    return len(failures) + len(never)


def named(combination, default):
    return "; ".join(f"{f}={v}" for f, v in combination.items() if v != default[f] or f == "relation")


def shrink(checker, root, combination, default):
    for i, factor in enumerate(f for f in default if f not in ("relation", "kind")):
        plainer = combination | {factor: default[factor]}
        if plainer != combination:
            try:
                wrong = checker.check(plainer, root / f"{i}", [])
            except (Wrong, KeyError, ValueError) as error:
                wrong = str(error)
            combination = plainer if wrong else combination
    shutil.rmtree(root, ignore_errors=True)
    return combination
