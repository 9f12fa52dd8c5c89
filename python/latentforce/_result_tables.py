"""Tables of results of the library as tables of Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._context import Context, text_of
from ._frames import frame_of
from ._library import ffi, lib


def frame_of_table(context: Context, table: Any, index: str = "") -> Any:
    """A copy of an ``lf_table``."""
    rows = lib.lf_table_rows(table)
    columns = {}
    for number in range(lib.lf_table_columns(table)):
        column = ffi.new("lf_column *", {"size": ffi.sizeof("lf_column")})
        context.check(lib.lf_table_column_get(context.pointer, table, number, column))
        columns[text_of(column.name)] = _values(column, rows)
    return frame_of(columns, index=index)


def _values(column: Any, rows: int) -> Any:
    if column.code:
        words = [text_of(column.words[i]) for i in range(column.word_count)]
        return [words[code] if code >= 0 else "" for code in ffi.unpack(column.code, rows)]
    numbers = np.array(ffi.unpack(column.number, rows) if rows else [], float)
    whole = bool(np.all(np.isfinite(numbers))) and bool(np.all(numbers == np.floor(numbers)))
    return numbers.astype(np.int64) if whole else numbers
