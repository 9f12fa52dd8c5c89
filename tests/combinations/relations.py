"""Equivalent ways to say the same thing. A relation changes the table, the layout, the options or the number of threads of a fit, and says how times,
values and names of the result follow. `RELATIONS` lists them; a new one is a function that returns a Variant, or None where it has no meaning."""
import math
import re
from dataclasses import dataclass, field, replace

from kinds import EQUATIONS, KINDS, LAYOUTS, Layout


@dataclass(frozen=True)
class Problem:
    """One side of a comparison. `options` are words of `fit`, in which <5> is a span of time and @5@ an instant."""
    kind: str
    table: object
    layout: object
    options: tuple
    stretch: float = 1.0  # of the times of the first side
    shift: float = 0.0
    threads: int = 1
    processes: int = 1


@dataclass(frozen=True)
class Variant:
    problem: Problem
    scale: dict = field(default_factory=dict)  # output -> factor and addend of its values
    names: dict = field(default_factory=dict)  # output -> its new name
    labels: dict = field(default_factory=dict)  # replicate -> its new label
    exact: bool = False                        # the same bits are promised
    same: bool = False                         # the training rows are the same: only rounding differs, unless starts are drawn at random


def same(p, other, **names):
    """Rows in another order, or under other names; random starts follow the order of the parameters."""
    drawn = "--restarts" in p.options or any("auto" in w for w in p.options)
    return p, Variant(other, same=not drawn, **names)


def is_equations(p):
    return KINDS[p.kind].equations


def marked(table):
    """The table with rows marked test: those that are, or otherwise some in the middle."""
    if any(r.test for r in table.rows):
        return table
    times = sorted({r.x for r in table.readings()})
    inside = set(times[2 * len(times) // 5:3 * len(times) // 5 + 1])
    return table.map(lambda r: replace(r, test=r.output not in table.known and r.x in inside))


def with_test_rows(change):
    def relation(p):
        table = marked(p.table)
        other = change(table)
        if set(other.outputs()) != set(table.outputs()):  # a whole output is refused in one form and not there in the other
            return None
        return replace(p, table=table), Variant(replace(p, table=other), same=True)
    return relation


deleted = with_test_rows(lambda t: t.with_rows(r for r in t.rows if not r.test))
blank = with_test_rows(lambda t: t.map(lambda r: replace(r, y=None, test=False) if r.test else r))
other_test_values = with_test_rows(lambda t: t.map(lambda r: replace(r, y=None if r.y is None else 7 - 30 * r.y) if r.test else r))


def far_test_rows(p):
    """Rows marked test before and after all others change nothing."""
    times = sorted({r.x for r in p.table.rows})
    span = times[-1][0] - times[0][0]
    first, last = [replace(r, test=True) for r in p.table.readings() if r.x in (times[0], times[-1])][:2], p.table.readings()[-1:]
    more = [replace(r, x=(r.x[0] - span,) + r.x[1:]) for r in first] + [replace(r, x=(r.x[0] + 2 * span,) + r.x[1:], test=True) for r in last]
    table = marked(p.table) if p.table.known else p.table
    return replace(p, table=table), Variant(replace(p, table=table.with_rows(more + list(table.rows))), same=True)


def of_layout(name=None, **also):
    def relation(p):
        changed = replace(p, layout=replace(p.layout, **also) if also else LAYOUTS[name])
        return None if changed.layout == p.layout else same(p, changed)
    return relation


def reordered(p):
    """Columns, and outputs of a long file, in the opposite order."""
    names = list(dict.fromkeys(r.output for r in p.table.rows))
    rows = sorted(p.table.rows, key=lambda r: -names.index(r.output))
    return same(p, replace(p, table=p.table.with_rows(rows)))


def renamed(p):
    if is_equations(p):
        return None
    names = {name: f"{chr(122 - i)} of {name}" for i, name in enumerate(p.table.outputs())}
    table = p.table.map(lambda r: replace(r, output=names.get(r.output, r.output)))
    rows = sorted(table.rows, key=lambda r: r.output)
    options = tuple(re.sub(r"^(\w+)=", lambda m: names.get(m[1], m[1]) + "=", w) for w in p.options)
    return same(p, replace(p, table=table.with_rows(rows), options=options), names=names)


def replicates_reordered(p):
    labels = p.table.replicates()
    if len(labels) < 2:
        return None
    rows = sorted(p.table.rows, key=lambda r: -labels.index(r.replicate))
    return same(p, replace(p, table=p.table.with_rows(rows)))


def replicates_renamed(p):
    labels = {label: f"{chr(122 - i)}{label}" for i, label in enumerate(p.table.replicates())}
    if len(labels) < 2:
        return None
    return same(p, replace(p, table=p.table.map(lambda r: replace(r, replicate=labels[r.replicate]))), labels=labels)


def moved(p, stretch, shift):
    table = p.table.map(lambda r: replace(r, x=tuple(round(stretch * x + shift, 9) for x in r.x), width=r.width and r.width * stretch))
    return replace(p, table=table, stretch=stretch, shift=shift)


def shifted(by):
    return lambda p: (p, Variant(moved(p, 1, by)))


def time_units(factor):
    """Equations with numbers in them, or constants that are known, are in a unit."""
    def relation(p):
        source = (EQUATIONS / f"{p.kind}.eq").read_text() if is_equations(p) else ""
        if re.search(r"\bfixed\b|average\(|0\.5\*road", source) or p.layout.dates:
            return None
        return p, Variant(moved(p, factor, 0))
    return relation


def output_units(factor, addend=0):
    """Linear equations hold for all values times a number, those of known inputs too."""
    def relation(p):
        if "--likelihood" in KINDS[p.kind].options:
            return None  # counts have no unit, and the start of a logarithm depends on that of positive readings
        if "none" in p.options and "--scale" in p.options or addend and (is_equations(p) or "none" in p.options):
            return None
        if is_equations(p) and re.search(r"\*road|start", (EQUATIONS / f"{p.kind}.eq").read_text()) and addend:
            return None
        columns = [[r.y for r in p.table.rows if r.output == n and not r.test and r.y is not None] for n in p.table.outputs() + list(p.table.known)]
        if any(len(set(values)) < 2 for values in columns):
            return None  # one value has no size
        scaled = p.table.outputs() + (list(p.table.known) if is_equations(p) else [])
        change = lambda r: replace(r, y=None if r.y is None else factor * r.y + addend, sd=r.sd and r.sd * factor) if r.output in scaled else r
        return p, Variant(replace(p, table=p.table.map(change)), scale={n: (factor, addend) for n in p.table.outputs()})
    return relation


def in_dates(p):
    source = (EQUATIONS / f"{p.kind}.eq").read_text() if is_equations(p) else ""
    if KINDS[p.kind].maps or p.layout.dates or is_equations(p) and not re.search("^time h", source, re.MULTILINE) or any(r.width for r in p.table.rows):
        return None
    options = p.options + (() if is_equations(p) else ("--time-unit", "h"))
    return p, Variant(replace(p, layout=replace(p.layout, dates=True), options=options))


def more_threads(p):
    return p, Variant(replace(p, threads=3), exact=True)


def more_processes(p):
    return p, Variant(replace(p, processes=3))


RELATIONS = {
    "test rows deleted": deleted,
    "test rows blank": blank,
    "test rows with other values": other_test_values,
    "test rows far away": far_test_rows,
    "long shuffled": of_layout("long shuffled"),
    "wide": of_layout("wide"),
    "two files": of_layout(cuts=2),
    "compressed": of_layout(gz=True),
    "decimal comma": of_layout("decimal comma"),
    "outputs reordered": reordered,
    "outputs renamed": renamed,
    "replicates reordered": replicates_reordered,
    "replicates renamed": replicates_renamed,
    "times later": shifted(1024),
    "times earlier": shifted(-4096),
    "dates": in_dates,
    "time unit 1/64": time_units(64),
    "time unit 1/60": time_units(60),
    "time unit days": time_units(1 / 32),
    "output unit 1/1024": output_units(1024),
    "output unit 100": output_units(0.01),
    "output zero": output_units(1, 64),
    "threads": more_threads,
    "processes": more_processes,
}
