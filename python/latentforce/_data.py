"""A table of rows in the library: its names, its arrays, and selections of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._columns import Array
from ._context import Context, text_of
from ._errors import DataError
from ._library import ffi, lib


def data_array(pointer: Any, count: int, dtype: Any) -> Array:
    """A copy of an array of the library."""
    return np.frombuffer(ffi.buffer(pointer, count * np.dtype(dtype).itemsize), dtype).copy()


def rows(data: Any) -> int:
    """The number of rows."""
    return int(lib.lf_data_count(data, lib.LF_KIND_ROW))


def dimensions(data: Any) -> int:
    """The number of inputs of each row."""
    return int(lib.lf_data_count(data, lib.LF_KIND_INPUT))


def names(data: Any, kind: int) -> list[str]:
    """The names of the outputs or of the replicates."""
    return [text_of(lib.lf_data_name(data, kind, i)) for i in range(lib.lf_data_count(data, kind))]


def numbers(data: Any, column: str) -> Array:
    """A column of numbers (n,), those of "x" (n, p); zeros where no row has any."""
    shape = (rows(data), dimensions(data)) if column == "x" else (rows(data),)
    pointer = lib.lf_data_numbers(data, column.encode())
    return data_array(pointer, int(np.prod(shape)), float).reshape(shape) if pointer else np.zeros(shape)


def codes(data: Any, column: str) -> Array:
    """A column of codes (n,): numbers of outputs or of replicates, -1 for none; of "split" 1 for train, 2 for test."""
    pointer = lib.lf_data_codes(data, column.encode())
    return data_array(pointer, rows(data), np.int32) if pointer else np.zeros(0, np.int32)


def find(context: Context, data: Any, model: Any, which: str) -> tuple[Any, str]:
    """A table with the rows that a word stands for, and why there are none; "" where there are."""
    place, info = ffi.new("lf_data **"), ffi.new("lf_data_info *", {"size": ffi.sizeof("lf_data_info")})
    context.check(lib.lf_data_select(context.pointer, data, model, which.encode(), place))
    found = context.own(place[0], lib.lf_data_free)
    context.check(lib.lf_data_info_get(context.pointer, found, model, info))
    return found, text_of(info.empty) if info.empty else ""


def select(context: Context, data: Any, model: Any, which: str, about: str = "") -> Any:
    """The same; it is an error where there are none."""
    found, empty = find(context, data, model, which)
    if empty:
        raise DataError(context.spell(f"{about}: {empty}" if about else empty))
    return found
