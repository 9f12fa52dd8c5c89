"""Figures of known inputs: their readings as lines, steps or doses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _describe
from ._errors import ArgumentError, ModelError
from ._panels import Panels
from ._plot_axes import COLOURS, MOST, Labels, clean, columns_for, make_axes, say_which, unwrap

if TYPE_CHECKING:
    from ._model import Model


def draw(model: Model, handle: Any, labels: Labels, names: str | Sequence[str] | None, ax: Any) -> Any:
    """A panel for each known input."""
    known = _describe.known_inputs(handle)
    if not known:
        raise ModelError("the model has no known inputs")
    asked = known if names is None else [names] if isinstance(names, str) else list(names)
    for name in asked:
        if name not in known:
            raise ArgumentError(f"outputs: {name!r} is not one of the known inputs, which are {', '.join(known)}")
    drawn = asked[:MOST] if names is None and ax is None else asked
    columns = columns_for(len(drawn))
    figure, axes = make_axes(ax, len(drawn), columns, (7.5 if columns == 1 else 5.0, 1.9), share=True)
    panels = Panels(model, handle, model._posterior(), None, {"panels": "inputs", "only": drawn, "rows": "all"})
    for place, name in zip(axes, drawn):
        _panel(place, panels, labels, name)
        place.set_title(name, loc="left", fontsize="medium")
    for place in axes if figure is None else axes[-columns:]:
        place.set_xlabel("" if labels.dated else labels.input())
    say_which(figure, len(drawn), len(asked), "known inputs")
    return unwrap(axes)


def _panel(ax: Any, panels: Panels, labels: Labels, name: str) -> None:
    for panel in panels.of(name):
        readings = panels.table(panel, "readings")
        colour = COLOURS[panel.replicate % len(COLOURS)]
        place, value = labels.place(readings["x"]), readings["value"]
        if panel.between == "impulse":
            ax.vlines(place, 0, value, color=colour, linewidth=1.5)
            ax.plot(place, value, "o", color=colour, markersize=3)
        else:
            style = "steps-post" if panel.between == "constant" else None
            ax.plot(place, value, color=colour, linewidth=1.1, drawstyle=style)
        ax.set_ylabel(panel.unit)
    clean(ax)
    labels.mark_dates(ax)
