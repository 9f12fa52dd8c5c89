# The covariance figure: two second-order outputs driven by one force, at 100 times each; the exact matrix, that of random
# features, and how the error of the features falls with their number, for three ways to choose frequencies.
import json
import math

from common import kept, plot, run, table
from published import FROBENIUS

# The second output is that of the paper: its colour range is reproduced to nine digits. The figure does not determine the first.
MODEL = {
    "format": "latentforce-model", "version": 1, "initial": "zero",
    "forces": [{"kernel": "eq", "lengthscale": 0.5}],
    "outputs": [
        {"name": "overdamped", "operator": {"type": "ode2", "mass": 1, "damper": 3, "spring": 1}, "sensitivity": [10], "noise_variance": 0.1},
        {"name": "underdamped", "operator": {"type": "ode2", "mass": 1, "damper": 0.2, "spring": 2}, "sensitivity": [10], "noise_variance": 0.1},
    ],
}
NUMBERS = [10, 20, 50, 100, 1000, 10000, 100000]
SEEDS = 20


def matrix(settings, *options):
    text = run(settings, "covariance", settings.path("covariance", "model.json"), "--at", settings.path("covariance", "times.csv"), *options)
    return [[float(value) for value in line.split(",")] for line in text.splitlines()]


def distance(a, b):
    return math.sqrt(sum((x - y) ** 2 for left, right in zip(a, b) for x, y in zip(left, right)))


def errors(settings, exact, rule, number, seeds):
    def compute():
        return [distance(exact, matrix(settings, "--engine", "features", "--nodes", rule, "--features", number, "--seed", seed + 1))
                for seed in range(seeds)]

    return kept(settings.path("covariance", f"{rule}-{number}-{seeds}.json"), compute)


def report(settings):
    with open(settings.path("covariance", "model.json"), "w") as file:
        json.dump(MODEL, file)
    with open(settings.path("covariance", "times.csv"), "w") as file:
        file.write("x\n" + "".join(f"{3 * i / 99!r}\n" for i in range(100)))
    exact = matrix(settings)
    low, high = min(map(min, exact)), max(map(max, exact))
    plot(settings, "covariance.png", settings.path("covariance", "model.json"), "--what", "covariance", "--at", settings.path("covariance", "times.csv"),
         "--engine", "features", "--nodes", "mc", "--features", 100)
    seeds = min(SEEDS, 4 * settings.seeds)
    rows = []
    for number in NUMBERS:
        random = errors(settings, exact, "mc", number, seeds)
        even = errors(settings, exact, "qmc", number, 1)  # with one input there is nothing to draw
        uniform = errors(settings, exact, "uniform", number, 1) if number <= 1000 else None  # right to rounding long before
        rows.append((number, f"{min(random):.1f} … {rms(random):.1f} … {max(random):.1f}", f"{even[0]:.2g}",
                     f"{uniform[0]:.2g}" if uniform else "", FROBENIUS.get(number, "")))
    return f"""## Covariance figure

The Frobenius norm of the exact 200 × 200 matrix is {distance(exact, [[0] * len(exact)] * len(exact)):.0f}. Its entries run
from {low:.6f} to {high:.6f} (the paper's colour range: −5.067365 to 38.702982). The table shows the Frobenius error
of the features for S frequencies; for random frequencies (mc) the smallest … root mean square … largest over {seeds} seeds.

![The exact covariance and the covariance from 100 random frequencies](figures/covariance.png)

""" + table(["S", "mc", "qmc", "uniform", "the paper (mc, one seed)"], rows)


def rms(values):
    return math.sqrt(sum(value * value for value in values) / len(values))
