"""Scores of rows and updates with newer rows: what ``latentforce score`` and ``latentforce update`` compute."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _data, _describe, _predict
from ._columns import Array
from ._errors import DataError, ScoreWarning
from ._frames import frame_of
from ._library import ffi, lib
from ._points import points_of
from ._sources import Reading, Source

if TYPE_CHECKING:
    from ._model import Model


def check_outputs(model: Model, handle: Any, name: str, data: Any) -> None:
    """Refuses outputs that the model does not have."""
    if _data.dimensions(data) != lib.lf_model_input_dim(handle):
        raise DataError(
            f"{name}: a row has {_data.dimensions(data)} inputs, but the model has {lib.lf_model_input_dim(handle)}; "
            "time= or x= names their columns"
        )
    for output in _data.names(data, lib.LF_KIND_OUTPUT):
        text = output.encode()
        if lib.lf_model_find_output(handle, text) < 0 and lib.lf_model_find_known(handle, text) < 0:
            raise DataError(
                f"{name}: the output {output!r} is not in the model; its outputs are {', '.join(_describe.outputs(handle))}"
            )


def _select(model: Model, handle: Any, name: str, data: Any, rows: str) -> Any:
    return _data.select(model._context, data, handle, rows, name)


def _tests(handle: Any, data: Any) -> Any:
    """Which rows of outputs are marked test."""
    names = _data.names(data, lib.LF_KIND_OUTPUT)
    known = np.array([lib.lf_model_find_known(handle, name.encode()) >= 0 for name in names], bool)
    return (_data.codes(data, "split") == 2)[~known[_data.codes(data, "output")]]


def continue_with(model: Model, handle: Any, name: str, data: Any, posterior: Any) -> None:
    """Continues a posterior with newer rows of outputs; without any, adds readings of known inputs."""
    if _tests(handle, data).all() and lib.lf_model_known_count(handle) > 0:
        model._context.check(lib.lf_posterior_add_inputs(posterior, data), name)
        return
    rows = _select(model, handle, name, data, "train")
    model._context.check(lib.lf_posterior_update(posterior, rows), name)


def score(model: Model, handle: Any, source: Source, options: Mapping[str, Any]) -> Any:
    """The table of scores."""
    name = source.name
    data = source.read(model._context, Reading(options, handle))
    check_outputs(model, handle, name, data)
    marked = _tests(handle, data).any()
    posterior = model._posterior()
    if marked:
        rows = _select(model, handle, name, data, "test")
    else:
        rows = _select(model, handle, name, _select(model, handle, name, data, "train"), "outputs")
    known = _select(model, handle, name, data, "known")
    if _data.rows(known) > 0:
        posterior = model._posterior(fresh=True)
        model._context.check(lib.lf_posterior_add_inputs(posterior, known), name)
    points = points_of(model, handle, rows, with_outputs=True)
    if _describe.replicates(posterior) and points.replicate is None:
        raise DataError(f"{name}: has no column replicate, but the training data have replicates")
    _predict.check_range(handle, posterior, points.x[:, 0])
    targets = _predict.choose_targets(handle)
    mean, variance = _predict.moments(model, posterior, _predict.expand(posterior, points, targets, None))
    if not marked:
        _warn_of_training_rows(name, posterior, rows)
    assert points.target is not None
    noise = np.array([lib.lf_model_noise_variance(handle, d) for d in range(len(_describe.outputs(handle)))])
    sd, y = _data.numbers(rows, "sd"), _data.numbers(rows, "y")
    return _table(_describe.outputs(handle), points.target, y, mean, variance + (noise[points.target] + sd * sd))


def _warn_of_training_rows(name: str, posterior: Any, rows: Any) -> None:
    count, fingerprint = ffi.new("size_t *"), ffi.new("uint64_t *")
    known = lib.lf_posterior_rows(posterior, count, fingerprint)
    if known and count[0] == _data.rows(rows) and fingerprint[0] == lib.lf_data_fingerprint(rows):
        warnings.warn(
            f"{name}: no row is marked test: these are scores of the {count[0]} training rows, which say how well the "
            "model fits, not how well it predicts",
            ScoreWarning,
            stacklevel=4,
        )


def _score_rows(y: Array, mean: Array, variance: Array) -> Any:
    arrays = [np.ascontiguousarray(values) for values in (y, mean, variance)]
    return lib.lf_score_rows(len(y), *(ffi.from_buffer("double[]", values) for values in arrays))


def _table(outputs: list[str], target: Array, y: Array, mean: Array, variance: Array) -> Any:
    names, scores = [], []
    deviations = 0.0
    for d, output in enumerate(outputs):
        own = target == d
        if own.any():
            names.append(output)
            scores.append(_score_rows(y[own], mean[own], variance[own]))
            deviations += _squared_deviations(y[own])
    overall = _score_rows(y, mean, variance)
    overall.nmse = overall.rmse * overall.rmse * len(y) / deviations if deviations > 0 else np.nan
    names.append("all")
    scores.append(overall)
    columns: dict[str, Any] = {"output": np.array(names, object)}
    for field in ("n", "nmse", "nlpd", "rmse", "coverage95"):
        columns[field] = np.array([getattr(s, field) for s in scores])
    return frame_of(columns, index="output")


def _squared_deviations(y: Array) -> float:
    """In the order of the command line, so that the last bits agree."""
    average = np.add.accumulate(y / len(y))[-1]
    return float(np.add.accumulate((y - average) * (y - average))[-1])
