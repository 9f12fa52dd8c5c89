"""The regressor: outputs over time, or over places."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_array, check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .._columns import bare_name
from .._errors import DataError, ModelError
from .._fit import fit
from ._estimator import constructor, documented, options_of

Array = npt.NDArray[Any]


@documented
class LatentForceRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A latent force model as a regressor of scikit-learn.

    X has times (n, 1), numbers or datetime64, or places (n, p). y has one output (n,) or several (n, D), with NaN where there
    is no value. Parameters are the options of :func:`latentforce.fit`, whose names and defaults are those of
    ``latentforce fit``; None is the default.

    Parameters
    ----------
    OPTIONS

    Attributes
    ----------
    model_ : latentforce.Model
        The fitted model.
    log_likelihood_ : float
        Its log marginal likelihood, of the scaled outputs.
    n_iter_ : int
        Iterations of the start that won.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if X was a DataFrame whose names are all text.

    See Also
    --------
    latentforce.fit : Takes more kinds of data: known inputs, standard errors, replicates, times of its own for each output.

    Notes
    -----
    Far from the training inputs predictions return to the mean of the data: in cross-validation choose splits whose test rows
    are those you want to predict (``TimeSeriesSplit`` for forecasts, ``KFold(shuffle=True)`` for gaps).

    Examples
    --------
    >>> import numpy as np
    >>> from latentforce.sklearn import LatentForceRegressor
    >>> X = np.linspace(0, 10, 80).reshape(-1, 1)
    >>> y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 0])])
    >>> y[20:40, 1] = np.nan
    >>> regressor = LatentForceRegressor(forces=1).fit(X, y)
    >>> mean, sd = regressor.predict([[2.5], [5.0]], return_std=True)
    >>> mean.shape, sd.shape
    ((2, 2), (2, 2))
    """

    __init__ = constructor({})

    def fit(self, X: Any, y: Any) -> LatentForceRegressor:
        """Fit a model.

        Parameters
        ----------
        X : array-like of shape (n, 1) or (n, p)
            Times or places.
        y : array-like of shape (n,) or (n, D)
            Values, with NaN where there is none. The columns of a DataFrame name the outputs.
        """
        names = _names_of(y)
        X, y = validate_data(
            self,
            X,
            y,
            validate_separately=(
                {"ensure_min_samples": 2},
                {"ensure_all_finite": "allow-nan", "ensure_2d": False, "dtype": np.float64},
            ),
        )
        check_consistent_length(X, y)
        self._single = y.ndim == 1
        empty = np.flatnonzero(np.isnan(y).all(axis=0))
        if len(empty):
            which = "y" if self._single else f"column {(names or range(y.shape[1]))[empty[0]]!r} of y"
            raise DataError(f"{which} has no values; leave it out")
        self.model_ = fit(_inputs_of(X), y, names=names, progress=False, **options_of(self))
        outputs = self.model_.outputs
        if len(outputs) != (1 if self._single else y.shape[1]):
            raise ModelError(
                f"y has the shape {y.shape}, but the model has the outputs {', '.join(outputs)}; columns that equations do "
                "not mention, without values or with names such as NAME.sd are no outputs"
            )
        # Those of the model may be in another order; units in headings are not part of the names of outputs.
        headings = names or ["y"] if self._single else names or [f"y{d + 1}" for d in range(y.shape[1])]
        bare = [bare_name(name) for name in headings]
        self._outputs = bare if set(bare) == set(outputs) else outputs
        result = self.model_.result
        assert result is not None
        self.log_likelihood_ = result.log_likelihood
        self.n_iter_ = max(result.iterations, 1)
        return self

    def predict(self, X: Any, return_std: bool = False, noise: bool = True) -> Array | tuple[Array, Array]:
        """Predict means and, if asked for, standard deviations.

        Parameters
        ----------
        X : array-like of shape (n, 1) or (n, p)
            Times or places.
        return_std
            Return standard deviations as well.
        noise
            Standard deviations are those of a new observation; False: of the output itself.

        Returns
        -------
        ndarray or tuple of two
            (n,) or (n, D), as the y of the fit.
        """
        inputs = self._inputs(X)
        table = self.model_.predict(inputs, outputs=self._outputs, noise=noise)
        mean, sd = (self._shape(np.asarray(table[name])) for name in ("mean", "sd"))
        return (mean, sd) if return_std else mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Array:
        """Draw joint samples of the noise-free curves.

        Parameters
        ----------
        X : array-like of shape (n, 1) or (n, p)
            Times or places.
        n_samples
            How many.
        random_state
            An int, an instance of RandomState, or None.

        Returns
        -------
        ndarray
            (n, n_samples) or (n, D, n_samples).
        """
        inputs = self._inputs(X)
        seed = int(check_random_state(random_state).randint(2**31 - 1))
        samples = self.model_.sample(inputs, n_samples, seed=seed, outputs=self._outputs).transpose(2, 1, 0)
        return samples[:, 0] if self._single else samples

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R², the average over the outputs; NaN in y is left out.

        Outputs of which y has fewer than two values are left out.
        """
        mean = self.predict(X)
        y = check_array(y, ensure_all_finite="allow-nan", ensure_2d=False, dtype=np.float64, input_name="y")
        if not np.isnan(y).any():
            return float(r2_score(y, mean, sample_weight=sample_weight))
        scores = []
        for values, predicted in zip(np.atleast_2d(y.T), np.atleast_2d(np.asarray(mean).T)):
            known = ~np.isnan(values)
            weight = None if sample_weight is None else np.asarray(sample_weight)[known]
            if known.sum() > 1:
                scores.append(r2_score(values[known], predicted[known], sample_weight=weight))
        return float(np.mean(scores)) if scores else np.nan

    def _inputs(self, X: Any) -> Array:
        """Inputs as :meth:`latentforce.Model.predict` takes them."""
        check_is_fitted(self)
        return _inputs_of(validate_data(self, X, reset=False))

    def _shape(self, values: Array) -> Array:
        """Values (D n), output by output, in the shape of the y of the fit."""
        return values if self._single else np.ascontiguousarray(values.reshape(len(self._outputs), -1).T)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.required = True
        return tags


def _inputs_of(X: Array) -> Array:
    """Times (n,) or places (n, p)."""
    return X[:, 0] if X.shape[1] == 1 else X


def _names_of(y: Any) -> list[str] | None:
    """The names of the outputs in a DataFrame or a Series."""
    if getattr(y, "columns", None) is not None:
        return [str(name) for name in y.columns]
    name = getattr(y, "name", None)
    return None if name is None else [str(name)]
