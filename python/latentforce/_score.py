"""Scores of rows and updates with newer rows: what ``latentforce score`` and ``latentforce update`` compute."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _describe, _predict
from ._columns import Array
from ._context import text_of
from ._errors import DataError, ScoreWarning
from ._frames import frame_of
from ._library import ffi, lib
from ._points import data_array, points_of
from ._sources import Reading, Source

if TYPE_CHECKING:
    from ._model import Model


def check_outputs(model: Model, handle: Any, name: str, data: Any) -> None:
    """Refuses outputs that the model does not have."""
    if lib.lf_data_input_dim(data) != lib.lf_model_input_dim(handle):
        raise DataError(
            f"{name}: a row has {lib.lf_data_input_dim(data)} inputs, but the model has {lib.lf_model_input_dim(handle)}; "
            "time= or x= names their columns"
        )
    for i in range(lib.lf_data_output_count(data)):
        output = lib.lf_data_output_name(data, i)
        if lib.lf_model_find_output(handle, output) < 0 and lib.lf_model_find_known(handle, output) < 0:
            raise DataError(
                f"{name}: the output {text_of(output)!r} is not in the model; its outputs are {', '.join(_describe.outputs(handle))}"
            )


def _select(model: Model, handle: Any, name: str, data: Any, rows: bytes) -> Any:
    place = ffi.new("lf_data **")
    model._context.check(lib.lf_data_select_for(model._context.pointer, data, handle, rows, place), name)
    return model._context.own(place[0], lib.lf_data_free)


def _splits(handle: Any, data: Any) -> list[str]:
    """The marks of the rows of outputs; "" where there is none."""
    count = lib.lf_data_output_count(data)
    known = [lib.lf_model_find_known(handle, lib.lf_data_output_name(data, i)) >= 0 for i in range(count)]
    rows = (lib.lf_data_row(data, i) for i in range(lib.lf_data_count(data)))
    return [text_of(row.split) for row in rows if not known[row.output]]


def continue_with(model: Model, handle: Any, name: str, data: Any, posterior: Any) -> None:
    """Continues a posterior with newer rows of outputs; without any, adds readings of known inputs."""
    count = sum(split != "test" for split in _splits(handle, data))
    if count == 0 and lib.lf_model_known_count(handle) > 0:
        model._context.check(lib.lf_posterior_add_inputs(posterior, data), name)
        return
    rows = _select(model, handle, name, data, b"train")
    model._context.check(lib.lf_posterior_update(posterior, rows), name)


def score(model: Model, handle: Any, source: Source, options: Mapping[str, Any]) -> Any:
    """The table of scores."""
    name = source.name
    data = source.read(model._context, Reading(options, handle))
    check_outputs(model, handle, name, data)
    splits = _splits(handle, data)
    posterior = model._posterior()
    if "test" in splits:
        rows = _select(model, handle, name, data, b"test")
    else:
        rows = _select(model, handle, name, _select(model, handle, name, data, b"train"), b"outputs")
    known = _select(model, handle, name, data, b"known")
    if lib.lf_data_count(known) > 0:
        posterior = model._posterior(fresh=True)
        model._context.check(lib.lf_posterior_add_inputs(posterior, known), name)
    points = points_of(model, handle, rows, with_outputs=True)
    if _describe.replicates(posterior) and points.replicate is None:
        raise DataError(f"{name}: has no column replicate, but the training data have replicates")
    _predict.check_range(handle, posterior, points.x[:, 0])
    targets = _predict.choose_targets(handle)
    mean, variance = _predict.moments(model, posterior, _predict.expand(posterior, points, targets, None))
    if "test" not in splits:
        _warn_of_training_rows(name, posterior, rows)
    assert points.target is not None
    n = lib.lf_data_count(rows)
    noise = np.array([lib.lf_model_noise_variance(handle, d) for d in range(len(_describe.outputs(handle)))])
    sd = data_array(lib.lf_data_errors(rows), n, float)
    y = data_array(lib.lf_data_values(rows), n, float)
    return _table(_describe.outputs(handle), points.target, y, mean, variance + (noise[points.target] + sd * sd))


def _warn_of_training_rows(name: str, posterior: Any, rows: Any) -> None:
    count, fingerprint = ffi.new("size_t *"), ffi.new("uint64_t *")
    known = lib.lf_posterior_rows(posterior, count, fingerprint)
    if known and count[0] == lib.lf_data_count(rows) and fingerprint[0] == lib.lf_data_fingerprint(rows):
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
