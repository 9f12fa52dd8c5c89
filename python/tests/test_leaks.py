"""Hundreds of fits, in `make check-all` a thousand, with predictions, failures and copies, leave no memory behind."""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest
from conftest import ALL_CHECKS

# Prints by how many bytes the process grows in each of several series of fits, after a first one that is not counted.
PROGRAM = """
import copy, gc, os, sys
import numpy as np
import latentforce as lf

series, count, leaks = map(int, sys.argv[1:])
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

sizes = []
for _ in range(series + 1):
    for number in range(count):
        once(number)
    sizes.append(memory())
print(*np.diff(sizes))
"""

BYTES_PER_FIT = 128
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured by /proc/self/statm")


def growth(series: int, count: int, leaks: bool) -> float:
    """Bytes for each fit, the median of the series: now and then the heap grows by much at once."""
    arguments = [str(series), str(count), str(int(leaks))]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return statistics.median(map(int, done.stdout.split())) / count


def test_fits_leak_nothing() -> None:
    assert growth(5, 200 if ALL_CHECKS else 80, leaks=False) < BYTES_PER_FIT


def test_leaks_would_be_seen() -> None:
    assert growth(3, 20, leaks=True) > 4 * BYTES_PER_FIT
