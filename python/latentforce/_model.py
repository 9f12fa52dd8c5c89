"""A fitted model: predictions, parameters, files."""

from __future__ import annotations

import datetime
import html
import json
import os
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _condition, _predict, _score
from ._context import Context, text_of
from ._errors import ArgumentError, ModelError
from ._frames import frame_of
from ._library import ffi, lib
from ._result import Remark, Result
from ._tables import Reading, source_of

T = TypeVar("T")


class Model:
    """A latent force model with its posterior, made by :func:`fit` or :func:`load`.

    It may be used from several threads: calls wait for each other. It can be pickled and copied.

    Attributes
    ----------
    result
        How the fit ended, a :class:`Result`; None for a model that was loaded.
    notes
        What the library noted while it read the data and fitted, or read the file.
    """

    def __init__(
        self,
        context: Context,
        handle: Any,
        *,
        result: Optional[Result] = None,
        zone: Optional[datetime.tzinfo] = None,
    ) -> None:
        self.context = context
        self.zone = zone
        self.result = result
        self.notes: List[str] = context.take_notes()
        self._handle = handle
        self._posterior: Any = None
        self._lock = threading.RLock()

    def use(self, function: Callable[[Any], T]) -> T:
        """Calls a function with the handle of the model, while no other thread uses it."""
        with self._lock:
            return function(self._handle)

    # ---- what it is ----

    @property
    def outputs(self) -> List[str]:
        """The names of the outputs."""
        return self.use(
            lambda model: [text_of(lib.lf_model_output_name(model, d)) for d in range(lib.lf_model_output_count(model))]
        )

    @property
    def inputs(self) -> List[str]:
        """The names of the inputs, as predictions have them: the time, or the coordinates of places."""
        return self.use(_predict.input_names)

    @property
    def known_inputs(self) -> List[str]:
        """The names of the known inputs."""
        return self.use(
            lambda model: [text_of(lib.lf_model_known_name(model, k)) for k in range(lib.lf_model_known_count(model))]
        )

    @property
    def replicates(self) -> List[str]:
        """The names of the replicates of the training data; none where they have no names."""
        with self._lock:
            return _predict.replicate_names(self._restore())

    @property
    def equations(self) -> Optional[str]:
        """The text of the equations; None where the outputs have operators."""
        return self.use(
            lambda model: text_of(lib.lf_model_equations(model)) if lib.lf_model_equations(model) else None
        )

    @property
    def provenance(self) -> Dict[str, Any]:
        """Where the model came from: the command, the version, the figures of the fit."""

        def read(model: Any) -> Dict[str, Any]:
            text = lib.lf_model_provenance(model)
            try:
                found = json.loads(text_of(text)) if text else {}
            finally:
                lib.lf_free(text)
            return found if isinstance(found, dict) else {"provenance": found}

        return self.use(read)

    @property
    def log_likelihood(self) -> float:
        """The log marginal likelihood of the training rows, of the scaled outputs; NaN where it is not known."""
        return float(self.result.log_likelihood if self.result else self.provenance.get("log_likelihood", np.nan))

    @property
    def parameters(self) -> Any:
        """The parameters: a table with value, standard_error, unit, lower, upper, fixed and tied_to, by name."""
        return self.use(_parameters)

    @property
    def verdict(self) -> Tuple[Remark, ...]:
        """What the fit is worth, in sentences: each has a severity ("good", "note", "warning") and perhaps an output."""

        def judge(model: Any) -> Tuple[Remark, ...]:
            found = self.context.make(lib.lf_verdict_create, lib.lf_verdict_free, "lf_verdict", self.context.pointer, model)
            remarks = [found.remarks[i] for i in range(found.count)]
            return tuple(
                Remark(text_of(r.severity), text_of(r.sentence), text_of(r.output) if r.output else None) for r in remarks
            )

        return self.use(judge)

    # ---- predictions ----

    def predict(
        self,
        t: Any = None,
        *,
        ahead: Any = None,
        grid: Optional[int] = None,
        step: Any = None,
        outputs: Union[str, Sequence[str], None] = None,
        replicate: Union[str, Sequence[str], None] = None,
        known: Any = None,
        noise: bool = True,
        rates: bool = False,
        states: bool = False,
        forces: bool = False,
        level: float = 0.95,
    ) -> Any:
        """Predict outputs, or rates, states or forces.

        Parameters
        ----------
        t
            Where: times, dates, places (n, p), a DataFrame with the inputs as columns or index (and perhaps columns output and
            replicate, and columns of known inputs), or the path of a file of inputs. By default a grid over the training inputs.
        ahead
            A forecast instead: from the last training input on, as far as this span: "48h", a timedelta, or a number in the unit
            of the data.
        grid
            A grid of so many inputs over the training inputs instead; the default is 200.
        step
            With `ahead`: the distance of the inputs; by default the usual one of the training inputs.
        outputs
            Names of outputs; by default all.
        replicate
            Names of replicates; by default all.
        known
            A table of later readings of the known inputs, as :func:`fit` takes data.
        noise
            Standard deviations and bounds of a new observation; False: of the output itself.
        rates, states, forces
            Predict rates of change of the outputs, states of the equations, or forces, instead of the outputs.
        level
            Probability between the bounds.

        Returns
        -------
        DataFrame
            Columns output (or force, state), the input, mean, sd, lower and upper; with replicates first a column replicate.
            Output by output, in the order of the inputs. Without pandas a NumPy structured array.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 60)
        >>> model = lf.fit(t, np.sin(t), names=["a"])
        >>> table = model.predict([2.5, 5.0])
        >>> list(table.columns)
        ['output', 'x', 'mean', 'sd', 'lower', 'upper']
        >>> bool(abs(table["mean"][0] - np.sin(2.5)) < 0.05)
        True
        """
        if not 0 < level < 1:
            raise ArgumentError(f"level={level}: expected a probability between 0 and 1")
        with self._lock:
            posterior, expanded = self._ask(t, ahead, grid, step, outputs, replicate, known, rates, states, forces)
            mean, variance = _predict.moments(self, posterior, expanded)
            return _predict.table(self, self._handle, expanded, mean, variance, noise, level)

    def forces(self, t: Any = None, **arguments: Any) -> Any:
        """Predict the forces: ``predict(t, forces=True)``, with the other arguments of :meth:`predict`."""
        return self.predict(t, forces=True, **arguments)

    def sample(
        self,
        t: Any = None,
        n: int = 1,
        *,
        seed: int = 1,
        ahead: Any = None,
        grid: Optional[int] = None,
        step: Any = None,
        outputs: Union[str, Sequence[str], None] = None,
        replicate: Union[str, Sequence[str], None] = None,
        known: Any = None,
        rates: bool = False,
        states: bool = False,
        forces: bool = False,
    ) -> npt.NDArray[np.float64]:
        """Draw joint samples of the noise-free curves from the posterior.

        Parameters
        ----------
        t, ahead, grid, step, outputs, replicate, known, rates, states, forces
            As in :meth:`predict`.
        n
            How many.
        seed
            The same seed gives the same samples.

        Returns
        -------
        ndarray
            (n, outputs, inputs), in the order of :meth:`predict`; (n, replicates, outputs, inputs) for data with replicates
            unless `replicate` names one; (n, rows) where a DataFrame of inputs names outputs or replicates in its rows.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 60)
        >>> model = lf.fit(t, np.column_stack([np.sin(t), np.cos(t)]), forces=1)
        >>> model.sample([2.5, 5.0, 7.5], n=4).shape
        (4, 2, 3)
        """
        if n < 1:
            raise ArgumentError(f"n={n}: at least one sample is drawn")
        if not 0 <= seed < 2**64:
            raise ArgumentError(f"seed={seed}: expected a whole number from 0 to 2^64 - 1")
        with self._lock:
            threads = self.context.threads
            self.context.set_threads(1)  # rounding in the posterior reaches the samples
            try:
                lib.lf_set_seed(self.context.pointer, seed)
                posterior, expanded = self._ask(
                    t, ahead, grid, step, outputs, replicate, known, rates, states, forces, fresh=True
                )
                samples = _predict.draws(self, posterior, expanded, n)
            finally:
                self.context.set_threads(threads)
        return samples.reshape(n, *expanded.shape) if expanded.shape else samples

    def _ask(
        self,
        t: Any,
        ahead: Any,
        grid: Optional[int],
        step: Any,
        outputs: Any,
        replicate: Any,
        known: Any,
        rates: bool,
        states: bool,
        forces: bool,
        fresh: bool = False,
    ) -> Tuple[Any, "_predict.Expanded"]:
        """The posterior and the points of a prediction."""
        targets = _predict.choose_targets(self, self._handle, rates, states, forces, outputs)
        posterior = self._restore(fresh)
        points = _predict.make_points(
            self, self._handle, posterior, t, ahead, grid, step, with_outputs=not (states or forces)
        )
        readings = [points.readings] if points.readings is not None else []
        if known is not None:
            readings.append(_predict.known_readings(self, self._handle, known))
        if readings:
            posterior = self._restore(True)
            for rows in readings:
                self.context.check(lib.lf_posterior_add_inputs(posterior, rows), "known inputs")
        return posterior, _predict.expand(posterior, points, targets, replicate)

    def _restore(self, fresh: bool = False) -> Any:
        """The posterior that is stored in the model. A fresh one may be changed."""
        if self._posterior is not None and not fresh:
            return self._posterior
        if not lib.lf_model_has_posterior(self._handle):
            raise ModelError("the model holds no posterior, so it cannot predict; fit it with posterior=True")
        found = self.context.make(
            lib.lf_posterior_restore, lib.lf_posterior_free, "lf_posterior", self.context.pointer, self._handle
        )
        if not fresh:
            self._posterior = found
        return found

    def score(self, test: Any, **options: Any) -> Any:
        """Score predictions of rows, as ``latentforce score`` does.

        Rows that a column split marks test are scored, or all rows if none is marked.

        Parameters
        ----------
        test
            Data as :func:`fit` takes them: a DataFrame, a path, a dictionary.
        **options
            Options of reading: ``time=``, ``outputs=``, ``drop=`` …

        Returns
        -------
        DataFrame
            A row for each output, and the row "all": n, nmse, nlpd, rmse, coverage95.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 100)
        >>> model = lf.fit({"a": (t[::2], np.sin(t[::2]))})
        >>> table = model.score({"a": (t[1::2], np.sin(t[1::2]))})
        >>> bool(table.loc["all", "rmse"] < 0.05)
        True
        """
        with self._lock:
            return _score.score(self, self._handle, source_of(test), options)

    def update(self, new_rows: Any, **options: Any) -> "Model":
        """Continue the posterior with newer rows, without the old ones, as ``latentforce update`` does.

        Parameters
        ----------
        new_rows
            Data as :func:`fit` takes them. Rows older than the last training row are an error, which changes nothing.
        **options
            Options of reading.

        Returns
        -------
        Model
            This model.
        """
        with self._lock:
            posterior = self._restore(True)
            source = source_of(new_rows)
            rows = source.read(self.context, Reading(options, self._handle))
            _score.check_outputs(self, self._handle, source.name, rows)
            _score.continue_with(self, self._handle, source.name, rows, posterior)
            self.context.check(lib.lf_posterior_store(posterior, self._handle))
            self._posterior = None
            self.notes += self.context.take_notes()
        return self

    def condition(
        self,
        data: Any,
        y: Any = None,
        *,
        sd: Any = None,
        names: Optional[Sequence[str]] = None,
        at: Any = None,
        **options: Any,
    ) -> "Model":
        """Condition on other rows, as ``latentforce condition`` does: the parameters stay, nothing is fitted.

        Parameters
        ----------
        data, y, sd, names
            Data as :func:`fit` takes them.
        at
            Times beyond the rows at which predictions will be asked for; some engines must know them.
        **options
            Options of reading.

        Returns
        -------
        Model
            A new model, which predicts from the rows given and from nothing else.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 60)
        >>> model = lf.fit(t, np.sin(t))
        >>> other = model.condition(t, np.cos(t))
        >>> bool(abs(other.predict([5.0])["mean"][0] - np.cos(5.0)) < 0.05)
        True
        """
        source = source_of(data, y, sd, names)
        context = Context(self.context.threads)
        handle = self.use(
            lambda model: context.make(lib.lf_model_copy, lib.lf_model_free, "lf_model", context.pointer, model)
        )
        model = Model(context, handle, zone=source.zone or self.zone)
        _condition.condition(model, handle, source, options, at)
        model.notes = context.take_notes()
        return model

    # ---- files and copies ----

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write a model file, whole or not at all."""
        self.use(
            lambda model: self.context.check(lib.lf_model_write(self.context.pointer, model, os.fsencode(path)))
        )

    def to_json(self) -> str:
        """The text of the model file."""

        def write(model: Any) -> str:
            place = ffi.new("char **")
            self.context.check(lib.lf_model_text(self.context.pointer, model, place))
            try:
                return text_of(place[0])
            finally:
                lib.lf_free(place[0])

        return self.use(write)

    def __getstate__(self) -> Dict[str, Any]:
        return {
            "json": self.to_json(),
            "result": self.result,
            "notes": self.notes,
            "zone": self.zone,
            "threads": self.context.threads,
        }

    def __setstate__(self, state: Dict[str, Any]) -> None:
        context = Context(state["threads"])
        handle = _parse(context, state["json"])
        Model.__init__(self, context, handle, result=state["result"], zone=state["zone"])
        self.notes = list(state["notes"])

    # ---- how it is shown ----

    def _summary(self) -> List[Tuple[str, str]]:
        outputs = self.outputs
        listed = ", ".join(outputs[:6]) + (f", … ({len(outputs)})" if len(outputs) > 6 else "")
        found = self.provenance
        rows = [("outputs", listed), ("forces", str(self.use(lib.lf_model_force_count)))]
        if self.known_inputs:
            rows.append(("known inputs", ", ".join(self.known_inputs)))
        if "rows" in found:
            rows.append(("training rows", str(found["rows"])))
        if "log_likelihood" in found:
            rows.append(("log likelihood", f"{found['log_likelihood']:.6g}"))
        if "engine" in found:
            rows.append(("engine", str(found["engine"])))
        if found.get("converged") is False:
            rows.append(("ended", str(found.get("reason", "before an optimum"))))
        return rows

    def __repr__(self) -> str:
        return f"<latentforce.Model {'; '.join(f'{name}: {value}' for name, value in self._summary())}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{html.escape(n)}</th><td>{html.escape(v)}</td></tr>" for n, v in self._summary())
        remarks = "".join(f"<li>{html.escape(str(remark))}</li>" for remark in self.verdict)
        return f"<table>{rows}</table><ul>{remarks}</ul>"


def _parameters(model: Any) -> Any:
    found = [lib.lf_parameter_get(model, i) for i in range(lib.lf_parameter_count(model))]
    names = [text_of(parameter.name) for parameter in found]
    unit = ffi.new("char[]", 64)
    units = []
    for i in range(len(found)):
        lib.lf_parameter_unit(model, i, unit)
        units.append(text_of(unit))
    columns = {
        "name": np.array(names, object),
        "value": np.array([parameter.value for parameter in found]),
        "standard_error": np.array([parameter.standard_error for parameter in found]),
        "unit": np.array(units, object),
        "lower": np.array([parameter.lower for parameter in found]),
        "upper": np.array([parameter.upper for parameter in found]),
        "fixed": np.array([bool(parameter.fixed) for parameter in found]),
        "tied_to": np.array([names[p.tied_to] if p.tied_to >= 0 else "" for p in found], object),
    }
    return frame_of(columns, index="name")


def _parse(context: Context, text: str) -> Any:
    return context.make(
        lib.lf_model_parse, lib.lf_model_free, "lf_model", context.pointer, text.encode("utf-8"), b"model"
    )


def load(path: Union[str, "os.PathLike[str]"]) -> Model:
    """Read a model file, written by :meth:`Model.save` or by ``latentforce fit``.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import latentforce as lf
    >>> t = np.linspace(0, 10, 60)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.json")
    ...     lf.fit(t, np.sin(t)).save(path)
    ...     model = lf.load(path)
    >>> model.outputs
    ['y']
    """
    context = Context()
    handle = context.make(
        lib.lf_model_read, lib.lf_model_free, "lf_model", context.pointer, os.fsencode(path)
    )
    return Model(context, handle)
