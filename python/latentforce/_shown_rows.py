"""The rows of data that plots and reports show beside the curves of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._errors import DataError
from ._score import check_outputs
from ._sources import Reading
from ._tables import source_of

if TYPE_CHECKING:
    from ._model import Model


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
