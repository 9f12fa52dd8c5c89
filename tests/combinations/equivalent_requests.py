"""Equivalent requests of one fitted model: leave-one-out and deleted rows, update and condition, stored posterior and data, kalman and dense, forecasts of
replicates of unequal end. Each returns what is wrong, "" if nothing, or None where nothing could be compared."""
import csv
import io
import json
from dataclasses import replace

from tables import Layout, text, write

SHORT = Layout()  # long, in numbers


def answers(run, words):
    result = run(words)
    return None if result.status else list(csv.DictReader(io.StringIO(result.out)))


def close(cell, value):
    return abs(float(cell) - value) < 1e-9 * max(1, abs(value))


def inputs_of(scored):
    """The cells between the output and y, whatever their heading."""
    names = list(scored)
    return [scored[n] for n in names[names.index("output") + 1:names.index("y")]]


def leave_one_out(side, run):
    """The row that score --rows predicts from all others is predicted so without it."""
    table = side.problem.table
    rows = [i for i, r in enumerate(table.rows) if r.y is not None and not r.test and r.output not in table.known and not r.width]
    if len(rows) < 6 or side.engine and side.engine[1] not in ("auto", "dense", "kalman", "lowrank", "fourier"):
        return None  # the other approximations change with the rows; score --rows says so
    scored = run(["score", "m.json"] + side.data + side.read + ["--data", side.data[0]] + [w for f in side.data[1:] for w in ("--data", f)]
                 + ["--rows", "rows.csv"] + side.engine)
    if scored.status:
        return None
    model = json.loads((side.folder / "m.json").read_text())
    if any(o.get("sensitivity_sd", 0) for o in model["outputs"]):  # the rows are then no Gaussian process
        return None
    if any("likelihood" in o for o in model["outputs"]):  # the weights of the other readings follow from the one left out too
        return None
    with open(side.folder / "rows.csv") as stream:
        found = list(csv.DictReader(stream))
    for output in model["outputs"]:  # intervals that were widened for gaps need not be so for a row alone: both are right
        output.pop("variance_inflation", None)
    (side.folder / "plain.json").write_text(json.dumps(model))
    done = 0
    for i in rows[:: max(1, len(rows) // 3)]:
        row = table.rows[i]
        files = write(table.with_rows(table.rows[:i] + table.rows[i + 1:]), side.folder, "without", side.problem.layout)
        named = (["replicate"] if row.replicate else []) + ["output"] + list(table.axes)
        (side.folder / "one.csv").write_text(",".join(named) + "\n" + ",".join(([row.replicate] if row.replicate else []) + [row.output] + [text(x) for x in row.x]) + "\n")
        files = [w for f in files for w in ("--data", f)]
        direct = [answers(run, ["predict", m, "--at", "one.csv"] + files + side.read + side.engine) for m in ("plain.json", "m.json")]
        mine = [f for f in found if f["output"] == row.output and f.get("replicate", "") == row.replicate and f["flag"] != "unknown"
                and all(close(a, x) for a, x in zip(inputs_of(f), row.x)) and close(f["y"], row.y)]
        if not all(direct) or not mine:
            continue
        done += 1
        mean = float(direct[0][0]["mean"])
        sds = [(float(d[0]["sd_y"]) ** 2 + (row.sd or 0) ** 2) ** 0.5 for d in direct]
        sd = min(sds, key=lambda s: abs(s - float(mine[0]["sd"])))
        # The formula divides by the noise less the variance of the output: ten digits are lost at most where it answers.
        if abs(float(mine[0]["mean"]) - mean) > 2e-3 * sd or abs(float(mine[0]["sd"]) / sd - 1) > 2e-3:
            return f"without {row.output} at {row.x}: {mean:.6g} ± {sd:.6g}, score --rows {float(mine[0]['mean']):.6g} ± {float(mine[0]['sd']):.6g}"
    return "" if done else None


def compared(a, b, tolerance, what):
    """Differences in units of sd_y (or sd) of the first."""
    if a is None or b is None:
        return None if a is b else f"{what}: only one side answers"
    if len(a) != len(b):
        return f"{what}: {len(a)} and {len(b)} rows"
    for p, q in zip(a, b):
        sd = float(p.get("sd_y") or p["sd"])
        for name in p:
            if name in ("mean", "sd_f", "sd_y", "sd"):
                if abs(float(p[name]) - float(q[name])) > tolerance * sd + 1e-9 * abs(float(p[name])):
                    return f"{what}: {name} {p[name]} and {q[name]} in {list(p.values())[:3]}"
            elif p[name] != q[name]:
                return f"{what}: {name} {p[name]} and {q[name]}"
    return ""


def many(side):
    return [w for f in side.data for w in ("--data", f)]


def stored(side, run):
    """The stored posterior predicts as the data do: in exact engines to rounding, in others to the tolerance of the fit."""
    what = ["predict", "m.json", "--at", "at.csv"]
    engine = [w for w in side.engine]
    tolerance = 1e-5 if not engine or engine[1] in ("dense", "kalman", "auto") else 2e-2
    a, b = answers(run, what + side.read), answers(run, what + many(side) + side.read + engine)
    return None if a is None or b is None else compared(a, b, tolerance, "stored and --data")


def two_engines(side, run):
    """dense and kalman are exact: log likelihoods to 1e-6 of their size, predictions to 1e-4 sd; a note tells where digits are lost."""
    found = {}
    for engine in ("dense", "kalman"):
        r = run(["evaluate", "m.json"] + side.data + side.read + ["--engine", engine, "--json"])
        if r.status or "digits are lost" in r.err:
            return None
        found[engine] = json.loads(r.out)["log_likelihood"], answers(run, ["predict", "m.json", "--at", "at.csv"] + many(side) + side.read + ["--engine", engine])
    (a, p), (b, q) = found.values()
    if abs(a - b) > 1e-6 * max(1, abs(a)):
        return f"log likelihood by dense {a:.10g}, by kalman {b:.10g}"
    return compared(p, q, 1e-4, "dense and kalman")


def update(side, run):
    """Conditioned on the first part and updated with the rest = conditioned on all, at the times of the rest; the filter is exact."""
    table = side.problem.table
    times = sorted({r.x for r in table.readings()})
    if len(times) < 6 or len(times[0]) > 1 or any(table.replicates()):
        return None
    cut = times[2 * len(times) // 3]
    early, late = (write(table.with_rows(r for r in table.rows if (r.x >= cut) == is_late), side.folder, name, SHORT)
                   for name, is_late in (("early", False), ("late", True)))
    condition = lambda data, to: run(["condition", "m.json"] + data + side.read + ["--engine", "kalman", "-o", to]).status
    if condition(early, "e.json") or condition(early + late, "all.json") or run(["update", "e.json"] + late + ["-o", "u.json"]).status:
        return None
    points = [x for x in times if x >= cut]
    (side.folder / "points.csv").write_text("\n".join([table.axes[0]] + [text(x[0]) for x in points]) + "\n")
    a, b = (answers(run, ["predict", m, "--at", "points.csv"]) for m in ("all.json", "u.json"))
    return compared(a, b, 1e-5, "condition and update")


def ahead(side, run):
    """A forecast of each replicate begins after its own last training row, at most two of its usual steps later."""
    table = side.problem.table
    if len(table.axes) > 1 or side.problem.layout.dates:
        return None
    times = sorted({r.x[0] for r in table.readings()})
    step = max((b - a for a, b in zip(times, times[1:])), default=1)
    found = answers(run, ["predict", "m.json", "--ahead", text(2 * step)])
    for label in table.replicates() if found else []:
        last = max((r.x[0] for r in table.training() if r.replicate == label), default=None)
        first = min((float(f["time"]) for f in found if f.get("replicate", "") == label), default=None)
        if last is not None and (first is None or not last < first <= last + 2 * step):
            return f"replicate {label or 'of all'} ends at {last}, its forecast begins at {first}"
    return "" if found else None


REQUESTS = {"leave one out": leave_one_out, "stored": stored, "dense and kalman": two_engines, "update": update, "ahead": ahead}
