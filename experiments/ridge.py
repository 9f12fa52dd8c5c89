#!/usr/bin/env python3
"""A peer for gaps in many outputs: each gap is filled by a ridge regression on the other outputs at the same times, plus the residual at its
two ends, interpolated. The windows and the scores are those of windows.py. Needs NumPy.

usage: ridge.py --data FOLDER [--sets golf,walk] [--draws 12]"""

import argparse
import os
import statistics
import time

import numpy as np
from common import read_rows
from windows import WINDOWS, cut, deviations

PENALTIES = 10.0 ** np.arange(-3, 4)
BLOCKS, ROUNDS = 5, 5  # of cross-validation; of filling all gaps anew with the gaps of the others filled


def solve(inputs, target, penalty):
    return np.linalg.solve(inputs.T @ inputs + penalty * np.eye(inputs.shape[1]), inputs.T @ target)


def choose_penalty(inputs, target):
    """The penalty with the smallest squared error in blocks of time left out."""
    blocks = np.array_split(np.arange(len(target)), BLOCKS)

    def error(penalty):
        total = 0.0
        for block in blocks:
            rest = np.setdiff1d(np.arange(len(target)), block)
            total += np.sum((inputs[block] @ solve(inputs[rest], target[rest], penalty) - target[block]) ** 2)
        return total

    return min(PENALTIES, key=error)


def fill(times, values):
    """The table (times, outputs) with its gaps filled, and the standard deviation of the residuals of each output."""
    mean, sd = np.nanmean(values, 0), np.nanstd(values, 0)
    scaled = (values - mean) / sd
    missing = np.isnan(scaled)
    filled, residual = np.where(missing, 0, scaled), np.zeros(values.shape[1])
    for _ in range(ROUNDS):
        before = filled.copy()
        for j in np.flatnonzero(missing.any(0)):
            gap, inputs = missing[:, j], np.delete(before, j, 1)
            seen, target = inputs[~gap], before[~gap, j]
            weights = solve(seen, target, choose_penalty(seen, target))
            left = target - seen @ weights
            filled[gap, j] = inputs[gap] @ weights + np.interp(times[gap], times[~gap], left)
            residual[j] = np.sqrt(np.mean(left**2))
    return filled * sd + mean, residual * sd


def table_of(rows):
    """Times, names, the values of training rows and those of windows."""
    names, times = sorted({row[0] for row in rows}), sorted({float(row[1]) for row in rows})
    column, line = {name: i for i, name in enumerate(names)}, {x: i for i, x in enumerate(times)}
    values = np.full((2, len(times), len(names)), np.nan)
    for output, x, y, split in rows:
        values[int(split == "test"), line[float(x)], column[output]] = float(y)
    return np.array(times), names, values[0], values[1]


def score(name, rows, draws):
    errors, covered, began, sd = [], [], time.process_time(), deviations(rows)
    for seed in draws:
        times, names, known, held = table_of(cut(rows, *WINDOWS[name], seed))
        found, residual = fill(times, known)
        for j in np.flatnonzero(~np.isnan(held).all(0)):
            window = ~np.isnan(held[:, j])
            error = held[window, j] - found[window, j]
            errors.append(np.mean(error**2) / sd[names[j]] ** 2)
            covered.append(np.mean(np.abs(error) <= 1.96 * residual[j]))
    print(f"{name}, draws {draws[0]} to {draws[-1]}: median MSE {statistics.median(errors):.3f}, mean {statistics.mean(errors):.3f}, "
          f"coverage {100 * statistics.mean(covered):.0f} %, {(time.process_time() - began) / len(draws):.1f} s a draw")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--sets", default="golf,walk")
    parser.add_argument("--draws", type=int, default=12)
    settings = parser.parse_args()
    for name in settings.sets.split(","):
        rows = read_rows(os.path.join(settings.data, name + ".csv"))
        score(name, rows, range(1, min(settings.draws, 4) + 1))
        if settings.draws > 4:
            score(name, rows, range(5, settings.draws + 1))


if __name__ == "__main__":
    main()
