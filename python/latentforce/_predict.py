"""Predictions and samples of outputs, rates, forces and states: what ``latentforce predict`` computes."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _describe, _parts, _points
from ._columns import Array
from ._context import text_of
from ._errors import ArgumentError, DataError, ModelError
from ._frames import frame_of
from ._library import ffi, lib
from ._points import Points
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


def ask(model: Model, handle: Any, request: Request, fresh: bool = False) -> tuple[Any, Expanded]:
    """The posterior, with the readings of known inputs that are given, and the points."""
    targets = choose_targets(handle, request.rates, request.states, request.forces, request.outputs)
    posterior = model._posterior(fresh)
    points = _make_points(model, handle, posterior, request)
    readings = [points.readings] if points.readings is not None else []
    if request.known is not None:
        readings.append(known_readings(model, handle, request.known))
    if readings:
        posterior = model._posterior(fresh=True)
        for rows in readings:
            model._context.check(lib.lf_posterior_update(model._context.pointer, posterior, rows, b"inputs"), "known inputs")
    return posterior, expand(posterior, points, targets, request.replicate)


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
        kept = [q for q in range(force_count) if not lib.lf_model_force_is_white(handle, q)]
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
class Expanded:
    """Points for every replicate, target and row, in this order of nesting; `row` numbers the rows of the user."""

    points: Points
    targets: Targets
    target: Array
    replicate: Array
    row: Array
    names: list[str]  # of the replicates; none where they have no names
    shape: tuple[int, ...] | None  # (replicates,) targets, rows; None where rows name targets or replicates


def expand(posterior: Any, points: Points, targets: Targets, replicate: Any) -> Expanded:
    """Repeats points for every target and replicate that they do not name."""
    names = _describe.replicates(posterior)
    named = bool(names)
    asked = (
        None
        if replicate is None
        else [replicate]
        if isinstance(replicate, str) or np.ndim(replicate) == 0
        else replicate
    )
    if asked is not None and len(asked) == 0:
        raise ArgumentError("replicate names nothing to predict; leave it out for all")
    labels = points.replicate if points.replicate is not None else None if asked is None else [str(r) for r in asked]
    for label in labels or ():
        if not named or label not in names:
            known = f"its replicates are {', '.join(names)}" if named else "the training data have no replicates"
            raise DataError(f"the replicate {label!r} is not in the model, so that nothing is known of it; {known}")
    rows = len(points.x)
    row = np.arange(rows)
    if points.each is not None:
        return _expand_each(points, targets, names, replicate)
    if points.replicate is not None:
        passes = [np.array([names.index(label) for label in points.replicate], np.intc)]
    else:
        chosen = range(max(len(names), 1)) if labels is None else [names.index(label) for label in labels]
        passes = [np.full(rows, r, np.intc) for r in chosen]
    if points.target is not None:
        numbers = points.target + targets.first
        keep = np.isin(numbers, targets.numbers)
        series = [(numbers[keep].astype(np.intc), row[keep])]
    else:
        series = [(np.full(rows, number, np.intc), row) for number in targets.numbers]
    free = points.target is None and points.replicate is None
    return Expanded(
        points,
        targets,
        target=np.concatenate([number for _ in passes for number, _ in series]),
        replicate=np.concatenate([label[kept] for label in passes for _, kept in series]),
        row=np.concatenate([kept for _ in passes for _, kept in series]),
        names=names,
        shape=((len(passes),) if named and replicate is None else ()) + (len(series), rows) if free else None,
    )


def _expand_each(points: Points, targets: Targets, names: list[str], replicate: Any) -> Expanded:
    """Repeats the rows of every replicate, which are its own, for every target."""
    assert points.each is not None
    runs = [np.flatnonzero(points.each == r) for r in dict.fromkeys(points.each.tolist())]
    series = [(number, run) for run in runs for number in targets.numbers]
    even = len({len(run) for run in runs}) == 1
    row = np.concatenate([run for _, run in series])
    return Expanded(
        points,
        targets,
        target=np.concatenate([np.full(len(run), number, np.intc) for number, run in series]),
        replicate=points.each[row],
        row=row,
        names=names,
        shape=((len(runs),) if replicate is None or len(runs) > 1 else ()) + (len(targets.numbers), len(runs[0])) if even else None,
    )


def _code(model: Model, number: int) -> int:
    """The code of a target by its number: outputs, forces, rates, states."""
    outputs, forces = _parts.count(model._handle, lib.LF_KIND_OUTPUT), _parts.count(model._handle, lib.LF_KIND_FORCE)
    kinds = (lib.LF_KIND_OUTPUT, outputs), (lib.LF_KIND_FORCE, forces), (lib.LF_KIND_RATE, outputs)
    kind, place = lib.LF_KIND_STATE, ffi.new("uint32_t *")
    for candidate, count in kinds:
        if number < count:
            kind = candidate
            break
        number -= count
    model._context.check(lib.lf_model_target(model._context.pointer, model._handle, kind, number, place))
    return int(place[0])


def _points_handle(model: Model, expanded: Expanded) -> Any:
    """An ``lf_points`` of expanded points."""
    points, context = expanded.points, model._context
    numbers, place = np.unique(expanded.target, return_inverse=True)
    target = np.array([_code(model, int(number)) for number in numbers], np.uint32)[place]
    replicate = np.ascontiguousarray(expanded.replicate, np.uintp)
    x = np.ascontiguousarray(points.x[expanded.row], float)
    width = np.zeros(len(x)) if points.width is None else np.ascontiguousarray(points.width[expanded.row], float)
    if points.shorten:
        width[width == 0] = np.nan
    made = context.make(lib.lf_points_create, lib.lf_points_free, "lf_points", context.pointer, model._handle)
    arrays = [("uint32_t[]", target), ("size_t[]", replicate), ("double[]", x), ("double[]", width)]
    views = (ffi.from_buffer(kind, array) for kind, array in arrays)
    context.check(lib.lf_points_add(context.pointer, made, len(x), *views))
    return made


def moments(model: Model, posterior: Any, expanded: Expanded) -> tuple[Array, Array]:
    """Means and variances, without noise."""
    points = _points_handle(model, expanded)
    mean, variance = np.empty(len(expanded.row)), np.empty(len(expanded.row))
    wanted = ffi.new("lf_prediction *", {"size": ffi.sizeof("lf_prediction")})
    wanted.mean = ffi.cast("double *", mean.ctypes.data)
    wanted.variance = ffi.cast("double *", variance.ctypes.data)
    model._context.check(lib.lf_predict(model._context.pointer, posterior, points, wanted))
    return mean, variance


def draws(model: Model, posterior: Any, expanded: Expanded, count: int) -> Array:
    """Joint samples (count, points)."""
    points = _points_handle(model, expanded)
    samples = np.empty((count, len(expanded.row)))
    status = lib.lf_draw(model._context.pointer, posterior, points, count, ffi.from_buffer("double[]", samples))
    model._context.check(status)
    return samples


def _make_points(model: Model, handle: Any, posterior: Any, request: Request) -> Points:
    """The inputs that are asked for, within the range of the posterior."""
    if sum(choice is not None for choice in (request.t, request.ahead, request.grid)) > 1:
        raise ArgumentError("give one of t, ahead= and grid=")
    if request.step is not None and request.ahead is None:
        raise ArgumentError("step= needs ahead=")
    if request.t is None and request.ahead is None:
        return _points.grid(model, handle, posterior, _points.GRID if request.grid is None else request.grid)
    if request.t is not None:
        points = _points.given(model, handle, request.t, with_outputs=not (request.states or request.forces))
    else:
        points = _points.ahead(model, handle, posterior, request.ahead, request.step, request.replicate)
        low, high = _range(posterior)
        slack = 1e-9 * (high - low)
        if np.isfinite(slack):  # beyond by rounding
            x = points.x[:, 0]
            points.x[:, 0] = np.where((x > high) & (x <= high + slack), high, x)
    check_range(handle, posterior, points.x[:, 0])
    return points


def _range(posterior: Any) -> tuple[float, float]:
    low, high = ffi.new("double *"), ffi.new("double *")
    lib.lf_posterior_range(posterior, low, high)
    return low[0], high[0]


def check_range(handle: Any, posterior: Any, x: Array) -> None:
    """Feature engines have waves for a range of inputs, beyond which they would repeat themselves."""
    low, high = _range(posterior)
    beyond = np.flatnonzero(~((x >= low) & (x <= high)))
    if len(beyond) == 0:
        return
    texts = []
    for value in (x[beyond[0]], low, high):
        text = ffi.new("char[]", 64)
        lib.lf_model_format_input(handle, 0, value, 64, text)
        texts.append(text_of(text))
    name = _describe.inputs(handle)[0]
    raise DataError(
        f"{name} = {texts[0]} lies outside [{texts[1]}, {texts[2]}], where the model can predict; fit with horizon= for "
        "predictions further ahead"
    )


def known_readings(model: Model, handle: Any, known: Any) -> Any:
    """Readings of known inputs as rows."""
    if _parts.count(handle, lib.LF_KIND_KNOWN) == 0:
        raise ArgumentError("known=: the model has no known inputs")
    return source_of(known).read(model._context, Reading({}, handle))


def table(
    model: Model, handle: Any, expanded: Expanded, mean: Array, variance: Array, noise: bool, level: float
) -> Any:
    """The table of a prediction."""
    targets = expanded.targets
    if noise and targets.heading == "output" and targets.first == 0:
        noises = {number: _parts.noise(handle, number) for number in targets.numbers}
        variance = variance + np.array([noises[number] for number in targets.numbers])[_places(expanded)]
    sd = np.sqrt(variance)
    reach = statistics.NormalDist().inv_cdf(0.5 + level / 2) * sd
    columns: dict[str, Any] = {}
    if expanded.names:
        columns["replicate"] = np.array(expanded.names, object)[expanded.replicate]
    columns[targets.heading] = np.array(targets.names, object)[_places(expanded)]
    for name, values in expanded.points.labels.items():
        label = name if name not in columns else f"{name}_"
        columns[label] = values.take(expanded.row) if not hasattr(values, "array") else values.array.take(expanded.row)
    columns.update(mean=mean, sd=sd, lower=mean - reach, upper=mean + reach)
    return frame_of(columns)


def _places(expanded: Expanded) -> Array:
    """For each point the place of its target among the names."""
    order = np.argsort(expanded.targets.numbers)
    return order[np.searchsorted(np.array(expanded.targets.numbers)[order], expanded.target)]
