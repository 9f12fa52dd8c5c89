"""Tables of results of the library as tables of Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._context import Context, text_of
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
    rows = lib.lf_table_rows(table)
    columns = {}
    for number in range(lib.lf_table_columns(table)):
        column = ffi.new("lf_column *", {"size": ffi.sizeof("lf_column")})
        context.check(lib.lf_table_column_get(context.pointer, table, number, column))
        columns[text_of(column.name)] = _values(column, rows)
    return columns


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
        return np.array(ffi.unpack(column.date, rows), np.int64).view("datetime64[ns]")
    if column.number or not column.code:
        return np.array(ffi.unpack(column.number, rows) if rows else [], float)
    words = [text_of(column.words[i]) for i in range(column.word_count)]
    return np.array([words[code] if code >= 0 else None for code in ffi.unpack(column.code, rows)], object)
