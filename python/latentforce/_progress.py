"""What happens while a fit runs: the functions that are told of it, the bar of tqdm, and Ctrl-C."""

from __future__ import annotations

import atexit
import sys
import threading
import time
import warnings
from typing import Any, Callable

from ._errors import ArgumentError
from ._library import ffi
from ._result import Progress, progress_of

_PAUSE = 0.1  # seconds between two drawings of a bar
_PATIENCE = 60.0  # seconds that the end of the interpreter waits for fits that are asked to stop

ProgressFunction = Callable[[Progress], Any]


class Watch:
    """Receives the progress of one fit. The fit stops where `stop` is set, or where the function returns true or fails."""

    def __init__(self, function: ProgressFunction | None) -> None:
        self.function = function
        self.stop = False
        self.interrupted = False
        self.failure: BaseException | None = None
        self.ended = threading.Event()

    def report(self, at: Any) -> bool:
        """Whether the fit shall stop."""
        if self.function is not None and not self.stop and self.function(progress_of(at)):
            self.stop = True
        return self.stop


@ffi.callback("lf_progress_function")  # type: ignore[untyped-decorator]
def report(user: Any, at: Any) -> int:
    """The progress function that the library calls, on the thread that called the fit."""
    watch: Watch = ffi.from_handle(user)
    try:
        return int(watch.report(at))
    except BaseException as failure:  # noqa: BLE001 it must not end in C; the fit stops, and the caller raises it
        watch.failure = failure
        watch.stop = True
        return 1


class Bar:
    """A bar of tqdm that appears once a fit has taken `delay` seconds."""

    def __init__(self, tqdm: Any, delay: float) -> None:
        self._tqdm = tqdm
        self._delay = delay
        self._bar: Any = None
        self._shown = ""
        self._spent = 0.0  # in earlier stages
        self._last = 0.0
        self._drawn = 0.0

    def __call__(self, at: Progress) -> None:
        if at.stage != self._shown:
            self.close()
            self._spent += self._last
            self._shown = at.stage
        self._last = at.seconds
        if self._bar is None:
            if self._spent + at.seconds < self._delay:
                return
            self._bar = self._tqdm(
                total=0, desc=at.stage, leave=False, bar_format="{desc}: {percentage:3.0f}%|{bar}| {postfix}"
            )
        elif time.monotonic() - self._drawn < _PAUSE:
            return
        self._drawn = time.monotonic()
        whole = at.seconds + max(at.remaining, 0.0)
        self._bar.total = max(whole, 1e-9)
        self._bar.n = min(at.seconds, self._bar.total)
        what = {"selection": "candidate", "fit": "start", "series": "series"}.get(at.stage, "parameter")
        about = f"{what} {at.item + 1} of {at.items}"
        if at.objective == at.objective:
            about += f", iteration {at.iteration}, objective {at.objective:.6g}"
        self._bar.set_postfix_str(f"{about}, about {max(at.remaining, 0.0):.0f} s left", refresh=False)
        self._bar.refresh()

    def close(self) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def progress_function(progress: ProgressFunction | bool | None) -> ProgressFunction | None:
    """The function for the argument ``progress=`` of a fit."""
    if callable(progress):
        return progress
    if progress is not None and not isinstance(progress, bool):
        raise ArgumentError(f"progress={progress!r}: expected a function, True, False or None")
    if progress is False or (progress is None and not _is_watched()):
        return None
    try:
        from tqdm import TqdmWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TqdmWarning)  # a notebook without widgets has a bar of text
            from tqdm.auto import tqdm
    except ImportError:
        if progress:
            raise ArgumentError(
                "progress=True needs tqdm: install it with 'pip install tqdm', or give a function"
            ) from None
        return None
    return Bar(tqdm, 0.0 if progress else 1.0)


def _is_watched() -> bool:
    """Whether somebody sees a bar: in a terminal or a notebook."""
    stream = sys.stderr
    return "ipykernel" in sys.modules or (stream is not None and stream.isatty())


_running: set[Watch] = set()


@atexit.register
def _end_fits() -> None:
    """Stops the fits that still run: Python ends their threads where they call `report`, and other threads of a fit read its memory."""
    for watch in list(_running):
        watch.stop = True
    end = time.monotonic() + _PATIENCE
    for watch in list(_running):
        watch.ended.wait(max(0.0, end - time.monotonic()))


def _run(call: Callable[[], int], watch: Watch) -> int:
    """The result of the call, which is stopped before the interpreter ends."""
    _running.add(watch)
    try:
        return call()
    finally:
        _running.discard(watch)
        watch.ended.set()


def run_interruptibly(call: Callable[[], int], watch: Watch) -> int:
    """The result of a call that takes long.

    In the main thread, the only one that Python tells of Ctrl-C, the call runs in another thread. The first Ctrl-C asks it to
    stop in good order; a second one is a KeyboardInterrupt, and the call is left to itself until it has stopped.
    """
    if threading.current_thread() is not threading.main_thread():
        return _run(call, watch)
    results: list[int] = []
    failures: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            results.append(_run(call, watch))
        except BaseException as failure:  # noqa: BLE001 raised below
            failures.append(failure)
        finally:
            done.set()

    worker = threading.Thread(target=work, name="latentforce fit", daemon=True)
    started = False
    while not done.is_set():
        try:
            if not started:
                started = True
                worker.start()
            done.wait(0.2)  # a signal that another thread has received is noticed between two waits
        except KeyboardInterrupt:
            if watch.interrupted:
                raise
            watch.stop = watch.interrupted = True
    if failures:
        raise failures[0]
    return results[0]
