"""The options of the library's tables as Python keywords: ``--time-unit h`` of the command line is ``time_unit="h"``."""

from __future__ import annotations

import datetime
import difflib
import functools
import numbers
import os
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._errors import ArgumentError
from ._library import ffi, lib

if TYPE_CHECKING:
    from ._context import Context


@dataclass(frozen=True)
class Option:
    """An option of a fit or of reading data, as the library describes it."""

    name: str
    type: str
    default: str
    values: str
    help: str
    group: str
    about_machine: bool
    reading: bool

    @property
    def keyword(self) -> str:
        """Its name in Python."""
        return self.name.replace("-", "_")


def _text(pointer: Any) -> str:
    return ffi.string(pointer).decode("utf-8") if pointer else ""


def _option(row: Any, reading: bool) -> Option:
    return Option(
        name=_text(row.name),
        type=_text(row.type),
        default=_text(row.fallback),
        values=_text(row.values),
        help=_text(row.help),
        group="reading" if reading else _text(row.group),
        about_machine=bool(row.about_machine),
        reading=reading,
    )


def _rows(verb: str) -> Iterable[Option]:
    """The options of a verb, in the order of the help."""
    for index in range(lib.lf_option_count(verb.encode())):
        row = ffi.new("lf_option *", {"size": ffi.sizeof("lf_option")})
        lib.lf_option_get(ffi.NULL, verb.encode(), index, row)
        yield _option(row, verb == "read")


@functools.cache
def table() -> dict[str, Option]:
    """All options by keyword."""
    rows = [*_rows("fit"), *_rows("read")]
    return {option.keyword: option for option in rows}


def of_verb(context: Context, verb: str, values: Mapping[str, Any]) -> Any:
    """Options of a verb of the library, with the values of keywords; None: not given."""
    make = (lib.lf_options_create, lib.lf_options_free, "lf_options", context.pointer, verb.encode())
    made = context.make(*make)
    for option in _rows(verb):
        words = words_of(option, values.get(option.keyword))
        takes_value = option.type not in ("flag", "switch")
        for place in range(0, len(words), 2 if takes_value else 1):
            argument = os.fsencode(words[place + 1]) if takes_value else ffi.NULL
            name = words[place][2:].encode("utf-8")
            context.check(lib.lf_options_set(context.pointer, made, name, argument))
    return made


# What other packages call options.
_ELSEWHERE_CALLED = {
    "n_jobs": "threads",
    "random_state": "seed",
    "verbose": "progress",
    "quiet": "progress",
    "target": "outputs",
    "max_iter": "max_iterations",
}


def find(keyword: str, what: str = "fit()", more: Iterable[str] = (), reading_only: bool = False) -> Option:
    """The option of a keyword; for an unknown one there is an error, which says that `what` does not have it and suggests
    another option, or a name of `more`."""
    known = {key: option for key, option in table().items() if option.reading or not reading_only}
    option = known.get(keyword)
    if option is not None:
        return option
    names = [*known, *more]
    asked = keyword.lower().replace("-", "_")
    close = [_ELSEWHERE_CALLED[asked]] if _ELSEWHERE_CALLED.get(asked) in names else []
    close = close or difflib.get_close_matches(asked, names, n=1, cutoff=0.6)
    remedy = f"did you mean {close[0]!r}?" if close else "latentforce.options() lists the options"
    if reading_only and keyword in table():
        remedy = "fit() has it"
    raise OptionError(f"{what} has no option {keyword!r}; {remedy}")


class OptionError(ArgumentError, TypeError):
    """There is no option of that name."""


def word_of(option: Option, value: Any) -> str:
    """A value as the command line would have it."""
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return repr(float(value))
    if isinstance(value, datetime.timedelta):
        return f"{value.total_seconds()!r}s"
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if type(value).__name__ in ("datetime64", "timedelta64"):
        return word_of(option, value.astype(f"{type(value).__name__}[us]").item())
    raise ArgumentError(
        f"{option.keyword}={reprlib.repr(value)}: expected {_expected(option)}, not {type(value).__name__}"
    )


def _expected(option: Option) -> str:
    kinds = {"count": "a whole number", "seed": "a whole number", "number": "a number", "share": "a number"}
    expected = kinds.get(option.type, "text")
    return f"{expected} or one of {option.values}" if option.values else expected


def words_of(option: Option, value: Any) -> list[str]:
    """The words that the command line needs for an option, its name included; none where it is not given."""
    flag = f"--{option.name}"
    if value is None:
        return []
    if option.type in ("flag", "switch"):
        if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
            raise ArgumentError(f"{option.keyword}={value!r}: expected True or False")
        return [flag] if value else [f"--no-{option.name}"] if option.type == "switch" else []
    is_list = option.type == "list" or option.name == "x"
    if not is_list or isinstance(value, (str, os.PathLike)) or not isinstance(value, Iterable):
        return [flag, word_of(option, value)]
    if isinstance(value, Mapping):
        items = [str(name) if item is None else f"{name}={word_of(option, item)}" for name, item in value.items()]
    else:
        items = [word_of(option, item) for item in value]
    if option.reading:
        return [flag, ",".join(map(_quote, items))] if items else []
    return [word for item in items for word in (flag, item)]


def _quote(name: str) -> str:
    """A name in a list of names that commas separate."""
    return '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name


def options(name: str = "") -> Any:
    """The options of :func:`fit` and of reading data.

    Parameters
    ----------
    name
        A part of a name: only options that contain it.

    Returns
    -------
    DataFrame
        By name: type, default, values (words that are accepted), group and help.

    Examples
    --------
    >>> import latentforce as lf
    >>> lf.options().loc["max_iterations", "type"]
    'count'
    """
    from ._frames import frame_of

    rows = [option for option in table().values() if name.replace("-", "_") in option.keyword]
    columns = {"name": [option.keyword for option in rows]}
    for field in ("type", "default", "values", "group", "help"):
        columns[field] = [getattr(option, field) for option in rows]
    return frame_of(columns, index="name")
