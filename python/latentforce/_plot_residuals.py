"""Errors of predictions from earlier rows: over time, their autocorrelation, and their cumulative periodogram.

The limits hold in 95 % of the cases if the model is right: docs/report.md says what the curves mean.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _parts
from ._columns import Array
from ._data import data_array
from ._errors import ArgumentError, DataError, UnsupportedError
from ._library import ffi, lib
from ._plot_axes import COLOURS, LIMITS, READINGS, Labels, clean, make_axes, say_which

if TYPE_CHECKING:
    from ._model import Model

_MOST = 6
_LIMIT = 1.96
_TITLES = ("one-step errors", "autocorrelation", "cumulative periodogram")


def draw(model: Model, handle: Any, table: Any, labels: Labels, outputs: list[int], ax: Any) -> Any:
    """Three panels for each output, (outputs, 3)."""
    if _parts.count(handle, lib.LF_KIND_INPUT) != 1:
        raise UnsupportedError("what='residuals' is for models with one input; report() has the residuals of this one")
    if table is None:
        raise ArgumentError("what='residuals' needs the training rows, which the model file does not hold; give data=")
    place = ffi.new("lf_diagnosis **")
    model._context.check(lib.lf_diagnose_residuals(model._posterior(), table, place))
    diagnosis = ffi.gc(place[0], lib.lf_diagnosis_free)
    found = [d for d in outputs if diagnosis.outputs[d].frequency_count > 0]
    if not found:
        raise DataError("no output has 20 training rows, which the tests of its residuals need")
    drawn = found[:_MOST] if ax is None else found
    figure, axes = make_axes(ax, 3 * len(drawn), 3, (3.9, 2.3), share=False)
    axes = axes.reshape(-1, 3)
    names = model.outputs
    for own, d in zip(axes, drawn):
        one = diagnosis.outputs[d]
        _errors(own[0], labels, one)
        _autocorrelation(own[1], one)
        _periodogram(own[2], labels, one)
        for panel, title in zip(own, _TITLES):
            clean(panel)
            panel.set_title(f"{names[d]}: {title}", loc="left", fontsize="medium")
    say_which(figure, len(drawn), len(found), "outputs")
    return axes[0] if len(drawn) == 1 else axes


def _errors(ax: Any, labels: Labels, one: Any) -> None:
    n = one.innovations
    x, errors = data_array(one.error_inputs, n, float), data_array(one.errors, n, float)
    ax.plot(
        labels.place(x), errors, ".", color=READINGS, markersize=3, alpha=0.7, markeredgewidth=0, rasterized=n > 3000
    )
    _limit_lines(ax, _LIMIT)
    labels.mark_dates(ax)
    ax.set_xlabel("" if labels.dated else labels.input())
    ax.set_ylabel("standard deviations")


def _limit_lines(ax: Any, limit: float) -> None:
    for level in (-limit, limit):
        ax.axhline(level, color=LIMITS, linewidth=0.8, linestyle="--")
    ax.axhline(0, color=LIMITS, linewidth=0.6)


def _autocorrelation(ax: Any, one: Any) -> None:
    values = data_array(one.autocorrelation, one.lag_count, float)
    limit = _LIMIT / math.sqrt(one.innovations)
    lags = np.arange(1, len(values) + 1)
    ax.vlines(lags, 0, values, color=COLOURS[0], linewidth=2)
    _limit_lines(ax, limit)
    most = 1.1 * max(0.25, 1.2 * limit, float(np.abs(values).max(initial=0)))
    ax.set_ylim(-most, most)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("lag, in rows")


def _periodogram(ax: Any, labels: Labels, one: Any) -> None:
    count = one.frequency_count
    timed = math.isfinite(one.spacing)
    frequency = np.arange(count + 1) * one.frequency_step / (one.spacing if timed else 1)
    power: Array = np.append(0, data_array(one.cumulative, count, float))
    line = frequency / frequency[-1]
    ax.plot(frequency, line, color=LIMITS, linewidth=0.6)
    for side in (-1, 1):
        ax.plot(frequency, line + side * one.periodogram_bound, color=LIMITS, linewidth=0.8, linestyle="--")
    ax.plot(frequency, power, color=COLOURS[0], linewidth=1.3)
    ax.set_ylim(0, 1)
    ax.set_xlim(0, frequency[-1])
    unit = (labels.time_unit() or "unit of the input") if timed else "row"
    ax.set_xlabel(f"cycles per {unit}")
