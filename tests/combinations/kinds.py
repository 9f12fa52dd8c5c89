"""The factors of a combination that make a problem: the kind of model, what is added to it, the shape of the data. A new kind, model or detail is a
row of a table here. Every problem has 10 to 60 rows and the same numbers on every machine."""
import csv
import math
import pathlib
import random
import re
from dataclasses import dataclass, replace

from tables import Layout, Row, Table

EQUATIONS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "equations"
ROWS = 16  # times of a series


@dataclass(frozen=True)
class Kind:
    """`data`: a function of nothing that makes the table. `options`: what `fit` is given. `reading`: what is read of a value of an output."""
    data: object
    options: tuple = ()
    equations: bool = False
    maps: bool = False
    reading: object = None


def series(names="ab", times=ROWS, known=None, seed="series"):
    """Outputs that follow a few sinusoids and the known input `known` with time constants of their own; 0.1 of noise."""
    def make():
        rng = random.Random(f"{seed}/{names}/{known}")
        phase = [rng.uniform(0, 6) for _ in range(3)]
        level = {name: 0.0 for name in names}
        inside = 0.0
        rows = []
        for k in range(times):
            u = 100.0 if known == "dose" and k % 8 == 1 else 0.0 if known == "dose" else round(math.cos(0.9 * k), 3)
            drive = sum(math.sin(w * k + p) for w, p in zip((0.35, 0.8, 1.7), phase))
            inside = 0.8 * inside + (0.05 * u if known == "dose" else 0)
            if known == "dose" and u:
                rows.append(Row("dose", (float(k),), u))
            elif known == "u":
                rows.append(Row("u", (float(k),), u))
            for i, name in enumerate(names):
                rate = 0.3 + 0.15 * i
                level[name] = (1 - rate) * level[name] + rate * (drive + (u if known == "u" else inside))
                rows.append(Row(name, (float(k),), round(5 + 5 * i + (1 + 2 * i) * level[name] + 0.1 * rng.gauss(0, 1), 4)))
        return Table(tuple(rows), known=(known,) if known else ())
    return make


def count(value):
    return float(max(0, round(value)))


def plane(names="ab", side=4):
    """A map: readings at points of two inputs."""
    def make():
        rng = random.Random(f"plane/{names}")
        rows = []
        for i in range(side * side):
            x = (round(i % side + rng.uniform(0, 0.8), 3), round(i // side + rng.uniform(0, 0.8), 3))
            for j, name in enumerate(names):
                rows.append(Row(name, x, round(3 * j + math.sin(x[0] + 0.5 * j) + math.cos(0.7 * x[1]) + 0.1 * rng.gauss(0, 1), 4)))
        return Table(tuple(rows), axes=("east", "north"))
    return make


def declared_inputs(name):
    """Names of the known inputs of a file of equations."""
    source = (EQUATIONS / f"{name}.eq").read_text()
    lines = (re.sub(r"#.*", "", line).split(None, 1) for line in source.splitlines())
    return tuple(re.split(r"\s", word.strip())[0] for line in lines if line and line[0] == "input" for word in line[1].split(","))


def example(name, lines=24):
    """The first lines of the data of an example, every k-th where the first ones show little."""
    def make():
        known = declared_inputs(name)
        with open(EQUATIONS / f"{name}.csv", newline="") as stream:
            head, *body = list(csv.reader(stream))
        head = [h.split(" [")[0] for h in head]
        label = head.index("replicate") if "replicate" in head else None
        rows = []
        for line in (body if label is not None else body[:lines]):
            for i, cell in enumerate(line):
                if i not in (0, label) and cell:
                    rows.append(Row(head[i], (float(line[0]),), float(cell), line[label] if label is not None else ""))
        return Table(tuple(rows), known=known)
    return make


KINDS = {
    "ode1": Kind(series(), ("--operator", "ode1")),
    "ode2": Kind(series("abc"), ("--operator", "ode2")),
    "ode3": Kind(series(), ("--operator", "ode:3")),
    "gaussian": Kind(series(), ("--operator", "gaussian")),
    "mixed": Kind(series("abc"), ("--operator", "ode1", "--operator", "b=ode2", "--operator", "c=ode:1")),
    "map": Kind(plane(), maps=True),
    "counts": Kind(series(), ("--likelihood", "poisson"), reading=count),
    "crowded counts": Kind(series(), ("--likelihood", "negative-binomial"), reading=count),
    "yes or no": Kind(series(), ("--likelihood", "bernoulli"), reading=lambda y: float(y > 7)),
    "positive": Kind(series(), ("--likelihood", "gamma"), reading=lambda y: round(math.exp(min(0.2 * y, 10)), 4)),
    "map of counts": Kind(plane(), ("--likelihood", "poisson"), maps=True, reading=lambda y: count(2 + y)),
} | {path.stem: Kind(example(path.stem), ("--equations", f"{path.stem}.eq"), equations=True) for path in sorted(EQUATIONS.glob("*.eq"))}

# What is added to a model that is not given by equations: options, and the known input of its data.
MODELS = {
    "plain": ((), None),
    "initial zero": (("--initial", "zero"), None),
    "initial stationary": (("--initial", "stationary"), None),
    "initial free": (("--initial", "free"), None),
    "linear input": (("--input", "u=linear"), "u"),
    "constant input": (("--input", "u=constant", "--initial", "zero"), "u"),
    "doses": (("--input", "dose=impulse", "--initial", "zero", "--offset", "none", "--no-private"), "dose"),
    "private": (("--private",), None),
    "no private": (("--no-private",), None),
    "3 forces": (("--forces", "3"), None),
    "copies": (("--copies", "2"), None),
    "student": (("--likelihood", "student"), None),
    "stationary 3 forces": (("--forces", "3", "--private", "--initial", "stationary"), None),
}


def detailed(table, detail):
    """The table with what DETAILS describe; every choice follows from the rows."""
    rng = random.Random(f"{detail}/{len(table.rows)}")
    outputs = table.outputs()
    readings = set(map(id, table.readings()))

    def copies(count, ends):
        """Replicates with noise of their own; the i-th keeps the first ends[i] of its times."""
        if any(table.replicates()):
            return table
        times = sorted({r.x for r in table.rows})
        rows = []
        for i in range(count):
            kept = set(times[:max(2, int(ends[i] * len(times)))])
            for r in table.rows:
                if r.x in kept:
                    noise = 0 if i == 0 else 0.3 * i * r.y if r.output in table.known else 0.05 * i * abs(r.y) * rng.gauss(0, 1)
                    rows.append(replace(r, replicate=f"r{i + 1}", y=round(r.y + noise, 5)))
        return table.with_rows(rows)

    if detail == "missing":
        return table.map(lambda r: replace(r, y=None) if id(r) in readings and rng.random() < 0.2 else r)
    if detail == "sd":
        return table.map(lambda r: replace(r, sd=0.1 * (1 + abs(r.y))) if id(r) in readings and rng.random() < 0.5 else r)
    if detail == "width":
        return table.map(lambda r: replace(r, width=0.5) if id(r) in readings and rng.random() < 0.5 else r)
    if detail == "replicates":
        return copies(2, (1, 1))
    if detail == "unequal replicates":
        return copies(3, (1, 0.5, 0.3))
    if detail == "one time":
        return table.with_rows(r for r in table.rows if r.output in table.known or r is next(q for q in table.rows if q.output == r.output))
    if detail == "one row":
        return table.with_rows(r for r in table.rows if r.output != outputs[-1] or r is next(q for q in table.rows if q.output == r.output))
    if detail == "one output":
        return table.with_rows(r for r in table.rows if r.output in table.known or r.output == outputs[0])
    if detail == "duplicates":
        return table.with_rows(list(table.rows) + [replace(r, y=round(1.02 * r.y + 0.01, 5)) for r in table.readings()[::4]])
    if detail == "constant":
        return table.map(lambda r: replace(r, y=2.0) if r.output == outputs[-1] else r)
    if detail == "uneven":
        moved = {r.x: r.x if len(r.x) > 1 else (round(r.x[0] * (1 + 0.05 * rng.random()), 5),) for r in table.rows}
        return table.map(lambda r: replace(r, x=moved[r.x]))
    if detail == "gap":  # one output without its middle
        times = sorted({r.x for r in table.rows})
        inside = set(times[len(times) // 3:len(times) // 2 + 2])
        return table.with_rows(r for r in table.rows if r.output != outputs[0] or r.x not in inside)
    if detail == "large values":
        return table.map(lambda r: replace(r, y=r.y + 1e6) if id(r) in readings else r)
    return table


DETAILS = ["plain", "missing", "sd", "width", "replicates", "unequal replicates", "one time", "one row", "one output", "duplicates", "constant", "uneven",
           "gap", "large values"]


def split(table, where):
    """Marks rows as test."""
    times = sorted({r.x for r in table.readings()})
    n = len(times)
    if where in ("start", "middle", "end"):
        first, last = {"start": (0, n // 4), "middle": (2 * n // 5, 3 * n // 5), "end": (3 * n // 4, n)}[where]
        chosen = set(times[first:max(last, first + 1)])
        marked = lambda i, r: r.x in chosen
    elif where == "output":
        marked = lambda i, r: r.output == table.outputs()[-1]
    elif where == "replicate":
        marked = lambda i, r: r.replicate == table.replicates()[-1] and len(table.replicates()) > 1
    elif where == "first replicate":
        marked = lambda i, r: r.replicate == table.replicates()[0] and len(table.replicates()) > 1
    elif where == "scattered":
        marked = lambda i, r: i % 4 == 1
    elif where == "all":
        marked = lambda i, r: True
    else:
        return table
    return table.with_rows(replace(r, test=r.output not in table.known and marked(i, r)) for i, r in enumerate(table.rows))


SPLITS = ["none", "start", "middle", "end", "output", "replicate", "first replicate", "scattered", "all"]

LAYOUTS = {
    "wide": Layout(wide=True),
    "long": Layout(),
    "wide shuffled": Layout(wide=True, shuffled=True),
    "long shuffled": Layout(shuffled=True),
    "wide gz": Layout(wide=True, gz=True),
    "long dates": Layout(dates=True),
    "wide dates": Layout(wide=True, dates=True),
    "decimal comma": Layout(wide=True, decimal_comma=True),
    "two files": Layout(cuts=2),
    "two wide files": Layout(wide=True, cuts=2),
    "file per replicate": Layout(wide=True, by_file=True),
}


def problem(kind, model, detail, where):
    """The table of a combination and the options of its model."""
    made = KINDS[kind]
    options, known = MODELS[model]
    table = made.data()
    if not made.equations and not made.maps:
        table = series("abc" if kind in ("ode2", "mixed") else "ab", 30 if detail == "gap" else ROWS, known)()
    table = detailed(table, detail)
    if made.reading:
        table = table.map(lambda r: r if r.output in table.known or r.y is None else replace(r, y=made.reading(r.y)))
    return split(table, where), made.options + options
