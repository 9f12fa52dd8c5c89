# Which settings generalise? Windows are cut out of the training rows of several outputs, as the test windows of the data are;
# models are fitted to the rest and scored on the windows. Test rows are dropped first: nothing is chosen by them.
import collections
import csv
import gzip
import json
import math
import random
import statistics

from common import fit_and_score, leave, read_rows, table, write_rows

# Number of windows at once, the range of their lengths in units of x (as the test windows of the set have), and whether
# they may share times. "stations" is the weather of another year: each draw takes five other days of it.
WINDOWS = {"weather": (4, (0.6, 0.7), False), "stations": (4, (0.6, 0.7), False), "golf": (10, (2.0, 2.0), True), "walk": (10, (2.6, 3.0), True)}

# Compared when none are given: the defaults, and what differs from them in one thing.
COMPARED = ["", "--prior weak --forces 6", "--force-kernel eq", "--force-kernel matern32", "--no-private", "--initial stationary", "--operator ode2"]


def cut(rows, number, lengths, shared, seed, names=None):
    """Training rows with windows marked test: each in another output (one of `names`), inside the span of its rows and well observed."""
    series = collections.defaultdict(list)
    for output, x, _, split in rows:
        if split == "train":
            series[output].append(float(x))
    draw = random.Random(seed)
    names = names or sorted(series)
    names = draw.sample(names, min(number, len(names)))
    for _ in range(1000):
        windows = {}
        for name in names:
            times = sorted(series[name])
            gap = statistics.median(b - a for a, b in zip(times, times[1:]))
            length = draw.uniform(*lengths)
            start = draw.uniform(times[0] + 10 * gap, times[-1] - 10 * gap - length)
            held = sum(start <= x <= start + length for x in times)
            overlaps = not shared and any(start < b and a < start + length for a, b in windows.values())
            if overlaps or held < 0.5 * length / gap:
                break
            windows[name] = (start, start + length)
        else:
            break
    else:
        raise SystemExit("experiments: error: found no room for the windows")

    def mark(row):
        low, high = windows.get(row[0], (1, 0))
        return (*row[:3], "test" if low <= float(row[1]) <= high else "train")

    return [mark(row) for row in rows if row[3] == "train"]


def stations(path, draw):
    """Five days of the air temperature of four stations in 2020, of every fifteen days those of one draw."""
    start = 15 * draw - 10
    with gzip.open(path, "rt", newline="") as file:
        rows = [(row["output"], float(row["x"]) - start, row["y"]) for row in csv.DictReader(file) if row["output"].endswith("-ATMP")]
    return [(output, repr(x), y, "train") for output, x, y in rows if 0 <= x < 5]


def source(settings, name, draw):
    """The rows that windows are cut out of."""
    if name == "stations":
        return stations(settings.data_file("weather2020_long.csv.gz"), draw)
    return read_rows(settings.data_file(name + ".csv"))


def deviations(rows):
    values = collections.defaultdict(list)
    for output, _, y, split in rows:
        if split == "train":
            values[output].append(float(y))
    return {name: statistics.pstdev(y) for name, y in values.items()}


def collect(score, sd):
    """Scores of windows in units of each output's standard deviation: (mse, nlpd, covered rows, rows)."""
    for name, found in score["outputs"].items():
        scale = sd[name]
        yield (found["rmse"] / scale) ** 2, found["nlpd"] - math.log(scale), found["coverage95"] * found["n"], found["n"]


def summary(windows):
    mse, nlpd, covered, count = zip(*windows)
    return {"mse": statistics.median(mse), "nlpd": statistics.mean(nlpd), "median_nlpd": statistics.median(nlpd),
            "coverage": sum(covered) / sum(count), "windows": len(mse)}


def compare(settings, name, options):
    """The pooled scores of one setting over all draws of windows, and the score of each window."""
    windows, seconds, draws, scores = [], 0, [], []
    for seed in range(1, settings.draws + 1):
        rows = source(settings, name, seed)
        sd = deviations(rows)
        data = settings.path("windows", f"{name}-{seed}.csv")
        write_rows(data, cut(rows, *WINDOWS[name], seed))
        result = fit_and_score(settings, data, options, "windows")
        found = list(collect(result["score"], sd))
        draws.append(summary(found))
        scores += result["score"]["outputs"].values()
        windows += found
        seconds += result["processor_seconds"]
    return dict(summary(windows), seconds=seconds / settings.draws, draws=draws), scores


def report(settings):
    text = [f"## Windows cut from training rows{': ' + ', '.join(settings.sets) if settings.sets else ''}\n",
            "Scores are in units of each output's standard deviation, pooled over the draws of windows. Seconds are processor\nseconds of one fit.\n"]
    for name in settings.sets or sorted(WINDOWS):
        lines = []
        for setting in settings.settings or COMPARED:
            options = setting.split()
            if settings.iterations:
                options += ["--max-iterations", str(settings.iterations)]
            try:
                found, scores = compare(settings, name, options)
            except RuntimeError as error:
                print(f"{name}: {setting}: {error}", flush=True)
                lines.append((f"`{setting}`", str(error).splitlines()[0], "", "", "", ""))
                continue
            print(name, setting or "(defaults)", json.dumps(found), flush=True)
            if not setting:
                leave(settings, "windows-" + name, scores)
            lines.append((f"`{setting}`" if setting else "none", f"{found['mse']:.3f}", f"{found['nlpd']:.2f}", f"{found['median_nlpd']:.2f}",
                          f"{100 * found['coverage']:.0f} %", f"{found['seconds']:.0f}"))
        text.append(f"{name}: {settings.draws} draws of {WINDOWS[name][0]} windows.\n")
        text.append(table(["options of `fit`", "median MSE", "mean NLPD", "median NLPD", "coverage of 95 %", "s"], lines))
    return "\n".join(text)
