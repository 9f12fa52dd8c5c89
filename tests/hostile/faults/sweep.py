#!/usr/bin/env python3
"""Runs every command of the program while one allocation fails, and then while every one from it on fails.

usage: sweep.py PROGRAM SHIM [--all] [--only NAME] [--share N] [--seed S] [--threads T]

Each run must end in one of two ways. Exit status 1, "out of memory" on standard error, every result file as it was before or
complete. Or exit status 0 and the same results as without a failure: the allocation was one that can be done without. There must be no
block left (counted by the shim), no temporary file and no other message from a library on standard output.

Without --all one call of each kind is failed: calls with the same stack are one kind. --share N takes every N-th of these."""
import argparse
import base64
import collections
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

MODEL = """{ "format": "latentforce-model", "version": 1, "input_dim": 1, "origin": 0, "initial": "%s",
  "forces": [ { "kernel": "%s", "lengthscale": 0.5 } ],
  "outputs": [
    { "name": "a", "operator": {"type": "ode2", "mass": 1, "damper": 3, "spring": 1},
      "sensitivity": [10], "noise_variance": 0.1, "offset": 0, "scale": 1 },
    { "name": "b", "operator": {"type": "ode", "coefficients": [1, 0.2, 2]},
      "sensitivity": [10], "noise_variance": 0.5, "offset": 0, "scale": 1 } ] }
"""
PLANE = """{ "format": "latentforce-model", "version": 1, "input_dim": 2,
  "forces": [ { "kernel": "eq", "lengthscale": [1, 1] } ],
  "outputs": [ { "name": "a", "operator": {"type": "gaussian", "precision": [2, 2]},
      "sensitivity": [1], "noise_variance": 0.1, "offset": 0, "scale": 1 } ] }
"""
# Kernels in the place of the second %s of MODEL: undamped and damped oscillators with a trend, lines of a spectrum, parts of a uniform grid.
CYCLE = "periodic(3, harmonics=2)*matern32(9) + 0.2*linear(4) + 0.1*cosine(2)"
LINES = "periodic(3, harmonics=2) + 0.5*eq(2)"
RUNS = "cosine(0.5)*eq(4) + eq(2)"
OLD = b"as it was before\n"
FIT = "fit long.csv -o OUT.json --threads 1 --forces 1 --max-iterations 2 --seed 3"
# Name, arguments, files that it writes. OUT stands for a result file.
COMMANDS = [
    ("version", "--version"),
    ("help", "help"),
    ("help-command", "help fit"),
    ("help-topic", "help files -o OUT.txt"),
    ("manual", "help --man fit"),
    ("completion", "help --completion bash"),
    ("completion-zsh", "help --completion zsh"),
    ("completion-fish", "help --completion fish"),
    ("data", "data wide.csv -o OUT.csv"),
    ("data-long", "data long.csv extra.csv --replicates-by-file --drop b"),
    ("data-gz", "data wide.csv.gz"),
    ("fit", FIT),
    ("fit-files", FIT + " --trace OUT.csv --checkpoint OUT.checkpoint --checkpoint-every 1e-9 --restarts 1"),
    ("fit-resume", FIT + " --checkpoint saved.checkpoint --resume --restarts 1"),
    ("fit-json", "fit wide.csv -o OUT.json --json --max-iterations 1 --restarts 1 --operator ode2 --no-private --forces 1"),
    ("fit-init", "fit long.csv -o OUT.json --init eq.json --max-iterations 1 --fix a.noise_variance=0.1"),
    ("fit-choose", "fit long.csv -o OUT.json --operator auto --max-iterations 1 --restarts 1 --no-private --forces 1 --threads 1"),
    ("fit-default", "fit long.csv -o OUT.json --max-iterations 1 --restarts 1 --threads 1"),
    ("fit-inducing", "fit long.csv -o OUT.json --engine fitc --inducing 3 --max-iterations 1 --restarts 1 --forces 1 --force-kernel eq --initial zero --no-private --learn-inducing"),
    ("fit-kernels", "fit long.csv -o OUT.json --force-kernel periodic(2)*matern32+eq --force-kernel linear --private-kernel white --period 3 --engine kalman --max-iterations 1 --restarts 1"),
    ("fit-cycle", "fit cycle.csv -o OUT.json --max-iterations 1 --restarts 1 --threads 1 --forces 1 --no-private"),
    ("fit-plane", "fit plane.csv --x u,v -o OUT.json --max-iterations 1 --restarts 1"),
] + [
    ("evaluate-" + engine, "evaluate eq.json long.csv --gradient --engine " + engine + more)
    for engine, more in (("dense", ""), ("lowrank", " --tolerance 1e-2"), ("fourier", " --tolerance 1e-2"), ("kalman", ""),
                         ("dtc", " --inducing 3"), ("variational", " --inducing 3"), ("fitc", " --inducing 3"),
                         ("pitc", " --inducing 3"))
] + [
    ("evaluate-matern", "evaluate matern.json long.csv --gradient --engine dense --json"),
    ("evaluate-matern-kalman", "evaluate matern.json long.csv --gradient --engine kalman"),
    ("evaluate-matern-lowrank", "evaluate matern.json long.csv --gradient --engine lowrank --nodes mc --features 8"),
    ("evaluate-orthogonal", "evaluate plane.json plane.csv --x u,v --gradient --engine lowrank --nodes orthogonal --features 8"),
    ("evaluate-plane", "evaluate plane.json plane.csv --x u,v --gradient --engine dense"),
    ("evaluate-plane-kmeans", "evaluate plane.json plane.csv --x u,v --gradient --engine pitc --inducing 3 --inducing-inputs kmeans"),
] + [
    ("evaluate-formula-" + engine, "evaluate " + model + ".json long.csv --gradient --engine " + engine + more)
    for engine, model, more in (("dense", "cycle", ""), ("kalman", "cycle", ""), ("lowrank", "lines", " --tolerance 1e-2"),
                                ("fourier", "runs", " --tolerance 1e-2"))
] + [
    ("condition-formula-kalman", "condition cycle.json long.csv -o OUT.json --engine kalman"),
    ("condition-formula-lowrank", "condition lines.json long.csv -o OUT.json --engine lowrank --tolerance 1e-2"),
    ("predict-formula", "predict cycle.json --data long.csv --grid 3 --forces --samples 2"),
    ("predict-formula-lowrank", "predict stored-lines.json --at at.csv --forces"),
    ("show-formula", "show cycle.json --json"),
] + [
    ("condition-" + engine, "condition eq.json long.csv -o OUT.json --engine " + engine + more)
    for engine, more in (("dense", ""), ("lowrank", " --tolerance 1e-2"), ("fourier", " --tolerance 1e-2"), ("kalman", ""),
                         ("fitc", " --inducing 3"), ("pitc", " --inducing 3"))
] + [
    ("predict-" + engine, "predict " + engine + ".json --at at.csv --samples 2 -o OUT.csv")
    for engine in ("dense", "lowrank", "fourier", "kalman", "fitc", "pitc", "fitted")
] + [
    ("predict-data", "predict eq.json --data long.csv --grid 3 --rates"),
    ("predict-matern", "predict matern.json --data long.csv --grid 3 --rates --engine dense"),
    ("predict-forces", "predict fitted.json --ahead 2 --forces --json"),
    ("score", "score fitted.json long.csv --rows OUT.csv -o OUT.txt"),
    ("score-folds", "score fitted.json long.csv --cross-validate 2 --no-refit --json"),
    ("score-rolling", "score fitted.json long.csv --rolling auto --no-refit --rows OUT.csv"),
    ("score-refit", "score quick.json long.csv --cross-validate 2"),
    ("compare", "compare kalman.json dense.json --data split.csv --json"),
    ("compare-folds", "compare eq.json matern.json --data long.csv --cross-validate 2 --no-refit"),
    ("simulate", "simulate eq.json --at at.csv -o OUT.csv --forces OUT2.csv"),
    ("simulate-matern", "simulate matern.json --at at.csv -o OUT.csv --forces OUT2.csv"),
    ("covariance", "covariance eq.json --at at.csv -o OUT.csv --with-forces"),
    ("covariance-matern", "covariance matern.json --at at.csv"),
    ("covariance-lowrank", "covariance eq.json --at at.csv --engine lowrank --tolerance 1e-2"),
    ("show", "show fitted.json"),
    ("show-json", "show fitted.json --json -o OUT.json"),
    ("report", "report fitted.json --data split.csv -o OUT.html --dygraphs ."),
    ("report-plane", "report plane.json --data plane.csv --x u,v -o OUT.html --dygraphs ."),
    ("update", "update kalman.json later.csv -o OUT.json"),
    ("plot", "plot fitted.json --data split.csv -o OUT.svg"),
    ("plot-map", "plot plane.json --data plane.csv --x u,v -o OUT.svg --grid 4"),
    ("plot-covariance", "plot eq.json --what covariance --data long.csv --grid 4 -o OUT.svg"),
    ("fit-equations", "fit room.csv --equations room.eq -o OUT.json --max-iterations 1 --restarts 1 --threads 1"),
    ("fit-input", "fit room.csv --input To=constant --input Q -o OUT.json --max-iterations 1 --restarts 1 --forces 1 --threads 1"),
    ("evaluate-equations", "evaluate room.json room.csv --gradient"),
    ("predict-equations", "predict room.json --at room-next.csv --states --json"),
    ("score-equations", "score room.json room.csv --cross-validate 2"),
    ("simulate-equations", "simulate room.json --at room.csv -o OUT.csv --forces OUT2.csv"),
    ("covariance-equations", "covariance room.json --at room.csv -o OUT.csv"),
    ("show-equations", "show room.json"),
    ("show-equations-json", "show room.json --json"),
    ("report-equations", "report room.json --data room.csv -o OUT.html --dygraphs ."),
    ("plot-equations", "plot room.json --data room.csv -o OUT.svg"),
    ("plot-states", "plot room.json --what states -o OUT.svg"),
    ("plot-residuals", "plot matern.json --what residuals --data many.csv -o OUT.svg"),
    ("update-inputs", "update room.json room-next.csv -o OUT.json"),
    ("fit-averages", "fit flat.csv --equations flat.eq -o OUT.json --max-iterations 1 --restarts 1 --threads 1"),
    ("fit-unknown", "fit twice.csv --equations chain.eq -o OUT.json --max-iterations 1 --restarts 1 --threads 1"),
    ("evaluate-averages", "evaluate flat.eq flat.csv --gradient --json"),
    ("evaluate-doses", "evaluate doses.eq doses.csv --gradient"),
    ("evaluate-steady", "evaluate chain.json twice.csv --gradient"),
    ("evaluate-equations-dense", "evaluate chain.json twice.csv --gradient --engine dense"),
    ("predict-equations-dense", "predict chain.json --data twice.csv --grid 3 --forces --engine dense"),
    ("predict-averages", "predict flat.eq --data flat.csv --at flat-next.csv --samples 2 -o OUT.csv"),
    ("predict-rates", "predict doses.eq --data doses.csv --grid 4 --rates"),
    ("predict-system-forces", "predict chain.json --data twice.csv --grid 4 --forces --samples 2"),
    ("condition-equations", "condition flat.eq flat.csv -o OUT.json"),
    ("condition-equations-dense", "condition chain.json twice.csv -o OUT.json --engine dense"),
    ("compare-equations", "compare room.json quick-room.json --data room.csv --cross-validate 2 --no-refit"),
    ("simulate-long", "simulate flat.eq --at long-at.csv -o OUT.csv --forces OUT2.csv"),
    ("simulate-doses", "simulate doses.eq --at doses.csv -o OUT.csv"),
    ("covariance-averages", "covariance flat.eq --at flat-next.csv --with-forces"),
    ("covariance-equations-dense", "covariance chain.json --at at.csv --engine dense"),
    ("show-file", "show doses.eq"),
    ("state-space", "show flat.eq --state-space --json -o OUT.json"),
    ("state-space-step", "show room.json --state-space --json --step 0.5"),
    ("report-averages", "report flat.json --data flat.csv -o OUT.html --dygraphs ."),
    ("report-doses", "report doses.json --data doses.csv -o OUT.html --dygraphs ."),
    ("plot-averages", "plot flat.json --data flat.csv -o OUT.svg"),
    ("plot-system-forces", "plot doses.json --what forces -o OUT.svg"),
    ("update-averages", "update flat.json flat-next.csv -o OUT.json"),
    ("update-doses", "update doses.json doses-next.csv -o OUT.json"),
    ("equations-wrong", "fit room.csv --equations wrong.eq -o OUT.json"),
    ("equations-incomplete", "evaluate room.eq room.csv"),
    ("inputs-missing", "predict room.json --ahead 3"),
    ("equations-missing", "fit long.csv --equations room.eq -o OUT.json"),
    ("unknown", "predit fitted.json"),
    ("wrong-option", "predict fitted.json --grdi 3"),
    ("wrong-kind", "predict long.csv --grid 3"),
]
# Commands whose end is an error of the user; it may be told without the remedy.
WRONG = {"equations-missing": 1, "equations-wrong": 1, "equations-incomplete": 1, "inputs-missing": 1, "unknown": 2, "wrong-option": 2, "wrong-kind": (1, 2)}
TIMES = re.compile(rb'("(?:[a-z_]*seconds|seconds[a-z_]*|date|time|finished|started)": *)(?:"[^"]*"|[0-9.eE+-]+)|seconds per evaluation *[0-9.e-]+|"seconds[a-z_]*":[0-9.e-]+|[0-9.]+ s\b|[0-9.eE+-]+ seconds')


def write_inputs(run, folder):
    rows = [("ab"[i % 2], i // 2, (0.7 * i) % 1.9 - 1 + 0.2 * (i % 3)) for i in range(16)]
    files = {
        "eq.json": MODEL % ("zero", "eq"),
        "matern.json": MODEL % ("stationary", "matern32"),
        "cycle.json": (MODEL % ("free", CYCLE)).replace(', "lengthscale": 0.5', ""),
        "lines.json": (MODEL % ("zero", LINES)).replace(', "lengthscale": 0.5', ""),
        "runs.json": (MODEL % ("zero", RUNS)).replace(', "lengthscale": 0.5', ""),
        "plane.json": PLANE,
        "long.csv": "output,x,y\n" + "".join("%s,%d,%.3f\n" % r for r in rows),
        "split.csv": "output,x,y,split\n" + "".join("%s,%d,%.3f,%s\n" % (r + ("test" if r[1] > 5 else "train",)) for r in rows),
        "many.csv": "output,x,y\n" + "".join("a,%d,%.3f\n" % (i, (0.7 * i) % 1.9) for i in range(30)),
        "cycle.csv": "x,a\n" + "".join("%d,%.3f\n" % (i, 2 * math.sin(math.pi * i / 6) + (0.7 * i) % 0.5) for i in range(72)),
        "extra.csv": "output,x,y\na,20,1\nb,21,2\n",
        "later.csv": "output,x,y\na,20,1\nb,21,2\n",
        "wide.csv": "time [s];left [m];right\n" + "".join("%d,5;%.2f;%s\n" % (i, (0.7 * i) % 1.3, "NA" if i == 3 else i % 4)
                                                          for i in range(12)).replace(".", ","),
        "plane.csv": "u,v,output,y\n" + "".join("%d,%d,a,%.2f\n" % (i, j, (i * j * 0.37) % 1) for i in range(4) for j in range(4)),
        "at.csv": "x\n0.5\n1\n3\n",
        "room.eq": "time h\ninput To, Q\nforce gains\nC*T' = (To - T)/R + Q + gains\noutput indoor = T\nquantity tau = R*C\n",
        "room.csv": "time,To,Q,indoor,other\n" + "".join("%d,%.2f,%d,%.3f,x\n" % (i, (0.3 * i) % 2, i % 3, 1 + (0.7 * i) % 1.9) for i in range(10)),
        "room-next.csv": "time,To,Q\n10,1,0\n11,1.5,2\n",
        "wrong.eq": "input To\nC*T' = T*To\noutput indoor = T\n",
        # An average of its own, a width of each row, noise of the process, an output with an input and a force.
        "flat.eq": "input v constant\nforce u ~ matern32(lengthscale = 2, amplitude = 0.5)\nforce w ~ white(sd = 0.1)\n"
                   "tau*x' = v - x + u + w\nparameter tau = 2\noutput a = average(x, 1) noise = 0.3\noutput b = x + 2*u + v noise = 0.2\n"
                   "start x ~ normal(1, 1)\n",
        "flat.csv": "time,output,y,width\n0,v,1,\n" + "".join("%d,%s,%.2f,%s\n" % (1 + i, "vab"[k], (0.7 * i + k) % 2, ["", "", "0.5"][k] if i % 2 else "")
                                                     for i in range(8) for k in range(3)),
        "flat-next.csv": "time,output,y,width\n" + "".join("%d,%s,%.2f,%s\n" % (9 + i, "vab"[k], k, ["", "1", "0.5"][k])
                                                          for i in range(3) for k in range(3)),
        "long-at.csv": "time,v\n" + "".join("%d,%d\n" % (i, i % 5) for i in range(1, 1500)),
        # Two replicates, an undeclared mass matrix, a start that is steady.
        "chain.eq": "force load ~ matern32\nm*x'' + n*(x'' - y'') + c*x' + k*x = S*load\nm*y'' - n*(x'' - y'') + d*y' + k*(y - x) = 0\n"
                    "output a = x''\noutput b = y\nstart steady\nparameter m = 2 fixed\nquantity w0 = sqrt(k/m)\n",
        "twice.csv": "replicate,output,time,y\n" + "".join("%s,%s,%.1f,%.2f\n" % ("rs"[j], "ab"[k], i / 2, (0.7 * i + k + 0.4 * j) % 2 - 1)
                                                         for j in range(2) for i in range(6) for k in range(2)),
        "doses.eq": "time h\ninput dose impulse\nforce drift ~ matern12(lengthscale = 3, amplitude = 0.1)\ng' = -ka*g + dose\n"
                    "V*c' = ka*g - Cl*c*V + drift\nparameter ka = 1\nparameter V = 10 fixed\nparameter Cl = 0.3 ~ lognormal(0.3, 0.5)\n"
                    "output c noise = 0.05\nstart rest\nquantity half = log(2)/Cl\n",
        "doses.csv": "output,time,y\ndose,0,20\ndose,6,20\n" + "".join("c,%d,%.2f\n" % (i, 1.5 - (i % 6) / 6) for i in range(1, 12)),
        "doses-next.csv": "output,time,y\ndose,12,20\nc,13,1.4\n",
        "dygraph.min.js": "/* charts */\n",
        "dygraph.min.css": "/* charts */\n",
    }
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    subprocess.run(["gzip", "-kn", "wide.csv"], cwd=folder, check=True)
    os.mkdir(os.path.join(folder, "bin"))
    with open(os.path.join(folder, "bin/gnuplot"), "w") as file:
        file.write("#!/bin/sh\nexec cat\n")  # the figure is its script
    os.chmod(os.path.join(folder, "bin/gnuplot"), 0o755)
    for engine in ("dense", "lowrank", "fourier", "kalman", "fitc", "pitc"):
        more = {"lowrank": ["--tolerance", "1e-2"], "fourier": ["--tolerance", "1e-2"], "fitc": ["--inducing", "3"],
                "pitc": ["--inducing", "3"]}.get(engine, [])
        run(["condition", "eq.json", "long.csv", "-q", "-o", engine + ".json", "--engine", engine] + more)
    run(["condition", "lines.json", "long.csv", "-q", "-o", "stored-lines.json", "--engine", "lowrank", "--tolerance", "1e-2"])
    run(["fit", "long.csv", "-q", "-o", "fitted.json", "--forces", "1"])
    run(["fit", "room.csv", "--equations", "room.eq", "-q", "-o", "room.json", "--max-iterations", "3", "--restarts", "1"])
    run(["fit", "room.csv", "--equations", "room.eq", "-q", "-o", "quick-room.json", "--max-iterations", "1", "--restarts", "1"])
    run(["fit", "twice.csv", "--equations", "chain.eq", "-q", "-o", "chain.json", "--max-iterations", "2", "--restarts", "1"])
    run(["fit", "doses.csv", "--equations", "doses.eq", "-q", "-o", "doses.json", "--max-iterations", "3", "--restarts", "1"])
    run(["condition", "flat.eq", "flat.csv", "-q", "-o", "flat.json"])
    run(["fit", "long.csv", "-q", "-o", "quick.json", "--forces", "1", "--restarts", "1", "--max-iterations", "1", "--no-private"])
    run(FIT.replace("OUT.json", "none.json").replace("iterations 2", "iterations 1").split() + ["-q", "--checkpoint", "saved.checkpoint", "--restarts", "1",
                                                                                                         "--checkpoint-every", "1e-9"])
    os.remove(os.path.join(folder, "none.json"))


def without_times(name, text):
    """A result file with T for what depends on the clock: in a trace the last column, in a checkpoint the fourth number of each iteration and
    the checksum."""
    text = TIMES.sub(rb"\1T", text)
    if text.startswith(b"start,iteration,"):
        return re.sub(rb",[0-9.]+$", b",T", text, flags=re.MULTILINE)
    if name.endswith(".checkpoint") and text != OLD:
        text = re.sub(rb'("checksum": *)"[0-9a-f]+"', rb"\1T", text)

        def history(found):
            numbers = base64.b64decode(found.group(2))
            return found.group(1) + b" ".join(numbers[i:i + 24].hex().encode() for i in range(0, len(numbers), 32))
        return re.sub(rb'("history": *")([A-Za-z0-9+/=]*)', history, text)
    return text


class Sweep:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = tempfile.mkdtemp()
        self.scratch = tempfile.mkdtemp()
        self.environment = dict(os.environ, OMP_WAIT_POLICY="passive", OPENBLAS_CORETYPE=os.environ.get("OPENBLAS_CORETYPE", "Prescott"), OMP_NUM_THREADS=str(arguments.threads), LC_ALL="C",
                                PATH=os.path.join(self.folder, "bin") + ":" + os.environ["PATH"])
        self.environment.setdefault("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0")
        write_inputs(self.prepare, self.folder)
        self.inputs = sorted(os.listdir(self.folder))
        self.saved = self.read("saved.checkpoint")
        self.problems = collections.OrderedDict()

    def prepare(self, words):
        subprocess.run([self.arguments.program] + words, cwd=self.folder, env=self.environment, check=True)

    def read(self, name):
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def run(self, words, targets, **settings):
        """One run with old result files in place: exit status, stdout, stderr, the files, the lines of the shim's report."""
        for name in targets:
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(OLD)
        report = os.path.join(self.scratch, "report")
        environment = dict(self.environment, LD_PRELOAD=self.arguments.shim, FAIL_REPORT=report)
        environment.update({"FAIL_" + key.upper(): str(value) for key, value in settings.items()})
        if os.path.exists(report):
            os.remove(report)
        try:
            done = subprocess.run([self.arguments.program] + words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=120)
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            status, out, err = "no end", b"", b""
        lines = open(report, errors="replace").read().splitlines() if os.path.exists(report) else []
        files = {name: self.read(name) for name in targets}
        left = sorted(set(os.listdir(self.folder)) - set(self.inputs) - set(targets))
        for name in left:
            os.remove(os.path.join(self.folder, name))
        if self.read("saved.checkpoint") != self.saved:
            with open(os.path.join(self.folder, "saved.checkpoint"), "wb") as file:
                file.write(self.saved)
        return status, TIMES.sub(rb"\1T", out), err, {n: t and without_times(n, t) for n, t in files.items()}, lines, left

    def judge(self, name, clean, found):
        """What is wrong with a run with a failure; an empty list: nothing."""
        status, out, err, files, lines, left = found
        wrong = []
        failed = any(line.startswith("failed") for line in lines)
        same = out == clean[1] and files == clean[3]
        if name.startswith("help"):  # without memory lines are not wrapped
            same = out.split() == clean[1].split()
        if name == "fit-files" and b"no checkpoint: " in err and b"out of memory" in err:  # the last that was written is older
            same = all(files[target] == clean[3][target] for target in ("OUT.json", "OUT.csv"))
        if b"out of memory" in err and status == 1 or status == clean[0] and (clean[0] or same):
            pass
        elif name in WRONG and status == 1 and b"out of memory" in err:
            pass
        elif status == 0:
            wrong.append("exit status 0 with another result")
        else:
            text = err.decode(errors="replace").strip().splitlines()
            wrong.append("exit status %s: %s" % (status, " | ".join(text[-3:])))
        for target, text in files.items():
            if status != 0 and text != OLD and text != clean[3][target]:
                # A checkpoint and a trace of a fit that stopped are those of the part that was done.
                if not (name.startswith("fit") and not target.endswith(".json") and text):
                    wrong.append("%s is neither old nor complete" % target)
        if b"Not enough memory" in out:
            wrong.append("a library printed on standard output")
        if left:
            wrong.append("left behind: " + " ".join(left))
        if not any(line.startswith("calls") for line in lines):
            wrong.append("main did not return")
        for line in lines:
            if line.startswith("leak") and line.split(" ", 2)[2] not in self.kept:
                wrong.append("leak of " + " ".join(line.split()[1:4]))
        return wrong if failed or lines == [] else wrong + ["no failure was injected"] * (self.arguments.threads == 1)

    def choose(self, name, words, targets, calls):
        """The numbers of the calls to fail."""
        if self.arguments.all:
            return list(range(1, calls + 1))
        path = os.path.join(self.scratch, "sites")
        self.run(words, targets, sites=path)
        data = open(path, "rb").read()
        first = {}
        for i, kind in enumerate(struct.unpack("%dQ" % (len(data) // 8), data)):
            first.setdefault(kind, i + 1)
        numbers = sorted(first.values())
        rng = random.Random(self.arguments.seed * 1000003 + calls)
        return sorted(rng.sample(numbers, min(len(numbers), (len(numbers) + self.arguments.share - 1) // self.arguments.share)))

    def sweep(self, name, text):
        words = text.split()
        targets = sorted({w for w in words if w.startswith("OUT")})
        clean = self.run(words, targets)
        expected = WRONG.get(name, 0)
        if clean[0] != expected and not (isinstance(expected, tuple) and clean[0] in expected):
            print("FAIL  %s: exit status %s without a failure: %s" % (name, clean[0], clean[2].decode(errors="replace")))
            self.problems[(name, "clean")] = []
            return 0, 0
        self.kept = {line.split(" ", 2)[2] for line in clean[4] if line.startswith("leak") and "libc.so" in line.split()[2]}
        for line in clean[4]:
            if line.startswith("leak") and line.split(" ", 2)[2] not in self.kept:
                self.problems.setdefault((name, "without a failure: " + line), [])
        calls = int(clean[4][-1].split()[1])
        numbers = self.choose(name, words, targets, calls)
        runs = harmless = bad = 0
        for number in numbers:
            for mode in ({}, {"on": 1}):
                found = self.run(words, targets, at=number, **mode)
                runs += 1
                harmless += found[0] == clean[0]
                wrong = self.judge(name, clean, found)
                if wrong:
                    bad += 1
                    site = next((line for line in found[4] if line.startswith("failed")), "failed ?")
                    for problem in wrong:
                        key = (name, problem, " ".join(site.split()[2:8]))
                        self.problems.setdefault(key, []).append((number, "on" if mode else "once"))
        print("%-5s %-26s %6d allocations, %5d failed alone and %5d with all later ones, %4d harmless, %d wrong" % (
            "FAIL" if bad else "ok", name, calls, len(numbers), len(numbers), harmless, bad), flush=True)
        for key, found in self.problems.items():
            if key[0] == name:
                print("      %s, at %s" % ("; ".join(key[1:]), " ".join("%d %s" % f for f in found[:3])), flush=True)
        return calls, runs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("shim")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--skip", default="none")
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    sweep = Sweep(arguments)
    calls = runs = 0
    try:
        for name, text in COMMANDS:
            if (not arguments.only or name in arguments.only) and not name.startswith(arguments.skip):
                more = sweep.sweep(name, text)
                calls, runs = calls + more[0], runs + more[1]
    finally:
        shutil.rmtree(sweep.folder)
        shutil.rmtree(sweep.scratch)
    print("%d commands, %d allocations, %d injected failures, %d kinds of problem" % (
        len(arguments.only) or len(COMMANDS), calls, runs, len(sweep.problems)))
    return 1 if sweep.problems else 0


if __name__ == "__main__":
    sys.exit(main())
