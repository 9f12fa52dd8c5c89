"""Scores of rows and updates with newer rows: what ``latentforce score`` and ``latentforce update`` compute."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import _data, _describe, _parts
from ._context import Context, text_of
from ._errors import DataError, ScoreWarning
from ._frames import frame_of
from ._library import ffi, lib
from ._options import of_verb
from ._progress import Watch, report, run_interruptibly
from ._result_tables import columns_of
from ._sources import Reading, Source

if TYPE_CHECKING:
    from ._model import Model


def check_outputs(model: Model, handle: Any, name: str, data: Any) -> None:
    """Refuses outputs that the model does not have."""
    count = _parts.count(handle, lib.LF_KIND_INPUT)
    if _data.dimensions(data) != count:
        raise DataError(
            f"{name}: a row has {_data.dimensions(data)} inputs, but the model has {count}; "
            "time= or x= names their columns"
        )
    for output in _data.names(data, lib.LF_KIND_OUTPUT):
        text = output.encode()
        if _parts.find(handle, lib.LF_KIND_OUTPUT, text) < 0 and _parts.find(handle, lib.LF_KIND_KNOWN, text) < 0:
            raise DataError(
                f"{name}: the output {output!r} is not in the model; its outputs are {', '.join(_describe.outputs(handle))}"
            )


def continue_with(model: Model, name: str, data: Any, posterior: Any) -> None:
    """Continues a posterior with newer rows of outputs; without any, adds readings of known inputs."""
    model._context.check(lib.lf_posterior_update(model._context.pointer, posterior, data, ffi.NULL), name)


def score(model: Model, handle: Any, source: Source, options: Mapping[str, Any]) -> Any:
    """The table of scores."""
    context = model._context
    data = source.read(context, Reading(options, handle))
    posterior = model._posterior(fresh=_parts.count(handle, lib.LF_KIND_KNOWN) > 0)  # it takes readings of known inputs
    validate = of_verb(context, "validate", {"table_name": source.name})
    make = (lib.lf_score, lib.lf_scores_free, "lf_scores", context.pointer, posterior, data, validate)
    scores = context.make(*make)
    info = ffi.new("lf_scores_info *", {"size": ffi.sizeof("lf_scores_info")})
    context.check(lib.lf_scores_get(context.pointer, scores, info))
    if text_of(info.scored) == "training":
        warnings.warn(
            f"{source.name}: no row is marked test: these are scores of the {info.rows} training rows, which say how well "
            "the model fits, not how well it predicts",
            ScoreWarning,
            stacklevel=3,
        )
    return _table(context, scores)


def cross_validate(
    model: Model, handle: Any, source: Source, how: Mapping[str, Any], start: Model | None, options: Mapping[str, Any]
) -> Any:
    """The table of the scores of rows that are withheld in turn."""
    context = model._context
    data = source.read(context, Reading(options, handle))
    validate = of_verb(context, "validate", {"table_name": source.name, **how})
    if start is not None:
        start._use(lambda first: context.check(lib.lf_options_set_model(context.pointer, validate, first)))
    place = ffi.new("lf_scores **")
    run_watched(context, lambda: lib.lf_cross_validate(context.pointer, handle, data, validate, place))
    return _table(context, context.own(place[0], lib.lf_scores_free))


def run_watched(context: Context, call: Callable[[], int]) -> None:
    """Makes a call that takes long and that Ctrl-C ends."""
    watch = Watch(None)
    user = ffi.new_handle(watch)
    lib.lf_context_set_progress(context.pointer, report, user)
    try:
        status = run_interruptibly(call, watch)
    finally:
        lib.lf_context_set_progress(context.pointer, ffi.NULL, ffi.NULL)
    if watch.interrupted and status == lib.LF_ERROR_CANCELLED:
        raise KeyboardInterrupt
    context.check(status)


def _table(context: Context, scores: Any) -> Any:
    make = (lib.lf_scores_table, lib.lf_table_free, "lf_table", context.pointer, scores, b"outputs")
    columns = columns_of(context, context.make(*make))
    columns["output"][-1] = "all"
    columns["n"] = columns["n"].astype(np.int64)
    return frame_of(columns, index="output")
