#!/usr/bin/env python3
"""The kalman engine against celerite2: processor time of the log likelihood of one damped oscillator with 100 000 readings at even and at uneven times,
on one thread, and of the value with its gradient, all in one run.

celerite2 solves this model alone, in closed form, and is called without gradient: the last column compares with its value.
It is no dependency: make an environment with it (python3 -m venv FOLDER; FOLDER/bin/pip install celerite2) and run this with its python.

usage: celerite.py PROGRAM"""
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

READINGS, ROUNDS, REPEATS = 100_000, 3, 21
DAMPER, SPRING, NOISE = 0.75, 2.25, 0.1
MODEL = {
    "format": "latentforce-model",
    "version": 1,
    "initial": "stationary",
    "forces": [{"kernel": "white"}],
    "outputs": [
        {
            "name": "y",
            "operator": {"type": "ode2", "mass": 1, "damper": DAMPER, "spring": SPRING},
            "sensitivity": [1],
            "noise_variance": NOISE,
        }
    ],
}


def make_times(even):
    return [0.1 * (i + (0 if even else 0.4 * math.sin(i * i))) for i in range(1, READINGS + 1)]


def processor_seconds(words):
    """Of a process, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def measure(program, folder, options):
    """Log likelihood, and seconds of an evaluation: what more of them add to those of a process."""
    words = [program, "evaluate", f"{folder}/m.json", f"{folder}/d.csv", "--engine", "kalman", "--threads", "1", "--json", "--quiet"]
    alone, text = processor_seconds([*words, *options])
    many, text = processor_seconds([*words, *options, "--repeat", str(REPEATS)])
    return json.loads(text)["log_likelihood"], (many - alone) / (REPEATS - 1)


def measure_celerite(t, y):
    import celerite2
    import numpy as np

    t, y, noise = np.array(t), np.array(y), np.full(len(t), NOISE)
    frequency = math.sqrt(SPRING)
    quality = frequency / DAMPER
    power = 1 / (2 * DAMPER * SPRING) / (frequency * quality)
    seconds = math.inf
    for _ in range(5):
        start = time.process_time()
        process = celerite2.GaussianProcess(celerite2.terms.SHOTerm(S0=power, w0=frequency, Q=quality))
        process.compute(t, diag=noise)
        value = process.log_likelihood(y)
        seconds = min(seconds, time.process_time() - start)
    return value, seconds


def main():
    program = os.path.abspath(sys.argv[1])
    try:
        import celerite2  # noqa: F401
    except ImportError:
        print("SKIPPED: there is no celerite2")
        return
    print(f"{'times':8} {'celerite2, us':>14} {'value':>8} {'ratio':>6} {'gradient':>9} {'ratio':>6}  difference of log likelihoods")
    for even in (True, False):
        t = make_times(even)
        y = [math.sin(x) for x in t]
        best = [math.inf] * 3
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "m.json").write_text(json.dumps(MODEL))
            (folder / "d.csv").write_text("t,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(t, y)))
            for _ in range(ROUNDS):
                reference, seconds = measure_celerite(t, y)
                value, alone = measure(program, folder, [])
                both = measure(program, folder, ["--gradient"])[1]
                best = [min(pair) for pair in zip(best, (seconds, alone, both))]
        theirs, alone, both = (1e6 * seconds / READINGS for seconds in best)
        print(
            f"{'even' if even else 'uneven':8} {theirs:14.3f} {alone:8.3f} {alone / theirs:6.2f} {both:9.3f} {both / theirs:6.2f}"
            f"  {abs(value - reference) / abs(reference):.0e}"
        )


if __name__ == "__main__":
    main()
