"""The imputer: fills the gaps of a table of series."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from .._columns import is_pandas
from .._context import Context
from .._errors import ArgumentError, DataError, ModelError
from .._fit import fit
from .._sources import ROW, Table, find_time
from .._tables import source_of
from ._estimator import constructor, documented, options_of

Array = npt.NDArray[Any]


@documented
class LatentForceImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Fills the missing values of a table whose rows are times and whose columns are series.

    A latent force model of all series is fitted. Gaps are filled with its means: what the series itself says before and after
    the gap, and what the others say meanwhile. Values that are there stay as they are.

    Parameters
    ----------
    time : str or int, optional
        The column of the time: its name in a DataFrame, or its number. It has numbers or dates, none is missing, and it is
        returned as it is. "row": the numbers of the rows. By default the index of a DataFrame, if it has dates or numbers; where
        it is the one that pandas makes, the column that :func:`latentforce.fit` would take as the time. Where no column may be
        the time, and for arrays, rows are numbered from 0.
    keep_empty_features : bool, default False
        What happens to columns that have no value at all in the fit: True fills them with 0, as the imputers of scikit-learn do;
        False leaves them out.
    OPTIONS

    Attributes
    ----------
    model_ : latentforce.Model
        The fitted model; its outputs are the columns.
    n_features_in_ : int
        Columns of X, that of the time included.
    feature_names_in_ : ndarray of str
        Their names, if X was a DataFrame whose names are all text.

    Notes
    -----
    ``transform`` keeps the parameters of the fit and fills gaps from the rows that it is given, and from nothing else. So
    ``fit(X).transform(X)`` is ``fit_transform(X)``. Rows of an array are numbered from 0 again.

    Examples
    --------
    >>> import numpy as np
    >>> from latentforce.sklearn import LatentForceImputer
    >>> t = np.linspace(0, 10, 80)
    >>> X = np.column_stack([np.sin(t), 2 * np.sin(t - 0.3)])
    >>> X[30:40, 1] = np.nan
    >>> filled, sd = LatentForceImputer(forces=1).fit_transform(X, return_std=True)
    >>> bool(np.isnan(filled).any()), bool((sd[:30] == 0).all()), bool((sd[30:40, 1] > 0).all())
    (False, True, True)
    """

    __init__ = constructor({"time": None, "keep_empty_features": False})

    def fit(self, X: Any, y: Any = None) -> LatentForceImputer:
        """Fit the model of the series.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The table, with NaN where there is no value.
        y
            Not used.
        """
        times, values = self._split(X, reset=True)
        self._observed = ~np.isnan(values).all(axis=0)
        names = np.delete(super().get_feature_names_out(), [] if self._time is None else self._time)
        if len(set(names)) < len(names):
            raise DataError("two columns of X have the same name; rename one")
        if not self._observed.any():
            raise DataError(f"X has no value in any of its columns ({', '.join(names)}); give rows with values")
        if not self.keep_empty_features and not self._observed.all():
            empty = ", ".join(names[~self._observed])
            warnings.warn(
                f"columns without any value are left out: {empty}; keep_empty_features=True keeps them", stacklevel=2
            )
        self._series = [str(name) for name in names[self._observed]]
        self.model_ = fit(self._table(times, values), progress=False, **options_of(self))
        for name in self._series:
            if name not in self.model_.outputs:
                raise ModelError(
                    f"the column {name!r} is not an output of the equations, so that its gaps cannot be filled"
                )
        return self

    def transform(self, X: Any, return_std: bool = False) -> Any:
        """Fill the gaps of a table of the same columns.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The table. The rows may be others than those of the fit.
        return_std
            Return standard deviations as well: 0 where there is a value, NaN where a column without values is filled with 0.

        Returns
        -------
        table or tuple of two tables
            A DataFrame with the same index where X is one, otherwise an array. ``set_output`` asks for others.
        """
        check_is_fitted(self)
        times, values = self._split(X, reset=False)
        sd = np.zeros_like(values)
        gaps: Array = np.isnan(values)
        missing = gaps & self._observed
        rows = np.flatnonzero(missing.any(axis=1))
        if len(rows):
            if np.isnan(values[:, self._observed]).all():
                raise DataError("X has no value in any of the columns that the fit has seen; give rows with values")
            at = times.take(rows)
            table = self.model_.condition(self._table(times, values), at=at).predict(at, outputs=self._series)
            place = np.ix_(rows, self._observed)
            for result, name in ((values, "mean"), (sd, "sd")):
                predicted = np.asarray(table[name]).reshape(-1, len(rows)).T
                result[place] = np.where(missing[place], predicted, result[place])
        values[gaps & ~self._observed] = 0
        sd[gaps & ~self._observed] = np.nan
        filled = self._joined(X, values, gaps)
        return (filled, self._joined(X, sd, np.ones_like(gaps))) if return_std else filled

    def fit_transform(self, X: Any, y: Any = None, return_std: bool = False) -> Any:
        """Fit the model of the series and fill their gaps: ``fit(X).transform(X, return_std)``."""
        return self.fit(X).transform(X, return_std)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that ``transform`` returns."""
        names: Array = super().get_feature_names_out(input_features)
        return names[self._kept()]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _split(self, X: Any, reset: bool) -> tuple[Any, Array]:
        """The times, an array or an Index, and a copy of the series (n, d), with NaN where there is no value."""
        checks = {
            "ensure_all_finite": "allow-nan",
            "dtype": np.float64,
            "copy": True,
            "ensure_min_samples": 2 if reset else 1,
        }
        is_frame = is_pandas(X) and X.ndim == 2
        place = self._place(X, reset) if is_frame else None if self.time == ROW else self.time
        if reset:
            self._time: int | None = place
        if place is None:
            for name, dtype in X.dtypes.items() if is_frame else ():
                if getattr(dtype, "kind", "O") in "Mm":
                    raise DataError(f"the column {name!r} of X holds dates; if it is the time, give time={name!r}")
            values = validate_data(self, X, reset=reset, **checks)
            if is_frame and X.index.nlevels > 1:
                raise DataError(f"the index of X has {X.index.nlevels} levels; name the column of the time with time=")
            has_times = is_frame and (X.index.dtype.kind in "iufMm" or hasattr(X.index, "to_timestamp"))
            return X.index if has_times else np.arange(float(len(values))), values
        if is_frame:
            validate_data(self, X, reset=reset, skip_check_array=True)
            times = X.set_index(X.columns[place]).index
            return times, check_array(X.drop(columns=X.columns[place]), estimator=self, input_name="X", **checks)
        if isinstance(place, str):
            raise ArgumentError(
                f"time={place!r}: X is an array, whose columns have no names; give the number of the column"
            )
        values = validate_data(self, X, reset=reset, **checks)
        if not 0 <= place < values.shape[1]:
            raise ArgumentError(f"time={place}: X has {values.shape[1]} columns, numbered from 0")
        return values[:, place], np.delete(values, place, axis=1)

    def _place(self, frame: Any, reset: bool) -> int | None:
        """The number of the column of the time; None: the index has the times, or the numbers of the rows."""
        names = list(frame.columns)
        if self.time is None or (self.time == ROW and ROW not in names):
            if not reset:
                return self._time
            return self._find_time(frame) if self.time is None and len(names) > 1 else None
        if self.time in names:
            return names.index(self.time)
        if isinstance(self.time, Integral) and 0 <= int(self.time) < len(names):
            return int(self.time)
        raise ArgumentError(f"time={self.time!r}: X has no such column; its columns are {', '.join(map(str, names))}")

    def _find_time(self, frame: Any) -> int | None:
        """The number of the column that the library takes as the time; None: the index."""
        table = source_of(frame)
        if not isinstance(table, Table) or table.rows is None:
            return None
        found = find_time(Context(), table)
        before = int(table.columns[0] is table.rows)  # the index is a column of the table
        return None if found is None or found < before else found - before

    def _table(self, times: Any, values: Array) -> dict[str, tuple[Any, Array]]:
        """The series as :func:`latentforce.fit` takes them."""
        return {name: (times, y) for name, y in zip(self._series, values[:, self._observed].T)}

    def _kept(self) -> Array:
        """Which columns of X are returned."""
        kept = self._observed | self.keep_empty_features
        return kept if self._time is None else np.insert(kept, self._time, True)

    def _joined(self, X: Any, values: Array, changed: Array) -> Any:
        """A table as X with the values of series, some of them changed, and the columns that are returned."""
        kept = np.flatnonzero(self._kept())
        columns = np.delete(np.arange(self.n_features_in_), [] if self._time is None else self._time)
        if is_pandas(X):
            table = X.copy()
            for column, new, is_changed in zip(columns, values.T, changed.T):
                if is_changed.any():
                    table[X.columns[column]] = new
            return table.iloc[:, kept]
        table = np.array(X, np.float64)
        table[:, columns] = values
        return table[:, kept]
