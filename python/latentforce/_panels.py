"""The panels of a figure and the page of a report, from the library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ._context import text_of
from ._library import ffi, lib
from ._result_tables import columns_of

if TYPE_CHECKING:
    from ._model import Model


class Panel(NamedTuple):
    """An output, a rate, a force, a state or a known input in a replicate, or the residuals of an output."""

    number: int
    name: str
    unit: str
    between: str
    replicate: int
    replicate_name: str


class Panels:
    """An ``lf_report``. The options are those of the library: `only` and the like take several values."""

    def __init__(self, model: Model, handle: Any, posterior: Any, table: Any, options: Mapping[str, Any]) -> None:
        self._context = context = model._context
        chosen = context.make(lib.lf_options_create, lib.lf_options_free, "lf_options", context.pointer, b"report")
        for name, value in options.items():
            for item in [value] if isinstance(value, str) or not isinstance(value, Iterable) else value:
                option = name.replace("_", "-").encode()
                context.check(lib.lf_options_set(context.pointer, chosen, option, str(item).encode("utf-8")))
        made = (context.pointer, handle, posterior or ffi.NULL, table or ffi.NULL, chosen)
        self._used = (handle, posterior, table)  # they outlive the report
        self._report = context.make(lib.lf_report_create, lib.lf_report_free, "lf_report", *made)
        self._info = ffi.new("lf_report_info *", {"size": ffi.sizeof("lf_report_info")})
        context.check(lib.lf_report_get(context.pointer, self._report, self._info))

    @property
    def has_range(self) -> bool:
        """Whether the range of the inputs is known."""
        return bool(self._info.ranges)

    def __iter__(self) -> Iterator[Panel]:
        for number in range(self._info.panels):
            panel = ffi.new("lf_panel *", {"size": ffi.sizeof("lf_panel")})
            self._context.check(lib.lf_report_panel_get(self._context.pointer, self._report, number, panel))
            yield Panel(
                number,
                text_of(panel.name),
                text_of(panel.unit),
                text_of(panel.between),
                -1 if panel.residuals else panel.replicate,
                text_of(panel.replicate_name),
            )

    def of(self, name: str) -> list[Panel]:
        """The panels of this name, one for each replicate."""
        return [panel for panel in self if panel.name == name]

    def table(self, panel: Panel, what: str) -> dict[str, Any]:
        """A table of a panel: arrays by name."""
        arguments = (self._context.pointer, self._report, panel.number, what.encode())
        made = self._context.make(lib.lf_report_table, lib.lf_table_free, "lf_table", *arguments)
        return columns_of(self._context, made)

    def write(self, path: bytes) -> None:
        """Writes the page."""
        self._context.check(lib.lf_report_write(self._context.pointer, self._report, path))
