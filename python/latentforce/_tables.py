"""What a user gives as data (files, frames, dictionaries, arrays) as a source that the library reads.

The library decides what the columns mean, by the rules of files: docs/preparing-data.md. This module only names them:

* A DataFrame is read as the file that ``df.to_csv()`` would write, index first. An index of dates without a name is called
  time. The index that pandas makes, a RangeIndex without a name, is left out (``df.to_csv(index=False)``), unless
  ``time="row"`` asks for the numbers of the rows.
* A dictionary ``{name: (t, y)}`` or ``{name: (t, y, sd)}`` is the long shape, ``{"time": t, "a": y1, "b": y2}`` the wide one.
  A Series is (t, y) where its index is the time, and a column where the index is the one that pandas makes.
* Arrays `data` of times or places and `y` of values are the wide shape.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._columns import Column, as_pandas, bare_name, column_of, is_pandas, unit_of
from ._errors import ArgumentError, DataError
from ._sources import Files, Source, Table

_MEANINGS = ("output", "replicate", "split")  # headings that are never those of outputs


def source_of(data: Any, y: Any = None, sd: Any = None, names: Sequence[str] | None = None) -> Source:
    """The source of data as :func:`latentforce.fit` accepts them."""
    if y is not None:
        return _from_arrays(data, y, sd, names)
    if sd is not None or names is not None:
        given = "sd" if sd is not None else "names"
        raise ArgumentError(
            f"{given}= is for arrays, together with y=; in a table, a column 'A.sd' has the standard errors of the "
            "column 'A', and headings are the names"
        )
    if isinstance(data, (str, os.PathLike)):
        return Files([os.fsdecode(data)])
    data = as_pandas(data)
    if is_pandas(data):
        return _from_frame(data)
    if isinstance(data, Mapping):
        return _from_mapping(data)
    if isinstance(data, (list, tuple)) and data and all(isinstance(path, (str, os.PathLike)) for path in data):
        return Files([os.fsdecode(path) for path in data])
    if isinstance(data, np.ndarray) and data.dtype.names:
        return Table("data", [column_of(name, data[name]) for name in data.dtype.names])
    if isinstance(data, (list, tuple, np.ndarray)):
        raise ArgumentError(
            f"data of type {type(data).__name__} alone have no outputs: give the times and the values, fit(t, y), a "
            "DataFrame, a dictionary of name: (t, y), or the path of a file"
        )
    raise ArgumentError(
        f"data of type {type(data).__name__} cannot be read; give a DataFrame, a dictionary, arrays or the path of a file"
    )


def _from_frame(frame: Any) -> Table:
    import pandas as pd

    if isinstance(frame, pd.Series):
        frame = frame.to_frame("y" if frame.name is None else frame.name)
    if not isinstance(frame, pd.DataFrame):
        raise ArgumentError(
            f"an object of type {type(frame).__name__} has no outputs; give a DataFrame, or the times and the values: "
            "fit(t, y)"
        )
    columns = frame_columns(frame)
    index = index_columns(frame.index)
    if len(index) == 1 and not index[0].name and index[0].dates is not None:
        index[0].name = "" if any(column.name == "time" for column in columns) else "time"
    rows = None
    if not isinstance(frame.index, pd.MultiIndex) and frame.index.name is None:
        rows = column_of("", frame.index) if pd.api.types.is_integer_dtype(frame.index.dtype) else None
    return Table("DataFrame", [rows, *columns] if rows and index else [*index, *columns], rows=rows)


def index_columns(index: Any) -> list[Column]:
    """The columns of an index; none of that which pandas makes."""
    import pandas as pd

    if isinstance(index, pd.MultiIndex):
        if any(name is None for name in index.names):
            raise DataError("DataFrame: a level of the index has no name; name it with df.index.names = [...]")
        return [column_of(str(name), index.get_level_values(level)) for level, name in enumerate(index.names)]
    if isinstance(index, pd.RangeIndex) and index.name is None:
        return []
    return [column_of("" if index.name is None else str(index.name), index)]


def frame_columns(frame: Any) -> list[Column]:
    """The columns of a frame, without its index."""
    if frame.columns.nlevels > 1:
        raise DataError(
            "DataFrame: headings have several levels; join them with df.columns = ['_'.join(map(str, c)) for c in df.columns]"
        )
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise DataError(f"DataFrame: two columns are named {repeated[0]!r}; rename one")
    return [column_of(str(name), frame[name]) for name in frame.columns]


def _is_series(value: Any) -> bool:
    """Whether the value of a dictionary is (t, y) or (t, y, sd), or a Series whose index is the time."""
    if is_pandas(value):
        return hasattr(value, "index") and np.ndim(value) == 1 and bool(index_columns(value.index))
    return isinstance(value, (tuple, list)) and len(value) > 0 and all(np.ndim(part) > 0 for part in value)


def _from_mapping(data: Mapping[Any, Any]) -> Table:
    if not data:
        raise DataError("data: the dictionary is empty")
    if not any(_is_series(value) for value in data.values()):
        for name, value in data.items():
            if np.ndim(value) == 0:
                raise DataError(
                    f"data: {name!r} is a single {type(value).__name__}; give (t, y), or an array for each column"
                )
        return Table("data", [column_of(str(name), value) for name, value in data.items()])
    parts: list[tuple[str, Column, Column, Column | None]] = []
    for key, value in data.items():
        name = str(key)
        if not _is_series(value):
            raise DataError(f"data: {name!r} is not (t, y) or (t, y, sd), as other entries are")
        if is_pandas(value):
            value = (value.index, value)
        if len(value) not in (2, 3):
            raise DataError(f"data: {name!r} has {len(value)} arrays; expected (t, y) or (t, y, sd)")
        heading = "time" + unit_of(str(getattr(value[0], "name", None) or ""))
        columns = [column_of(what, part) for what, part in zip((heading, "y", "sd"), value)]
        columns[1:] = [column.as_floats() for column in columns[1:]]
        for column in columns[1:]:
            if column.numbers is None:
                raise DataError(f"data: {name!r}: {column.name} holds no numbers")
            if len(column) != len(columns[0]):
                raise DataError(
                    f"data: {name!r} has {len(columns[0])} times, but {len(column)} values of {column.name}"
                )
        refuse_missing(columns[0], f"data: {name!r}: the time")
        parts.append((name, columns[0], columns[1], columns[2] if len(columns) == 3 else None))
    return _long(parts)


def _long(parts: list[tuple[str, Column, Column, Column | None]]) -> Table:
    """The long shape of series that have times of their own."""
    sizes = [len(y) for _, _, y, _ in parts]
    output = Column(
        "output", codes=np.repeat(np.arange(len(parts), dtype=np.int32), sizes), words=[p[0] for p in parts]
    )
    times = [time for _, time, _, _ in parts]
    first = times[0]
    for name, time, _, _ in parts:
        kinds = [(t.name, t.dates is None, t.zone is None) for t in (time, first)]  # time deltas have another name
        if kinds[0] != kinds[1]:
            raise DataError(f"data: the times of {name!r} are of another kind than those of {parts[0][0]!r}")
    if first.codes is not None or any(time.codes is not None for time in times):
        raise DataError("data: times must be numbers or dates; convert texts with pandas.to_datetime")
    if first.dates is not None:
        dates = np.concatenate([time.values for time in times])
        joined = Column("time", dates=dates, zone=first.zone, offset=first.offset)
    else:
        heading = "x" if first.name == "time" else first.name
        if any(time.integers is None for time in times):
            times = [time.as_floats() for time in times]
        joined = column_of(heading, np.concatenate([time.values for time in times]))
    columns = [output, joined, Column("y", numbers=np.concatenate([y.values for _, _, y, _ in parts]))]
    if any(sd is not None for _, _, _, sd in parts):
        errors = [np.zeros(n) if sd is None else sd.values for n, (_, _, _, sd) in zip(sizes, parts)]
        columns.append(Column("sd", numbers=np.concatenate(errors)))
    return Table("data", columns)


def refuse_missing(column: Column, what: str) -> None:
    """Refuses an input that a row does not have."""
    missing = np.flatnonzero(column.missing())
    if len(missing):
        raise DataError(f"{what} of row {missing[0]} is missing; remove the row")


def input_columns(x: Any, headings: Sequence[str] | None = None) -> list[Column]:
    """Columns of times (n,) or of places (n, p)."""
    x = as_pandas(x)
    if is_pandas(x) and getattr(x, "ndim", 1) == 2:
        columns = frame_columns(x)
    else:
        values = x if is_pandas(x) or isinstance(x, np.ndarray) else column_source(x)
        if values.ndim > 2 or values.ndim == 0:
            raise DataError(f"the inputs have the shape {values.shape}; expected (n,) for times or (n, p) for places")
        parts = [values] if values.ndim == 1 else [values[:, k] for k in range(values.shape[1])]
        named = [getattr(x, "name", None) or "x"] if len(parts) == 1 else [f"x{k + 1}" for k in range(len(parts))]
        columns = [column_of(str(name), part) for name, part in zip(headings or named, parts)]
        if not headings and len(columns) == 1 and columns[0].dates is not None and columns[0].name == "x":
            columns[0].name = "time"
    if not columns:
        raise DataError("the inputs have no column")
    for k, column in enumerate(columns):
        refuse_missing(column, "the input" if len(columns) == 1 else f"input {k + 1}")
    return columns


def column_source(values: Any) -> Any:
    """A list or another array-like as an array; lists of dates and texts stay what they are."""
    try:
        array = np.asarray(values)
    except ValueError as failure:
        raise DataError(f"the inputs are no array of times or places: {failure}") from failure
    if array.dtype.kind in "USO" and array.ndim == 1:
        objects = np.empty(len(array), object)
        objects[:] = list(values)
        return objects
    return array


def _from_arrays(x: Any, y: Any, sd: Any, names: Sequence[str] | None) -> Table:
    y = as_pandas(y)
    values = _matrix("y", y)  # before the inputs: arguments in the wrong order are explained
    inputs = input_columns(x)
    _check_rows("y", values, len(inputs[0]))
    headings = list(map(str, y.columns)) if is_pandas(y) and getattr(y, "ndim", 1) == 2 else None
    if headings is None and is_pandas(y) and getattr(y, "name", None) is not None:
        headings = [str(y.name)]
    if isinstance(names, str):
        names = [names]
    if names is None:
        names = headings or (["y"] if values.shape[1] == 1 else [f"y{d + 1}" for d in range(values.shape[1])])
    if len(names) != values.shape[1]:
        raise ArgumentError(f"names has {len(names)} names, but y has {values.shape[1]} columns")
    names = list(map(str, names))
    for name in names:
        if bare_name(name).lower() in _MEANINGS:
            raise ArgumentError(f"names: the column {name!r} of a table is no output; give the output another name")
    columns = [Column(name, numbers=values[:, d]) for d, name in enumerate(names)]
    if sd is not None:
        errors = _matrix("sd", np.broadcast_to(np.asarray(sd, float), values.shape) if np.ndim(sd) == 0 else sd)
        _check_rows("sd", errors, len(values))
        if errors.shape != values.shape:
            raise ArgumentError(f"sd has the shape {np.shape(sd)}, but y has the shape {np.shape(y)}")
        columns += [Column(f"{name}.sd", numbers=errors[:, d]) for d, name in enumerate(names)]
    headings_of_inputs = [column.name for column in inputs]
    asked = {"x": headings_of_inputs} if len(inputs) > 1 else {"time": headings_of_inputs[0]}
    return Table("data", [*inputs, *columns], asked)


def _check_rows(what: str, array: Any, rows: int) -> None:
    if len(array) != rows:
        raise DataError(f"{what} has {len(array)} rows, but there are {rows} inputs")


def _matrix(what: str, values: Any) -> Any:
    """Numbers (n, d), without a copy where they are float64."""
    if isinstance(values, str):
        raise DataError(f"{what}={values!r} is a text; to choose columns of a table give outputs={values!r}")
    if np.ma.isMaskedArray(values):
        values = np.ma.filled(values.astype(float), np.nan)
    try:
        values = values if is_pandas(values) or isinstance(values, np.ndarray) else np.asarray(values)
        dtypes = values.dtypes if is_pandas(values) and values.ndim == 2 else [values.dtype]
        kinds = {getattr(dtype, "kind", "O") for dtype in dtypes}
        array = None
        if not kinds & set("cMm"):
            array = np.asarray(values.to_numpy(float, na_value=np.nan) if is_pandas(values) else values, float)
    except (TypeError, ValueError) as failure:
        raise DataError(f"{what} holds something that is no number: {failure}") from failure
    if "c" in kinds:
        raise DataError(f"{what} holds complex numbers; give real ones, such as their parts")
    if array is None:
        raise DataError(f"{what} holds dates or time deltas; the times come first: fit(t, y)")
    array = array[:, np.newaxis] if array.ndim == 1 else array
    if array.ndim != 2:
        raise DataError(f"{what} has the shape {array.shape}; expected (n,) for one output or (n, d) for several")
    if array.shape[1] == 0:
        raise DataError(f"{what} has no columns")
    return array
