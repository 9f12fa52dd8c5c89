"""The function fit: reads data, fits a model, and hands it over."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any

from ._context import Context
from ._errors import FitWarning
from ._library import ffi, lib
from ._model import Model
from ._options import Option, find, words_of
from ._progress import Bar, ProgressFunction, Watch, progress_function, report, run_interruptibly
from ._result import result_of
from ._result_tables import frame_of_table
from ._sources import Reading, Source
from ._tables import source_of

_ARGUMENTS = ("data", "y", "sd", "names", "progress")


def fit(
    data: Any,
    y: Any = None,
    *,
    sd: Any = None,
    names: Sequence[str] | None = None,
    progress: ProgressFunction | bool | None = None,
    **options: Any,
) -> Model:
    """Fit a model to data: what ``latentforce fit`` does, with the same defaults and the same bits.

    Parameters
    ----------
    data
        A DataFrame, wide (one column per output) or long (columns output, x, y); the path of a data file, or several; a
        dictionary ``{name: (t, y)}`` or ``{name: (t, y, sd)}``, or of the columns of a wide table; or an array of times (n,) or
        places (n, p), with `y`.
    y
        With an array: values (n,) or (n, D), with NaN where there is none.
    sd
        With `y`: known standard errors, of the shape of `y`, or one for all.
    names
        With `y`: names of the outputs; by default those of its columns, or y, or y1 to yD.
    progress
        A function that is called with a :class:`Progress` after every iteration, and stops the fit by returning true; True
        for a bar of tqdm, False for none; None: a bar for fits longer than a second, in terminals and notebooks, if tqdm is
        installed.
    **options
        Every option of ``latentforce fit``, with underscores: ``operator="ode2"``, ``forces=3``, ``force_kernel="matern32"``,
        ``time_unit="h"``. Options that may be repeated take a list, ``fix=["noise1=0.1"]``, or a dictionary,
        ``fix={"noise1": 0.1}``; switches take True or False. ``equations`` is a path or the text itself, ``init`` a path or a
        model. None is the default. :func:`options` lists them.

    Returns
    -------
    Model

    Raises
    ------
    Error
        A subclass of it, with the message of the library.

    Notes
    -----
    Ctrl-C ends a fit in good order: the model with the best parameters so far is returned, with a :class:`FitWarning`. A second
    Ctrl-C is a KeyboardInterrupt. Notes of the library are in ``model.notes`` and in the log "latentforce", at level INFO,
    its warnings at level WARNING.

    Examples
    --------
    >>> import numpy as np
    >>> import latentforce as lf
    >>> t = np.linspace(0, 10, 60)
    >>> y = np.column_stack([np.sin(t), np.cos(t)])
    >>> model = lf.fit(t, y, names=["a", "b"], forces=1)
    >>> model.outputs
    ['a', 'b']
    """
    function = progress_function(progress)
    source = source_of(data, y, sd, names)
    context, settings, rows = _prepare(source, options, "fit()")
    return _run(context, settings, rows, function, source.name, source.zone)


def plan(
    data: Any,
    y: Any = None,
    *,
    sd: Any = None,
    names: Sequence[str] | None = None,
    **options: Any,
) -> Any:
    """What :func:`fit` would do with these data and options, without fitting anything.

    Parameters
    ----------
    data, y, sd, names, **options
        Those of :func:`fit`.

    Returns
    -------
    DataFrame
        Columns stage, kind, name, value, default and reason. A row is a "decision" of a stage up to the model that a fit starts from, a
        "proposal" (what the selection would compare, and what that costs), an "option" with the value that it comes to, or a
        "threshold". Values that follow from the model are those of the one that a fit starts from.

    Examples
    --------
    >>> import numpy as np
    >>> import latentforce as lf
    >>> t = np.linspace(0, 10, 60)
    >>> found = lf.plan(t, np.column_stack([np.sin(t), np.cos(t)]), period="none")
    >>> found[found.kind == "proposal"].set_index("name").loc["number of forces", "value"]
    '1, 2, 3, 4 forces'
    """
    source = source_of(data, y, sd, names)
    context, settings, rows = _prepare(source, options, "plan()")
    place = ffi.new("lf_table **")
    status = lib.lf_plan(context.pointer, rows, settings, place)
    table = context.own(place[0], lib.lf_table_free)
    context.check(status, source.name if status == lib.LF_ERROR_DATA else "")
    return frame_of_table(context, table)


def _prepare(
    source: Source, options: dict[str, Any], what: str, by: str | None = None
) -> tuple[Context, Any, Any]:
    """A context, the options and the data of a fit, or of one for each value of the column `by`."""
    chosen = [(find(keyword, what, more=_ARGUMENTS), value) for keyword, value in options.items() if value is not None]
    context = Context()
    settings = context.make(lib.lf_options_create, lib.lf_options_free, "lf_options", context.pointer, b"fit")
    reading = Reading({})
    command = ["latentforce", "fit", *source.paths]
    if by is not None:
        reading.set_by(by)
        command += ["--by", by]
    for option, value in chosen:
        words = reading.set(option.keyword, value) if option.reading else _set(context, settings, option, value)
        command += [] if option.about_machine else words
        if option.name == "threads":
            context.set_threads(int(words[1]))  # of what is asked of the model later
    texts = [ffi.new("char[]", os.fsencode(word)) for word in command]
    words_pointer = ffi.new("const char *[]", texts)
    context.check(lib.lf_fit_options_set_command(context.pointer, settings, len(texts), words_pointer))
    context.check(lib.lf_options_check(context.pointer, settings))
    return context, settings, source.read(context, reading, settings)


def _set(context: Context, settings: Any, option: Option, value: Any) -> list[str]:
    """Sets an option of the fit; the words of the command line for it."""
    if option.name == "init" and isinstance(value, Model):
        value._use(lambda model: context.check(lib.lf_options_set_model(context.pointer, settings, model)))
        return ["--init", "model"]
    if option.name == "equations" and _is_text(value):
        text = value.encode("utf-8")
        context.check(lib.lf_fit_options_set_equations(context.pointer, settings, text, b"equations"))
        return ["--equations", "equations"]
    words = words_of(option, value)
    takes_value = option.type not in ("flag", "switch")
    for place in range(0, len(words), 2 if takes_value else 1):
        name = words[place][2:].encode("utf-8")
        argument = os.fsencode(words[place + 1]) if takes_value else ffi.NULL
        context.check(lib.lf_options_set(context.pointer, settings, name, argument))
    return words


def _is_text(equations: Any) -> bool:
    """Whether equations are given as text and not as the path of a file."""
    if not isinstance(equations, str):
        return False
    return "\n" in equations or ("=" in equations and not os.path.exists(equations))


def _run(context: Context, settings: Any, rows: Any, function: ProgressFunction | None, name: str, zone: Any) -> Model:
    watch = Watch(function)
    user = ffi.new_handle(watch)
    lib.lf_context_set_progress(context.pointer, report, user)
    model_place = ffi.new("lf_model **")
    result_place = ffi.new("lf_fit_result **")
    keep = (context, user, model_place, result_place)

    def call() -> int:
        status: int = lib.lf_fit(context.pointer, rows, settings, model_place, result_place)
        return status if keep else 0

    try:
        status = run_interruptibly(call, watch)
    finally:
        lib.lf_context_set_progress(context.pointer, ffi.NULL, ffi.NULL)
        if isinstance(function, Bar):
            function.close()
    if watch.failure is not None:
        _free(model_place[0], result_place[0])
        raise watch.failure
    if watch.interrupted and status == lib.LF_ERROR_CANCELLED:
        raise KeyboardInterrupt
    try:
        context.check(status, name if status == lib.LF_ERROR_DATA else "")
    except BaseException:
        _free(model_place[0], result_place[0])
        raise
    handle = context.own(model_place[0], lib.lf_model_free)
    try:
        result = result_of(context, result_place[0])
    finally:
        lib.lf_fit_result_free(result_place[0])
    if watch.interrupted:
        warnings.warn(
            "the fit was interrupted: the model has the best parameters found until then", FitWarning, stacklevel=3
        )
    return Model(context, handle, result=result, zone=zone, rows=rows)


def _free(model: Any, result: Any) -> None:
    lib.lf_fit_result_free(result)
    lib.lf_model_free(model)
