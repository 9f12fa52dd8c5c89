"""Where rows come from, files or a table in memory, and the options with which the library reads them."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Union

import numpy as np

from ._columns import Column
from ._context import Context
from ._describe import inputs
from ._errors import ArgumentError, DataError
from ._library import ffi, lib
from ._options import find, words_of

ROW = "row"  # the word of time= for the numbers of the rows, and the name of that input


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

    def set_by(self, column: str) -> None:
        """Sets the column whose values are fitted alone."""
        text = ffi.new("char[]", column.encode("utf-8"))
        self._keep.append(text)
        self.struct.by = text

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
    """Columns in memory. `asked` has options of reading that follow from how the data were given; `rows`: an index of whole
    numbers without a name, which may be the numbers of the rows."""

    name: str
    columns: list[Column]
    asked: dict[str, Any] = field(default_factory=dict)
    rows: Column | None = None

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
        columns = self.with_rows(reading)
        check_columns(self.name, columns)
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

    def with_rows(self, reading: Reading) -> list[Column]:
        """The columns, and the index as a column where it has the numbers of the rows and these are the input."""
        asked = ffi.string(reading.struct.time).decode() if reading.struct.time else None
        model = reading.struct.model
        wanted = asked == ROW if asked is not None else bool(model) and inputs(model) == [ROW]
        columns = [column for column in self.columns if not (wanted and column is self.rows)]
        if not wanted or self.rows is None or any(column.name == ROW for column in columns):
            return columns
        if np.array_equal(self.rows.values, np.arange(len(self.rows))):
            return columns  # the library numbers them
        return [replace(self.rows, name=ROW), *columns]


Source = Union[Files, Table]


def find_time(context: Context, table: Table) -> int | None:
    """The number of the column that the library takes as the time of a table; None: no column may be, and rows are numbered."""
    check_columns(table.name, table.columns)
    places = ffi.new("lf_column[]", len(table.columns))
    keep = [column.fill(places[i]) for i, column in enumerate(table.columns)]
    found = ffi.new("size_t *")
    name = ffi.new("char[]", table.name.encode("utf-8"))
    size = (len(table.columns[0]), len(table.columns))
    context.check(lib.lf_find_time(context.pointer, name, *size, places, Reading({}).struct, found))
    del keep
    return None if found[0] == len(table.columns) else int(found[0])


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
