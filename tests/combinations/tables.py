"""A table of readings, from which files of every layout are written. Times are tuples, one number per input of the model."""
import datetime
import gzip
import random
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Row:
    output: str
    x: tuple
    y: float  # None: not observed
    replicate: str = ""
    sd: float = None
    width: float = None
    test: bool = False


@dataclass(frozen=True)
class Table:
    """`known`: names of the columns that are inputs of the model; their rows stand among the others."""
    rows: tuple
    axes: tuple = ("time",)
    known: tuple = ()

    def with_rows(self, rows):
        return replace(self, rows=tuple(rows))

    def map(self, change):
        return self.with_rows(change(r) for r in self.rows)

    def readings(self):
        return [r for r in self.rows if r.output not in self.known]

    def training(self):
        return [r for r in self.readings() if not r.test and r.y is not None]

    def outputs(self):
        return list(dict.fromkeys(r.output for r in self.readings()))

    def replicates(self):
        return list(dict.fromkeys(r.replicate for r in self.rows))


def text(value):
    """A number with as many digits as it has."""
    return "" if value is None else f"{value:.10g}" if float(f"{value:.10g}") == value else repr(float(value))


@dataclass(frozen=True)
class Layout:
    """How a table is written. `cuts`: number of files, along time."""
    wide: bool = False
    dates: bool = False
    gz: bool = False
    decimal_comma: bool = False
    shuffled: bool = False
    cuts: int = 1
    by_file: bool = False  # a file for each replicate, and none has a column replicate
    names: bool = True     # a long table of one axis has the columns output,time,y


def time_text(x, layout):
    if layout.dates:
        stamp = datetime.datetime(2024, 1, 8) + datetime.timedelta(hours=x)
        return stamp.isoformat(timespec="microseconds" if stamp.microsecond else "seconds")
    return text(x)


def long_lines(table, layout):
    rows = table.rows
    marks = [name for name, used in [("sd", any(r.sd is not None for r in rows)), ("width", any(r.width is not None for r in rows)),
                                     ("split", any(r.test for r in rows))] if used]
    labels = [] if layout.by_file or not any(r.replicate for r in rows) else ["replicate"]
    yield labels + ["output"] + list(table.axes) + ["y"] + marks
    for r in rows:
        ends = {"sd": text(r.sd), "width": text(r.width), "split": "test" if r.test else "train"}
        yield [r.replicate] * len(labels) + [r.output] + [time_text(x, layout) for x in r.x] + [text(r.y)] + [ends[m] for m in marks]


def wide_lines(table, layout):
    rows = table.rows
    names = list(dict.fromkeys(r.output for r in rows))
    columns = []
    for name in names:
        columns.append((name, "y"))
        columns += [(name, kind) for kind in ("sd", "width") if any(r.output == name and getattr(r, kind) is not None for r in rows)]
    labels = [] if layout.by_file or not any(r.replicate for r in rows) else ["replicate"]
    split = ["split"] if any(r.test for r in rows) else []
    yield list(table.axes) + labels + [name if kind == "y" else f"{name}.{kind}" for name, kind in columns] + split
    lines = {}
    tested = {(r.replicate, r.x): r.test for r in sorted(table.readings(), key=lambda r: -r.test)}  # times at which all readings are test rows
    for r in rows:  # a second reading at the same time has a line of its own; inputs stand in the line of the readings
        test = r.test if r.output not in table.known else tested.get((r.replicate, r.x), False)
        for again in range(len(rows)):
            line = lines.setdefault((r.replicate, r.x, test, again), {})
            if r.output not in line:
                line[r.output] = r
                break
    for (label, x, test, _), line in lines.items():
        cells = [text(getattr(line[name], kind)) if name in line else "" for name, kind in columns]
        yield [time_text(v, layout) for v in x] + [label] * len(labels) + cells + (["test" if test else "train"] if split else [])


def write_file(path, lines, layout):
    lines = list(lines)
    if layout.shuffled:
        head, body = lines[0], lines[1:]
        random.Random(7).shuffle(body)
        lines = [head] + body
    separator = ";" if layout.decimal_comma else ","
    if layout.decimal_comma:
        lines = lines[:1] + [[c.replace(".", ",") for c in line] for line in lines[1:]]
    content = "".join(separator.join(line) + "\n" for line in lines).encode()
    with open(path, "wb") as stream:
        stream.write(gzip.compress(content, mtime=0) if layout.gz else content)


def write(table, folder, name, layout):
    """Writes the table as NAME.csv, or as several files; returns the words that name them on a command line."""
    lines = wide_lines if layout.wide else long_lines
    parts = [(name, table)]
    if layout.by_file and any(table.replicates()):
        parts = [(f"{name}-{label}", table.with_rows(r for r in table.rows if r.replicate == label)) for label in table.replicates()]
    elif layout.cuts > 1:
        times = sorted({r.x for r in table.rows})
        bounds = [times[i * len(times) // layout.cuts] for i in range(layout.cuts)] + [(float("inf"),)]
        parts = [(f"{name}-{i + 1}", table.with_rows(r for r in table.rows if bounds[i] <= r.x < bounds[i + 1]))
                 for i in range(layout.cuts)]
    files = []
    for part, piece in parts:
        if piece.rows:
            files.append(part + (".csv.gz" if layout.gz else ".csv"))
            write_file(folder / files[-1], lines(piece, layout), layout)
    return files
