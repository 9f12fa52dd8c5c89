"""Errors of predictions from earlier rows: over time, their autocorrelation, and their cumulative periodogram.

The limits hold in 95 % of the cases if the model is right: docs/report.md says what the curves mean.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _parts
from ._errors import ArgumentError, DataError, UnsupportedError
from ._library import lib
from ._panels import Panel, Panels
from ._plot_axes import COLOURS, LIMITS, READINGS, Labels, clean, make_axes, say_which

if TYPE_CHECKING:
    from ._model import Model

_MOST = 6
_TITLES = ("one-step errors", "autocorrelation", "cumulative periodogram")


def draw(model: Model, handle: Any, table: Any, labels: Labels, names: list[str], ax: Any) -> Any:
    """Three panels for each output, (outputs, 3)."""
    if _parts.count(handle, lib.LF_KIND_INPUT) != 1:
        raise UnsupportedError("what='residuals' is for models with one input; report() has the residuals of this one")
    if table is None:
        raise ArgumentError("what='residuals' needs the training rows, which the model file does not hold; give data=")
    panels = Panels(model, handle, model._posterior(), table, {"panels": "residuals", "only": names})
    order = {name: place for place, name in enumerate(names)}
    found = [panel for panel in panels if len(panels.table(panel, "periodogram")["frequency"])]
    found.sort(key=lambda panel: order[panel.name])
    if not found:
        raise DataError("no output has 20 training rows, which the tests of its residuals need")
    drawn = found[:_MOST] if ax is None else found
    figure, axes = make_axes(ax, 3 * len(drawn), 3, (3.9, 2.3), share=False)
    axes = axes.reshape(-1, 3)
    for own, panel in zip(axes, drawn):
        _errors(own[0], labels, panels.table(panel, "errors"))
        _autocorrelation(own[1], panels.table(panel, "autocorrelation"))
        _periodogram(own[2], labels, panels, panel)
        for place, title in zip(own, _TITLES):
            clean(place)
            place.set_title(f"{panel.name}: {title}", loc="left", fontsize="medium")
    say_which(figure, len(drawn), len(found), "outputs")
    return axes[0] if len(drawn) == 1 else axes


def _errors(ax: Any, labels: Labels, errors: dict[str, Any]) -> None:
    place, many = labels.place(errors["x"]), len(errors["x"]) > 3000
    ax.plot(place, errors["error"], ".", color=READINGS, markersize=3, alpha=0.7, markeredgewidth=0, rasterized=many)
    _limit_lines(ax, errors)
    labels.mark_dates(ax)
    ax.set_xlabel("" if labels.dated else labels.input())
    ax.set_ylabel("standard deviations")


def _limit_lines(ax: Any, table: dict[str, Any]) -> None:
    for side in ("lower", "upper"):
        ax.axhline(table[side][0], color=LIMITS, linewidth=0.8, linestyle="--")
    ax.axhline(0, color=LIMITS, linewidth=0.6)


def _autocorrelation(ax: Any, lags: dict[str, Any]) -> None:
    values = lags["autocorrelation"]
    ax.vlines(lags["lag"], 0, values, color=COLOURS[0], linewidth=2)
    _limit_lines(ax, lags)
    most = 1.1 * max(0.25, 1.2 * lags["upper"][0], float(np.abs(values).max(initial=0)))
    ax.set_ylim(-most, most)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("lag, in rows")


def _periodogram(ax: Any, labels: Labels, panels: Panels, panel: Panel) -> None:
    power, numbers = panels.table(panel, "periodogram"), panels.table(panel, "diagnosis")
    spacing = dict(zip(numbers["name"], numbers["value"]))["spacing"]
    frequency = power["frequency"]
    ax.plot(frequency, power["expected"], color=LIMITS, linewidth=0.6)
    for side in ("lower", "upper"):
        ax.plot(frequency, power[side], color=LIMITS, linewidth=0.8, linestyle="--")
    ax.plot(frequency, power["share"], color=COLOURS[0], linewidth=1.3)
    ax.set_ylim(0, 1)
    ax.set_xlim(0, frequency[-1])
    unit = (labels.time_unit() or "unit of the input") if math.isfinite(spacing) else "row"
    ax.set_xlabel(f"cycles per {unit}")
