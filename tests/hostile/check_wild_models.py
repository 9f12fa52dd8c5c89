"""Runs every command on random models with wild numbers (wild_models.py), or on random systems of equations (wild_systems.py). Each must end with finite numbers or with a sentence, in
time and memory that suit a problem of 40 rows, and engines that call themselves exact must agree.

usage: check_wild_models.py PROGRAM FOLDER [--systems] [--models N] [--first I] [--seed S] [--jobs J] [--seconds T] [--megabytes M] [--keep]"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from wild_models import EXACT, Problem
from wild_systems import System

PROCESSORS = itertools.cycle(sorted(os.sched_getaffinity(0)))
NOT_FINITE = re.compile(r"(?<![\w.\"-])[-+]?(nan|inf|infinity)(?![\w\"-])", re.IGNORECASE)

class Result:
    def __init__(self, words, status, seconds, megabytes, out, err):
        self.words, self.status, self.seconds, self.megabytes, self.out, self.err = words, status, seconds, megabytes, out, err


def pin():
    """Commands that this thread runs have one processor, and therefore one thread."""
    os.sched_setaffinity(0, {next(PROCESSORS)})


def run(program, folder, words, limits):
    """Runs one command on one processor (pin), so that its time is that of the processor and does not depend on other work."""
    shell = f"ulimit -t {math.ceil(2 * limits.seconds)}; exec \"$0\" \"$@\""
    if limits.megabytes:
        shell = f"ulimit -v {4 * 1024 * limits.megabytes}; " + shell
    with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
        child = subprocess.Popen(["sh", "-c", shell, program] + words, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 env=os.environ | {"OMP_WAIT_POLICY": "passive", "LC_ALL": "C.UTF-8"})
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    read = [(folder / name).read_text(errors="replace") for name in ("out", "err")]
    return Result(words, child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, *read)


def sentence(result):
    """The error message without its beginning; None where there is none."""
    found = re.search(r"^latentforce: error: (.+)", result.err, re.MULTILINE)
    return found and found.group(1)


def complaint(result, limits):
    """What is wrong with how a command ended; None: nothing."""
    if result.status not in (0, 1):
        return f"exit status {result.status}"
    if result.seconds > limits.seconds:
        return f"{result.seconds:.1f} s"
    if limits.megabytes and result.megabytes > limits.megabytes:
        return f"{result.megabytes:.0f} MB"
    if result.status == 1:
        text = sentence(result)
        if not text or "out of memory" in text:
            return "no sentence" if not text else "out of memory"
        return None
    if result.words[0] not in ("show", "score", "compare", "report") and NOT_FINITE.search(result.out):
        return "a number that is not finite"
    if result.words[0] == "evaluate" and json.loads(result.out)["log_likelihood"] is None:
        return "no likelihood"
    return None


def disagreement(evaluations):
    """Relative difference of the exact engines that report no error; None: they agree, or one does not claim to be exact."""
    values = [json.loads(e.out) for e in evaluations]
    if len(values) < 2 or any(v["error_bound"] != 0 for v in values):
        return None
    a, b = (v["log_likelihood"] for v in values)
    difference = abs(a - b) / max(1, abs(a), abs(b))
    warned = any("digits are lost" in e.err for e in evaluations)
    return difference, warned, a, b


def check(problem, program, root, limits):
    folder = root / f"{problem.index}"
    folder.mkdir(parents=True)
    problem.write(folder)
    results, complaints, exact = [], [], []
    for words in problem.commands():
        if any(w.endswith(".json") and w != "m.json" and not (folder / w).exists() and words[words.index(w) - 1] != "-o" for w in words):
            continue
        result = run(program, folder, words, limits)
        results.append(result)
        wrong = complaint(result, limits)
        if wrong:
            complaints.append(f"{wrong}: {' '.join(words)}: {result.err.strip()[-300:]}")
        if words[0] == "evaluate" and result.status == 0 and words[words.index("--engine") + 1] in EXACT:
            exact.append(result)
    found = disagreement(exact)
    if found and found[0] > 1e-6 and not found[1]:
        complaints.append(f"dense and kalman differ by {found[0]:.1g}: {found[2]:.12g} and {found[3]:.12g}")
    if not limits.keep and not complaints:
        shutil.rmtree(folder)
    return problem.index, results, complaints, found


class Tally:
    """Sums over all problems."""

    def __init__(self):
        self.models = self.failed = self.compared = self.warned = 0
        self.answers, self.refusals = collections.Counter(), collections.Counter()
        self.slowest = self.largest = None

    def add(self, results, complaints, found):
        self.models += 1
        self.failed += len(complaints) > 0
        self.compared += found is not None
        self.warned += bool(found and found[1])
        for r in results:
            if r.status == 0:
                self.answers[r.words[0]] += 1
            else:
                self.refusals[re.sub(r"'[^']*'|[-+]?\d[\d.e+-]*", "…", sentence(r) or f"status {r.status}")] += 1
            self.slowest = max(self.slowest or r, r, key=lambda s: s.seconds)
            self.largest = max(self.largest or r, r, key=lambda s: s.megabytes)

    def show(self):
        answers, refusals = sum(self.answers.values()), sum(self.refusals.values())
        print(f"{self.models} models, {answers + refusals} commands: {answers} answers, {refusals} refusals; {self.failed} failed")
        if self.slowest:
            print(f"longest {self.slowest.seconds:.2f} s: {' '.join(self.slowest.words)}")
            print(f"largest {self.largest.megabytes:.0f} MB: {' '.join(self.largest.words)}")
        print(f"dense and kalman compared {self.compared} times, {self.warned} times with a note of lost digits")
        for text, count in self.refusals.most_common():
            print(f"{count:6d}  {text[:160]}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--systems", action="store_true")
    parser.add_argument("--keep", action="store_true")
    limits = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    tally = Tally()
    kind = System if limits.systems else Problem
    problems = (kind(limits.seed, i) for i in range(limits.first, limits.first + limits.models))
    pool = concurrent.futures.ThreadPoolExecutor(limits.jobs, initializer=pin)
    try:
        for index, results, complaints, found in pool.map(lambda p: check(p, limits.program, limits.folder, limits), problems):
            for text in complaints:
                print(f"FAIL  model {index}: {text}", flush=True)
            tally.add(results, complaints, found)
    except KeyboardInterrupt:  # what was done until now
        tally.failed += 1
    pool.shutdown(wait=False, cancel_futures=True)
    tally.show()
    return tally.failed > 0


if __name__ == "__main__":
    sys.exit(main())
