#!/usr/bin/env python3
# Where the evaluations of default fits go: evaluations and seconds by stage, and processor seconds of the fit over those of one evaluation with
# gradient of the model that it ends with, which does not depend on the machine. bench/fits.py --help
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..")
SHARED = os.path.join(os.environ.get("LF_SHARED") or os.path.join(ROOT, "..", "shared"), "data")
STAGES = ("selection", "fit", "validation", "errors")  # those that evaluate the likelihood more than once

# The file of each set, and the number of its rows that are used; None: all.
SETS = {
    "rooms": (os.path.join(ROOT, "examples", "rooms", "rooms.csv"), None),
    "house, 504 times": (os.path.join(ROOT, "examples", "house", "house.csv"), None),
    "house, 1500 times": (os.path.join(SHARED, "house.csv"), 1500),
    "house, 4181 times": (os.path.join(SHARED, "house.csv"), None),
    "weather": (os.path.join(SHARED, "weather.csv"), None),
    "walk": (os.path.join(SHARED, "walk.csv"), None),
    "golf": (os.path.join(SHARED, "golf.csv"), None),
}


def run(program, threads, *arguments):
    """Standard output, and processor seconds."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as messages:
        process = subprocess.Popen([program, *map(str, arguments), "--threads", str(threads)], stdout=out, stderr=messages)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        messages.seek(0)
        if process.returncode:
            raise SystemExit(f"fits: error: {' '.join(process.args)}: {messages.read().strip()[-500:]}")
        return out.read(), used.ru_utime + used.ru_stime


def write_rows(path, rows, to):
    with open(path) as file, open(to, "w") as copy:
        for i, line in enumerate(file):
            if rows is None or i <= rows:  # the first line has the names
                copy.write(line)


def seconds_of_evaluation(program, model, data):
    """Processor seconds on one thread: of many evaluations less those of one, so that reading does not count."""
    first = run(program, 1, "evaluate", model, data, "--gradient", "--json", "--quiet")
    more = max(3, min(200, int(2 / json.loads(first[0])["seconds"])))
    alone = min(first[1], run(program, 1, "evaluate", model, data, "--gradient", "--json", "--quiet")[1])
    return (run(program, 1, "evaluate", model, data, "--gradient", "--repeat", more + 1, "--json", "--quiet")[1] - alone) / more


def measure(program, threads, name):
    path, rows = SETS[name]
    with tempfile.TemporaryDirectory() as folder:
        data, model, table = (os.path.join(folder, part) for part in ("data.csv", "model.json", "result.json"))
        write_rows(path, rows, data)
        text, processor = run(program, threads, "fit", data, "-o", model, "--json", "--quiet")
        stages = json.loads(text)["stages"]
        evaluations, seconds = ({stage: sum(row[key] for row in stages if row["stage"].split(":")[0] == stage) for stage in STAGES}
                                for key in ("evaluations", "seconds"))
        one = seconds_of_evaluation(program, model, data)
        return [name, *(f"{evaluations[stage]:.0f} ({seconds[stage]:.2g} s)" for stage in STAGES), f"{processor:.3g}", f"{1e3 * one:.3g}", f"{processor / one:.0f}"]


def main():
    parser = argparse.ArgumentParser(prog="bench/fits.py", description="Prints a table in Markdown: for each set the evaluations of the stages of a default fit and the seconds of "
                                     "these by the clock, processor seconds of the fit, milliseconds of one evaluation with gradient, and the ratio.")
    parser.add_argument("program", help="the program, such as build/latentforce")
    parser.add_argument("sets", nargs="*", help=f"sets, with the first letters of their names (default: all of {'; '.join(SETS)})")
    parser.add_argument("--threads", type=int, default=1, help="threads of the fit (default: 1)")
    chosen = parser.parse_args()
    for row in (["set", *STAGES, "processor seconds", "ms of an evaluation", "ratio"], ["---"] * (len(STAGES) + 4)):
        print(f"| {' | '.join(row)} |", flush=True)
    for name, (path, _) in SETS.items():
        if chosen.sets and not any(name.startswith(word) for word in chosen.sets):
            continue
        if os.path.exists(path):
            print(f"| {' | '.join(measure(os.path.abspath(chosen.program), chosen.threads, name))} |", flush=True)
        else:
            print(f"fits: note: {name} is skipped: there is no {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
