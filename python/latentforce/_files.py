"""Model files: loading them, and their text, by which models are copied."""

from __future__ import annotations

import os
from typing import Any

from . import _parts
from ._context import Context
from ._library import lib


def read(context: Context, path: str | os.PathLike[str]) -> Any:
    """The model in a file."""
    return context.make(lib.lf_model_read, lib.lf_model_free, "lf_model", context.pointer, os.fsencode(path))


def parse(context: Context, text: str) -> Any:
    """The model in the text of a file."""
    arguments = (context.pointer, text.encode("utf-8"), b"model")
    return context.make(lib.lf_model_parse, lib.lf_model_free, "lf_model", *arguments)


def write(context: Context, handle: Any, path: str | os.PathLike[str]) -> None:
    """Writes a file, whole or not at all."""
    context.check(lib.lf_model_write(context.pointer, handle, os.fsencode(path)))


def text(context: Context, handle: Any) -> str:
    """The text of the file of a model."""
    return _parts.document(context, handle, "file")
