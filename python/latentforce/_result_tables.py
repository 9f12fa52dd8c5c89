"""Tables of results of the library as tables of Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._context import Context, text_of
from ._data import data_array
from ._frames import frame_of
from ._library import ffi, lib


def model_columns(context: Context, handle: Any, what: str) -> dict[str, Any]:
    """The columns of a table of a model."""
    make = (lib.lf_model_table, lib.lf_table_free, "lf_table", context.pointer, handle, what.encode())
    return columns_of(context, context.make(*make))


def result_columns(context: Context, result: Any, what: str) -> dict[str, Any]:
    """The columns of a table of the result of a fit."""
    make = (lib.lf_fit_result_table, lib.lf_table_free, "lf_table", context.pointer, result, what.encode())
    return columns_of(context, context.make(*make))


def columns_of(context: Context, table: Any) -> dict[str, Any]:
    """The columns of an ``lf_table``: numbers, dates, or texts, None where there is none."""
    return dict(pairs_of(context, table))


def pairs_of(context: Context, table: Any) -> list[tuple[str, Any]]:
    """The same in their order, with their names."""
    rows = lib.lf_table_rows(table)
    pairs = []
    for number in range(lib.lf_table_columns(table)):
        column = ffi.new("lf_column *", {"size": ffi.sizeof("lf_column")})
        context.check(lib.lf_table_column_get(context.pointer, table, number, column))
        pairs.append((text_of(column.name), _values(column, rows)))
    return pairs


def frame_of_table(context: Context, table: Any, index: str = "") -> Any:
    """A copy of an ``lf_table`` in which whole numbers are counts."""
    columns = columns_of(context, table)
    for name, values in columns.items():
        if values.dtype == object:
            columns[name] = [word or "" for word in values]
        elif np.all(np.isfinite(values)) and np.all(values == np.floor(values)):
            columns[name] = values.astype(np.int64)
    return frame_of(columns, index=index)


def _values(column: Any, rows: int) -> Any:
    if column.date:
        return data_array(column.date, rows, np.int64).view("datetime64[ns]")
    if column.number or not column.code:
        return data_array(column.number, rows, float) if rows else np.empty(0)
    words = [text_of(column.words[i]) for i in range(column.word_count)]
    return np.array([*words, None], object)[data_array(column.code, rows, np.int32)]  # -1, none, is the last
