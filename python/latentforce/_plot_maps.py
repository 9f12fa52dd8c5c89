"""Figures of models with several inputs: maps for two, observed against predicted values for more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _describe, _points
from ._columns import Array
from ._errors import ArgumentError
from ._plot_axes import COLOURS, HELD_OUT, MOST, READINGS, Labels, clean, make_axes, say_which, unwrap
from ._predict import Targets, expand, moments
from ._shown_rows import Rows

if TYPE_CHECKING:
    from ._model import Model
    from ._plot import Wish

_SIDE = 60  # points of a side of a map


def _first(targets: Targets, wish: Wish) -> Targets:
    if wish.names is not None or wish.ax is not None or len(targets.names) <= MOST:
        return targets
    return Targets(targets.heading, targets.first, targets.numbers[:MOST], targets.names[:MOST])


def _replicate(posterior: Any, wish: Wish) -> tuple[int, str]:
    """The replicate of a map, the first unless one is named: its number and its name."""
    names = _describe.replicates(posterior)
    if not names:
        return 0, ""
    asked = names[0] if wish.replicate is None else wish.replicate
    name = asked if isinstance(asked, str) else asked[0]
    if name not in names:
        raise ArgumentError(f"replicate={name!r}: the replicates are {', '.join(names)}")
    return names.index(name), name


def draw_maps(model: Model, handle: Any, labels: Labels, targets: Targets, rows: Rows | None, wish: Wish) -> Any:
    """A map of the mean of each target, with the readings in the same colours."""
    count, targets = len(targets.names), _first(targets, wish)
    posterior = model._posterior()
    number, name = _replicate(posterior, wish)
    if rows is not None:
        sides = [np.linspace(rows.x[:, k].min(), rows.x[:, k].max(), _SIDE) for k in range(2)]
        x = np.stack([part.ravel() for part in np.meshgrid(*sides, indexing="ij")], axis=1)
    else:
        x = _points.grid(model, handle, posterior, _SIDE).x
        sides = [np.unique(x[:, k]) for k in range(2)]
    points = _points.Points(x, {}, shorten=True)
    expanded = expand(posterior, points, targets, [name] if name else None)
    mean, _ = moments(model, posterior, expanded)
    maps = mean.reshape(len(targets.names), len(sides[0]), len(sides[1]))
    columns = min(len(targets.names), 3)
    figure, axes = make_axes(wish.ax, len(targets.names), columns, (4.4, 3.6), share=False)
    for i, ax in enumerate(axes):
        own = rows.of(targets.numbers[i], number) if rows is not None and wish.what == "outputs" else None
        mesh = _map(ax, labels, sides, maps[i], own)
        bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.9)
        bar.outline.set_visible(False)
        if wish.what == "outputs":
            bar.set_label(labels.unit(targets.numbers[i]))
        title = targets.names[i] + (f", {name}" if name else "")
        ax.set_title(title, loc="left", fontsize="medium")
    say_which(figure, len(targets.names), count, wish.what)
    return unwrap(axes)


def _map(ax: Any, labels: Labels, sides: list[Array], values: Array, rows: Rows | None) -> Any:
    shown = values if rows is None or len(rows.y) == 0 else np.append(values.ravel(), rows.y)
    limits = {"vmin": shown.min(), "vmax": shown.max(), "cmap": "viridis"}
    mesh = ax.pcolormesh(sides[0], sides[1], values.T, shading="gouraud", rasterized=True, **limits)
    if rows is not None and len(rows.y):
        for test, marker, edge in ((False, "o", "white"), (True, "s", HELD_OUT)):
            own = rows.test == test
            place = rows.x[own]
            size = 16 if len(rows.y) < 500 else 8
            ax.scatter(
                place[:, 0], place[:, 1], size, rows.y[own], marker=marker, edgecolors=edge, linewidths=0.6, **limits
            )
    ax.set_xlabel(labels.input(0))
    ax.set_ylabel(labels.input(1))
    ax.spines[["top", "right"]].set_visible(False)
    return mesh


def draw_against(model: Model, handle: Any, labels: Labels, targets: Targets, rows: Rows, wish: Wish) -> Any:
    """Observed values against predicted ones."""
    count, targets = len(targets.names), _first(targets, wish)
    posterior = model._posterior()
    names = _describe.replicates(posterior)
    columns = min(len(targets.names), 3)
    figure, axes = make_axes(wish.ax, len(targets.names), columns, (3.6, 3.4), share=False)
    for ax, number, name in zip(axes, targets.numbers, targets.names):
        own = (rows.output == number) & (rows.replicate >= 0)
        labels_of_rows = [names[r] for r in rows.replicate[own]] if names else None
        target = np.full(own.sum(), number, np.intc)
        points = _points.Points(rows.x[own], {}, target=target, replicate=labels_of_rows)
        mean, _ = moments(model, posterior, expand(posterior, points, targets, None)) if own.any() else (np.empty(0), 0)
        y, test = rows.y[own], rows.test[own]
        ax.plot(mean[~test], y[~test], ".", color=READINGS, markersize=3, alpha=0.7, label="readings")
        if test.any():
            ax.plot(mean[test], y[test], "o", color=HELD_OUT, markersize=4, markerfacecolor="none", label="held out")
            ax.legend(fontsize="small", frameon=False)
        if len(y):
            ends = [min(mean.min(), y.min()), max(mean.max(), y.max())]
            ax.plot(ends, ends, color=COLOURS[0], linewidth=1)
        clean(ax)
        unit = labels.unit(number)
        ax.set_xlabel(f"predicted [{unit}]" if unit else "predicted")
        ax.set_ylabel("observed")
        ax.set_title(name, loc="left", fontsize="medium")
    say_which(figure, len(targets.names), count, wish.what)
    return unwrap(axes)
