"""What every fitted model is: handles of the library behind a lock, a description, a file, and copies."""

from __future__ import annotations

import contextlib
import datetime
import html
import os
import threading
from collections.abc import Iterator
from typing import Any, Callable, TypeVar

import numpy as np

from . import _describe, _files, _parts
from ._context import Context, text_of
from ._errors import ModelError
from ._library import lib
from ._result import Remark, Result

T = TypeVar("T")


class Fitted:
    """The part of a model that does not predict."""

    def __init__(
        self,
        context: Context,
        handle: Any,
        *,
        result: Result | None = None,
        zone: datetime.tzinfo | None = None,
        rows: Any = None,
    ) -> None:
        self._context = context
        self._zone = zone
        self._rows = rows  # the handle of the data of the fit, for plots and reports
        self.result = result
        self.notes: list[str] = context.take_notes()
        self._handle = handle
        self._stored: Any = None
        self._lock = threading.RLock()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """While no other thread uses the model. Notes that are not taken meanwhile are only in the log."""
        with self._lock:
            try:
                yield
            finally:
                self._context.take_notes()

    def _use(self, function: Callable[[Any], T]) -> T:
        """Calls a function with the handle of the model, while no other thread uses it."""
        with self._lock:
            return function(self._handle)

    # ---- what it says of itself ----

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return self._use(_describe.outputs)

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs, as predictions have them: the time, or the coordinates of places."""
        return self._use(_describe.inputs)

    @property
    def known_inputs(self) -> list[str]:
        """The names of the known inputs."""
        return self._use(_describe.known_inputs)

    @property
    def replicates(self) -> list[str]:
        """The names of the replicates of the training data; none where they have no names."""
        with self._lock:
            return _describe.replicates(self._posterior())

    @property
    def equations(self) -> str | None:
        """The text of the equations; None where the outputs have operators."""
        return self._use(lambda handle: text_of(_parts.about(handle).equations)) or None

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the model came from: the command, the version, the figures of the fit."""
        return self._use(lambda handle: _describe.provenance(self._context, handle))

    @property
    def stages(self) -> Any:
        """What the stages of the fit did: a table by stage with the columns evaluations, decision and reason. It is empty for a model that
        was not fitted, or by an earlier version. ``model.result.stages`` has their seconds too.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 60)
        >>> model = lf.fit(t, np.column_stack([np.sin(t), np.cos(t)]), forces=1)
        >>> model.stages.loc["problem", "decision"]
        '2 outputs, 120 readings; 0 test readings'
        """
        return _describe.stages(self._context, self.provenance)

    @property
    def log_likelihood(self) -> float:
        """The log marginal likelihood of the training rows, of the scaled outputs; NaN where it is not known, as after
        :meth:`Model.update` and :meth:`Model.condition`."""
        found = self.provenance
        return float(np.nan if "conditioned" in found else found.get("log_likelihood", np.nan))

    @property
    def parameters(self) -> Any:
        """The parameters: a table by name.

        Columns value, standard_error and unit; lower and upper, the limits that the model or its equations set (0 or -inf, and
        inf, where they set none); fixed and tied_to; searched_lower and searched_upper, the range that the fit searched, which
        follows from the data. A parameter that "ended on a bound" is at an end of this range. NaN: it was not free.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 60)
        >>> decay = lf.fit(t, np.sin(t), names=["a"]).parameters.loc["a.decay"]
        >>> bool(decay.lower == 0 and 0 < decay.searched_lower < decay.value < decay.searched_upper < decay.upper)
        True
        """
        return self._use(lambda handle: _describe.parameters(self._context, handle))

    @property
    def quantities(self) -> Any:
        """What follows from the parameters: a table with value, standard_error and unit, by name.

        Quantities of equations, and time constants, natural frequencies and damping ratios of outputs that have operators.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 60)
        >>> list(lf.fit(t, np.sin(t), names=["a"]).quantities.index)
        ['a.time_constant']
        """
        return self._use(lambda handle: _describe.quantities(self._context, handle))

    @property
    def verdict(self) -> tuple[Remark, ...]:
        """What the fit is worth, in sentences: each has a severity ("good", "note", "warning") and perhaps an output."""
        return self._use(lambda handle: _describe.verdict(self._context, handle))

    def _summary(self) -> list[tuple[str, str]]:
        return self._use(lambda handle: _describe.summary(self._context, handle))

    def _posterior(self, fresh: bool = False) -> Any:
        """The handle of the posterior that is stored in the model; a fresh one may be changed."""
        if self._stored is not None and not fresh:
            return self._stored
        if not _parts.about(self._handle).has_posterior:
            raise ModelError("the model holds no posterior, so it cannot predict; fit it with posterior=True")
        arguments = (self._context.pointer, self._handle)
        found = self._context.make(lib.lf_posterior_restore, lib.lf_posterior_free, "lf_posterior", *arguments)
        if not fresh:
            self._stored = found
        return found

    # ---- files and copies ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, whole or not at all."""
        self._use(lambda handle: _files.write(self._context, handle, path))

    def to_json(self) -> str:
        """The text of the model file."""
        return self._use(lambda handle: _files.text(self._context, handle))

    def __getstate__(self) -> dict[str, Any]:
        """What makes an equal model, in another process too."""
        return {
            "json": self.to_json(),
            "result": self.result,
            "notes": self.notes,
            "zone": self._zone,
            "threads": self._context.threads,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Makes the model of such a state."""
        context = Context(state["threads"])
        handle = _files.parse(context, state["json"])
        self.__init__(context, handle, result=state["result"], zone=state["zone"])  # type: ignore[misc]
        self.notes = list(state["notes"])

    def __repr__(self) -> str:
        return f"<latentforce.Model {'; '.join(f'{name}: {value}' for name, value in self._summary())}>"

    def _repr_html_(self) -> str:
        lines = [(html.escape(name), html.escape(value)) for name, value in self._summary()]
        left = 'style="text-align: left"'
        rows = "".join(f"<tr><th {left}>{name}</th><td {left}>{value}</td></tr>" for name, value in lines)
        remarks = "".join(f"<li>{html.escape(str(remark))}</li>" for remark in self.verdict)
        return f"<table>{rows}</table><ul>{remarks}</ul>"
