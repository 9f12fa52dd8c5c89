"""Where rows come from, files or a table in memory, and the options with which the library reads them."""

from __future__ import annotations

import datetime
import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from ._columns import Column, bare_name
from ._context import Context
from ._describe import inputs
from ._errors import ArgumentError, DataError, DataWarning
from ._library import ffi, lib
from ._options import find, words_of

_TIME_NAME = re.compile(r"(t|x\d*|(date|time).*)$", re.IGNORECASE)


class Reading:
    """The options of reading, as the structure of the library and as words of a command."""

    def __init__(self, options: Mapping[str, Any], model: Any = None, inputs_only: bool = False) -> None:
        self.struct = ffi.new("lf_read_options *")
        self.struct.size = ffi.sizeof("lf_read_options")
        self.struct.inputs_only = inputs_only
        self._keep: list[Any] = [model]
        if model is not None:
            self.struct.model = model
        for keyword, value in options.items():
            self.set(keyword, value)

    def set(self, keyword: str, value: Any) -> list[str]:
        """Sets an option; the words are those of the command line."""
        option = find(keyword, "the reading of data", reading_only=True)
        words = words_of(option, value)
        if len(words) == 1:
            setattr(self.struct, keyword, 1)
        elif words:
            text = ffi.new("char[]", words[1].encode("utf-8"))
            self._keep.append(text)
            setattr(self.struct, keyword, text)
        return words


@dataclass
class Files:
    """Data files."""

    paths: list[str]
    zone: datetime.tzinfo | None = None

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.paths[0]

    def read(self, context: Context, reading: Reading, fit: Any = None) -> Any:
        """The rows; `fit` are the options of the fit that they are for."""
        texts = [ffi.new("char[]", os.fsencode(path)) for path in self.paths]
        pointers = ffi.new("const char *[]", texts)
        function, head = (lib.lf_fit_read, (fit,)) if fit is not None else (lib.lf_data_read_files, ())
        arguments = (context.pointer, *head, len(texts), pointers, reading.struct)
        return context.make(function, lib.lf_data_free, "lf_data", *arguments)


@dataclass
class Table:
    """Columns in memory. `asked` has options of reading that follow from how the data were given; `numbers_rows`: the first
    column may be the input, or may only number the rows."""

    name: str
    columns: list[Column]
    asked: dict[str, Any] = field(default_factory=dict)
    numbers_rows: bool = False

    @property
    def paths(self) -> list[str]:
        """What stands for the file in the command of the provenance."""
        return [self.name]

    @property
    def zone(self) -> datetime.tzinfo | None:
        """The time zone of its dates."""
        return next((column.zone for column in self.columns if column.zone is not None), None)

    def read(self, context: Context, reading: Reading, fit: Any = None) -> Any:
        """The rows; `fit` are the options of the fit that they are for."""
        columns = self.columns[1:] if self.numbers_rows and self._has_input(reading) else self.columns
        check_columns(self.name, columns)
        if fit is not None and not self.asked:
            self._doubt_first(columns, reading)
        for keyword, value in self.asked.items():
            for own in ("time", "x"):
                if getattr(reading.struct, own):
                    raise ArgumentError(
                        f"{own}= names columns of a table; here the inputs are an argument of their own"
                    )
            reading.set(keyword, value)
        places = ffi.new("lf_column[]", len(columns))
        keep = [column.fill(places[i]) for i, column in enumerate(columns)]
        function, head = (lib.lf_fit_read_columns, (fit,)) if fit is not None else (lib.lf_data_read_columns, ())
        name = ffi.new("char[]", self.name.encode("utf-8"))
        size = (len(columns[0]), len(columns))
        arguments = (context.pointer, *head, name, *size, places, reading.struct)
        data = context.make(function, lib.lf_data_free, "lf_data", *arguments)
        del keep
        return data

    def _doubt_first(self, columns: list[Column], reading: Reading) -> None:
        """Warns where the first column becomes the time only because it is the first, and does not look like one."""
        numbers = columns[0].numbers
        named = any(_TIME_NAME.match(column.name.split(" [")[0]) for column in columns)
        if numbers is None or named or not columns[0].name or reading.struct.time or reading.struct.x:
            return
        if any(column.numbers is None for column in columns):  # dates, or names of series
            return
        steps = np.diff(numbers)
        if (steps > 0).any() and (steps < 0).any():
            warnings.warn(
                f"{self.name}: the first column, {columns[0].name!r}, is taken as the time, and its values go up and down; if "
                f"it is an output, make the times the index or a column time; if it is the time, time={columns[0].name!r} "
                "says so",
                DataWarning,
                stacklevel=4,
            )

    def _has_input(self, reading: Reading) -> bool:
        """Whether an option, or another column than the first, is recognisably the input."""
        if reading.struct.time or reading.struct.x or any(column.dates is not None for column in self.columns[1:]):
            return True
        names = [bare_name(column.name) for column in self.columns[1:]]
        known = inputs(reading.struct.model) if reading.struct.model else []
        return any(name in known or _TIME_NAME.match(name) for name in names)


Source = Union[Files, Table]


def check_columns(table: str, columns: list[Column]) -> None:
    """Refuses columns that are no table."""
    seen: set[str] = set()
    for column in columns:
        if column.name and column.name in seen:
            raise DataError(f"{table}: two columns are named {column.name!r}; rename one")
        seen.add(column.name)
        if "\0" in column.name:
            raise DataError(f"{table}: the name {column.name!r} has a zero byte; rename the column")
        if len(column) != len(columns[0]):
            raise DataError(
                f"{table}: the column {column.name!r} has {len(column)} rows, but the column {columns[0].name!r} has "
                f"{len(columns[0])}"
            )
    if not columns or len(columns[0]) == 0:
        raise DataError(f"{table}: has no rows")
