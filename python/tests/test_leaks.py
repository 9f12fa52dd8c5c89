"""A thousand fits, with predictions, failures and copies, leave no memory behind."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Memory that the process has after a number of fits, in bytes: after the first ones, and after all.
PROGRAM = """
import copy, gc, os, sys
import numpy as np
import latentforce as lf

warm, count, leaks = map(int, sys.argv[1:])
t = np.linspace(0, 1, 12)
y = np.column_stack([np.sin(5 * t), np.cos(5 * t)])
kept = []

def once(number):
    model = lf.fit(t, y, forces=1, max_iterations=1, restarts=1, errors="no", period="none", threads=1)
    model.predict([0.5])
    model.sample([0.5])
    try:
        lf.fit(t, y, forces="many")
    except lf.ArgumentError:
        pass
    try:
        lf.fit(t, y[:5])
    except lf.DataError:
        pass
    if number % 10 == 0:
        copy.copy(model).condition(t, y, names=model.outputs).parameters
    if leaks:
        kept.append(model)

def memory():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

for number in range(warm):
    once(number)
before = memory()
for number in range(count):
    once(number)
print(memory() - before)
"""

BYTES_PER_FIT = 128


def growth(warm: int, count: int, leaks: bool) -> float:
    arguments = [str(warm), str(count), str(int(leaks))]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return int(done.stdout) / count


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured by /proc/self/statm")
def test_a_thousand_fits_leak_nothing() -> None:
    assert growth(500, 1000, leaks=False) < BYTES_PER_FIT


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured by /proc/self/statm")
def test_leaks_would_be_seen() -> None:
    assert growth(50, 100, leaks=True) > 4 * BYTES_PER_FIT
