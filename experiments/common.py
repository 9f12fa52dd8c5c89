# What the experiments share: running the program, keeping what it found, reading and writing data, tables.
import csv
import hashlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import time

REPEATS = 5  # evaluations that are timed


class Settings:
    """How an experiment is to be run; one object for all of them."""

    def __init__(self, arguments):
        self.data = arguments.data
        self.program = os.path.abspath(arguments.program)
        self.output = arguments.output
        self.seeds = arguments.seeds
        self.iterations = arguments.iterations
        self.threads = arguments.threads
        self.draws = arguments.draws
        self.sets = arguments.sets
        self.settings = arguments.setting
        if not os.path.exists(self.program):
            raise SystemExit(f"experiments: error: there is no program {self.program}; build it with make, or name it with --program")
        os.makedirs(self.output, exist_ok=True)

    def path(self, *parts):
        path = os.path.join(self.output, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def data_file(self, name):
        path = os.path.join(self.data, name)
        if not os.path.exists(path):
            raise SystemExit(f"experiments: error: there is no {path}; name the folder of the data with --data")
        return path


def run(settings, *arguments):
    """Runs the program; returns its standard output. Its threads sleep while they wait: experiments share machines."""
    command = [settings.program, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, OMP_WAIT_POLICY="passive"))
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def plot(settings, name, *arguments):
    """Draws a figure, where the program can and gnuplot is there."""
    if shutil.which("gnuplot") and "\n  plot " in run(settings, "help"):
        run(settings, "plot", *arguments, "-o", settings.path("figures", name))


def processor_seconds():
    """What all runs of the program so far have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def kept(path, compute):
    """The result of compute(), from the file if an earlier run left it there."""
    if os.path.exists(path):
        with open(path) as file:
            return json.load(file)
    result = compute()
    with open(path + ".part", "w") as file:
        json.dump(result, file, indent=1)
    os.replace(path + ".part", path)
    return result


def leave(settings, name, scores):
    """Leaves the scores of our defaults for the summary."""
    with open(settings.path("ours", name + ".json"), "w") as file:
        json.dump(scores, file, indent=1)


def fit_and_score(settings, data, options, folder):
    """Fits to the training rows of a file and scores its test rows. The result is kept under a name that depends on
    the data and all options: an interrupted run continues where it ended, and a changed option is a new fit."""
    fixed = ["--errors", "no", "--quiet"]
    key = hashlib.sha256("\0".join(options).encode())
    for path in [data, *filter(os.path.isfile, options)]:
        with open(path, "rb") as file:
            key.update(file.read())
    key = key.hexdigest()[:16]
    model = settings.path(folder, key + ".model.json")

    def compute():
        start, used = time.time(), processor_seconds()
        run(settings, "fit", data, *options, *fixed, "--threads", settings.threads, "-o", model)
        seconds, used = time.time() - start, processor_seconds() - used
        with open(model) as file:
            provenance = json.load(file).get("provenance", {})
        return {"options": options, "seconds": seconds, "provenance": provenance, "model": model,
                "processor_seconds": used,
                "score": json.loads(run(settings, "score", model, data, "--json"))}

    return kept(settings.path(folder, key + ".json"), compute)


def seconds_of_evaluation(settings, data, result):
    """Seconds of one objective and gradient, of the processor on one thread, and the number of columns, at the fitted parameters.
    Several evaluations less one: what is done once does not count, nor what else the machine does."""
    wanted = ("--engine", "--nodes", "--features", "--seed", "--inducing")
    options = result["options"]
    engine = [word for i, option in enumerate(options) if option in wanted for word in options[i:i + 2]]

    def evaluate(times):
        before = processor_seconds()
        found = json.loads(run(settings, "evaluate", result["model"], data, "--gradient", "--repeat", times, "--threads", 1, "--json", *engine))
        return processor_seconds() - before, found

    def compute():
        once, _ = evaluate(1)
        often, found = evaluate(1 + REPEATS)
        return {"seconds": (often - once) / REPEATS, "columns": found["columns"], "engine": found["engine"]}

    return kept(result["model"][:-len("model.json")] + "seconds.json", compute)


def read_rows(path):
    """Rows of a long CSV as (output, x, y, split) with the numbers as they are written."""
    with open(path, newline="") as file:
        return [(row["output"], row["x"], row["y"], row.get("split", "train")) for row in csv.DictReader(file)]


def write_rows(path, rows):
    with open(path, "w") as file:
        file.write("output,x,y,split\n")
        file.writelines(",".join(row) + "\n" for row in rows)


def table(header, rows):
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def spread(values, digits=2):
    """Mean and standard deviation over seeds, or the one value there is."""
    text = f"{statistics.mean(values):.{digits}f}"
    return text if len(values) == 1 else f"{text} ± {statistics.stdev(values):.{digits}f}"
