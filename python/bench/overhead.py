"""The time that lf.fit takes beside the fit itself, for 10 000 rows: conversion, reading, threads, results.

Prints for each shape of table, as the least of several calls: the whole call, the C function lf_fit within it, their difference, of which the
C function that reads the table is one part, and the median of the difference of processor times, which another load of the machine does not
lengthen as it does the waiting of threads for each other. Run: python bench/overhead.py
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
import pandas as pd

import latentforce as lf
from latentforce import _fit, _sources

REPEATS = 7


class Timed:
    """The library, with the time and the processor time spent in one of its functions."""

    def __init__(self, lib: Any, name: str) -> None:
        self._lib = lib
        self._name = name
        self.seconds = self.processor = 0.0

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._lib, name)
        return self._call if name == self._name else function

    def _call(self, *arguments: Any) -> Any:
        start, processor = time.perf_counter(), time.process_time()
        result = getattr(self._lib, self._name)(*arguments)
        self.seconds += time.perf_counter() - start
        self.processor += time.process_time() - processor
        return result


def tables() -> dict[str, Any]:
    """Tables of about 10 000 rows."""
    t = np.arange(10_000.0)
    y = np.sin(t / 50) + 0.1 * np.random.default_rng(0).normal(size=10_000)
    dates = pd.date_range("2024-01-01", periods=10_000, freq="min")
    wide = pd.DataFrame({"time": t[:3000], "a": y[:3000], "b": y[3000:6000], "c": y[6000:9000]})
    names = np.array(["a", "b", "c", "d"], object)
    long = pd.DataFrame({"output": names[np.arange(10_000) % 4], "x": t // 4, "y": y})
    return {
        "arrays, 10 000 x 1": (t, y),
        "wide frame, 10 000 x 1": (pd.DataFrame({"time": t, "y": y}),),
        "wide frame with dates, 10 000 x 1": (pd.DataFrame({"y": y}, index=dates),),
        "wide frame with dates as text, 10 000 x 1": (pd.DataFrame({"time": dates.astype(str), "y": y}),),
        "wide frame, 3 000 x 3": (wide,),
        "long frame, 10 000 rows": (long,),
        "long frame of categories, 10 000 rows": (long.astype({"output": "category"}),),
        "dictionary, 4 x 2 500": ({n: (t[:2500], y[i * 2500 : (i + 1) * 2500]) for i, n in enumerate(names)},),
    }


def main() -> None:
    options: dict[str, Any] = {
        "forces": 1,
        "max_iterations": 1,
        "restarts": 1,
        "errors": "no",
        "posterior": False,
        "period": "none",
    }
    print(f"{'milliseconds':42} {'lf.fit':>8} {'lf_fit':>8} {'overhead':>9} {'reading':>8} {'processor':>10}")
    for name, data in tables().items():
        found: list[tuple[float, ...]] = []
        for _ in range(REPEATS):
            fitting, reading = Timed(lf._library.lib, "lf_fit"), Timed(lf._library.lib, "lf_fit_read_columns")
            _fit.lib, _sources.lib = fitting, reading
            start, processor = time.perf_counter(), time.process_time()
            lf.fit(*data, **options)
            whole, used = time.perf_counter() - start, time.process_time() - processor
            found.append((whole, fitting.seconds, whole - fitting.seconds, reading.seconds, used - fitting.processor))
        _fit.lib = _sources.lib = lf._library.lib
        *least, _ = (1e3 * min(column) for column in zip(*found))
        print(f"{name:42} {least[0]:8.2f} {least[1]:8.2f} {least[2]:9.2f} {least[3]:8.2f}", end="")
        print(f" {1e3 * statistics.median(row[-1] for row in found):10.2f}")


if __name__ == "__main__":
    main()
