"""Figures of a model by matplotlib: what ``latentforce plot`` draws with gnuplot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _parts, _plot_inputs, _plot_maps, _plot_residuals, _plot_series, _shown_rows
from ._context import Context
from ._errors import ArgumentError, UnsupportedError
from ._library import lib
from ._plot_axes import Labels
from ._predict import Targets, choose_targets
from ._result_tables import model_columns

if TYPE_CHECKING:
    from ._model import Model

KINDS = ("outputs", "forces", "rates", "states", "inputs", "residuals")


class Wish(NamedTuple):
    """The arguments of plot."""

    what: str
    names: str | Sequence[str] | None
    t: Any
    ahead: Any
    known: Any
    replicate: str | Sequence[str] | None
    ax: Any
    level: float
    noise: bool
    samples: int
    seed: int


def plot(model: Model, handle: Any, data: Any, options: dict[str, Any], wish: Wish) -> Any:
    """Draws; returns the axes."""
    if wish.what not in KINDS:
        raise ArgumentError(f"what={wish.what!r}: expected one of {', '.join(KINDS)}")
    if not 0 < wish.level < 1:
        raise ArgumentError(f"level={wish.level}: expected a probability between 0 and 1")
    if wish.names is not None and len(wish.names) == 0:
        raise ArgumentError("outputs names nothing to draw; leave it out for all")
    if wish.samples < 0:
        raise ArgumentError(f"samples={wish.samples}: expected 0 or more")
    table = _shown_rows.read(model, handle, data, options)
    labels = Labels(model, handle)
    if wish.what == "residuals":
        names = choose_targets(handle, outputs=wish.names).names
        return _plot_residuals.draw(model, handle, table, labels, names, wish.ax)
    if wish.what == "inputs":
        return _plot_inputs.draw(model, handle, labels, wish.names, wish.ax)
    targets = _targets(handle, wish.what, wish.names)
    shown = table if wish.what == "outputs" else None
    inputs = _parts.count(handle, lib.LF_KIND_INPUT)
    if inputs == 1:
        return _plot_series.draw(model, handle, labels, targets, shown, wish)
    if wish.ahead is not None or wish.samples or wish.t is not None:
        raise UnsupportedError("t=, ahead= and samples= are for models with one input")
    if inputs == 2:
        return _plot_maps.draw_maps(model, handle, labels, targets, shown, wish)
    if shown is None:
        raise UnsupportedError(
            f"the model has {inputs} inputs: only observed values against predicted ones can be drawn, and these need "
            "data="
        )
    return _plot_maps.draw_against(model, handle, labels, targets, shown, wish)


def _targets(handle: Any, what: str, names: str | Sequence[str] | None) -> Targets:
    """What is drawn. Forces that explain next to nothing are left out unless they are named."""
    if what in ("outputs", "rates"):
        return choose_targets(handle, rates=what == "rates", outputs=names)
    found = choose_targets(handle, states=what == "states", forces=what == "forces")
    if names is None:
        idle = _idle_forces(handle) if what == "forces" else []
        shown = [name for name in found.names if name not in idle] or found.names
    else:
        shown = [names] if isinstance(names, str) else list(names)
    for name in shown:
        if name not in found.names:
            raise ArgumentError(f"outputs: {name!r} is not one of the {what}, which are {', '.join(found.names)}")
    numbers = [found.numbers[found.names.index(name)] for name in shown]
    return Targets(found.heading, found.first, numbers, shown)


def _idle_forces(handle: Any) -> list[str]:
    forces = model_columns(Context(), handle, "forces")
    return [name for name, idle in zip(forces["force"], forces["idle"]) if idle]
