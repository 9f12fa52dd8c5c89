"""Curves over one input: outputs with their readings, rates, states and forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _data, _describe, _points
from ._columns import Array
from ._errors import ArgumentError
from ._library import lib
from ._panels import Panel, Panels
from ._plot_axes import COLOURS, HELD_OUT, MOST, READINGS, Labels, clean, columns_for, make_axes, say_which, unwrap
from ._predict import Request, Targets, ask, draws, intervals, known_readings, readings_of, series

if TYPE_CHECKING:
    from ._model import Model
    from ._plot import Wish

_GRID = 1000  # inputs of a curve; half as many where there are more than four panels
_MANY = 3000  # readings of a series from which on they are drawn as an image


@dataclass
class _Curves:
    """Mean and interval (replicates, targets, points), samples before these; points are in order."""

    x: Array
    mean: Array
    lower: Array
    upper: Array
    samples: Array
    replicates: list[int]
    names: list[str]
    rows: dict[tuple[int, int], dict[str, Any]]  # the readings by replicate and target

    @property
    def held_out(self) -> bool:
        """Whether any reading is."""
        return any((rows["split"] == "test").any() for rows in self.rows.values())


def draw(model: Model, handle: Any, labels: Labels, targets: Targets, table: Any, wish: Wish) -> Any:
    """A panel for each target; of outputs with the readings of a table."""
    count = len(targets.names)
    if wish.names is None and wish.ax is None and count > MOST:
        targets = Targets(targets.heading, targets.first, targets.numbers[:MOST], targets.names[:MOST])
    drawn = len(targets.names)
    curves = _curves(model, handle, targets, table, wish)
    columns = columns_for(drawn)
    size = {1: (7.5, 1.9), 2: (5.2, 1.7), 3: (4.2, 1.6)}[columns] if drawn > 1 else (7.5, 3.2)
    figure, axes = make_axes(wish.ax, drawn, columns, size, share=True)
    for i, ax in enumerate(axes):
        _panel(ax, labels, targets, i, curves)
        if figure is None or i >= drawn - columns:
            ax.set_xlabel("" if labels.dated else labels.input())
    _legend(figure if columns > 1 else None, axes[0], curves, wish)
    say_which(figure, drawn, count, wish.what)
    return unwrap(axes)


def _curves(model: Model, handle: Any, targets: Targets, table: Any, wish: Wish) -> _Curves:
    if wish.t is not None:
        return _asked(model, handle, targets, table, wish)
    posterior = model._posterior()
    if wish.known is not None:
        posterior = model._posterior(fresh=True)
        readings = known_readings(model, handle, wish.known)
        status = lib.lf_posterior_update(model._context.pointer, posterior, readings, b"inputs")
        model._context.check(status, "known inputs")
    asked: dict[str, Any] = {"grid": _GRID if len(targets.names) <= 4 else _GRID // 2, "level": wish.level}
    if wish.ahead is not None:
        asked["ahead"] = _points.span_text("ahead", wish.ahead)
    panels = _panels(model, handle, posterior, targets, table, wish, asked)
    new = "_new" if wish.noise and wish.what == "outputs" else ""
    chosen = [_in_order(panels.of(name), wish.replicate) for name in targets.names]
    tables = [[panels.table(panel, "curve") for panel in each] for each in chosen]
    ends = ("mean", "lower" + new, "upper" + new)
    columns = (np.array([[one[name] for one in each] for each in tables]) for name in ends)
    mean, lower, upper = (np.swapaxes(column, 0, 1) for column in columns)
    x = tables[0][0]["x"][:, np.newaxis]
    samples, replicates = np.empty((0, *mean.shape)), [panel.replicate for panel in chosen[0]]
    if wish.samples:
        lib.lf_context_set_seed(model._context.pointer, wish.seed)
        samples = draws(model, posterior, series(model, targets, replicates, x), wish.samples)
    names = _describe.replicates(posterior)
    return _Curves(x, mean, lower, upper, samples, replicates, names, _rows(panels, targets, table))


def _in_order(panels: list[Panel], replicate: Any) -> list[Panel]:
    """The panels in the order in which replicates are named."""
    if replicate is None or isinstance(replicate, str):
        return panels
    order = [str(name) for name in replicate]
    return sorted(panels, key=lambda panel: order.index(panel.replicate_name))


def _panels(
    model: Model, handle: Any, posterior: Any, targets: Targets, table: Any, wish: Wish, options: dict[str, Any]
) -> Panels:
    """The panels of the targets."""
    replicate = [] if wish.replicate is None else wish.replicate
    chosen = {"panels": wish.what, "only": targets.names, "replicate": replicate, "rows": "all"}
    return Panels(model, handle, posterior, table, {**chosen, **options})


def _rows(panels: Panels, targets: Targets, table: Any) -> dict[tuple[int, int], dict[str, Any]]:
    """The readings of outputs by replicate and target."""
    if table is None:
        return {}
    each = [(i, panel) for i, name in enumerate(targets.names) for panel in panels.of(name)]
    return {(panel.replicate, i): panels.table(panel, "rows") for i, panel in each}


def _asked(model: Model, handle: Any, targets: Targets, table: Any, wish: Wish) -> _Curves:
    """The curves at inputs that are given."""
    if wish.ahead is not None:
        raise ArgumentError("give one of t and ahead=")
    kind = (wish.what == word for word in ("rates", "states", "forces"))
    asked = ask(model, handle, Request(wish.t, None, None, None, None, wish.replicate, wish.known, *kind), {})
    names, data = asked.names, asked.inputs
    own = ~readings_of(handle, data)
    if _data.names(data, lib.LF_KIND_REPLICATE) or (_data.codes(data, "output")[own] >= 0).any():
        raise ArgumentError("t names outputs or replicates in its rows; give the inputs alone")
    chosen = [wish.replicate] if isinstance(wish.replicate, str) else wish.replicate
    replicates = list(range(max(len(names), 1))) if chosen is None else [names.index(str(name)) for name in chosen]
    x = _data.numbers(data, "x")[own]
    points = series(model, targets, replicates, x, _data.numbers(data, "width")[own])
    columns = intervals(model, asked.posterior, points, wish.level, wish.noise)
    samples = np.empty((0, *points.shape))
    if wish.samples:
        lib.lf_context_set_seed(model._context.pointer, wish.seed)
        samples = draws(model, asked.posterior, points, wish.samples)
    order = np.argsort(x[:, 0], kind="stable")
    mean, lower, upper = (column[..., order] for column in columns)
    panels = None if table is None else _panels(model, handle, asked.posterior, targets, table, wish, {})
    rows = {} if panels is None else _rows(panels, targets, table)
    return _Curves(x[order], mean, lower, upper, samples[..., order], replicates, names, rows)


def _panel(ax: Any, labels: Labels, targets: Targets, i: int, curves: _Curves) -> None:
    x = labels.place(curves.x)
    several = len(curves.replicates) > 1
    for place, replicate in enumerate(curves.replicates):
        colour = COLOURS[place % len(COLOURS)]
        ax.fill_between(x, curves.lower[place, i], curves.upper[place, i], color=colour, alpha=0.2, linewidth=0)
        for sample in curves.samples[:, place, i]:
            ax.plot(x, sample, color=colour, linewidth=0.6, alpha=0.6)
        ax.plot(x, curves.mean[place, i], color=colour, linewidth=1.1, zorder=3)
        rows = curves.rows.get((replicate, i))
        if rows is not None:
            _readings(ax, labels, rows, colour if several else READINGS, colour if several else HELD_OUT)
    clean(ax)
    labels.mark_dates(ax)
    ax.set_title(targets.names[i], loc="left", fontsize="medium")
    if targets.heading == "output":
        unit = labels.unit(targets.numbers[i] - targets.first)
        time = labels.time_unit()
        ax.set_ylabel(f"{unit}/{time}" if targets.first and unit and time else unit if not targets.first else "")
    ax.margins(x=0.01)


def _readings(ax: Any, labels: Labels, rows: dict[str, Any], colour: str, held_out: str) -> None:
    x, y, test = rows["x"], rows["y"], rows["split"] == "test"
    if len(y) == 0:
        return
    place, known, many = labels.place(x), rows["upper"] > y, len(y) > _MANY
    if known.any():
        ends = np.stack([y - rows["lower"], rows["upper"] - y])[:, known]
        ax.errorbar(place[known], y[known], ends, fmt="none", ecolor=colour, elinewidth=0.6, alpha=0.6)
    size = {"markersize": 2 if many else 4.5, "rasterized": many, "linestyle": "none"}
    ax.plot(place[~test], y[~test], marker=".", color=colour, alpha=0.7, markeredgewidth=0, **size)
    if test.any():
        hollow = {**size, "markersize": 3.5, "markerfacecolor": "none", "markeredgewidth": 0.8}
        ax.plot(place[test], y[test], marker="o", color=held_out, **hollow)


def _legend(figure: Any, ax: Any, curves: _Curves, wish: Wish) -> None:
    """One line: above the panels of a figure, or else above the first panel, beside its title."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = []
    several = len(curves.replicates) > 1
    if curves.rows:
        points: dict[str, Any] = {"linestyle": "none", "color": READINGS}
        entries.append(Line2D([], [], marker=".", markeredgewidth=0, label="readings", **points))
        if curves.held_out:
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
