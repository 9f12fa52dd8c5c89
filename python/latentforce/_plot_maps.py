"""Figures of models with several inputs: maps for two, observed against predicted values for more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _describe
from ._columns import Array
from ._errors import ArgumentError, ModelError
from ._panels import Panels
from ._plot_axes import COLOURS, HELD_OUT, MOST, READINGS, Labels, clean, make_axes, say_which, unwrap
from ._predict import Targets

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


def draw_maps(model: Model, handle: Any, labels: Labels, targets: Targets, table: Any, wish: Wish) -> Any:
    """A map of the mean of each target, with the readings in the same colours."""
    count, targets = len(targets.names), _first(targets, wish)
    posterior = model._posterior()
    number, name = _replicate(posterior, wish)
    chosen = {"panels": wish.what, "only": targets.names, "replicate": [name] if name else [], "rows": "all"}
    panels = Panels(model, handle, posterior, table, {**chosen, "grid": _SIDE})
    if not panels.has_range:
        raise ModelError("the model does not contain the range of its training inputs; give data=")
    columns = min(len(targets.names), 3)
    figure, axes = make_axes(wish.ax, len(targets.names), columns, (4.4, 3.6), share=False)
    for i, ax in enumerate(axes):
        panel = next(panel for panel in panels.of(targets.names[i]) if panel.replicate == number)
        rows = panels.table(panel, "rows") if table is not None else {"y": np.empty(0)}
        mesh = _map(ax, labels, panels.table(panel, "map"), rows)
        bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.9)
        bar.outline.set_visible(False)
        if wish.what == "outputs":
            bar.set_label(labels.unit(targets.numbers[i]))
        title = targets.names[i] + (f", {name}" if name else "")
        ax.set_title(title, loc="left", fontsize="medium")
    say_which(figure, len(targets.names), count, wish.what)
    return unwrap(axes)


def _map(ax: Any, labels: Labels, grid: dict[str, Any], rows: dict[str, Any]) -> Any:
    mean: Array = grid["mean"].reshape(_SIDE, _SIDE)
    shown = np.append(mean.ravel(), rows["y"])
    limits = {"vmin": shown.min(), "vmax": shown.max(), "cmap": "viridis"}
    sides = grid["x1"][::_SIDE], grid["x2"][:_SIDE]
    mesh = ax.pcolormesh(*sides, mean.T, shading="gouraud", rasterized=True, **limits)
    size = 16 if len(rows["y"]) < 500 else 8
    for split, marker, edge in (("train", "o", "white"), ("test", "s", HELD_OUT)) if len(rows["y"]) else ():
        own = rows["split"] == split
        place = rows["x1"][own], rows["x2"][own]
        ax.scatter(*place, size, rows["y"][own], marker=marker, edgecolors=edge, linewidths=0.6, **limits)
    ax.set_xlabel(labels.input(0))
    ax.set_ylabel(labels.input(1))
    ax.spines[["top", "right"]].set_visible(False)
    return mesh


def draw_against(model: Model, handle: Any, labels: Labels, targets: Targets, table: Any, wish: Wish) -> Any:
    """Observed values against predicted ones."""
    count, targets = len(targets.names), _first(targets, wish)
    chosen = {"panels": "outputs", "only": targets.names, "rows": "all"}
    panels = Panels(model, handle, model._posterior(), table, chosen)
    columns = min(len(targets.names), 3)
    figure, axes = make_axes(wish.ax, len(targets.names), columns, (3.6, 3.4), share=False)
    for ax, number, name in zip(axes, targets.numbers, targets.names):
        each = [panels.table(panel, "rows") for panel in panels.of(name)]
        mean, y, split = (np.concatenate([rows[column] for rows in each]) for column in ("mean", "y", "split"))
        test = split == "test"
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
