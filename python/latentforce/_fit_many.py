"""The function fit_many: one model for each value of a column."""

from __future__ import annotations

import datetime
import warnings
from typing import Any

from ._context import Context, text_of
from ._errors import ArgumentError, Error, FitWarning, error_of
from ._fit import _prepare
from ._library import ffi, lib
from ._model import Model
from ._progress import Bar, ProgressFunction, Watch, progress_function, report, run_interruptibly
from ._result import result_of
from ._tables import source_of


class Models(dict[str, Model]):
    """Models by value of a column, in the order in which the values appear, made by :func:`fit_many`.

    Attributes
    ----------
    failures
        Why there is no model for a value: an :class:`Error` by value.
    """

    failures: dict[str, Error]

    def __init__(self) -> None:
        super().__init__()
        self.failures = {}


def fit_many(
    data: Any, *, by: str, progress: ProgressFunction | bool | None = None, **options: Any
) -> Models:
    """Fit one model for each value of a column: what ``latentforce fit --by`` does, with the same bits.

    Each model is the one that :func:`fit` makes of the rows of its value alone. The fits run side by side, each on one thread.

    Parameters
    ----------
    data
        A DataFrame, the path of a data file, or another table as :func:`fit` takes it.
    by
        The name of the column.
    progress
        As for :func:`fit`; the stage is "series", and its items are the values.
    **options
        Those of :func:`fit`. They hold for each fit.

    Returns
    -------
    Models
        A dictionary of the models by value, as text. Values whose fit failed are in ``failures`` instead, with a
        :class:`FitWarning`.

    Notes
    -----
    Ctrl-C ends the fits in good order: the models that are finished are returned, with a :class:`FitWarning`.

    Examples
    --------
    >>> import numpy as np
    >>> import latentforce as lf
    >>> t = np.tile(np.linspace(0, 5, 30), 2)
    >>> well = np.repeat(["A1", "A2"], 30)
    >>> models = lf.fit_many({"well": well, "t": t, "y": np.sin(t + (well == "A2"))}, by="well", forces=1)
    >>> list(models), models["A2"].outputs
    (['A1', 'A2'], ['y'])
    """
    if not isinstance(by, str):
        raise ArgumentError(f"by={by!r}: expected the name of a column")
    function = progress_function(progress)
    source = source_of(data, None, None, None)
    context, settings, rows = _prepare(source, options, "fit_many()", by)
    watch = Watch(function)
    taker = _Taker(context.threads, source.zone)
    status = _run(context, settings, rows, watch, taker)
    if taker.failure is not None:
        raise taker.failure
    if watch.failure is not None:
        raise watch.failure
    if status != lib.LF_ERROR_CANCELLED or not watch.stop:
        context.check(status, source.name if status == lib.LF_ERROR_DATA else "")
    _warn(taker, status == lib.LF_ERROR_CANCELLED)
    return taker.models


class _Taker:
    """Keeps the models that the library hands out."""

    def __init__(self, threads: int, zone: datetime.tzinfo | None) -> None:
        self._threads = threads
        self._zone = zone
        self.models = Models()
        self.items = 0
        self.failure: BaseException | None = None

    def take(self, fitted: Any) -> None:
        """Copies what belongs to the library, into a context of its own: models are used by several threads."""
        name = text_of(fitted.name)
        self.items = fitted.items
        if fitted.status != lib.LF_OK:
            self.models.failures[name] = error_of(fitted.status, text_of(fitted.message))
            return
        context = Context(self._threads)
        handle = context.make(lib.lf_model_copy, lib.lf_model_free, "lf_model", context.pointer, fitted.model)
        all_rows = (context.pointer, fitted.data, ffi.NULL, b"started")
        rows = context.make(lib.lf_data_select, lib.lf_data_free, "lf_data", *all_rows)
        result = result_of(context, fitted.result)
        self.models[name] = Model(context, handle, result=result, zone=self._zone, rows=rows)


@ffi.callback("lf_fitted_function")  # type: ignore[untyped-decorator]
def _take(user: Any, fitted: Any) -> int:
    taker: _Taker = ffi.from_handle(user)
    try:
        taker.take(fitted)
    except BaseException as failure:  # noqa: BLE001 it must not end in C; the caller raises it
        taker.failure = failure
        return 1
    return 0


def _run(context: Context, settings: Any, rows: Any, watch: Watch, taker: _Taker) -> int:
    watched, taking = ffi.new_handle(watch), ffi.new_handle(taker)
    keep = (context, watched, taking)
    lib.lf_context_set_progress(context.pointer, report, watched)

    def call() -> int:
        status: int = lib.lf_fit_many(context.pointer, rows, settings, _take, taking)
        return status if keep else 0

    try:
        return run_interruptibly(call, watch)
    finally:
        lib.lf_context_set_progress(context.pointer, ffi.NULL, ffi.NULL)
        if isinstance(watch.function, Bar):
            watch.function.close()


def _warn(taker: _Taker, stopped: bool) -> None:
    failures = taker.models.failures
    if failures:
        name, failure = next(iter(failures.items()))
        text = f"{len(failures)} of {taker.items} fits failed, the first for {name!r}: {failure}"
        warnings.warn(f"{text}; .failures has all", FitWarning, stacklevel=3)
    if stopped:
        warnings.warn("the fits were stopped: models of later values are missing", FitWarning, stacklevel=3)
