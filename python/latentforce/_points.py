"""The inputs at which a model is asked for predictions, as users give them and as they see them; spans as texts."""

from __future__ import annotations

import datetime
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _parts
from ._columns import Array, Column, as_pandas, bare_name, is_pandas, unit_of
from ._context import text_of
from ._describe import inputs, known_inputs, outputs
from ._errors import ArgumentError, DataError
from ._library import ffi, lib
from ._sources import Files, Reading, Table
from ._tables import frame_columns, index_columns, input_columns, refuse_missing

if TYPE_CHECKING:
    from ._model import Model


def shown(model: Model, handle: Any, x: Array) -> dict[str, Any]:
    """Inputs (n, p) as the data have them: dates, or numbers in the unit of the data."""
    return {name: _shown(model, handle, k, x[:, k]) for k, name in enumerate(inputs(handle))}


def _shown(model: Model, handle: Any, k: int, x: Array) -> Any:
    info = _parts.label_of_input(handle, k)
    if info.dated:
        seconds = x * info.seconds
        whole = np.floor(seconds)
        fine = info.digits == 9 and bool(np.all(np.abs(seconds) < 1e6))
        parts, unit = (1_000_000_000, "ns") if fine else (1_000_000, "us")
        part = np.floor((seconds - whole) * parts + 0.5)
        dates = ((_zero(info) + whole.astype(np.int64)) * parts + part.astype(np.int64)).view(f"datetime64[{unit}]")
        return _zoned(model, info, dates)
    if not info.file_unit or text_of(info.file_unit) in ("", text_of(info.unit)):
        return x
    text = ffi.new("char[]", 64)
    converted = np.empty(len(x))
    for i, value in enumerate(x):  # the library converts units
        lib.lf_model_format_input(handle, k, value, 64, text)
        converted[i] = float(text_of(text))
    return converted


def _zero(info: Any) -> int:
    """Seconds from 1970-01-01T00:00 (UTC where dates have a zone) to the value 0 of an input with dates."""
    return int(info.zero) - (info.zone if info.zoned else 0)


def _zoned(model: Model, info: Any, dates: Any) -> Any:
    """Dates in the zone of the data, where these have one and pandas is installed."""
    if not info.zoned:
        return dates
    zone = model._zone or datetime.timezone(datetime.timedelta(seconds=info.zone))
    try:
        import pandas as pd
    except ImportError:
        return dates
    return pd.DatetimeIndex(dates).tz_localize("UTC").tz_convert(zone)


def shown_dates(model: Model, handle: Any, k: int, dates: Any) -> Any:
    """The dates (ns) of a table of the library, with as many digits as the data show, in their zone."""
    info = _parts.label_of_input(handle, k)
    near = np.abs(dates.astype(np.int64) // 1_000_000_000 - _zero(info)) < 1_000_000  # further dates have no such digits
    unit = "ns" if info.digits == 9 and bool(near.all()) else "us"
    return _zoned(model, info, dates.astype(f"datetime64[{unit}]"))


def read_inputs(model: Model, handle: Any, t: Any) -> tuple[Any, dict[str, Any] | None]:
    """The inputs that a user gives, times, places, a frame, or the path of a file, as rows of the library; and as the user sees them, None
    where these are what was read."""
    reading = Reading({}, handle, inputs_only=True)
    names = inputs(handle)
    t = as_pandas(t)
    if isinstance(t, os.PathLike) or (isinstance(t, str) and os.path.exists(t)):
        return Files([os.fsdecode(t)]).read(model._context, reading), None
    if is_pandas(t) and getattr(t, "ndim", 1) == 2:
        columns = _frame_columns(handle, names, t)
        labels = _labels_of(names, columns, t)
    elif len(names) == 1 and (is_pandas(t) or np.ndim(t) < 2):
        values = t
        if np.ndim(t) == 0:
            values = np.atleast_1d(t) if isinstance(t, (np.generic, np.ndarray)) else [t]
        columns = input_columns(values, [names[0] + unit_of(str(getattr(t, "name", None) or ""))])
        labels = {names[0]: values if is_pandas(values) or isinstance(values, np.ndarray) else _array(values)}
    else:
        array = np.atleast_2d(np.asarray(t))
        if array.ndim != 2 or array.shape[1] != len(names):
            raise DataError(
                f"the inputs have the shape {np.shape(t)}, but the model has {len(names)} inputs: give (n, {len(names)})"
            )
        columns = input_columns(array, names)
        labels = {name: array[:, k] for k, name in enumerate(names)}
    if len(columns[0]) == 0:
        raise DataError("there are no inputs to predict at")
    if any(column.codes is not None and bare_name(column.name) in names for column in columns):
        labels = None  # texts: the result has what was read of them
    return Table("inputs", columns).read(model._context, reading), labels


def _array(values: Any) -> Any:
    """A list as pandas or NumPy would show it."""
    try:
        import pandas as pd
    except ImportError:
        return np.asarray(values)
    return pd.Index(values)


def _frame_columns(handle: Any, names: list[str], frame: Any) -> list[Column]:
    """The columns of a frame of inputs. Outputs of the model are left out, so that a table of data may be given."""
    index = index_columns(frame.index)
    columns = frame_columns(frame)
    bare = {bare_name(column.name) for column in columns}
    if len(index) == 1 and len(names) == 1 and names[0] not in bare:
        index[0].name = names[0] + unit_of(index[0].name)
    elif len(index) == 1 and not index[0].name:
        index = []
    if len(names) > 1:
        _name_places(handle, names, columns)
    ignored = {*outputs(handle), "split", "y", "sd"} - set(names)
    kept = [c for c in columns if not ignored & {c.name, bare_name(c.name), bare_name(c.name).split(".sd")[0]}]
    found = {bare_name(column.name): column for column in [*index, *kept]}
    known = [*names, "output", "replicate", "width", *known_inputs(handle)]
    for name, column in found.items():
        if name in names:
            refuse_missing(column, f"the input {column.name!r}")
        elif name not in known and found.keys() >= set(names):
            raise DataError(
                f"the inputs have a column {column.name!r}; leave it out: known ones are {', '.join(known)}"
            )
    return [*index, *kept]


def _name_places(handle: Any, names: list[str], columns: list[Column]) -> None:
    """Calls columns that have the names of places in the data by their headings x1, x2 …, so that one of them may be y."""
    own = {heading: text_of(_parts.label_of_input(handle, k).name) for k, heading in enumerate(names)}
    headings = {name or "x": heading for heading, name in own.items()}  # a column x has no name in the model
    bare = [bare_name(column.name) for column in columns]
    if set(bare) & set(names):
        return
    for column, name in zip(columns, bare):
        column.name = headings.get(name, name) + column.name[len(name) :]


def _labels_of(names: list[str], columns: list[Column], frame: Any) -> dict[str, Any] | None:
    """The inputs of a frame as its user sees them; None where it does not have them under their names."""
    labels = {}
    for name in names:
        heading = next((column for column in frame.columns if bare_name(str(column)) == name), None)
        if heading is not None:
            labels[name] = frame[heading]
        elif len(names) == 1 and columns and bare_name(columns[0].name) == name:
            labels[name] = frame.index
        else:
            return None
    return labels


def span_text(keyword: str, span: Any) -> str:
    """A span as the library reads it: "48h", "12 months", a number in the unit of the data."""
    if isinstance(span, str):
        return span
    if isinstance(span, (datetime.timedelta, np.timedelta64)):
        return f"{float(np.timedelta64(span) / np.timedelta64(1, 's'))!r} s"
    if is_pandas(span) or type(span).__module__.startswith("pandas"):
        return _offset_text(keyword, span)
    if np.ndim(span) == 0 and not isinstance(span, bool) and _is_number(span):
        return repr(float(span))
    raise ArgumentError(f"{keyword}={span!r}: expected a span such as '48h', a number, a timedelta or an offset of pandas")


def _offset_text(keyword: str, offset: Any) -> str:
    """An offset of pandas: DateOffset(months=12), MonthBegin(12), QuarterEnd(), Hour(48)."""
    parts = dict(getattr(offset, "kwds", {}))
    months = 12 * parts.pop("years", 0) + parts.pop("months", 0)
    named = str(getattr(offset, "freqstr", ""))
    if type(offset).__name__ == "DateOffset":
        if months and not parts:
            return f"{months * offset.n} months"
        if parts and not months and set(parts) <= {"weeks", "days", "hours", "minutes", "seconds", "microseconds"}:
            return f"{(datetime.timedelta(**parts) * offset.n).total_seconds()!r} s"
    elif named and not named.startswith("<"):
        return named
    raise ArgumentError(
        f"{keyword}={offset!r}: expected an offset of whole months, quarters or years, or one of days, hours and seconds"
    )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
