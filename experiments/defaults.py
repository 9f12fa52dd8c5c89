#!/usr/bin/env python3
# Compares the defaults of several programs, or of one with several options, on pieces of real sets and on simulated sets: the
# same training rows, the same rows held out, and the differences of the scores draw by draw. experiments/defaults.py --help
import argparse
import concurrent.futures
import csv
import fcntl
import hashlib
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import pieces  # noqa: E402 (found beside this file)
import paired  # noqa: E402

GROUPS = {"real": list(pieces.REAL), "simulated": list(pieces.KINDS)}


class Program:
    """A program under a name, with options of fit. It is known by its bytes: a rebuilt program is another one."""

    def __init__(self, name, path, options):
        self.name, self.path, self.options = name, os.path.abspath(path), options
        try:
            with open(path, "rb") as file:
                self.hash = hashlib.sha256(file.read()).hexdigest()[:16]
        except OSError as error:
            raise SystemExit(f"defaults: error: program {name}: {error}; name it with --program {name}=PATH")

    def run(self, limit, *arguments):
        """Runs the program on one thread; returns its processor seconds. Raises RuntimeError with what is wrong."""
        command = ["sh", "-c", f'ulimit -t {limit} && exec "$@"', "sh", self.path, *map(str, arguments), "--threads", "1", "--quiet"]
        with tempfile.TemporaryFile("w+") as messages:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages,
                                       env=dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode < 0:
                raise RuntimeError(f"{arguments[0]}: ended by signal {-process.returncode} after {used.ru_utime:.0f} s; the limit is {limit} s")
            if process.returncode > 0:
                messages.seek(0)
                raise RuntimeError(f"{arguments[0]}: {messages.read().strip()[-500:]}")
        return used.ru_utime + used.ru_stime


class Cache:
    """Results in FOLDER/results.jsonl, one on each line, under keys of the program, its options and the rows."""

    def __init__(self, folder, retry):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "results.jsonl")
        self.found = {}
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.found = {result["key"]: result for result in map(json.loads, file)}
        if retry:
            self.found = {key: result for key, result in self.found.items() if "failed" not in result}

    def add(self, result):
        with open(self.path, "a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # other runs may use the folder
            self.found[result["key"]] = result
            file.write(json.dumps(result) + "\n")


def text_of(rows):
    names = ["x"] if len(rows[0][1]) == 1 else [f"x{i + 1}" for i in range(len(rows[0][1]))]
    return "\n".join([",".join(["output", *names, "y"]), *(",".join([name, *map(repr, inputs), repr(y)]) for name, inputs, y in rows)]) + "\n"


def scores_of(path, piece, task):
    """{horizon: {output: scores}} from the rows that score wrote. In units of the standard deviation of all readings of the output
    in the piece, training rows and rows held out: mse is the squared error over their variance. sd is that of a reading."""
    values, found = {}, {}
    for output, _, y in piece.rows:
        values.setdefault(output, []).append(y)
    scale = {output: statistics.pstdev(y) for output, y in values.items()}
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    first = next(name for name in rows[0] if name not in ("output", "replicate"))
    for horizon, length in piece.horizons.items() if task == "forecast" else [(None, math.inf)]:
        chosen = {}
        for row in rows:
            if float(row[first]) <= piece.end + length:
                error = (float(row["y"]) - float(row["mean"])) / scale[row["output"]]
                chosen.setdefault(row["output"], []).append((error, float(row["sd"]) / scale[row["output"]]))
        found[f"{task} {horizon}" if horizon else task] = {output: score(errors) for output, errors in chosen.items()}
    return found


def score(errors):
    z = [error / sd for error, sd in errors]
    return {"n": len(errors), "mse": statistics.fmean(error ** 2 for error, _ in errors),
            "nlpd": statistics.fmean(0.5 * math.log(2 * math.pi * sd ** 2) + 0.5 * r * r for r, (_, sd) in zip(z, errors)),
            "coverage": statistics.fmean(abs(r) <= 1.959964 for r in z), "worst": max(map(abs, z))}


class Trial:
    """One fit and its scores: a program, the training rows of a draw and the rows held out. `alone`: the only output, or None."""

    def __init__(self, program, name, number, task, piece, alone=None):
        self.program, self.task, self.piece = program, task, piece
        rows = [[row for row in part if alone in (None, row[0])] for part in pieces.hold_out(piece, task, name, number)]
        self.training, self.held = map(text_of, rows)
        self.options = [*program.options, *(["--time-in", piece.unit] if piece.unit else [])]
        key = hashlib.sha256("\0".join([program.hash, *self.options, self.training, self.held]).encode()).hexdigest()[:24]
        self.result = {"key": key, "program": program.hash, "options": program.options, "set": name, "draw": number, "task": task, "alone": alone}

    def run(self, limit):
        with tempfile.TemporaryDirectory() as folder:
            training, held, model, rows = (os.path.join(folder, name) for name in ("training.csv", "held.csv", "model.json", "rows.csv"))
            for path, text in ((training, self.training), (held, self.held)):
                with open(path, "w") as file:
                    file.write(text)
            try:
                seconds = self.program.run(limit, "fit", training, *self.options, "--errors", "no", "-o", model)
                self.program.run(limit, "score", model, held, "--data", training, "--rows", rows)
                return dict(self.result, seconds=seconds, scores=scores_of(rows, self.piece, self.task))
            except RuntimeError as error:
                return dict(self.result, failed=str(error))


def arguments():
    parser = argparse.ArgumentParser(prog="experiments/defaults.py", description="Fits each program to the same training rows and prints the scores of the rows held out; "
                                     "the other programs are compared with the first. Results are kept and not computed again.")
    parser.add_argument("--program", action="append", required=True, metavar="NAME=PATH", help="a program under a name; may be given again, also with the same PATH")
    parser.add_argument("--options", action="append", default=[], metavar="NAME=OPTIONS", help="options of fit for a program, as one word (default: none)")
    parser.add_argument("--sets", help=f"sets, with commas: {', '.join([*GROUPS, *pieces.REAL, *pieces.KINDS])} (default: all)")
    parser.add_argument("--tasks", default=",".join(pieces.TASKS), help="gaps, forecast or both (default: both)")
    parser.add_argument("--draws", type=int, default=3, help="draws of each set (default: 3)")
    parser.add_argument("--first", type=int, default=1, help="number of the first draw (default: 1)")
    parser.add_argument("--alone", action="store_true", help="also fit every output alone, and compare with the joint fit")
    parser.add_argument("--jobs", type=int, default=1, help="fits at the same time (default: 1)")
    parser.add_argument("--limit", type=int, default=300, help="processor seconds after which a fit is ended and counted as failed (default: 300)")
    parser.add_argument("--retry", action="store_true", help="repeat fits that failed")
    parser.add_argument("--cache", default="build/experiments/defaults", help="folder of the results (default: build/experiments/defaults)")
    parser.add_argument("--data", default=os.path.join(HERE, "..", "..", "shared", "data"), help="folder of the data files")
    return parser.parse_args()


def chosen_sets(chosen):
    """The sets asked for whose data are there."""
    names = [name for word in (chosen.sets or "real,simulated").split(",") for name in GROUPS.get(word, [word])]
    for name in names:
        if name not in pieces.REAL and name not in pieces.KINDS:
            raise SystemExit(f"defaults: error: there is no set {name}; the sets are {', '.join([*pieces.REAL, *pieces.KINDS])}")
        path = pieces.missing(chosen.data, name)
        if path:
            print(f"defaults: note: {name} is skipped: there is no {path}; name the folder of the data with --data", file=sys.stderr)
        else:
            yield name


def named(words, option):
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise SystemExit(f"defaults: error: --{option} {word}: write NAME={'PATH' if option == 'program' else 'OPTIONS'}")
        yield name, value


def trials(chosen, programs):
    """Draw by draw, so that an interrupted run has results of all sets."""
    sets = list(chosen_sets(chosen))
    for number in range(chosen.first, chosen.first + chosen.draws):
        for name in sets:
            piece = pieces.piece_of(chosen.data, name, number)
            for task in chosen.tasks.split(","):
                outputs = sorted({row[0] for row in pieces.hold_out(piece, task, name, number)[1]}) if chosen.alone else []
                for program in programs:
                    for alone in [None, *outputs]:
                        yield Trial(program, name, number, task, piece, alone)


def run_all(waiting, cache, chosen):
    """Each result is kept as soon as it is there; an interrupted run continues where it ended."""
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        futures = [pool.submit(trial.run, chosen.limit) for trial in waiting]
        try:
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                result = future.result()
                cache.add(result)
                outcome = result.get("failed") or f"{result['seconds']:.1f} s"
                print(f"defaults: note: {done} of {len(waiting)}: {paired.title(result)}: {outcome}", file=sys.stderr)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def main():
    chosen = arguments()
    paths, options = dict(named(chosen.program, "program")), dict(named(chosen.options, "options"))
    if set(options) - set(paths):
        raise SystemExit(f"defaults: error: --options names {', '.join(set(options) - set(paths))}, which no --program does")
    programs = [Program(name, path, shlex.split(options.get(name, ""))) for name, path in paths.items()]
    cache, planned = Cache(chosen.cache, chosen.retry), list(trials(chosen, programs))
    waiting = list({trial.result["key"]: trial for trial in planned if trial.result["key"] not in cache.found}.values())
    run_all(waiting, cache, chosen)
    results = [dict(cache.found[trial.result["key"]], name=trial.program.name, always=trial.piece.always) for trial in planned]
    print(paired.report(results, [program.name for program in programs]))


if __name__ == "__main__":
    main()
