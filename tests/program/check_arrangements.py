"""A fit does not depend on how its table is arranged: rows marked test are rows that are not there, wide is long, and neither the order of
rows, outputs and replicates nor names and units change it.

Usage: check_arrangements.py PROGRAM PROJECT SCRATCH
"""
import csv
import json
import math
import os
import random
import re
import subprocess
import sys

PROGRAM, PROJECT, SCRATCH = sys.argv[1:4]
QUICK = ["--max-iterations", "3", "--restarts", "2"]  # the path of the optimiser is the same, so its first steps tell
failures, checks = [], 0


class Table:
    """Readings (replicate, name, time, value, is_test); known inputs among them by name. A replicate of None: there are none."""

    def __init__(self, readings, inputs=()):
        self.readings, self.inputs = readings, tuple(inputs)

    def names(self):
        return list(dict.fromkeys(name for _, name, *_ in self.readings))

    def outputs(self):
        return [name for name in self.names() if name not in self.inputs]

    def changed(self, change):
        return Table([change(*reading) for reading in self.readings], self.inputs)

    def marked(self, chosen):
        return self.changed(lambda r, n, t, y, s: (r, n, t, y, n not in self.inputs and chosen(r, n, t)))

    def deleted(self):
        return Table([reading for reading in self.readings if not reading[4]], self.inputs)

    def training(self):
        return [(r, n, t) for r, n, t, _, test in self.readings if not test and n not in self.inputs]

    def write_long(self, path):
        with open(path, "w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(["replicate", "output", "time", "y", "split"])
            for r, n, t, y, test in self.readings:
                writer.writerow([r or "one", n, repr(t), repr(y), "test" if test else "train"])

    def write_wide(self, path, blank):
        """blank: values marked test are empty cells; else their rows are marked, and so are known inputs beside them."""
        cells, tests = {}, {}
        for r, n, t, y, test in self.readings:
            cells.setdefault((r, t), {})[n] = "" if test and blank else repr(y)
            tests[r, t] = tests.get((r, t), False) or (test and not blank)
        with open(path, "w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(["replicate", "time", *self.names(), "split"])
            for (r, t), row in cells.items():
                values = [row.get(n, "") for n in self.names()]
                if any(values):
                    writer.writerow([r or "one", repr(t), *values, "test" if tests[r, t] else "train"])


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=SCRATCH, check=False)


def fit(path, options):
    """What a fit finds: its densities, and its predictions of points by (replicate, output, time)."""
    done = run("fit", path, "-o", "m.json", "-q", "--json", "--errors", "no", *options)
    if done.returncode:
        raise RuntimeError(f"fit {path} {' '.join(options)}: exit {done.returncode}: {done.stderr[-300:]}")
    text = done.stdout
    found = {key: float(re.search(rf'"{key}":([^,]*)', text).group(1)) for key in ("log_likelihood", "log_prior")}
    with open(os.path.join(SCRATCH, "m.json"), encoding="utf-8") as stream:
        model = json.load(stream)
    found["inflation"] = model["outputs"][0].get("variance_inflation", 1)
    return found


def predict(points):
    """points: (replicate, output, time); returns (mean, sd) for each."""
    with open(os.path.join(SCRATCH, "at.csv"), "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["replicate", "output", "time"])
        writer.writerows([r or "one", n, repr(t)] for r, n, t in points)
    done = run("predict", "m.json", "--at", "at.csv", "-q")
    if done.returncode:
        raise RuntimeError(f"predict: exit {done.returncode}: {done.stderr[-300:]}")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    return [(float(row["mean"]), float(row["sd_y"])) for row in rows]


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(1, abs(a), abs(b))


def check(name, true, detail=""):
    global checks
    checks += 1
    if not true:
        failures.append(f"{name}: {detail}")


def result(path, options, points):
    found = fit(path, options)
    return found, predict(points)


def compare(name, expected, found, tolerance, units=(1, 0)):
    """units: the second result has the values factor * y + offset of the first one."""
    (density, points), (other, others) = expected, found
    for key, value in density.items():
        check(f"{name}: {key}", near(value, other[key], tolerance), f"{value!r} is not {other[key]!r}")
    factor, offset = units
    size = max(abs(mean) for mean, _ in points)
    away = max(max(abs(factor * a[0] + offset - b[0]), abs(factor * a[1] - b[1])) for a, b in zip(points, others))
    check(f"{name}: predictions", away <= tolerance * factor * size, f"{away / factor / size:.2g} of the largest")


def attempt(name, function, *arguments):
    try:
        function(name, *arguments)
    except RuntimeError as error:
        check(name, False, str(error))


# ---- tables ----


def example(name, rows, inputs=()):
    with open(os.path.join(PROJECT, "examples", "equations", name), encoding="utf-8") as stream:
        lines = list(csv.reader(stream))
    head = [re.sub(r"\s*\[.*\]", "", h) for h in lines[0]]
    replicate = head.index("replicate") if "replicate" in head else None
    columns = [k for k, h in enumerate(head) if h not in ("time", "replicate", "split")]
    time = head.index("time")
    return Table([(row[replicate] if replicate is not None else None, head[k], float(row[time]), float(row[k]), False)
                  for row in lines[1:rows + 1] for k in columns if row[k] != ""], inputs)


def mixed(replicates, outputs, times, seed, inputs=()):
    """Outputs that follow two waves and, where there are, inputs: a temperature, or one dose per replicate."""
    draw = random.Random(seed)
    readings = []
    for r in replicates:
        phase = draw.random()
        dose = 50 + 50 * draw.random()
        for k, n in enumerate(outputs):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            for i in range(times):
                t = 0.5 * i
                y = a * math.sin(0.7 * t + phase) + b * math.cos(0.23 * t) + 0.1 * draw.gauss(0, 1)
                y += 0.05 * dose * math.exp(-0.3 * t) * (k + 1) if "dose" in inputs else 0
                readings.append((r, n, t, y, False))
        if "dose" in inputs:
            readings.append((r, "dose", 0.0, dose, False))
        if "heat" in inputs:
            readings += [(r, "heat", 0.5 * i, 3 + math.sin(0.4 * i + phase), False) for i in range(times)]
    return Table(readings, inputs)


# ---- rows marked test ----


def split_at(table, kind):
    times = sorted({t for _, n, t, *_ in table.readings if n not in table.inputs})
    replicates = list(dict.fromkeys(r for r, *_ in table.readings))
    a, b = {"start": (0, 0.2), "middle": (0.4, 0.6), "end": (0.8, 1)}.get(kind, (0, 0))
    low, high = times[int(a * len(times))], times[min(int(b * len(times)), len(times) - 1)]
    if kind == "replicate":
        return lambda r, n, t: r == replicates[-1]
    return lambda r, n, t: low <= t < high or (kind == "end" and t == high)


def check_split(name, table, kind, options):
    marked = table.marked(split_at(table, kind))
    kept = marked.training()[::3]
    variants = {"deleted.csv": marked.deleted().write_long, "marked.csv": marked.write_long,
                "wide.csv": lambda path: marked.write_wide(path, False),
                "blank.csv": lambda path: marked.write_wide(path, True)}
    first = None
    for path, write in variants.items():
        write(os.path.join(SCRATCH, path))
        found = result(path, options, kept)
        first = first or found
        compare(f"{name}, {kind} marked test, {path}", first, found, 1e-9)


# ---- order, names and units ----


def check_order(name, table, options):
    table.write_long(os.path.join(SCRATCH, "first.csv"))
    points = table.training()[::3]
    first = result("first.csv", options, points)
    shuffled = list(table.readings)
    random.Random(3).shuffle(shuffled)
    replicates = list(dict.fromkeys(r for r, *_ in table.readings))
    orders = {"rows": Table(shuffled, table.inputs),
              "outputs": Table(sorted(table.readings, key=lambda row: -table.names().index(row[1])), table.inputs),
              "replicates": Table(sorted(table.readings, key=lambda row: -replicates.index(row[0])), table.inputs)}
    for what, other in orders.items():
        other.write_long(os.path.join(SCRATCH, "other.csv"))
        compare(f"{name}, order of {what}", first, result("other.csv", options, points), 1e-5)
    names = {n: n if n in table.inputs else "z" + str(9 - k) for k, n in enumerate(table.names())}
    table.changed(lambda r, n, t, y, s: (r, names[n], t, y, s)).write_long(os.path.join(SCRATCH, "other.csv"))
    renamed = result("other.csv", options, [(r, names[n], t) for r, n, t in points])
    compare(f"{name}, names of outputs", first, renamed, 1e-5)


def check_units(name, table, options):
    table.write_long(os.path.join(SCRATCH, "first.csv"))
    points = table.training()[::3]
    first = result("first.csv", options, points)
    for factor in (64, 1 / 32):
        table.changed(lambda r, n, t, y, s: (r, n, factor * t, y, s)).write_long(os.path.join(SCRATCH, "other.csv"))
        other = result("other.csv", options, [(r, n, factor * t) for r, n, t in points])
        compare(f"{name}, times {factor:g}", first, other, 1e-5)
    offset = 0 if "none" in options and "--offset" in options else 7
    other = table.changed(lambda r, n, t, y, s: (r, n, t, y if n in table.inputs else 1000 * y + offset, s))
    other.write_long(os.path.join(SCRATCH, "other.csv"))
    compare(f"{name}, unit of the outputs", first, result("other.csv", options, points), 1e-5, (1000, offset))


# ---- rows before the start of the model ----


def check_early(name):
    table = mixed([None], ["a"], 40, 5)
    marked = table.marked(lambda r, n, t: t < 3 or 10 <= t < 12)
    marked.write_long(os.path.join(SCRATCH, "early.csv"))
    done = run("fit", "early.csv", "-o", "m.json", "--forces", "1", *QUICK)
    check(f"{name}: note of the fit", "6 test rows lie before the first training row" in done.stderr, done.stderr)
    for command in (["score", "m.json", "early.csv"], ["plot", "m.json", "--data", "early.csv", "-o", "m.svg"],
                    ["report", "m.json", "--data", "early.csv", "-o", "m.html"]):
        done = run(*command)
        check(f"{name}: {command[0]}", done.returncode == 0 and "6 rows before the start of the model" in done.stderr,
              done.stderr)
    scored = json.loads(run("score", "m.json", "early.csv", "--json", "-q").stdout)
    check(f"{name}: rows scored", scored["overall"]["n"] == 4, str(scored))
    done = run("score", "m.json", "early.csv", "--cross-validate", "4", "--json", "-q")
    check(f"{name}: cross-validation", done.returncode == 0 and json.loads(done.stdout)["overall"]["n"] == 30, done.stderr)


def main():
    equations = [[f"{PROJECT}/examples/equations/{name}.eq"] for name in ("rc2", "gene-cascade", "one-compartment")]
    systems = [("rc2", example("rc2.csv", 40, ("To", "Qh")), ["--equations", *equations[0], *QUICK]),
               ("gene-cascade", example("gene-cascade.csv", 24), ["--equations", *equations[1], *QUICK]),
               ("gains", mixed(["r1", "r2", "r3"], ["a", "b"], 24, 1, ("heat",)),
                ["--operator", "ode2", "--input", "heat", "--forces", "1", "--period", "none", *QUICK]),
               ("free", mixed(["r1", "r2"], ["a", "b", "c"], 30, 2),
                ["--forces", "2", "--period", "none", "--calibrate", "yes", *QUICK])]
    for name, table, options in systems:
        kinds = ["start", "middle", "end"] + ["replicate"] * (len({r for r, *_ in table.readings}) > 1)
        for kind in kinds:
            attempt(name, check_split, table, kind, options)
    shared = ["--forces", "1", "--period", "none", *QUICK]
    doses = mixed(["r1", "r2"], ["a"], 24, 4, ("dose",))
    for name, table, options in [
            ("white and private forces", mixed(["r1", "r2"], ["a", "b"], 24, 1), ["--force-kernel", "white", *shared]),
            ("doses", doses, ["--input", "dose=impulse", "--offset", "none", "--initial", "zero", *shared]),
            ("doses of ode2", doses, ["--operator", "ode2", "--input", "dose=impulse", *shared]),
            ("doses of ode:2 and white", doses,
             ["--operator", "ode:2", "--force-kernel", "white", "--input", "dose=impulse", *shared]),
            ("heat and white", mixed(["r1"], ["a", "b"], 24, 6, ("heat",)),
             ["--input", "heat=constant", "--force-kernel", "white", *shared]),
            ("gaussian", mixed(["r1"], ["a", "b"], 24, 7), ["--operator", "gaussian", "--force-kernel", "eq", *shared])]:
        attempt(name, check_units, table, options)
    attempt("replicates", check_order, mixed(["r1", "r2", "r3"], ["a", "b", "c"], 30, 3), ["--calibrate", "yes", *shared])
    for seed in (2, 8):  # where the windows of the calibration matter
        attempt("three outputs", check_order, mixed([None], ["a", "b", "c"], 28, seed), ["--calibrate", "yes", *shared])
    attempt("doses", check_order, doses, ["--input", "dose=impulse", *shared])
    # starts of states that are not read follow from the inputs of all replicates
    pair = [(r, n, t, y + (3 if r == "r2" and n == "To" else 0), s)
            for r in ("r1", "r2") for _, n, t, y, s in example("rc2.csv", 16, ("To", "Qh")).readings]
    attempt("equations", lambda name: check_rc2_order(name, Table(pair, ("To", "Qh")), equations[0]))
    attempt("firm prior", lambda name: fit("first.csv", ["--equations", *equations[0], "--prior", "firm", *QUICK]))
    attempt("early rows", check_early)
    for failure in failures[:40]:
        print("FAIL ", failure)
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


def check_rc2_order(name, table, equations):
    """Order of replicates, and readings of an input long before the first row."""
    options = ["--equations", *equations, *QUICK]
    points = table.training()[::3]
    earlier = [("r1", "To", -100.0, 25.0, False), ("r1", "Qh", -100.0, 0.0, False)]
    first = None
    for what, readings in [("as given", table.readings), ("other replicate first", table.readings[::-1]),
                           ("earlier weather", earlier + table.readings)]:
        Table(readings, table.inputs).write_long(os.path.join(SCRATCH, "first.csv"))
        found = result("first.csv", options, points)
        first = first or found
        compare(f"{name}, {what}", first, found, 1e-5)


sys.exit(main())
