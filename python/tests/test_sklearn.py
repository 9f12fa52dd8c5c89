"""Estimators of scikit-learn: its own checks, and what they do with options, frames, dates and gaps."""

from __future__ import annotations

import copy
import pickle
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn", "1.6", reason="scikit-learn 1.6 or later is not installed")

from conftest import ALL_CHECKS
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, KFold, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

import latentforce as lf
from latentforce.sklearn import INAPPLICABLE_CHECKS, LatentForceImputer, LatentForceRegressor

FAST: dict[str, Any] = {"forces": 1, "max_iterations": 10, "restarts": 1, "errors": "no", "period": "none"}
ESTIMATORS = [LatentForceRegressor(**FAST), LatentForceImputer(**FAST)]
SHUFFLED = KFold(4, shuffle=True, random_state=0)

T = np.linspace(0, 10, 100)
X = T[:, np.newaxis]
Y = np.column_stack([np.sin(T), np.cos(T)])


def gappy() -> np.ndarray[Any, np.dtype[np.float64]]:
    """The series with a gap in one, one in both, and gaps at the ends."""
    values = Y.copy()
    values[20:35, 0] = values[60:64] = values[:2] = values[-2:] = np.nan
    return values


def frame() -> pd.DataFrame:
    return pd.DataFrame(gappy(), pd.date_range("2024-01-01", periods=len(T), freq="h"), ["a", "b [K]"])


# ---- the checks of scikit-learn ----


@estimator_checks.parametrize_with_checks(ESTIMATORS)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


MORE = {
    "check_dataframe_column_names_consistency": ESTIMATORS,
    "check_inplace_ensure_writeable": ESTIMATORS,
    "check_get_feature_names_out_error": ESTIMATORS[1:],
    "check_set_output_transform": ESTIMATORS[1:],
    "check_transformer_get_feature_names_out": ESTIMATORS[1:],
    "check_transformer_get_feature_names_out_pandas": ESTIMATORS[1:],
}


@pytest.mark.parametrize("name", MORE)
def test_checks_that_scikit_learn_has_for_its_own_estimators(name: str) -> None:
    check = getattr(estimator_checks, name, None)
    if check is None:
        pytest.skip(f"this version of scikit-learn has no {name}")
    for estimator in MORE[name]:
        check(type(estimator).__name__, clone(estimator))


def test_listed_checks_do_not_apply() -> None:
    page = (Path(__file__).parents[2] / "docs/python.md").read_text(encoding="utf-8")
    for pattern, reason in INAPPLICABLE_CHECKS.items():
        assert f"\n| `{pattern}` | {reason} |\n" in page
    for estimator in ESTIMATORS:
        for _, check in estimator_checks.estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            assert not any(fnmatch(name, pattern) for pattern in INAPPLICABLE_CHECKS), name


# ---- parameters ----


def test_parameters_are_the_options_of_the_library() -> None:
    options = set(lf.options().index) - {"input", "posterior"}
    parameters = set(LatentForceRegressor().get_params())
    assert {"operator", "forces", "force_kernel", "seed", "threads"} <= parameters <= options
    assert set(LatentForceImputer().get_params()) == parameters | {"time", "keep_empty_features"}
    for name in parameters:
        assert f"\n{name} : " in (LatentForceRegressor.__doc__ or "")
    assert repr(LatentForceRegressor(operator="ode2", forces=2)) == "LatentForceRegressor(forces=2, operator='ode2')"


def test_unknown_parameters_are_refused_with_a_suggestion() -> None:
    with pytest.raises(TypeError, match="did you mean 'operator'"):
        LatentForceRegressor(operatr="ode2")
    with pytest.raises(TypeError, match=r"latentforce.fit\(\) has it"):
        LatentForceRegressor(outputs=["a"])
    with pytest.raises(ValueError, match="forces='many'"):
        LatentForceRegressor(forces="many").fit(X, Y)


# ---- the regressor ----


def test_regressor_is_the_model_of_fit() -> None:
    regressor = LatentForceRegressor(operator="ode2", **FAST).fit(X, gappy())
    model = lf.fit(T, gappy(), operator="ode2", initial="stationary", **FAST)
    assert regressor.model_.parameters.equals(model.parameters)
    assert regressor.log_likelihood_ == model.log_likelihood
    mean, sd = regressor.predict(X[::7], return_std=True)
    table = model.predict(T[::7])
    np.testing.assert_array_equal(mean, table["mean"].to_numpy().reshape(2, -1).T)
    np.testing.assert_array_equal(sd, table["sd"].to_numpy().reshape(2, -1).T)
    _, narrow = regressor.predict(X[::7], return_std=True, noise=False)
    assert (narrow < sd).all()


def test_regressor_keeps_the_shape_of_y() -> None:
    for y, shape in ((Y[:, 0], (5,)), (Y[:, :1], (5, 1)), (Y, (5, 2))):
        regressor = LatentForceRegressor(**FAST).fit(X, y)
        assert regressor.predict(X[:5]).shape == shape
        assert regressor.sample_y(X[:5], 3).shape == (*shape, 3)
    np.testing.assert_array_equal(
        regressor.sample_y(X[:5], 3, random_state=1), regressor.sample_y(X[:5], 3, random_state=1)
    )
    assert (regressor.sample_y(X[:5], 3, random_state=1) != regressor.sample_y(X[:5], 3, random_state=2)).all()


def test_regressor_takes_places() -> None:
    places = np.random.default_rng(0).uniform(size=(60, 2))
    y = np.sin(3 * places[:, 0]) * places[:, 1]
    score = cross_val_score(LatentForceRegressor(**{**FAST, "max_iterations": 50}), places, y, cv=SHUFFLED)
    assert score.min() > 0.9


def test_scores_leave_out_missing_values() -> None:
    regressor = LatentForceRegressor(**FAST).fit(X, gappy())
    expected = []
    for d in range(2):
        known = ~np.isnan(gappy()[:, d])
        expected.append(r2_score(Y[known, d], regressor.predict(X)[known, d]))
    assert regressor.score(X, gappy()) == pytest.approx(np.mean(expected))
    assert regressor.score(X, Y) == pytest.approx(r2_score(Y, regressor.predict(X)))
    assert cross_val_score(LatentForceRegressor(**FAST), X, gappy(), cv=SHUFFLED).min() > 0.9


def test_times_before_the_training_rows_can_be_predicted() -> None:
    assert np.isfinite(cross_val_score(LatentForceRegressor(**FAST), X, Y, cv=4, error_score="raise")).all()
    assert np.isfinite(
        cross_val_score(LatentForceRegressor(**FAST), X, Y, cv=TimeSeriesSplit(3), error_score="raise")
    ).all()


def test_regressor_takes_dates_and_names() -> None:
    dates = pd.DataFrame({"when": frame().index})
    plain = LatentForceRegressor(**FAST).fit(X * 99 / 10, Y)  # in hours
    for inputs in (dates, dates.to_numpy(), dates.apply(lambda column: column.dt.tz_localize("Europe/Berlin"))):
        regressor = LatentForceRegressor(**FAST).fit(inputs, pd.DataFrame(Y, columns=["a", "b"]))
        assert regressor.model_.outputs == ["a", "b"]
        np.testing.assert_allclose(regressor.predict(inputs[:9]), plain.predict(X[:9] * 99 / 10), atol=1e-6)
    assert list(regressor.feature_names_in_) == ["when"]
    with pytest.raises(lf.DataError, match="row 5 is missing"):
        LatentForceRegressor(**FAST).fit(dates.assign(when=dates["when"].mask(dates.index == 5)), Y)


@pytest.mark.parametrize("headings", [None, ["b", "a"], ["b [K]", "a (V)"]])
def test_columns_keep_their_order_where_the_first_begins_with_a_gap(headings: list[str] | None) -> None:
    y = Y.copy()
    y[:3, 0] = np.nan
    given = y if headings is None else pd.DataFrame(y, columns=headings)
    assert np.abs(LatentForceRegressor(**FAST).fit(X, given).predict(X) - Y)[3:].max() < 0.5


def test_outputs_of_equations_may_have_another_order() -> None:
    equations = "a' = -k*a + u\nb' = -l*b + u\nforce u\noutput b = b\noutput a = a\n"
    y = pd.DataFrame(Y, columns=["a", "b"])
    regressor = LatentForceRegressor(equations=equations, max_iterations=30, restarts=1).fit(X, y)
    assert regressor.model_.outputs == ["b", "a"]
    table = regressor.model_.predict([2.0], outputs=["a", "b"])
    np.testing.assert_allclose(regressor.predict([[2.0]])[0], table["mean"], rtol=1e-12)  # its rows may have another order
    regressor.fit(X, y.rename(columns={"a": "a [K]", "b": "b (K)"}))
    assert regressor.model_.outputs == ["b", "a"]
    np.testing.assert_allclose(regressor.predict([[2.0]])[0], table["mean"], rtol=1e-6)
    with pytest.raises(lf.ModelError, match="the model has the outputs b, a"):
        LatentForceRegressor(equations=equations, max_iterations=1).fit(X, y.assign(c=1.0))
    with pytest.raises(lf.ArgumentError, match="'replicate' of a table is no output"):
        LatentForceRegressor(**FAST).fit(X, y.assign(replicate=1.0))


def test_mistakes_are_explained() -> None:
    regressor = LatentForceRegressor(**FAST)
    with pytest.raises(NotFittedError):
        regressor.predict(X)
    regressor.fit(X, Y)
    for call, message in (
        (lambda: regressor.predict([[np.nan]]), "NaN"),
        (lambda: regressor.predict([[1.0, 2.0]]), "2 features"),
        (lambda: clone(regressor).fit(X[:1], Y[:1]), "1 sample"),
        (lambda: clone(regressor).fit(X[:5], Y), "inconsistent numbers of samples"),
        (lambda: clone(regressor).fit(X, np.full(100, np.inf)), "infinity"),
        (lambda: clone(regressor).fit(X, np.full(100, np.nan)), "y has no values"),
        (lambda: clone(regressor).fit(X, Y * [1, np.nan]), "column 1 of y has no values"),
        (lambda: clone(regressor).fit(X * 1j, Y), "Complex"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    constant = clone(regressor).fit(X, np.full(100, 3.0)).predict(X)
    np.testing.assert_allclose(constant, 3.0, atol=1e-6)


def test_regressor_in_pipelines_and_searches() -> None:
    pipeline = Pipeline([("scale", StandardScaler()), ("model", LatentForceRegressor(**FAST))])
    assert pipeline.fit(X, Y).score(X, Y) > 0.99
    assert cross_val_score(pipeline, X, Y, cv=SHUFFLED, n_jobs=2).min() > 0.9
    grid = {"model__forces": [1, 2], "model__operator": ["ode1", "ode2"] if ALL_CHECKS else ["ode1"]}
    search = GridSearchCV(pipeline, grid, cv=SHUFFLED).fit(X, Y)
    assert search.best_score_ > 0.99
    assert search.best_estimator_["model"].model_.outputs == ["y1", "y2"]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda fitted: pickle.loads(pickle.dumps(fitted))])
def test_fitted_estimators_can_be_copied(copied: Any) -> None:
    regressor = LatentForceRegressor(**FAST).fit(X, Y)
    np.testing.assert_array_equal(copied(regressor).predict(X), regressor.predict(X))
    imputer = LatentForceImputer(**FAST).fit(gappy())
    np.testing.assert_array_equal(copied(imputer).transform(gappy()), imputer.transform(gappy()))
    started = clone(LatentForceRegressor(init=regressor.model_)).fit(X, Y)
    assert started.log_likelihood_ >= regressor.log_likelihood_


# ---- the imputer ----


def test_imputer_fills_gaps_with_the_predictions_of_its_model() -> None:
    imputer = LatentForceImputer(**FAST)
    filled, sd = imputer.fit_transform(gappy(), return_std=True)
    missing = np.isnan(gappy())
    model = lf.fit(np.arange(100.0), gappy(), names=["x0", "x1"], initial="stationary", **FAST)
    table = model.predict(np.arange(100.0))
    np.testing.assert_array_equal(filled[~missing], Y[~missing])
    assert (sd[~missing] == 0).all()
    for found, name in ((filled, "mean"), (sd, "sd")):
        expected = table[name].to_numpy().reshape(2, -1).T
        np.testing.assert_allclose(found[missing], expected[missing], rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(imputer.transform(gappy()), filled)
    assert np.abs(filled - Y).max() < 0.1


def test_imputer_returns_frames_for_frames() -> None:
    table = frame().assign(n=range(100))
    filled, sd = LatentForceImputer(**FAST).fit_transform(table, return_std=True)
    assert filled.index.equals(table.index) and list(filled) == list(sd) == list(table)
    assert filled["n"].dtype == table["n"].dtype and not filled.isna().any().any()
    assert (sd["n"] == 0).all() and (sd["a"][20:35] > 0).all()
    assert table.isna().any().any()
    asked = LatentForceImputer(**FAST).set_output(transform="pandas")
    assert list(asked.fit_transform(gappy())) == list(asked.get_feature_names_out()) == ["x0", "x1"]


SUBJECTS = pd.DataFrame({"subject": [1] * 4 + [2] * 4, "time": [0, 1, 2, 3] * 2, "y": [1.0, 2, np.nan, 4] * 2})


def test_fit_and_the_imputer_find_the_same_time() -> None:
    table = frame().reset_index(drop=True).set_axis(["a", "b"], axis=1)
    timed = table.assign(time=T)
    for data, is_timed in ((timed, True), (table, False)):
        imputer = LatentForceImputer(**FAST).fit(data)
        assert imputer.model_.outputs == ["a", "b"]
        model = lf.fit(data, initial="stationary", **FAST, **({} if is_timed else {"time": "row"}))
        assert model.outputs == ["a", "b"]
        assert imputer.model_.log_likelihood == pytest.approx(model.log_likelihood, rel=1e-9)
        numbered = LatentForceImputer(time="row", **FAST).fit(data)
        assert numbered.model_.outputs == ["a", "b"] + ["time"] * is_timed


def test_times_of_an_imputer() -> None:
    dated = frame()
    expected = LatentForceImputer(**FAST).fit_transform(dated).to_numpy()
    berlin, periods = dated.tz_localize("Europe/Berlin"), dated.to_period("h")
    column, numbered = dated.reset_index(names="when"), dated.set_axis(np.arange(100.0) * 3600)
    for table, time in ((berlin, None), (periods, None), (column, "when"), (column, None), (numbered, None)):
        filled = LatentForceImputer(time=time, **FAST).fit_transform(table)
        np.testing.assert_allclose(filled[["a", "b [K]"]], expected, atol=1e-5)
    assert filled.index.equals(numbered.index)
    array = np.column_stack([gappy()[:, 0], T, gappy()[:, 1]])
    filled = LatentForceImputer(time=1, **FAST).fit_transform(array)
    np.testing.assert_array_equal(filled[:, 1], T)
    # Rows that are left out are not moved together.
    some = np.delete(np.arange(100), np.arange(28, 45))
    for table, is_right in ((dated.iloc[some], True), (dated.iloc[some].reset_index(drop=True), False)):
        filled = LatentForceImputer(**FAST).fit_transform(table)
        assert (np.abs(filled.to_numpy() - Y[some]).max() < 0.1) == is_right


def test_transform_fills_other_rows_from_themselves() -> None:
    table = frame()
    imputer = LatentForceImputer(**FAST).fit(table.iloc[40:])
    text = imputer.model_.to_json()
    filled = imputer.transform(table.iloc[:40])
    np.testing.assert_allclose(filled, Y[:40], atol=0.1)
    alone = imputer.model_.condition(table.iloc[:40].rename(columns={"b [K]": "b"})[["a"]])  # without the other series
    assert not np.allclose(alone.predict(table.index[25:26])["mean"], filled["a"].iloc[25])
    assert imputer.model_.to_json() == text
    assert imputer.transform(table.iloc[5:6]).equals(table.iloc[5:6])


def test_columns_without_values() -> None:
    table = frame().assign(empty=np.nan)
    with pytest.warns(UserWarning, match="left out: empty"):
        imputer = LatentForceImputer(**FAST).fit(table)
    assert list(imputer.transform(table)) == list(imputer.get_feature_names_out()) == ["a", "b [K]"]
    filled, sd = LatentForceImputer(keep_empty_features=True, **FAST).fit_transform(table, return_std=True)
    assert (filled["empty"] == 0).all() and sd["empty"].isna().all()


def test_columns_with_few_or_equal_values() -> None:
    table = frame().assign(constant=3.0, one=np.nan)
    table.iloc[10, 3] = 5.0
    table.iloc[40:50, 2] = np.nan
    filled = LatentForceImputer(**FAST).fit_transform(table)
    np.testing.assert_allclose(filled["constant"], 3.0, atol=0.01)
    np.testing.assert_allclose(filled["one"], 5.0, atol=1.0)


def test_mistakes_about_tables_are_explained() -> None:
    table = frame()
    fitted = LatentForceImputer(**FAST).fit(table)
    for call, message in (
        (lambda: fitted.transform(table.iloc[:2]), "no value in any of the columns"),
        (lambda: LatentForceImputer().fit(table * np.nan), "no value in any of its columns"),
        (lambda: LatentForceImputer(time="t").fit(table), "no such column; its columns are a, b"),
        (lambda: LatentForceImputer(time="t").fit(gappy()), "give the number of the column"),
        (lambda: LatentForceImputer(time=2).fit(gappy()), "X has 2 columns"),
        (lambda: LatentForceImputer(time="a").fit(table), "time of row 0 is missing"),
        (lambda: LatentForceImputer().fit(table.set_index("a", append=True)), "2 levels"),
        (lambda: fitted.transform(table.iloc[:, ::-1]), "feature names"),
        (lambda: fitted.transform(table.reset_index(drop=True)), "the times are dates"),
        (lambda: LatentForceImputer().fit(table.replace(Y[50, 0], np.inf)), "infinity"),
        (lambda: LatentForceImputer().fit(table.assign(when=table.index)), "give time='when'"),
        (lambda: LatentForceImputer().fit(SUBJECTS), "start again for each value of 'subject'"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_imputer_in_a_pipeline() -> None:
    pipeline = make_pipeline(LatentForceImputer(**FAST), LinearRegression())
    assert pipeline.fit(gappy(), Y.sum(axis=1)).score(gappy(), Y.sum(axis=1)) > 0.99
    assert np.isfinite(cross_val_score(pipeline, gappy(), Y.sum(axis=1), cv=3, error_score="raise")).all()
