"""Compares log likelihoods of the exact engines with extended precision (exact_likelihood.py), on random models with wild numbers and
Matern forces. Where six digits are not right, a note must say so, and the rounding error that is reported must not be far too small.

usage: check_rounding.py PROGRAM FOLDER [--models N] [--first I] [--jobs J]"""
import argparse
import concurrent.futures
import csv
import decimal
import json
import os
import pathlib
import subprocess
import sys

import wild_models
from exact_likelihood import log_likelihood

DIGITS = 100
MARGIN = 100  # the estimate is of the first order, and one of many that rounding could have been


def make(index, folder):
    """A problem in its folder; None: one that extended precision does not cover."""
    wild_models.KERNELS, wild_models.COMPOSED = ["matern12", "matern32", "matern52"], 0
    problem = wild_models.Problem("rounding", index)
    if problem.dim > 1 or any(output["operator"]["type"] == "gaussian" for output in problem.model["outputs"]):
        return None
    folder.mkdir(parents=True)
    problem.write(folder)
    return problem


def evaluate(program, folder, engine):
    words = [program, "evaluate", "m.json", "d.csv", "--engine", engine, "--json"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    return (json.loads(done.stdout), "digits are lost" in done.stderr) if done.returncode == 0 else None


def exact_value(problem, folder):
    decimal.getcontext().prec = DIGITS
    with open(folder / "d.csv", newline="") as stream:
        rows = [(row["output"], float(row["x"]), float(row["y"])) for row in csv.DictReader(stream)]
    return log_likelihood(problem.model, rows)


def check(program, root, index):
    """(engine, relative error, relative estimate, whether a note was there, what is wrong) of each engine that answered."""
    folder = root / str(index)
    problem = make(index, folder)
    answers = {engine: evaluate(program, folder, engine) for engine in wild_models.EXACT} if problem else {}
    if not any(answers.values()):
        return []
    try:
        exact = exact_value(problem, folder)
    except (ArithmeticError, ValueError):  # rows before the origin, or no variance at all
        return []
    found, size = [], max(1, abs(float(exact)))
    for engine, answer in answers.items():
        if answer:
            error = float(abs(decimal.Decimal(answer[0]["log_likelihood"]) - exact)) / size
            estimate = answer[0]["rounding"] / size
            wrong = error > 1e-6 and not answer[1] or error > 1e-11 and error > MARGIN * estimate
            found.append((engine, error, estimate, answer[1], wrong))
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    indices = range(options.first, options.first + options.models)
    results, failed = [], 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        jobs = {index: pool.submit(check, options.program, options.folder, index) for index in indices}
        for index, job in jobs.items():
            for engine, error, estimate, noted, wrong in job.result():
                results.append((engine, error, estimate, noted))
                if wrong:
                    failed += 1
                    print(f"FAIL  model {index}: {engine} is off by {error:.2g}, its estimate is {estimate:.2g}", flush=True)
    for engine in wild_models.EXACT:
        mine = [r for r in results if r[0] == engine]
        lost = [r for r in mine if r[1] > 1e-6]
        noted = [r for r in mine if r[3]]
        needless = [r for r in noted if r[1] < 1e-9]
        print(f"{engine}: {len(mine)} log likelihoods, {len(lost)} off by more than 1e-6, {len(noted)} notes of lost digits, "
              f"{len(needless)} of them where the error is below 1e-9")
    return failed > 0 or not results


if __name__ == "__main__":
    sys.exit(main())
