"""Parts of a model by kind and number: counts, names, labels, outputs."""

from __future__ import annotations

from typing import Any

from ._context import Context, text_of
from ._library import ffi, lib


def count(handle: Any, kind: int) -> int:
    """How many of a kind the model has."""
    return int(lib.lf_model_count(handle, kind))


def names(handle: Any, kind: int) -> list[str]:
    """The names of all of a kind."""
    return [text_of(lib.lf_model_name(handle, kind, i)) for i in range(count(handle, kind))]


def find(handle: Any, kind: int, name: str | bytes) -> int:
    """The number of the one with this name; -1 where there is none."""
    index = ffi.new("size_t *")
    text = name.encode() if isinstance(name, str) else name
    return int(index[0]) if lib.lf_model_find(ffi.NULL, handle, kind, text, index) == lib.LF_OK else -1


def _get(function: Any, type_name: str, *arguments: Any) -> Any:
    """A struct that the library fills for a part that exists."""
    info = ffi.new(f"{type_name} *", {"size": ffi.sizeof(type_name)})
    if function(ffi.NULL, *arguments, info) != lib.LF_OK:
        raise IndexError(arguments[-1])
    return info


def label(handle: Any, kind: int, index: int) -> Any:
    """The name and the unit of one of a kind."""
    return _get(lib.lf_model_label_get, "lf_label", handle, kind, index)


def label_of_input(handle: Any, index: int) -> Any:
    """What an input measures."""
    return label(handle, lib.LF_KIND_INPUT, index)


def output(handle: Any, index: int) -> Any:
    """What an output is."""
    return _get(lib.lf_model_output_get, "lf_output_info", handle, index)


def about(handle: Any) -> Any:
    """What the model is as a whole."""
    return _get(lib.lf_model_get, "lf_model_info", handle)


def noise(handle: Any, index: int) -> float:
    """The variance of the noise of an output, in the units of the data."""
    return float(output(handle, index).noise_variance)


def document(context: Context, handle: Any, what: str) -> str:
    """A document of the model as JSON; "" where there is none."""
    place = ffi.new("char **")
    context.check(lib.lf_model_json(context.pointer, handle, what.encode(), place))
    try:
        return text_of(place[0])
    finally:
        lib.lf_free(place[0])
