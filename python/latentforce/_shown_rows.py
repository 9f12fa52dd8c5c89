"""The rows of data that plots and reports show beside the curves of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _data, _describe
from ._columns import Array
from ._errors import DataError
from ._points import points_of
from ._score import check_outputs
from ._sources import Reading
from ._tables import source_of

if TYPE_CHECKING:
    from ._model import Model


@dataclass
class Rows:
    """Readings of outputs as arrays; `replicate` numbers those of the posterior."""

    x: Array  # (n, p)
    y: Array
    sd: Array
    output: Array
    replicate: Array
    test: Array

    def of(self, output: int, replicate: int) -> Rows:
        """Those of one output and one replicate."""
        own = (self.output == output) & (self.replicate == replicate)
        return Rows(self.x[own], self.y[own], self.sd[own], self.output[own], self.replicate[own], self.test[own])


def read(model: Model, handle: Any, data: Any, options: Mapping[str, Any]) -> Any:
    """The table that a user gives, or else the one that the model was fitted to; None where there is neither."""
    if data is None:
        if options:
            raise DataError(f"{next(iter(options))}= is for reading data; give data= too")
        return model._rows
    source = source_of(data)
    table = source.read(model._context, Reading(options, handle))
    check_outputs(model, handle, source.name, table)
    return table


def arrays(model: Model, handle: Any, posterior: Any, table: Any) -> Rows | None:
    """The rows of outputs of a table; None where there are none."""
    if table is None:
        return None
    found, empty = _data.find(model._context, table, handle, "outputs")
    return None if empty else _arrays(model, handle, posterior, found)


def _arrays(model: Model, handle: Any, posterior: Any, table: Any) -> Rows:
    points = points_of(model, handle, table, with_outputs=True)
    n = len(points.x)
    names = _describe.replicates(posterior)
    replicate = np.zeros(n, int)
    if names:
        if points.replicate is None:
            raise DataError("the data have no column replicate, but the training data have replicates")
        number = {name: r for r, name in enumerate(names)}
        replicate = np.array([number.get(name, -1) for name in points.replicate])
    assert points.target is not None
    return Rows(
        x=points.x,
        y=_data.numbers(table, "y"),
        sd=_data.numbers(table, "sd"),
        output=points.target,
        replicate=replicate,
        test=_data.codes(table, "split") == 2,
    )
