"""Predictions and samples of outputs, rates, forces and states: what ``latentforce predict`` computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _data, _describe, _parts, _points
from ._columns import Array
from ._context import Context
from ._errors import ArgumentError, ModelError
from ._frames import frame_of
from ._library import ffi, lib
from ._result_tables import model_columns, pairs_of
from ._sources import Reading
from ._tables import source_of

if TYPE_CHECKING:
    from ._model import Model


@dataclass
class Targets:
    """What is predicted: numbers of targets with their names, and the heading of the column of these."""

    heading: str
    first: int
    numbers: list[int]
    names: list[str]


class Request(NamedTuple):
    """The arguments of predict that say what is asked for."""

    t: Any
    ahead: Any
    grid: int | None
    step: Any
    outputs: str | Sequence[str] | None
    replicate: str | Sequence[str] | None
    known: Any
    rates: bool
    states: bool
    forces: bool


@dataclass
class Asked:
    """A posterior, the points that it is asked for, and the inputs of these as the user sees them."""

    posterior: Any
    points: Any
    options: Any
    labels: dict[str, Any] | None  # None: as the library shows them
    inputs: Any  # the rows that list the inputs; NULL: none do
    names: list[str]  # of the replicates; none where they have no names


def ask(model: Model, handle: Any, request: Request, settings: Mapping[str, str], fresh: bool = False) -> Asked:
    """The points of a request, and the posterior with the readings of known inputs that are given."""
    context = model._context
    options = _options(model, request, settings)
    posterior = model._posterior(fresh)
    data, labels, readings = ffi.NULL, None, []
    if request.t is not None:
        data, labels = _points.read_inputs(model, handle, request.t)
        known = readings_of(handle, data)
        readings = [data] if known.any() else []
        if labels is not None and any(len(values) != np.count_nonzero(~known) for values in labels.values()):
            labels = None
    made = (lib.lf_points_request, lib.lf_points_free, "lf_points", context.pointer, handle, ffi.NULL, posterior, options)
    points = context.make(*made, data)
    if request.known is not None:
        readings.append(known_readings(model, handle, request.known))
    if readings:
        posterior = model._posterior(fresh=True)
        for rows in readings:
            context.check(lib.lf_posterior_update(context.pointer, posterior, rows, b"inputs"), "known inputs")
    return Asked(posterior, points, options, labels, data, _describe.replicates(posterior))


def _options(model: Model, request: Request, settings: Mapping[str, str]) -> Any:
    """What is asked for, as options of the library."""
    if request.rates + request.states + request.forces > 1:
        raise ArgumentError("give one of rates=True, states=True and forces=True")
    if sum(choice is not None for choice in (request.t, request.ahead, request.grid)) > 1:
        raise ArgumentError("give one of t, ahead= and grid=")
    if request.step is not None and request.ahead is None:
        raise ArgumentError("step= needs ahead=")
    if request.outputs is not None and (request.states or request.forces):
        raise ArgumentError("outputs= is for predictions of outputs and rates")
    kind = "forces" if request.forces else "rates" if request.rates else "states" if request.states else "outputs"
    words = [("targets", kind), *settings.items()]
    for keyword, name, names in (("outputs", "output", request.outputs), ("replicate", "replicate", request.replicate)):
        asked = [] if names is None else [names] if isinstance(names, str) or np.ndim(names) == 0 else list(names)
        if names is not None and not asked:
            raise ArgumentError(f"{keyword} names nothing to predict; leave it out for all")
        words += [(name, str(label)) for label in asked]
    words += [(name, _points.span_text(name, span)) for name, span in (("ahead", request.ahead), ("step", request.step)) if span is not None]
    if request.grid is not None:
        words.append(("grid", str(request.grid)))
    context = model._context
    options = context.make(lib.lf_options_create, lib.lf_options_free, "lf_options", context.pointer, b"request")
    for name, value in words:
        context.check(lib.lf_options_set(context.pointer, options, name.encode(), value.encode()))
    return options


def readings_of(handle: Any, data: Any) -> Array:
    """Which rows of a table of inputs are readings of known inputs."""
    names = _data.names(data, lib.LF_KIND_OUTPUT)
    known = np.array([_parts.find(handle, lib.LF_KIND_KNOWN, name) >= 0 for name in names] + [False])
    return known[_data.codes(data, "output")]


def table(model: Model, handle: Any, request: Request, noise: bool, level: float) -> Any:
    """The table of a prediction."""
    context = model._context
    asked = ask(model, handle, request, {"level": repr(float(level)), "noise": "yes" if noise else "no", "rows": "yes"})
    make = (lib.lf_predict_table, lib.lf_table_free, "lf_table", context.pointer, asked.posterior, asked.points, asked.options)
    parts = pairs_of(context, context.make(*make))
    row = parts[0][1].astype(np.intp)
    begin = 3 if asked.names else 2
    end = begin + _parts.count(handle, lib.LF_KIND_INPUT)
    columns, values = dict(parts[1:begin]), dict(parts[end:])
    for k, (name, shown) in enumerate(parts[begin:end]):
        columns[name if name not in columns else f"{name}_"] = _label(model, handle, asked, k, name, shown, row)
    sd = values["sd"] if "sd" in values else values["sd_y" if noise else "sd_f"]
    columns.update(mean=values["mean"], sd=sd, lower=values["lower"], upper=values["upper"])
    return frame_of(columns)


def _label(model: Model, handle: Any, asked: Asked, k: int, name: str, shown: Any, row: Array) -> Any:
    """A column of inputs as the user gave it, or else as the data have it."""
    if asked.labels is None:
        return _points.shown_dates(model, handle, k, shown) if shown.dtype.kind == "M" else shown
    own = asked.labels[name]
    return own.array.take(row) if hasattr(own, "array") else own.take(row)


def sample(model: Model, handle: Any, request: Request, count: int) -> Array:
    """Joint samples (count, …), of the shape of the request where it combines all that is asked for."""
    asked = ask(model, handle, request, {}, fresh=True)
    samples = np.empty((count, lib.lf_points_count(asked.points, lib.LF_KIND_ROW)))
    place = ffi.from_buffer("double[]", samples)
    model._context.check(lib.lf_draw(model._context.pointer, asked.posterior, asked.points, count, place))
    kinds = (lib.LF_KIND_REPLICATE, lib.LF_KIND_TARGET, lib.LF_KIND_INPUT)
    replicates, *shape = (lib.lf_points_count(asked.points, kind) for kind in kinds)
    if not replicates:
        return samples
    several = asked.names and (request.replicate is None or replicates > 1)
    return samples.reshape(count, *([replicates] if several else []), *shape)


def choose_targets(
    handle: Any, rates: bool = False, states: bool = False, forces: bool = False, outputs: Any = None
) -> Targets:
    """The targets that the arguments of predict ask for."""
    if rates + states + forces > 1:
        raise ArgumentError("give one of rates=True, states=True and forces=True")
    output_count, force_count = _parts.count(handle, lib.LF_KIND_OUTPUT), _parts.count(handle, lib.LF_KIND_FORCE)
    if outputs is not None and (states or forces):
        raise ArgumentError("outputs= is for predictions of outputs and rates")
    if forces:
        names = _parts.names(handle, lib.LF_KIND_FORCE)
        white = model_columns(Context(), handle, "forces")["white"]
        kept = [q for q in range(force_count) if not white[q]]
        if not kept:
            white = force_count > 0 or _parts.count(handle, lib.LF_KIND_WHITE) > 0
            why = ": a white force has no value at an instant; predict the outputs that it drives" if white else ""
            raise ModelError(f"the model has no forces to predict{why}")
        return Targets("force", output_count, [output_count + q for q in kept], [names[q] for q in kept])
    if states:
        names = _parts.names(handle, lib.LF_KIND_STATE)
        if not names:
            raise ModelError("states=True is for models given by equations; the outputs of this one have operators")
        first = 2 * output_count + force_count
        return Targets("state", first, [first + s for s in range(len(names))], names)
    names = _describe.outputs(handle)
    first = output_count + force_count if rates else 0
    asked = names if outputs is None else [outputs] if isinstance(outputs, str) else list(outputs)
    if not asked:
        raise ArgumentError("outputs names nothing to predict; leave it out for all")
    for name in asked:
        if name not in names:
            raise ArgumentError(f"outputs: {name!r} is not an output of the model; its outputs are {', '.join(names)}")
    return Targets("output", first, [first + names.index(name) for name in asked], list(asked))


@dataclass
class Series:
    """The points of every replicate, target and input x (n, p), in this order of nesting."""

    points: Any
    shape: tuple[int, int, int]


def series(model: Model, targets: Targets, replicates: Sequence[int], x: Array, width: Array | None = None) -> Series:
    """The points of targets in replicates, by number. Without widths, averages begin with the model at the earliest."""
    context, kinds = model._context, {"force": lib.LF_KIND_FORCE, "state": lib.LF_KIND_STATE}
    kind = kinds.get(targets.heading, lib.LF_KIND_RATE if targets.first else lib.LF_KIND_OUTPUT)
    codes, place = np.empty(len(targets.numbers), np.uint32), ffi.new("uint32_t *")
    for i, number in enumerate(targets.numbers):
        context.check(lib.lf_model_target(context.pointer, model._handle, kind, number - targets.first, place))
        codes[i] = place[0]
    shape = (len(replicates), len(codes), len(x))
    arrays = [
        ("uint32_t[]", np.tile(np.repeat(codes, len(x)), len(replicates))),
        ("size_t[]", np.repeat(np.array(replicates, np.uintp), len(codes) * len(x))),
        ("double[]", np.tile(x, (len(replicates) * len(codes), 1)).astype(float)),
        ("double[]", np.tile(np.full(len(x), np.nan) if width is None else width, len(replicates) * len(codes))),
    ]
    made = context.make(lib.lf_points_create, lib.lf_points_free, "lf_points", context.pointer, model._handle)
    views = (ffi.from_buffer(kind, np.ascontiguousarray(array)) for kind, array in arrays)
    context.check(lib.lf_points_add(context.pointer, made, int(np.prod(shape)), *views))
    return Series(made, shape)


def intervals(model: Model, posterior: Any, asked: Series, level: float, noise: bool) -> list[Array]:
    """Means and the ends of intervals: of new observations, or of the outputs themselves."""
    columns = [np.empty(asked.shape) for _ in range(3)]
    wanted = ffi.new("lf_prediction *", {"size": ffi.sizeof("lf_prediction"), "level": level, "noise_free": not noise})
    wanted.mean, wanted.lower, wanted.upper = (ffi.cast("double *", column.ctypes.data) for column in columns)
    model._context.check(lib.lf_predict(model._context.pointer, posterior, asked.points, wanted))
    return columns


def draws(model: Model, posterior: Any, asked: Series, count: int) -> Array:
    """Joint samples (count, replicates, targets, inputs)."""
    samples = np.empty((count, *asked.shape))
    place = ffi.from_buffer("double[]", samples)
    model._context.check(lib.lf_draw(model._context.pointer, posterior, asked.points, count, place))
    return samples


def known_readings(model: Model, handle: Any, known: Any) -> Any:
    """Readings of known inputs as rows."""
    if _parts.count(handle, lib.LF_KIND_KNOWN) == 0:
        raise ArgumentError("known=: the model has no known inputs")
    return source_of(known).read(model._context, Reading({}, handle))
