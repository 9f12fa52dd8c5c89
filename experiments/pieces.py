# Pieces of sets, real and simulated, for the comparison of defaults, and what is held out of them: windows of some outputs, or what
# follows the training rows in all outputs. The same set and number of a draw give the same rows on every machine.
import array
import collections
import csv
import datetime
import functools
import gzip
import math
import os
import random

import windows
from common import read_rows
from simulated import DAYS, KINDS, Piece, shares

REAL = {"house": "house.csv", "weather2020": "weather2020_long.csv.gz", "weather": "weather.csv", "golf": "golf.csv", "walk": "walk.csv",
        "transformer": "imputation/ETTh1.csv.gz"}
PER_DAY = 288  # readings of weather2020, at most
GAPS = (0.08, 0.15)  # length of a window, as a share of the span of the training rows
WINDOWS = 2  # of each output that loses any
TASKS = ("gaps", "forecast")


@functools.lru_cache(maxsize=None)
def stations(path):
    """The readings of weather2020 on their grid of 5 minutes, not a number where there is none."""
    series = {}
    with gzip.open(path, "rt", newline="") as file:
        next(file)
        for line in file:
            name, x, y = line.split(",")
            if name not in series:
                series[name] = array.array("d", [math.nan]) * (191 * PER_DAY)
            series[name][round(float(x) * PER_DAY)] = float(y)
    return series


def usable(piece, share):
    """Every output varies in the training rows and in what follows, and has this share of the rows that the longest has."""
    parts = collections.defaultdict(lambda: ([], []))
    for output, (x,), y in piece.rows:
        parts[output][x >= piece.end].append(y)
    most = [max(1, *map(len, side)) for side in zip(*parts.values())]
    return all(min(len(side) / longest for side, longest in zip(both, most)) > share and min(len(set(side)) for side in both) > 5 for both in parts.values())


def weather2020(path, draw, _):
    """3 to 6 of the 30 outputs, 7 to 14 days and 5 to forecast, every 15 to 60 minutes."""
    series = stations(path)
    while True:
        names = draw.sample(sorted(series), draw.randint(3, 6))
        length, step = draw.randint(7, 14), draw.choice((3, 6, 12))
        if len(names) * length * PER_DAY // step > 3000:
            step = 12  # so that one fit takes seconds
        start = draw.randrange(0, (189 - length - 5) * PER_DAY)
        rows = [(name, ((i - start) / PER_DAY,), series[name][i]) for name in names for i in range(start, start + (length + 5) * PER_DAY, step)
                if not math.isnan(series[name][i])]
        piece = Piece(rows, float(length), DAYS, unit="d")
        if len({row[0] for row in rows}) == len(names) and usable(piece, 0.8):
            return piece


def house(path, draw, _):
    """All four outputs, 10 to 14 days and 5 to forecast, every 30 or 60 minutes."""
    with open(path, newline="") as file:
        table = list(csv.DictReader(file, delimiter=";"))
    length, step = draw.randint(10, 14), draw.choice((2, 4))
    start = draw.randrange(0, len(table) - (length + 5) * 96)
    origin = datetime.datetime.fromisoformat(table[start]["t"])
    rows = []
    for row in table[start:start + (length + 5) * 96:step]:
        x = (datetime.datetime.fromisoformat(row["t"]) - origin) / datetime.timedelta(days=1)
        rows += [(name, (x,), float(row[name])) for name in ("Ps", "Ta", "yTi", "Thm") if row[name]]
    return Piece(rows, float(length), DAYS, unit="d")


def span_of(path, draw, channels, share, step):
    """Training rows of a few outputs over a share of the span, of every few times one; the last 12 % are for forecasts. Test rows of
    the set are not used at all."""
    rows = [(output, float(x), float(y)) for output, x, y, split in read_rows(path) if split == "train"]
    names = sorted({row[0] for row in rows})
    times = sorted({row[1] for row in rows})
    while True:
        chosen = draw.sample(names, min(len(names), draw.randint(*channels)))
        length = share * (times[-1] - times[0])
        start = draw.uniform(times[0], times[-1] - length)
        kept = set([x for x in times if start <= x <= start + length][::step])
        piece = Piece([(output, (x,), y) for output, x, y in rows if output in chosen and x in kept], start + 0.88 * length, shares(length))
        if len({row[0] for row in piece.rows}) == len(chosen) and usable(piece, 0.5):
            return piece


def weather(path, draw, _):
    """The four stations over 3 to 4 of the 5 days, every 15 minutes."""
    piece = span_of(path, draw, (4, 4), draw.uniform(0.6, 0.8), 3)
    piece.unit = "d"
    return piece


def motion(path, draw, _):
    """4 to 8 angles over 90 % of the motion, every second reading."""
    return span_of(path, draw, (4, 8), 0.9, 2)


@functools.lru_cache(maxsize=None)
def loads(path):
    """The hourly readings of a transformer: six loads and the temperature of the oil."""
    with gzip.open(path, "rt", newline="") as file:
        return [{name: float(y) for name, y in row.items() if name != "date"} for row in csv.DictReader(file)]


def transformer(path, draw, _):
    """3 to 6 of the seven outputs, 10 to 20 days and 5 to forecast, every hour."""
    table = loads(path)
    while True:
        names, length = draw.sample(sorted(table[0]), draw.randint(3, 6)), draw.randint(10, 20)
        start = draw.randrange(0, len(table) - 24 * (length + 5))
        piece = Piece([(name, (i / 24,), table[start + i][name]) for name in names for i in range(24 * (length + 5))], float(length), DAYS, unit="d")
        if usable(piece, 0.8):
            return piece


READERS = {"house": house, "weather2020": weather2020, "weather": weather, "golf": motion, "walk": motion, "transformer": transformer}


def missing(folder, name):
    """The file that a set needs and that is not there."""
    path = os.path.join(folder, REAL[name]) if name in REAL else None
    return path if path and not os.path.exists(path) else None


def piece_of(folder, name, number):
    draw = random.Random(f"{name} {number}")
    if name in REAL:
        return READERS[name](os.path.join(folder, REAL[name]), draw, number)
    return KINDS[name](draw, number)


def cut_patches(rows, draw, outputs):
    """Rows inside discs of some outputs, others for each, whose area is a share of the unit square."""
    discs = {name: [((draw.uniform(0.2, 0.7), draw.uniform(0.2, 0.8)), math.sqrt(draw.uniform(*GAPS) / math.pi)) for _ in range(WINDOWS)]
             for name in outputs}

    def inside(row):
        return any(math.dist(centre, row[1]) < radius for centre, radius in discs.get(row[0], ()))

    return [row for row in rows if not inside(row)], [row for row in rows if inside(row)]


def hold_out(piece, task, name, number):
    """(training rows, rows that are held out). Gaps: half of the outputs lose two windows each (maps: two discs); the others lose
    nothing."""
    training = [row for row in piece.rows if row[1][0] < piece.end]
    if task == "forecast":
        last = piece.end + max(piece.horizons.values())
        return training, [row for row in piece.rows if piece.end <= row[1][0] <= last]
    draw = random.Random(f"gaps {name} {number}")
    names = sorted({row[0] for row in training} - set(piece.always))
    names = [*piece.always, *draw.sample(names, max(1, (len(names) + len(piece.always)) // 2) - len(piece.always))]
    if len(training[0][1]) > 1:
        return cut_patches(training, draw, names)
    times = [row[1][0] for row in training]
    lengths = [share * (max(times) - min(times)) for share in GAPS]
    left = [(output, repr(x), repr(y), "train") for output, (x,), y in training]
    for _ in range(WINDOWS):
        left = [row for row in windows.cut(left, len(names), lengths, False, draw.random(), names) if row[3] == "train"]
    kept = {row[:2] for row in left}
    held = [(row[0], repr(row[1][0])) not in kept for row in training]
    return [row for row, out in zip(training, held) if not out], [row for row, out in zip(training, held) if out]
