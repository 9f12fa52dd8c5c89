#!/usr/bin/env python3
"""Coverage of the 95 % intervals of constants: how often fitted value +- 1.96 standard errors contains the true one.

Simulates sets of readings of systems whose constants are known, fits each with every program, and prints one row for each program and
system. A constant that is positive has its interval in the logarithm, as the posterior of a fit is normal there.

    experiments/error_coverage.py --program before=old/latentforce --program after=build/latentforce --sets 200
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

FIT = ["--initial", "stationary", "--no-private", "--period", "none", "--calibrate", "no", "--threads", "1", "--quiet"]


def system(decays, signs, force, readings):
    outputs = [
        {"name": f"y{i}", "operator": {"type": "ode1", "decay": d}, "sensitivity": [s], "noise_variance": 0.01 * s * s}
        for i, (d, s) in enumerate(zip(decays, signs))
    ]
    model = {"format": "latentforce-model", "version": 1, "initial": "stationary", "forces": [force], "outputs": outputs}
    return {"model": model, "decays": decays, "readings": readings, "kernel": force["kernel"]}


SYSTEMS = {
    "two outputs, 60 readings each": system([0.8, 1.6], [1, -2], {"kernel": "matern32", "lengthscale": 1.5}, 60),
    "two outputs, 20 readings each": system([0.8, 1.6], [1, -2], {"kernel": "matern32", "lengthscale": 1.5}, 20),
    "four outputs, 120 readings each": system([0.3, 0.6, 1.2, 2.4], [1, 1, -1, 2], {"kernel": "matern52", "lengthscale": 2}, 120),
}


def run(*words):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True)


def intervals(model, decays):
    """Of each constant: whether its interval contains the truth, and its standard error in the logarithm."""
    for i, true in enumerate(decays):
        error = model.get("standard_errors", {}).get(f"y{i}.decay")
        value = model["outputs"][i]["operator"]["decay"]
        if error is not None:
            yield abs(math.log(value / true)) <= 1.96 * error / value, error / value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", action="append", required=True, metavar="NAME=PATH")
    parser.add_argument("--sets", type=int, default=200)
    arguments = parser.parse_args()
    programs = dict(p.split("=", 1) for p in arguments.program)
    simulator = list(programs.values())[-1]
    print("| system | program | intervals | contain the truth | standard error of the share | mean relative error |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, s in SYSTEMS.items():
            found = {p: [] for p in programs}
            (folder / "truth.json").write_text(json.dumps(s["model"]))
            span = 20 * s["readings"] / 60
            (folder / "at.csv").write_text("x\n" + "".join(f"{span * i / (s['readings'] - 1):.6f}\n" for i in range(s["readings"])))
            for seed in range(arguments.sets):
                data = folder / "data.csv"
                run(simulator, "simulate", folder / "truth.json", "--at", folder / "at.csv", "--seed", seed + 1, "--quiet", "-o", data)
                for program, path in programs.items():
                    kernel = ["--forces", "1", "--force-kernel", s["kernel"]]
                    fitted = folder / "model.json"
                    run(path, "fit", data, *kernel, *FIT, "-o", fitted)
                    found[program] += intervals(json.loads(fitted.read_text()), s["decays"])
            for program, list_ in found.items():
                share = sum(hit for hit, _ in list_) / len(list_)
                spread = math.sqrt(share * (1 - share) / len(list_))
                mean = sum(e for _, e in list_) / len(list_)
                print(f"| {title} | {program} | {len(list_)} | {100 * share:.1f} % | {100 * spread:.1f} % | {mean:.4f} |")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
