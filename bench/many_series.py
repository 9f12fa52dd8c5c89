#!/usr/bin/env python3
# Many small series: processor seconds of `fit --by` for each series, over those of fits alone of some of them. bench/many_series.py --help
import argparse
import os
import random
import subprocess
import tempfile
import time

ROWS, OUTPUTS, ALONE = 50, 7, 20


def write_series(path, count):
    """Outputs of first order, driven by two autoregressive forces, with noise."""
    draw = random.Random(1)
    heading = "t," + ",".join(f"y{d + 1}" for d in range(OUTPUTS))
    with open(path, "w") as file:
        file.write(f"series,{heading}\n")
        for s in range(count):
            force, y = [0.0, 0.0], [0.0] * OUTPUTS
            gain = [[draw.gauss(0, 1), draw.gauss(0, 1)] for _ in y]
            for t in range(ROWS):
                force = [0.9 * u + 0.44 * draw.gauss(0, 1) for u in force]
                y = [0.6 * y[d] + 0.4 * (gain[d][0] * force[0] + gain[d][1] * force[1]) for d in range(OUTPUTS)]
                file.write(f"s{s},{t}," + ",".join(f"{v + 0.1 * draw.gauss(0, 1):.6g}" for v in y) + "\n")


def take_series(path, s, to):
    with open(path) as file, open(to, "w") as copy:
        copy.writelines(line.split(",", 1)[1] for line in file if line.startswith((f"s{s},", "series,")))


def run(*words):
    """Seconds by the clock and of the processors, and the peak memory in MB."""
    began = time.monotonic()
    process = subprocess.Popen([str(w) for w in words])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"many_series: error: {' '.join(process.args)} ended with {process.returncode}")
    return time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(prog="bench/many_series.py", description=f"Fits series of {ROWS} rows and {OUTPUTS} outputs with 'fit --by', and "
                                     f"{ALONE} of them with fits alone; prints a row of a table in Markdown.")
    parser.add_argument("program", help="the program, such as build/latentforce")
    parser.add_argument("--options", default="", help="options of the fits: --options='--errors no'")
    parser.add_argument("--series", type=int, default=1000, help="how many (default: 1000)")
    parser.add_argument("--threads", type=int, default=2, help="threads of 'fit --by' (default: 2)")
    chosen = parser.parse_args()
    program, options = os.path.abspath(chosen.program), chosen.options.split()
    with tempfile.TemporaryDirectory() as folder:
        data, one, models, model = (os.path.join(folder, name) for name in ("data.csv", "one.csv", "models.jsonl", "model.json"))
        write_series(data, max(chosen.series, ALONE))
        wall, processor, memory = run(program, "fit", data, "--by", "series", "-q", "--threads", chosen.threads, *options, "-o", models)
        alone = 0
        for s in range(ALONE):
            take_series(data, s, one)
            alone += run(program, "fit", one, "-q", "--threads", 1, *options, "-o", model)[1] / ALONE
    each = processor / max(chosen.series, ALONE)
    print("| options | seconds | processor seconds | peak MB | ms each | ms alone | ratio |\n|---|---|---|---|---|---|---|")
    print(f"| {chosen.options or 'none'} | {wall:.1f} | {processor:.1f} | {memory:.0f} | {1e3 * each:.1f} | {1e3 * alone:.1f} | {each / alone:.2f} |")


if __name__ == "__main__":
    main()
