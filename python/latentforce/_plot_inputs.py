"""Figures of known inputs: their readings as lines, steps or doses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _describe, _parts
from ._columns import Array
from ._context import text_of
from ._data import data_array
from ._errors import ArgumentError, ModelError
from ._library import ffi, lib
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
    posterior = model._posterior()
    for panel, name in zip(axes, drawn):
        _panel(panel, handle, posterior, labels, known.index(name))
        panel.set_title(name, loc="left", fontsize="medium")
    for panel in axes if figure is None else axes[-columns:]:
        panel.set_xlabel("" if labels.dated else labels.input())
    say_which(figure, len(drawn), len(asked), "known inputs")
    return unwrap(axes)


def _panel(ax: Any, handle: Any, posterior: Any, labels: Labels, known: int) -> None:
    between = text_of(_parts.label(handle, lib.LF_KIND_KNOWN, known).between)
    for replicate in range(lib.lf_posterior_replicate_count(posterior)):
        x, value = _readings(posterior, replicate, known)
        colour = COLOURS[replicate % len(COLOURS)]
        place = labels.place(x)
        if between == "impulse":
            ax.vlines(place, 0, value, color=colour, linewidth=1.5)
            ax.plot(place, value, "o", color=colour, markersize=3)
        else:
            ax.plot(
                place, value, color=colour, linewidth=1.1, drawstyle="steps-post" if between == "constant" else None
            )
    clean(ax)
    labels.mark_dates(ax)
    ax.set_ylabel(text_of(_parts.label(handle, lib.LF_KIND_KNOWN, known).unit))


def _readings(posterior: Any, replicate: int, known: int) -> tuple[Array, Array]:
    x, value = ffi.new("const double **"), ffi.new("const double **")
    count = lib.lf_posterior_readings(posterior, replicate, known, x, value)
    return data_array(x[0], count, float), data_array(value[0], count, float)
