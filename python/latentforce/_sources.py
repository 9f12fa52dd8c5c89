"""Where rows come from, files or a table in memory, and the options with which the library reads them."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Union

from ._columns import Column
from ._context import Context
from ._errors import DataError
from ._library import ffi, lib
from ._options import find, words_of


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
        option = find(keyword, reading_only=True)
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
    """Columns in memory. `asked` has options of reading that follow from how the data were given."""

    name: str
    columns: list[Column]
    asked: dict[str, Any] = field(default_factory=dict)

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
        check_columns(self)
        for keyword, value in self.asked.items():
            reading.set(keyword, value)
        places = ffi.new("lf_column[]", len(self.columns))
        keep = [column.fill(places[i]) for i, column in enumerate(self.columns)]
        function, head = (lib.lf_fit_read_columns, (fit,)) if fit is not None else (lib.lf_data_read_columns, ())
        name = ffi.new("char[]", self.name.encode("utf-8"))
        size = (len(self.columns[0]), len(self.columns))
        arguments = (context.pointer, *head, name, *size, places, reading.struct)
        data = context.make(function, lib.lf_data_free, "lf_data", *arguments)
        del keep
        return data


Source = Union[Files, Table]


def check_columns(table: Table) -> None:
    seen: dict[str, int] = {}
    for place, column in enumerate(table.columns):
        if column.name and column.name in seen:
            raise DataError(f"{table.name}: two columns are named {column.name!r}; rename one")
        seen[column.name] = place
        if "\0" in column.name:
            raise DataError(f"{table.name}: the name {column.name!r} has a zero byte; rename the column")
        if len(column) != len(table.columns[0]):
            raise DataError(
                f"{table.name}: the column {column.name!r} has {len(column)} rows, but the column "
                f"{table.columns[0].name!r} has {len(table.columns[0])}"
            )
    if not table.columns or len(table.columns[0]) == 0:
        raise DataError(f"{table.name}: has no rows")
