"""The posterior of a fitted model given other rows: what ``latentforce condition`` computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _data, _points
from ._library import ffi, lib
from ._score import check_outputs
from ._sources import Reading, Source

if TYPE_CHECKING:
    from ._model import Model


def condition(model: Model, handle: Any, source: Source, options: Mapping[str, Any], at: Any) -> Any:
    """Replaces the posterior that is stored in a model; returns the rows."""
    context = model._context
    data = source.read(context, Reading(options, handle))
    check_outputs(model, handle, source.name, data)
    rows = _data.select(context, data, handle, "train", source.name)
    reach = ffi.NULL
    if at is not None and _data.dimensions(rows) == 1:
        inputs, _ = _points.read_inputs(model, handle, at)
        asked = (lib.lf_points_request, lib.lf_points_free, "lf_points", context.pointer, handle, rows)
        reach = context.make(*asked, ffi.NULL, ffi.NULL, inputs)
    made = (lib.lf_posterior_create, lib.lf_posterior_free, "lf_posterior", context.pointer, handle, rows)
    posterior = context.make(*made, ffi.NULL, reach)
    context.check(lib.lf_posterior_store(posterior, handle))
    return data
