"""A fitted model: what can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _condition, _files, _plot, _predict, _report, _score
from ._context import Context
from ._errors import ArgumentError
from ._fitted import Fitted
from ._library import lib
from ._predict import Request
from ._report import Report
from ._sources import Reading
from ._tables import source_of


class Model(Fitted):
    """A latent force model with its posterior, made by :func:`fit` or :func:`load`.

    It may be used from several threads: calls wait for each other. It can be pickled and copied.

    Attributes
    ----------
    result
        How the fit ended, a :class:`Result`; None for a model that was loaded.
    notes
        What the library noted while it read the data and fitted, or read the file.

    Examples
    --------
    >>> import numpy as np
    >>> import latentforce as lf
    >>> t = np.linspace(0, 10, 60)
    >>> model = lf.fit({"time [h]": t, "a [K]": np.sin(t), "b [K]": np.cos(t)}, forces=1)
    >>> model.outputs, model.inputs, model.known_inputs, model.replicates
    (['a', 'b'], ['time'], [], [])
    >>> model.parameters.loc["a.decay", "unit"]
    '1/h'
    >>> model.equations is None
    True
    >>> model.provenance["command"]
    ['latentforce', 'fit', 'data', '--forces', '1']
    >>> [remark.severity for remark in model.verdict][0]
    'good'
    """

    # ---- predictions ----

    def predict(
        self,
        t: Any = None,
        *,
        ahead: Any = None,
        grid: int | None = None,
        step: Any = None,
        outputs: str | Sequence[str] | None = None,
        replicate: str | Sequence[str] | None = None,
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
        with self._alone():
            request = Request(t, ahead, grid, step, outputs, replicate, known, rates, states, forces)
            return _predict.table(self, self._handle, request, noise, level)

    def forces(self, t: Any = None, **arguments: Any) -> Any:
        """Predict the forces: ``predict(t, forces=True)``, with the other arguments of :meth:`predict`.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 60)
        >>> model = lf.fit(t, np.column_stack([np.sin(t), np.cos(t)]), forces=1)
        >>> model.forces([2.5, 5.0])["force"].tolist()
        ['force1', 'force1']
        """
        return self.predict(t, forces=True, **arguments)

    def sample(
        self,
        t: Any = None,
        n: int = 1,
        *,
        seed: int = 1,
        ahead: Any = None,
        grid: int | None = None,
        step: Any = None,
        outputs: str | Sequence[str] | None = None,
        replicate: str | Sequence[str] | None = None,
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
        with self._alone():
            threads = self._context.threads
            self._context.set_threads(1)  # rounding in the posterior reaches the samples
            try:
                lib.lf_context_set_seed(self._context.pointer, seed)
                request = Request(t, ahead, grid, step, outputs, replicate, known, rates, states, forces)
                return _predict.sample(self, self._handle, request, n)
            finally:
                self._context.set_threads(threads)

    def score(
        self,
        test: Any,
        y: Any = None,
        *,
        sd: Any = None,
        names: Sequence[str] | None = None,
        **options: Any,
    ) -> Any:
        """Score predictions of rows, as ``latentforce score`` does.

        Rows that a column split marks test are scored, or all rows if none is marked.

        Parameters
        ----------
        test, y, sd, names
            Data as :func:`fit` takes them: a DataFrame, a path, a dictionary, or arrays ``score(t, y)``.
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
        with self._alone():
            return _score.score(self, self._handle, source_of(test, y, sd, names), options)

    def cross_validate(
        self,
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
        init: Model | str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> Any:
        """Score predictions of rows that are withheld in turn, as ``latentforce score --cross-validate`` does.

        Every row that is not marked test is withheld once, in `folds` parts, and predicted by a model that is fitted again without
        them, with the options of this model.

        Parameters
        ----------
        data, y, sd, names
            The training data, as :func:`fit` takes them.
        folds
            The number of parts, 5 unless it is given.
        rolling
            Forecasts instead: rows up to this time, and to times that follow, predict those after them. "auto": from the middle of
            the times on.
        span, step
            With `rolling`: how far a forecast reaches (a tenth of the times), and from one origin to the next (`span`).
        refit
            False: keep the parameters, which saw all rows, and withhold rows from the posterior only.
        init
            The model, or its file, from which the fit of this model started, if it did.
        **options
            Options of reading: ``time=``, ``outputs=``, ``drop=`` …

        Returns
        -------
        DataFrame
            As that of :meth:`score`.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 60)
        >>> model = lf.fit({"a": (t, np.sin(t))}, max_iterations=20)
        >>> int(model.cross_validate({"a": (t, np.sin(t))}, folds=3, refit=False).loc["all", "n"])
        60
        """
        how = {"cross_validate": folds, "rolling": rolling, "span": span, "step": step, "refit": None if refit else False}
        start = init if isinstance(init, Model) else None
        how["init"] = None if start is not None else init
        with self._alone():
            source = source_of(data, y, sd, names)
            return _score.cross_validate(self, self._handle, source, how, start, options)

    def update(
        self,
        new_rows: Any,
        y: Any = None,
        *,
        sd: Any = None,
        names: Sequence[str] | None = None,
        **options: Any,
    ) -> Model:
        """Continue the posterior with newer rows, without the old ones, as ``latentforce update`` does.

        Parameters
        ----------
        new_rows, y, sd, names
            Data as :func:`fit` takes them. Rows older than the last training row are an error, which changes nothing.
        **options
            Options of reading.

        Returns
        -------
        Model
            This model.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 20, 100)
        >>> model = lf.fit({"a": (t[:60], np.sin(t[:60]))})
        >>> before = model.predict(20.0)["sd"][0]
        >>> after = model.update({"a": (t[60:], np.sin(t[60:]))}).predict(20.0)["sd"][0]
        >>> bool(after < before)
        True
        """
        with self._alone():
            posterior = self._posterior(True)
            source = source_of(new_rows, y, sd, names)
            rows = source.read(self._context, Reading(options, self._handle))
            _score.check_outputs(self, self._handle, source.name, rows)
            _score.continue_with(self, source.name, rows, posterior)
            self._context.check(lib.lf_posterior_store(posterior, self._handle))
            self._stored = None
            self._rows = None  # the posterior does not reach back to them
            self.notes += self._context.take_notes()
        return self

    def condition(
        self,
        data: Any,
        y: Any = None,
        *,
        sd: Any = None,
        names: Sequence[str] | None = None,
        at: Any = None,
        **options: Any,
    ) -> Model:
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
        context = Context(self._context.threads)
        handle = self._use(
            lambda model: context.make(lib.lf_model_copy, lib.lf_model_free, "lf_model", context.pointer, model)
        )
        model = Model(context, handle, zone=source.zone or self._zone)
        model._rows = _condition.condition(model, handle, source, options, at)
        model.notes = context.take_notes()
        return model

    # ---- pictures and pages ----

    def plot(
        self,
        what: str = "outputs",
        outputs: str | Sequence[str] | None = None,
        *,
        t: Any = None,
        ahead: Any = None,
        known: Any = None,
        data: Any = None,
        replicate: str | Sequence[str] | None = None,
        ax: Any = None,
        level: float = 0.95,
        noise: bool = True,
        samples: int = 0,
        seed: int = 1,
        **options: Any,
    ) -> Any:
        """Draw the model with matplotlib: a panel for each output, with its readings, its mean and an interval.

        Parameters
        ----------
        what
            "outputs", "forces", "rates" of change, "states" of equations, known "inputs", or "residuals": for each output the
            errors of predictions from earlier rows, their autocorrelation and cumulative periodogram, with 95 % limits.
        outputs
            Names of what is drawn: outputs, or forces, states or inputs. By default the first 12, and of forces those that act.
        t
            Inputs of the curves; by default a grid over the readings.
        ahead
            Go on with a forecast as far as this span after the last training input: "48h", a timedelta or a number.
        known
            A table of later readings of the known inputs.
        data
            The readings to draw, as :func:`fit` takes data; by default those of the fit. A model that was loaded, copied or updated
            does not have them. Rows marked test are hollow.
        replicate
            Names of replicates; by default all, each in a colour.
        ax
            Axes to draw into: one, or as many as there are panels. By default those of a new figure.
        level
            Probability of the interval.
        noise
            The interval is that of new readings; False: of the output itself.
        samples
            How many draws from the posterior are drawn as thin lines.
        seed
            Of these draws.
        **options
            Options of reading `data`.

        Returns
        -------
        Axes or ndarray of Axes
            One for each panel, in the order of the names; (outputs, 3) for residuals. A single one is not in an array.

        Notes
        -----
        With two inputs there are maps of the mean, with the readings in the same colours; with more, observed values are drawn
        against predicted ones.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 60)
        >>> model = lf.fit(t, np.column_stack([np.sin(t), np.cos(t)]), names=["a", "b"], forces=1)
        >>> axes = model.plot()
        >>> [ax.get_title("left") for ax in axes]
        ['a', 'b']
        >>> model.plot(outputs="a", ahead=2, samples=3).get_xlabel()
        'x'
        """
        wish = _plot.Wish(what, outputs, t, ahead, known, replicate, ax, level, noise, samples, seed)
        with self._alone():
            return _plot.plot(self, self._handle, data, options, wish)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        data: Any = None,
        *,
        all_forces: bool = False,
        dygraphs: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> Report:
        """Make the HTML page that ``latentforce report`` writes.

        Parameters
        ----------
        path
            A file for the page.
        data
            Rows to show, as :func:`fit` takes data; by default those of the fit. A model that was loaded, copied or updated
            does not have them; its page has no rows, scores and residuals unless they are given.
        all_forces
            Show forces that explain less than 1 % of every output too.
        dygraphs
            The folder of dygraph.min.js and dygraph.min.css, where the package does not find it.
        **options
            Options of reading `data`.

        Returns
        -------
        Report
            Shown inline in a notebook. Its ``html`` is the page, ``save(path)`` writes it, ``open()`` shows it in a browser.

        Examples
        --------
        >>> import numpy as np
        >>> import latentforce as lf
        >>> t = np.linspace(0, 10, 60)
        >>> report = lf.fit(t, np.sin(t)).report()
        >>> report.html[:15]
        '<!DOCTYPE html>'
        """
        folder = None if dygraphs is None else os.fsdecode(dygraphs)
        with self._alone():
            report = _report.make(self, self._handle, data, options, all_forces, folder)
        if path is not None:
            report.save(path)
        return report


def load(path: str | os.PathLike[str]) -> Model:
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
    return Model(context, _files.read(context, path))
