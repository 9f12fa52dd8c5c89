"""What all figures share: axes, colours, labels, dates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _describe, _parts
from ._columns import Array
from ._context import text_of
from ._errors import ArgumentError
from ._points import shown

if TYPE_CHECKING:
    from ._model import Model

MOST = 12  # axes of a figure, unless names are given
# Of Okabe and Ito, told apart with every kind of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
HELD_OUT = COLOURS[1]
READINGS = "#333333"
LIMITS = "#777777"


def pyplot() -> Any:
    """The module matplotlib.pyplot."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError(f"{error}: plots need matplotlib; install it with 'pip install matplotlib'") from error
    return matplotlib.pyplot


def make_axes(ax: Any, count: int, columns: int, size: tuple[float, float], share: bool) -> tuple[Any, Array]:
    """The figure, where it is a new one, and `count` axes: those that the user gives, or new ones."""
    pyplot()
    if ax is not None:
        given = np.array(ax, object).ravel() if isinstance(ax, (list, tuple, np.ndarray)) else np.array([ax], object)
        if len(given) != count:
            raise ArgumentError(
                f"ax has {len(given)} axes, but {count} are drawn; choose with outputs=, or give {count}"
            )
        return None, given
    rows = -(-count // columns)
    figure, grid = pyplot().subplots(
        rows,
        columns,
        figsize=(size[0] * columns, size[1] * rows + 0.4),
        squeeze=False,
        sharex=share,
        constrained_layout=True,
    )
    axes = np.array(grid, object).ravel()
    for unused in axes[count:]:
        figure.delaxes(unused)
    if share:  # above a place without axes the numbers are needed
        for above in axes[max(count - columns, 0) : count]:
            above.tick_params(labelbottom=True)
    return figure, axes[:count]


def columns_for(count: int) -> int:
    """The columns of a figure of series."""
    return 1 if count <= 4 else 2 if count <= 8 else 3


def clean(ax: Any) -> None:
    """Thin lines around what is drawn."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="#e6e6e6", linewidth=0.6)
    ax.set_axisbelow(True)


def say_which(figure: Any, drawn: int, count: int, what: str) -> None:
    """States below a figure that not everything is in it."""
    if figure is not None and drawn < count:
        text = f"the first {drawn} of {count} {what}; outputs= chooses others"
        figure.supxlabel(text, fontsize="small", color=LIMITS)


def unwrap(axes: Array) -> Any:
    """One axes as it is, several as an array."""
    return axes[0] if len(axes) == 1 else axes


class Labels:
    """Names and units of inputs and outputs, and inputs as they are drawn."""

    def __init__(self, model: Model, handle: Any) -> None:
        self._model = model
        self._handle = handle
        self.inputs = _describe.inputs(handle)
        self.dated = bool(_parts.label_of_input(handle, 0).dated)

    def input(self, k: int = 0) -> str:
        """The label of an axis of inputs."""
        info = _parts.label_of_input(self._handle, k)
        unit = text_of(info.file_unit) or text_of(info.unit)
        name = text_of(info.name) or self.inputs[k]
        return name if info.dated or not unit else f"{name} [{unit}]"

    def unit(self, output: int) -> str:
        """The unit of an output."""
        return text_of(_parts.output(self._handle, output).unit)

    def time_unit(self) -> str:
        """The unit in which the model counts time."""
        return text_of(_parts.label_of_input(self._handle, 0).unit)

    def place(self, x: Array, k: int = 0) -> Any:
        """Inputs as matplotlib draws them: numbers, or dates on the clock of the data."""
        values = shown(self._model, self._handle, np.reshape(x, (len(x), -1)))[self.inputs[k]]
        return values.tz_localize(None).to_numpy() if hasattr(values, "tz_localize") else np.asarray(values)

    def mark_dates(self, ax: Any) -> None:
        """Gives the axis of a dated model its ticks."""
        if not self.dated:
            return
        from matplotlib import dates

        locator = dates.AutoDateLocator(minticks=3, maxticks=8)
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
