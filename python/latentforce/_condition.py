"""The posterior of a fitted model given other rows: what ``latentforce condition`` computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _data, _points
from ._context import Context
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
    settings = ffi.new("lf_engine_options *")
    settings.size = ffi.sizeof("lf_engine_options")
    if at is not None and _data.dimensions(rows) == 1:
        _reach(model, handle, context, rows, at, settings)
    engine = context.make(
        lib.lf_engine_create, lib.lf_engine_free, "lf_engine", context.pointer, handle, rows, settings
    )
    posterior = context.make(lib.lf_engine_posterior, lib.lf_posterior_free, "lf_posterior", engine)
    context.check(lib.lf_posterior_store(posterior, handle))
    return data


def _reach(model: Model, handle: Any, context: Context, rows: Any, at: Any, settings: Any) -> None:
    """Engines with waves predict as far beyond the rows as they are told to."""
    x = _data.numbers(_data.select(context, rows, handle, "outputs"), "x")
    asked = _points.given(model, handle, at, with_outputs=False).x[:, 0]
    settings.ahead = max(asked.max() - x.max(), 0.0)
    settings.behind = max(x.min() - asked.min(), 0.0)
