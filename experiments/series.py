# What the three tables of time series have in common: the paper's protocol (variational bound, inducing values, random features or
# exact kernels) and our own fits, each beside what was published.
import csv
import json
import os

from common import fit_and_score, kept, plot, processor_seconds, read_rows, run, spread, table
from published import AUTHORS_RUNS, AUTHORS_SECONDS, EXACT, PAPER, TARGETS

KERNELS = [10, 20, 50, 100, EXACT]
# Ours: what `fit` does by itself, and rougher forces, of which there are more than principal components.
RECIPES = [("defaults", []), ("matern12", ["--force-kernel", "matern12", "--forces", "6", "--restarts", "1"])]
PROTOCOL = ["--engine", "variational", "--forces", "6", "--no-private", "--initial", "zero", "--origin", "0", "--restarts", "1",
            "--inducing-noise", "0.1353352832366127"]  # e^-2
ITERATIONS = 500
REPEATS = 5


def protocol(settings, extra, kernel, seed):
    nodes = ["--nodes", "exact"] if kernel == EXACT else ["--nodes", "mc", "--features", str(kernel), "--seed", str(seed)]
    return PROTOCOL + extra + nodes + ["--max-iterations", str(settings.iterations or ITERATIONS)]


def seconds_of_evaluation(settings, data, result):
    """Seconds of one objective and gradient, of the processor on one thread, and the number of columns, at the fitted parameters.
    Many evaluations less one: what is done once does not count, nor what else the machine does."""
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


def figure(settings, data, outputs, result, name):
    """What the paper plots: mean and standard deviation of the two test outputs at all their inputs, beside the readings."""
    inputs = settings.path("figures", "inputs.csv")
    chosen = [row for row in read_rows(data) if row[0] in outputs]
    with open(inputs, "w") as file:
        file.write("output,x\n")
        file.writelines(f"{row[0]},{row[1]}\n" for row in chosen)
    predicted = csv.DictReader(run(settings, "predict", result["model"], "--at", inputs).splitlines())
    with open(settings.path("figures", name + ".csv"), "w") as file:
        file.write("output,x,y,split,mean,sd_y\n")
        file.writelines(f"{','.join(row)},{p['mean']},{p['sd_y']}\n" for row, p in zip(chosen, predicted))
    names = [word for output in outputs for word in ("--output-name", output)]
    plot(settings, name + ".png", result["model"], "--data", data, "--what", "outputs", *names)


def line(label, results, outputs, evaluation):
    """A row of the table: each column over the seeds, then time."""
    cells = [label, len(results)]
    for output in outputs:
        found = [result["score"]["outputs"][output] for result in results]
        cells += [spread([f["nmse"] for f in found], 3), spread([f["nlpd"] for f in found])]
        cells.append(f"{100 * sum(f['coverage95'] for f in found) / len(found):.0f} %")
    iterations = [result["provenance"].get("iterations", 0) for result in results]
    whole = [result["processor_seconds"] for result in results]
    return cells + [f"{min(iterations)}–{max(iterations)}" if min(iterations) < max(iterations) else iterations[0],
                    evaluation["columns"], f"{evaluation['seconds']:.3f}", f"{sum(whole) / len(whole):.0f}"]


def attempt(settings, data, choices, outputs, label, name):
    results = [fit_and_score(settings, data, options, name) for options in choices]
    print(name, label, json.dumps([r["score"]["outputs"] for r in results]), flush=True)
    figure(settings, data, outputs, results[0], f"{name}-{label.replace(' = ', '').replace(' ', '-')}")
    return line(label, results, outputs, seconds_of_evaluation(settings, data, results[0]))


def pictures(settings, name):
    """Links to the figures that were drawn: those the paper shows, and ours."""
    shown = [f"{name}-{label}.png" for label in ("S10", "S100", EXACT, RECIPES[-1][0])]
    return "".join(f"![{file[:-len('.png')]}](figures/{file})\n" for file in shown if os.path.exists(settings.path("figures", file)))


def report(settings, name, title, outputs, extra, kernels=None):
    data = settings.data_file(name + ".csv")
    ours, published = [], []
    for kernel in kernels or KERNELS:
        seeds = 1 if kernel == EXACT else settings.seeds
        label = EXACT if kernel == EXACT else f"S = {kernel}"
        ours.append(attempt(settings, data, [protocol(settings, extra, kernel, seed + 1) for seed in range(seeds)], outputs, label, name))
    limit = ["--max-iterations", str(settings.iterations)] if settings.iterations else []
    recipes = [attempt(settings, data, [options + limit], outputs, label, name) for label, options in RECIPES]
    for kernel, row in PAPER[name].items():
        label = EXACT if kernel == EXACT else f"S = {kernel}"
        published.append((f"the paper, {label}", "", *row[:4], row[4], AUTHORS_SECONDS[name][kernel]))
    published += [(f"the authors' code, {label}", iterations, *scores, "", "") for label, iterations, *scores in AUTHORS_RUNS[name]]
    published.append(("to be beaten", "", *TARGETS[name], "", ""))
    first, second = outputs
    columns = [f"{first} NMSE", "NLPD", "cover", f"{second} NMSE", "NLPD", "cover"]
    header = ["", "seeds", *columns, "iterations", "M", "s per evaluation", "s per fit"]
    return f"""## {title}

Published (seconds of one objective and gradient on one core; the last column is the authors' code on the kind of machine used here):

{table(["", "iterations", f"{first} NMSE", "NLPD", f"{second} NMSE", "NLPD", "s", "s here"], published)}
The paper's protocol, fitted by `latentforce fit {name}.csv {' '.join(PROTOCOL + extra)} --max-iterations {settings.iterations or ITERATIONS}`
with `--nodes mc --features S --seed 1, 2, …` or `--nodes exact`:

{table(header, ours)}
Our own, `latentforce fit {name}.csv` with the options named:

{table(header, recipes)}
{pictures(settings, name)}"""
