"""The function compare: models of the same data, as ``latentforce compare`` ranks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from ._errors import ArgumentError
from ._frames import frame_of
from ._library import ffi, lib
from ._model import Model
from ._options import of_verb
from ._result_tables import columns_of
from ._score import run_watched
from ._sources import Reading
from ._tables import source_of


def compare(
    models: Mapping[str, Model],
    data: Any,
    y: Any = None,
    *,
    sd: Any = None,
    names: Sequence[str] | None = None,
    folds: int | None = None,
    rolling: Any = None,
    span: Any = None,
    step: Any = None,
    refit: bool = True,
    **options: Any,
) -> Any:
    """Rank models of the same data, as ``latentforce compare`` does.

    The best comes first: by the held-out nlpd of rows marked test, of a cross-validation or of forecasts, or by BIC where nothing
    is held out.

    Parameters
    ----------
    models
        Models by name.
    data, y, sd, names
        The data of all of them, as :func:`fit` takes them.
    folds, rolling, span, step, refit
        As of :meth:`Model.cross_validate`; without `folds` and `rolling` there is no cross-validation.
    **options
        Options of reading: ``time=``, ``outputs=``, ``drop=`` …

    Returns
    -------
    DataFrame
        A row for each model: engine, bound, parameters, log_density, bic, bic_behind, and of held-out rows n, nlpd, nlpd_behind, nmse,
        rmse and coverage95.

    Examples
    --------
    >>> import numpy as np
    >>> import latentforce as lf
    >>> t = np.linspace(0, 10, 60)
    >>> data = {"a": (t, np.sin(t)), "b": (t, np.cos(t))}
    >>> models = {"one": lf.fit(data, forces=1), "two": lf.fit(data, forces=2)}
    >>> sorted(lf.compare(models, data).index)
    ['one', 'two']
    """
    if not isinstance(models, Mapping) or not models or not all(isinstance(m, Model) for m in models.values()):
        raise ArgumentError("models: expected models by name, {'one': model, 'two': other}")
    how = {"cross_validate": folds, "rolling": rolling, "span": span, "step": step, "refit": None if refit else False}
    source = source_of(data, y, sd, names)
    chosen = list(models.values())
    with ExitStack() as stack:
        for model in sorted(set(chosen), key=id):  # in one order, so that two threads do not wait for each other
            stack.enter_context(model._alone())
        context = chosen[0]._context
        tables = [source.read(context, Reading(options, model._handle)) for model in chosen]
        validate = of_verb(context, "validate", {"table_name": source.name, "model_name": list(models), **how})
        handles = ffi.new("lf_model *[]", [model._handle for model in chosen])
        rows = ffi.new("lf_data *[]", tables)
        place = ffi.new("lf_scores **")
        run_watched(
            context,
            lambda: lib.lf_compare(context.pointer, len(chosen), handles, rows, validate, place),
        )
        scores = context.own(place[0], lib.lf_scores_free)
        make = (lib.lf_scores_table, lib.lf_table_free, "lf_table", context.pointer, scores, b"models")
        columns = columns_of(context, context.make(*make))
    for name in ("parameters", "n"):
        columns[name] = columns[name].astype(np.int64)
    return frame_of(columns, index="model")
