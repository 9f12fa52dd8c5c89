"""A context of the library: its messages become exceptions, its notes a list and a log."""

from __future__ import annotations

import logging
import os
import weakref
from typing import Any, Callable

from ._errors import OutOfMemoryError, error_of
from ._library import ffi, lib

_logger = logging.getLogger("latentforce")


def text_of(pointer: Any) -> str:
    """The text behind a char pointer; "" for NULL."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


class _Notes:
    """Receives the notes of a context. It does not refer to the context, so that no cycle delays the release of either."""

    def __init__(self) -> None:
        self.list: list[str] = []
        self.failure: BaseException | None = None


@ffi.callback("lf_log_function")  # type: ignore[untyped-decorator]
def _take_note(user: Any, level: int, note: Any) -> None:
    notes: _Notes = ffi.from_handle(user)
    try:
        warns = level == lib.LF_LEVEL_WARNING
        text = ("warning: " if warns else "") + text_of(note)
        notes.list.append(text)
        _logger.log(logging.WARNING if warns else logging.INFO, "%s", text)
    except BaseException as failure:  # noqa: BLE001 it must not end in C; check() raises it
        notes.failure = failure


class Context:
    """Owns an ``lf_context``. Handles made with it keep it alive."""

    def __init__(self, threads: int = 0) -> None:
        pointer = lib.lf_context_create()
        if not pointer:
            raise OutOfMemoryError("out of memory")
        self.pointer = ffi.gc(pointer, lib.lf_context_free)
        self.threads = threads
        self._notes = _Notes()
        self._user = ffi.new_handle(self._notes)
        lib.lf_context_set_log(self.pointer, _take_note, self._user)
        lib.lf_context_set_spelling(self.pointer, lib.LF_SPELLING_KEYWORD)
        self.set_threads(threads)
        _contexts.add(self)

    def set_threads(self, threads: int) -> None:
        """Sets the number of threads; 0: as many as the machine has."""
        self.threads = threads
        lib.lf_context_set_threads(self.pointer, 1 if _forked else threads)

    def take_notes(self) -> list[str]:
        """The notes since the last call."""
        notes, self._notes.list = self._notes.list, []
        return notes

    def check(self, status: int, about: str = "") -> None:
        """Raises the exception of a status that is not ``LF_OK``; the message begins with `about`."""
        failure, self._notes.failure = self._notes.failure, None
        if failure is not None:
            raise failure
        if status != lib.LF_OK:
            message = text_of(lib.lf_context_message(self.pointer))
            raise error_of(status, f"{about}: {message}" if about else message)

    def spell(self, text: str) -> str:
        """A text that names options as the command line does, with keywords."""
        place = ffi.new("char **")
        self.check(lib.lf_context_spell(self.pointer, text.encode("utf-8"), place))
        spelt = ffi.gc(place[0], lib.lf_free)
        return text_of(spelt)

    def make(self, function: Callable[..., int], free: Callable[[Any], None], type_name: str, *arguments: Any) -> Any:
        """Calls a function whose last argument receives a new handle. The handle is released when nothing refers to it."""
        place = ffi.new(f"{type_name} **")
        status = function(*arguments, place)
        handle = self.own(place[0], free) if status == lib.LF_OK else None  # before a failure of a log is raised
        self.check(status)
        return handle

    def own(self, handle: Any, free: Callable[[Any], None]) -> Any:
        """The handle, released when nothing refers to it and before this context is."""

        def release(pointer: Any, context: Context = self) -> None:
            free(pointer)

        return ffi.gc(handle, release)


_contexts: weakref.WeakSet[Context] = weakref.WeakSet()
_forked = False


def _after_fork() -> None:
    """The threads of OpenMP do not exist in a child process, and waiting for them would not end: it uses one thread."""
    global _forked
    _forked = True
    for context in list(_contexts):
        context.set_threads(context.threads)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
