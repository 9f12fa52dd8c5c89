"""Curves over one input: outputs with their readings, rates, states and forces."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _parts, _points
from ._columns import Array
from ._errors import ArgumentError, ModelError
from ._library import ffi, lib
from ._plot_axes import COLOURS, HELD_OUT, MOST, READINGS, Labels, clean, columns_for, make_axes, say_which, unwrap
from ._predict import Expanded, Targets, draws, expand, known_readings, moments, points_at
from ._shown_rows import Rows

if TYPE_CHECKING:
    from ._model import Model
    from ._plot import Wish

_GRID = 1000  # inputs of a curve; half as many where there are more than four panels
_MANY = 3000  # readings of a series from which on they are drawn as an image


@dataclass
class _Curves:
    """Mean and reach of the interval (replicates, targets, points), samples before these; points are in order."""

    x: Array
    mean: Array
    reach: Array
    samples: Array
    replicates: list[int]
    names: list[str]


def draw(model: Model, handle: Any, labels: Labels, targets: Targets, rows: Rows | None, wish: Wish) -> Any:
    """A panel for each target."""
    count = len(targets.names)
    if wish.names is None and wish.ax is None and count > MOST:
        targets = Targets(targets.heading, targets.first, targets.numbers[:MOST], targets.names[:MOST])
    drawn = len(targets.names)
    curves = _curves(model, handle, targets, rows, wish)
    columns = columns_for(drawn)
    size = {1: (7.5, 1.9), 2: (5.2, 1.7), 3: (4.2, 1.6)}[columns] if drawn > 1 else (7.5, 3.2)
    figure, axes = make_axes(wish.ax, drawn, columns, size, share=True)
    for i, ax in enumerate(axes):
        _panel(ax, labels, targets, i, curves, rows)
        if figure is None or i >= drawn - columns:
            ax.set_xlabel("" if labels.dated else labels.input())
    _legend(figure if columns > 1 else None, axes[0], curves, rows, wish)
    say_which(figure, drawn, count, wish.what)
    return unwrap(axes)


def _curves(model: Model, handle: Any, targets: Targets, rows: Rows | None, wish: Wish) -> _Curves:
    posterior, expanded = _points_of(model, handle, targets, rows, wish)
    mean, variance = moments(model, posterior, expanded)
    if wish.noise and wish.what == "outputs":
        variance = variance + np.array([_parts.noise(handle, int(d)) for d in expanded.target])
    n = len(expanded.points.x)
    shape = (-1, len(targets.names), n)
    reach = statistics.NormalDist().inv_cdf(0.5 + wish.level / 2) * np.sqrt(variance)
    samples = np.empty((0, len(mean)))
    if wish.samples:
        lib.lf_context_set_seed(model._context.pointer, wish.seed)
        samples = draws(model, posterior, expanded, wish.samples)
    order = np.argsort(expanded.points.x[:, 0], kind="stable")
    replicates = expanded.replicate.reshape(shape)[:, 0, 0].tolist()
    return _Curves(
        x=expanded.points.x[order],
        mean=mean.reshape(shape)[..., order],
        reach=reach.reshape(shape)[..., order],
        samples=samples.reshape(-1, *mean.reshape(shape).shape)[..., order],
        replicates=replicates,
        names=expanded.names,
    )


def _points_of(model: Model, handle: Any, targets: Targets, rows: Rows | None, wish: Wish) -> tuple[Any, Expanded]:
    """The posterior and its points: those that are given, or a grid over the readings and as far ahead as asked."""
    if wish.t is not None:
        if wish.ahead is not None:
            raise ArgumentError("give one of t and ahead=")
        posterior, points = points_at(model, handle, wish.t, wish.known)
        if points.target is not None or points.replicate is not None:
            raise ArgumentError("t names outputs or replicates in its rows; give the inputs alone")
        return posterior, expand(posterior, points, targets, wish.replicate)
    posterior = model._posterior()
    if wish.known is not None:
        posterior = model._posterior(fresh=True)
        readings = known_readings(model, handle, wish.known)
        model._context.check(lib.lf_posterior_update(model._context.pointer, posterior, readings, b"inputs"), "known inputs")
    low, high = _limits(model, handle, posterior, rows, wish.ahead)
    x = np.linspace(low, high, _GRID if len(targets.names) <= 4 else _GRID // 2)[:, np.newaxis]
    points = _points.Points(x, {}, shorten=True)
    return posterior, expand(posterior, points, targets, wish.replicate)


def _limits(model: Model, handle: Any, posterior: Any, rows: Rows | None, ahead: Any) -> tuple[float, float]:
    places = [ffi.new("double *", math.nan) for _ in range(4)]
    lib.lf_posterior_span(posterior, places[0], places[1])
    lib.lf_posterior_range(posterior, places[2], places[3])
    first, last, low, high = (float(place[0]) for place in places)
    ends = [end for end in (first, last) if math.isfinite(end)]
    if rows is not None:
        ends += [float(rows.x.min()), float(rows.x.max())]
    if not ends:
        ends = [end for end in (low, high) if math.isfinite(end)]
    if not ends:
        raise ModelError("the model does not contain the range of its training inputs; give t=")
    start, end = max(min(ends), low), min(max(ends), high)
    if ahead is not None:
        if not math.isfinite(last) and rows is not None and not rows.test.all():
            last = float(rows.x[~rows.test].max())
        if not math.isfinite(last):
            raise ModelError("ahead=: the model does not contain the range of its training inputs; give t= or data=")
        wanted = _points.end_of(model, handle, posterior, last, ahead)
        if wanted > high + 1e-9 * abs(high):
            raise ArgumentError(f"ahead={ahead}: the model cannot predict so far; fit with horizon= for that")
        end = max(end, min(wanted, high))
    return start, end


def _panel(ax: Any, labels: Labels, targets: Targets, i: int, curves: _Curves, rows: Rows | None) -> None:
    x = labels.place(curves.x)
    several = len(curves.replicates) > 1
    for place, replicate in enumerate(curves.replicates):
        colour = COLOURS[place % len(COLOURS)]
        mean, reach = curves.mean[place, i], curves.reach[place, i]
        ax.fill_between(x, mean - reach, mean + reach, color=colour, alpha=0.2, linewidth=0)
        for sample in curves.samples[:, place, i]:
            ax.plot(x, sample, color=colour, linewidth=0.6, alpha=0.6)
        ax.plot(x, mean, color=colour, linewidth=1.1, zorder=3)
        if rows is not None:
            _readings(
                ax,
                labels,
                rows.of(targets.numbers[i], replicate),
                colour if several else READINGS,
                colour if several else HELD_OUT,
            )
    clean(ax)
    labels.mark_dates(ax)
    ax.set_title(targets.names[i], loc="left", fontsize="medium")
    if targets.heading == "output":
        unit = labels.unit(targets.numbers[i] - targets.first)
        time = labels.time_unit()
        ax.set_ylabel(f"{unit}/{time}" if targets.first and unit and time else unit if not targets.first else "")
    ax.margins(x=0.01)


def _readings(ax: Any, labels: Labels, rows: Rows, colour: str, held_out: str) -> None:
    if len(rows.y) == 0:
        return
    x = labels.place(rows.x)
    known = rows.sd > 0
    many = len(rows.y) > _MANY
    if known.any():
        ax.errorbar(
            x[known], rows.y[known], 1.96 * rows.sd[known], fmt="none", ecolor=colour, elinewidth=0.6, alpha=0.6
        )
    size = {"markersize": 2 if many else 4.5, "rasterized": many, "linestyle": "none"}
    seen = ~rows.test
    ax.plot(x[seen], rows.y[seen], marker=".", color=colour, alpha=0.7, markeredgewidth=0, **size)
    if rows.test.any():
        ax.plot(
            x[rows.test],
            rows.y[rows.test],
            marker="o",
            color=held_out,
            markerfacecolor="none",
            markeredgewidth=0.8,
            **{**size, "markersize": 3.5},
        )


def _legend(figure: Any, ax: Any, curves: _Curves, rows: Rows | None, wish: Wish) -> None:
    """One line: above the panels of a figure, or else above the first panel, beside its title."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = []
    several = len(curves.replicates) > 1
    if rows is not None:
        points: dict[str, Any] = {"linestyle": "none", "color": READINGS}
        entries.append(Line2D([], [], marker=".", markeredgewidth=0, label="readings", **points))
        if rows.test.any():
            held: dict[str, Any] = {**points, "color": READINGS if several else HELD_OUT}
            entries.append(Line2D([], [], marker="o", markersize=4, markerfacecolor="none", label="held out", **held))
    interval = f"{100 * wish.level:g} %"
    if several:
        shown, more = curves.replicates[: len(COLOURS)], len(curves.replicates) - len(COLOURS)
        entries += [Line2D([], [], color=COLOURS[i], label=curves.names[r]) for i, r in enumerate(shown)]
        if more > 0:
            entries.append(Line2D([], [], linestyle="none", label=f"and {more} more"))
    else:
        entries.append(Line2D([], [], color=COLOURS[0], linewidth=1.3, label="mean"))
        of = " of readings" if wish.noise and wish.what == "outputs" else ""
        entries.append(Patch(color=COLOURS[0], alpha=0.2, linewidth=0, label=interval + of))
    style = {"ncol": len(entries), "fontsize": "small", "frameon": False, "handlelength": 1.4, "borderaxespad": 0.2}
    if figure is not None:
        figure.suptitle(" ", fontsize="small")  # keeps its place free
        figure.legend(handles=entries, loc="upper right", **style)
    else:
        ax.legend(handles=entries, loc="lower right", bbox_to_anchor=(1.0, 1.0), **style)
