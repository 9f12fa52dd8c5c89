# What the three tables of time series have in common: the paper's protocol (variational bound, inducing values, random features or
# exact kernels) and our own fits, each beside what was published.
import csv
import json
import os

import protocol
from common import fit_and_score, leave, plot, read_rows, run, seconds_of_evaluation, spread, table
from published import AUTHORS_RUNS, AUTHORS_SECONDS, EXACT, PAPER, TARGETS

KERNELS = [10, 20, 50, 100, EXACT]


def protocol_options(settings, name, rows, kernel, seed):
    """Of a fit by the paper's protocol; leaves the model it starts from in the folder of results."""
    model = settings.path(name, f"start-{kernel}-{seed}.json")
    with open(model, "w") as file:
        json.dump(protocol.start(name, rows, kernel, seed), file)
    return protocol.options(model, kernel, seed, settings.iterations)


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
    """Fits, scores, draws the first; returns the row of the table and the scores of each fit."""
    results = [fit_and_score(settings, data, options, name) for options in choices]
    print(name, label, json.dumps([r["score"]["outputs"] for r in results]), flush=True)
    figure(settings, data, outputs, results[0], f"{name}-{label.replace(' = ', '').replace(' ', '-')}")
    return line(label, results, outputs, seconds_of_evaluation(settings, data, results[0])), [r["score"]["outputs"] for r in results]


def pictures(settings, name):
    """Links to the figures that were drawn: those the paper shows, and ours."""
    shown = [f"{name}-{label}.png" for label in ("S10", "S100", EXACT, "ours")]
    return "".join(f"![{file[:-len('.png')]}](figures/{file})\n" for file in shown if os.path.exists(settings.path("figures", file)))


def report(settings, name, title, outputs):
    data = settings.data_file(name + ".csv")
    rows = read_rows(data)
    fits, published = [], []
    for kernel in KERNELS:
        seeds = 1 if kernel == EXACT else settings.seeds
        label = EXACT if kernel == EXACT else f"S = {kernel}"
        choices = [protocol_options(settings, name, rows, kernel, seed + 1) for seed in range(seeds)]
        fits.append(attempt(settings, data, choices, outputs, label, name)[0])
    limit = ["--max-iterations", str(settings.iterations)] if settings.iterations else []
    ours, (scores,) = attempt(settings, data, [limit], outputs, "ours", name)
    leave(settings, name, {output: scores[output] for output in outputs})
    for kernel, row in PAPER[name].items():
        label = EXACT if kernel == EXACT else f"S = {kernel}"
        published.append((f"the paper, {label}", "", *row[:4], row[4], AUTHORS_SECONDS[name][kernel]))
    published += [(f"the authors' code, {label}", iterations, *scores, "", "") for label, iterations, *scores in AUTHORS_RUNS[name]]
    published.append(("target", "", *TARGETS[name], "", ""))
    first, second = outputs
    columns = [f"{first} NMSE", "NLPD", "cover", f"{second} NMSE", "NLPD", "cover"]
    header = ["", "seeds", *columns, "iterations", "M", "s per evaluation", "s per fit"]
    return f"""## {title}

Published figures. Seconds are of one objective and gradient on one core; the last column is the authors' code on the
kind of machine used here.

{table(["", "iterations", f"{first} NMSE", "NLPD", f"{second} NMSE", "NLPD", "s", "s here"], published)}
The paper's protocol: `latentforce fit {name}.csv {' '.join(["--init START", *protocol.options("", "S", "N", settings.iterations)[2:]])}`
(`--nodes exact` for exact covariances). The last row, "ours", is `latentforce fit {name}.csv` without options.

{table(header, fits + [ours])}
{pictures(settings, name)}"""
