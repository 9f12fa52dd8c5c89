"""Models: predictions in the user's terms, scores, updates, parameters, files and copies."""

from __future__ import annotations

import copy
import json
import pickle
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import EXAMPLES, command, command_table

import latentforce as lf

# Predictions of the same rows that are asked for beside other rows or in another order: products of other shapes round differently.
SAME = 1e-12


def test_times_come_back_as_they_were_given() -> None:
    hours = pd.date_range("2024-03-30", periods=60, freq="h", tz="Europe/Berlin")  # across a change of the clock
    y = pd.DataFrame({"a": np.sin(np.arange(60) / 5)}, index=hours)
    found = lf.fit(y)
    asked = hours[10:12] + pd.Timedelta("30min")
    table = found.predict(asked)
    assert table.columns[1] == found.inputs[0]
    column = table.iloc[:, 1]
    assert list(column) == list(asked) and str(column.dtype.tz) == "Europe/Berlin"
    np.testing.assert_allclose(table["mean"], np.sin(np.array([10.5, 11.5]) / 5), atol=0.02)
    ahead = found.predict(ahead="3h").iloc[:, 1]
    assert list(ahead) == [hours[-1] + pd.Timedelta(hours=k) for k in (1, 2, 3)]
    assert str(ahead.dtype.tz) == "Europe/Berlin"
    assert list(pickle.loads(pickle.dumps(found)).predict(ahead="3h").iloc[:, 1]) == list(ahead)
    utc = found.predict(asked.tz_convert("UTC"))
    np.testing.assert_array_equal(utc["mean"], table["mean"])
    assert str(utc.iloc[:, 1].dtype.tz) == "UTC"


def test_one_time_and_many_kinds_of_times(model: lf.Model) -> None:
    expected = model.predict([2.5])
    for t in (2.5, np.float32(2.5), [2.5], (2.5,), np.array(2.5), pd.Series([2.5]), pd.Index([2.5]), range(2, 3)):
        table = model.predict(t)
        assert len(table) == 2
        if not isinstance(t, range):
            np.testing.assert_array_equal(table["mean"], expected["mean"])
    assert model.predict([4, 2])["time"].tolist() == [4, 2, 4, 2]


def test_frames_of_inputs(model: lf.Model, waves: pd.DataFrame) -> None:
    expected = model.predict(waves["time"])
    pd.testing.assert_frame_equal(model.predict(waves), expected)
    pd.testing.assert_frame_equal(model.predict(waves.set_index("time")), expected)
    rows = pd.DataFrame({"output": ["b", "a"], "time": [1.0, 2.0]})
    table = model.predict(rows)
    assert table["output"].tolist() == ["b", "a"] and table["time"].tolist() == [1.0, 2.0]
    both = model.predict([1.0, 2.0]).set_index(["output", "time"])["mean"]
    np.testing.assert_allclose(table["mean"], [both["b", 1.0], both["a", 2.0]], rtol=SAME)


@pytest.mark.parametrize("unit", ["{} [{}]", "{} ({})", "{}[{}]", "{}_({})"])
def test_headings_of_frames_of_inputs_may_have_units(waves: pd.DataFrame, unit: str) -> None:
    units = {"time": "h", "a": "K", "b": "K"}
    frame = waves.rename(columns={name: unit.format(name, units[name]) for name in units})
    found = lf.fit(frame, forces=1, max_iterations=2)
    late = frame[waves["time"] > 5]  # its index numbers rows
    expected = found.predict(waves["time"][waves["time"] > 5])
    pd.testing.assert_frame_equal(found.predict(late), expected)
    pd.testing.assert_frame_equal(found.predict(late.set_index(late.columns[0])), expected)


def test_units_of_inputs_that_are_asked_for(waves: pd.DataFrame) -> None:
    found = lf.fit(waves.rename(columns={"time": "time [h]"}), forces=1, max_iterations=2)
    expected = found.predict([2.0, 5.0])["mean"]
    minutes = pd.Index([120.0, 300.0], name="time [min]")
    spans = pd.to_timedelta(minutes.to_numpy(), unit="min")
    for asked in (minutes, minutes.to_series(), pd.DataFrame(index=minutes), minutes.to_frame(index=False), spans):
        np.testing.assert_allclose(found.predict(asked)["mean"], expected, rtol=1e-12)


def test_bounds_noise_and_level(model: lf.Model) -> None:
    table, bare = model.predict([3.0]), model.predict([3.0], noise=False)
    scale = np.array([model._use(lambda h, d=d: lf._parts.noise(h, d)) for d in (0, 1)])
    np.testing.assert_allclose(table["sd"] ** 2, bare["sd"] ** 2 + scale, rtol=1e-12)
    for level in (0.5, 0.95):
        table = model.predict([3.0], level=level)
        reach = statistics.NormalDist().inv_cdf((1 + level) / 2) * table["sd"]
        np.testing.assert_allclose(table["upper"] - table["mean"], reach, rtol=1e-12)
        np.testing.assert_allclose(table["mean"] - table["lower"], reach, rtol=1e-12)


def test_outputs_can_be_chosen(model: lf.Model) -> None:
    table = model.predict([1.0], outputs=["b", "a"])
    assert table["output"].tolist() == ["b", "a"]
    np.testing.assert_allclose(table["mean"], model.predict([1.0])["mean"][::-1], rtol=SAME)
    assert model.predict([1.0], outputs="b", rates=True)["output"].tolist() == ["b"]
    assert model.sample([1.0, 2.0], n=3, outputs="b").shape == (3, 1, 2)


def test_rates_and_forces_are_derivatives_and_causes(model: lf.Model) -> None:
    h = 1e-4
    rate = model.predict([5.0], rates=True, outputs="a")["mean"][0]
    up, down = (model.predict([5.0 + s * h], outputs="a")["mean"][0] for s in (1, -1))
    assert abs((up - down) / (2 * h) - rate) < 1e-3 * abs(rate)
    table = model.forces([1.0, 2.0])
    assert list(table.columns) == ["force", "time", "mean", "sd", "lower", "upper"]
    pd.testing.assert_frame_equal(table, model.predict([1.0, 2.0], forces=True))


def test_samples_have_the_moments_of_predictions(model: lf.Model) -> None:
    samples = model.sample([1.0, 12.0], n=4000, seed=5)
    table = model.predict([1.0, 12.0], noise=False)
    assert samples.shape == (4000, 2, 2)
    np.testing.assert_allclose(samples.mean(axis=0).ravel(), table["mean"], atol=5 * table["sd"].max() / 63)
    np.testing.assert_allclose(samples.std(axis=0).ravel(), table["sd"], rtol=0.06)
    np.testing.assert_array_equal(model.sample([1.0], n=2, seed=5), model.sample([1.0], n=2, seed=5))
    assert not np.array_equal(model.sample([1.0], seed=5), model.sample([1.0], seed=6))


def test_replicates(waves: pd.DataFrame) -> None:
    runs = pd.concat([waves.assign(replicate="one"), waves.assign(replicate="two", a=-waves["a"])], ignore_index=True)
    found = lf.fit(runs, forces=1)
    assert found.replicates == ["one", "two"]
    table = found.predict([1.0, 2.0])
    assert list(table.columns[:3]) == ["replicate", "output", "time"] and len(table) == 8
    assert table["replicate"].tolist() == ["one"] * 4 + ["two"] * 4
    only = found.predict([1.0, 2.0], replicate="two")
    np.testing.assert_allclose(only["mean"], table["mean"][4:], rtol=SAME)
    assert found.sample([1.0, 2.0, 3.0], n=5).shape == (5, 2, 2, 3)
    assert found.sample([1.0, 2.0, 3.0], n=5, replicate="one").shape == (5, 2, 3)
    assert found.sample([1.0, 2.0, 3.0], n=5, replicate=["two", "one"]).shape == (5, 2, 2, 3)
    rows = found.predict(pd.DataFrame({"time": [2.0], "replicate": ["two"]}))
    np.testing.assert_allclose(rows["mean"], table["mean"][[5, 7]], rtol=SAME)
    with pytest.raises(lf.DataError, match="'three'.*one, two"):
        found.predict([1.0], replicate="three")


def test_units_of_the_data_are_those_of_predictions(waves: pd.DataFrame) -> None:
    minutes = waves.rename(columns={"time": "time [min]"})
    found = lf.fit(minutes, forces=1, time_unit="h")
    assert found.parameters.loc["force1.lengthscale", "unit"] == "h"
    np.testing.assert_allclose(found.predict(grid=3)["time"][:3], [0, 5, 10], atol=1e-12)
    np.testing.assert_allclose(found.predict([5.0])["mean"], found.predict(grid=3)["mean"][[1, 4]], rtol=1e-9)
    np.testing.assert_allclose(found.predict(ahead="1min")["time"].max(), 11, atol=0.2)


def test_places() -> None:
    frame = pd.read_csv(EXAMPLES / "cokriging/deposits.csv")
    found = lf.fit(frame, forces=1, restarts=1, max_iterations=5)
    assert found.inputs == ["x1", "x2"]
    table = found.predict(np.array([[1.0, 2.0], [3.0, 1.0]]))
    assert table["x2"].tolist()[:2] == [2.0, 1.0]
    pd.testing.assert_frame_equal(found.predict(pd.DataFrame({"x1": [1.0, 3.0], "x2": [2.0, 1.0]})), table)
    assert len(found.predict(grid=4)) == 16 * len(found.outputs)
    with pytest.raises(lf.DataError, match=r"\(n, 2\)"):
        found.predict([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize("names", [("east", "north"), ("x", "y"), ("lon [m]", "lat [m]"), ("x1", "x2")])
def test_places_are_found_by_their_names(names: tuple[str, str]) -> None:
    places = np.random.default_rng(0).normal(size=(30, 2))
    frame = pd.DataFrame(places, columns=list(names)).assign(z=np.sin(places[:, 0]))
    found = lf.fit(frame, x=names, forces=1, max_iterations=2, restarts=1)
    expected = found.predict(places)
    for asked in (frame, frame[list(names)], frame[[names[1], names[0]]]):
        pd.testing.assert_frame_equal(found.predict(asked), expected)
    with pytest.warns(lf.ScoreWarning):
        assert found.score(frame, x=names).loc["z", "n"] == 30


def test_one_array_without_dimensions_is_a_number(model: lf.Model) -> None:
    assert model.predict(np.array(2.5))["time"].dtype == float


def test_names_that_a_user_sees(model: lf.Model) -> None:
    shown = {name for name in dir(model) if not name.startswith("_")}
    assert shown == {
        *(
            "condition",
            "cross_validate",
            "equations",
            "forces",
            "inputs",
            "known_inputs",
            "log_likelihood",
            "notes",
            "outputs",
            "parameters",
        ),
        *("plot", "predict", "provenance", "quantities", "replicates", "report", "result", "sample", "save", "score"),
        *("stages", "to_json", "update", "verdict"),
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"t": [1.0], "grid": 3}, "give one of t, ahead= and grid="),
        ({"step": 1}, "step= needs ahead="),
        ({"ahead": -1}, "greater than 0"),
        ({"ahead": "soon"}, "ahead=soon"),
        ({"ahead": [1]}, "expected a span"),
        ({"ahead": 1, "step": 2}, "longer than"),
        ({"ahead": 1e9}, "steps of"),
        ({"grid": 1}, "grid='1': N must be a whole number from 2"),
        ({"grid": 2.5}, "whole number"),
        ({"t": [1.0], "outputs": []}, "outputs names nothing"),
        ({"t": [1.0], "replicate": []}, "replicate names nothing"),
        ({"t": pd.DataFrame({"time": [1.0, np.nan]})}, "'time' of row 1 is missing"),
        ({"t": []}, "no inputs"),
        ({"t": [1.0, np.nan]}, "row 1 is missing"),
        ({"t": [1.0], "outputs": "c"}, "'c' is not in the model; its outputs are a, b"),
        ({"t": [1.0], "outputs": "a", "forces": True}, "outputs="),
        ({"t": [1.0], "rates": True, "forces": True}, "give one of"),
        ({"t": [1.0], "states": True}, "equations"),
        ({"t": [1.0], "level": 95}, "level=95"),
        ({"t": [1.0], "replicate": "r"}, "no replicates"),
        ({"t": [1.0], "known": {"time": [1.0], "u": [2.0]}}, "no known inputs"),
        ({"t": [[1.0, 2.0]]}, "shape"),
        ({"t": pd.date_range("2024", periods=2)}, "date|number"),
        ({"t": pd.DataFrame({"time": [1.0], "output": ["c"]})}, "'c'"),
        ({"t": pd.DataFrame({"time": [1.0], "remark": ["c"]})}, "a column 'remark'; leave it out"),
    ],
)
def test_mistakes_of_predictions(model: lf.Model, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(lf.Error, match=message):
        model.predict(**arguments)  # type: ignore[arg-type]


def test_mistakes_of_samples(model: lf.Model) -> None:
    with pytest.raises(lf.ArgumentError, match="n=0"):
        model.sample([1.0], n=0)
    with pytest.raises(lf.ArgumentError, match="seed=-1"):
        model.sample([1.0], seed=-1)


def test_scores_are_those_of_the_command(house: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(house)
    frame["split"] = np.where(np.arange(len(frame)) // 24 % 7 == 3, "test", "train")
    found = lf.fit(frame, forces=1)
    found.save(tmp_path / "model.json")
    frame.to_csv(tmp_path / "house.csv", index=False)
    theirs = json.loads(command("score", tmp_path / "model.json", tmp_path / "house.csv", "--json"))
    for ours in (found.score(frame), found.score(tmp_path / "house.csv")):
        assert ours.loc["all"].to_dict() == theirs["overall"]
        assert {name: ours.loc[name].to_dict() for name in ours.index[:-1]} == theirs["outputs"]


def test_cross_validations_are_those_of_the_command(house: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(house).iloc[:120]
    found = lf.fit(frame, forces=1, max_iterations=5, restarts=1, errors="no")
    found.save(tmp_path / "model.json")
    frame.to_csv(tmp_path / "house.csv", index=False)
    asked: list[tuple[dict[str, Any], list[str]]] = [
        ({"folds": 2}, ["--cross-validate", "2"]),
        ({"folds": 3, "refit": False}, ["--cross-validate", "3", "--no-refit"]),
        ({"rolling": "auto", "span": "24h", "refit": False}, ["--rolling", "auto", "--span", "24h", "--no-refit"]),
    ]
    for arguments, words in asked:
        ours = found.cross_validate(frame, **arguments)
        theirs = json.loads(command("score", tmp_path / "model.json", tmp_path / "house.csv", "--json", *words))
        assert ours.loc["all"].to_dict() == theirs["overall"]
    with pytest.raises(lf.ArgumentError, match="cross_validate='1': K must be a whole number from 2"):
        found.cross_validate(frame, folds=1)
    again = lf.fit(frame, init=found, max_iterations=2, restarts=1, errors="no")
    with pytest.raises(lf.ArgumentError, match="init="):
        again.cross_validate(frame, folds=2)
    assert again.cross_validate(frame, folds=2, init=found).loc["all", "n"] > 0


def test_comparisons_are_those_of_the_command(house: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(house).iloc[:120]
    quick: dict[str, Any] = {"max_iterations": 5, "restarts": 1, "errors": "no"}
    models = {f"{forces}.json": lf.fit(frame, forces=forces, **quick) for forces in (1, 2)}
    frame.to_csv(tmp_path / "house.csv", index=False)
    for name, found in models.items():
        found.save(tmp_path / name)
    asked: list[tuple[dict[str, Any], list[str]]] = [
        ({}, []),
        ({"folds": 2, "refit": False}, ["--cross-validate", "2", "--no-refit"]),
    ]
    for arguments, words in asked:
        ours = lf.compare(models, frame, **arguments)
        paths = [tmp_path / name for name in models]
        theirs = json.loads(command("compare", *paths, "--data", tmp_path / "house.csv", "--json", *words))
        assert ours.index.tolist() == [Path(m["model"]).name for m in theirs["models"]]
        assert ours["bic"].tolist() == [m["bic"] for m in theirs["models"]]
        if words:
            assert ours["nlpd"].tolist() == [m["held_out"]["nlpd"] for m in theirs["models"]]
    with pytest.raises(lf.DataError, match="1.json: has no output 'c'"):
        lf.compare(models, {"c": (pd.to_datetime(["2024-01-01", "2024-01-02"]), [1.0, 2.0])})
    with pytest.raises(lf.ArgumentError, match="models by name"):
        lf.compare([*models.values()], frame)  # type: ignore[arg-type]


def test_scores_of_training_rows_are_warned_of(model: lf.Model, waves: pd.DataFrame) -> None:
    with pytest.warns(lf.ScoreWarning, match="120 training rows"):
        model.score(waves)
    with pytest.raises(lf.DataError, match="'c' is not in the model"):
        model.score({"c": ([1.0], [2.0])})
    with pytest.raises(lf.OptionError, match="the reading of data has no option 'forces'; fit.. has it"):
        model.score(waves, forces=2)


def test_updates_are_those_of_the_command(house: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(house, index_col="time", parse_dates=True)
    frame.iloc[400:].to_csv(tmp_path / "new.csv")
    found = lf.fit(frame.iloc[:400], forces=1)
    found.save(tmp_path / "model.json")
    command("update", tmp_path / "model.json", tmp_path / "new.csv", "-q", "-o", tmp_path / "updated.json")
    before = copy.deepcopy(found)
    assert found.update(frame.iloc[400:]) is found
    assert found.to_json() == (tmp_path / "updated.json").read_text()
    with pytest.raises(lf.DataError):
        found.update(frame.iloc[:10])
    assert found.to_json() == (tmp_path / "updated.json").read_text()
    theirs = command_table("predict", tmp_path / "updated.json", "--ahead", "3h")
    np.testing.assert_array_equal(found.predict(ahead="3h")["mean"], theirs["mean"])
    assert before.predict(ahead="1h")["time"].iloc[0] == frame.index[400]


def test_a_bound_in_the_verdict_is_the_end_of_what_was_searched() -> None:
    t = np.arange(100.0)
    found = lf.fit(t, 2 + 0.3 * t, names=["a"])
    assert found.result is not None and "force1.lengthscale" in found.result.bounds
    row = found.parameters.loc["force1.lengthscale"]
    np.testing.assert_allclose(row["value"], row["searched_upper"], rtol=1e-8)
    assert np.isinf(row["upper"])
    assert any("force1.lengthscale ended on its upper bound" in str(remark) for remark in found.verdict)


def test_verdicts_have_the_spelling_of_python() -> None:
    t = np.arange(150.0)
    noise = np.random.default_rng(3).normal(size=150)
    sentences = " ".join(map(str, lf.fit(t, noise, names=["a"]).verdict))
    assert "explains next to nothing of a" in sentences and "operator='auto'" in sentences
    assert "--" not in sentences


def test_models_that_are_conditioned_say_so() -> None:
    t = np.linspace(0, 20, 100)
    model = lf.fit({"a": (t[:60], np.sin(t[:60]))})
    assert "training rows: 60" in repr(model) and "log likelihood" in repr(model)
    same = model.condition({"a": (t[:60], np.sin(t[:60]))})
    assert "training rows: 60" in repr(same) and same.log_likelihood == model.log_likelihood
    other = model.condition({"a": (t[:60], np.cos(t[:60]))})
    assert "conditioned on: 60 rows; fitted to: 60 rows" in repr(other) and "log likelihood" not in repr(other)
    assert np.isnan(other.log_likelihood) and np.isfinite(model.log_likelihood)
    model.update({"a": (t[60:], np.sin(t[60:]))})
    assert "conditioned on: 100 rows; fitted to: 60 rows" in repr(model) and "log likelihood" not in repr(model)
    assert "conditioned on" in model._repr_html_() and np.isnan(model.log_likelihood)
    assert model.result is not None and np.isfinite(model.result.log_likelihood)


def test_copies_are_equal_and_independent(model: lf.Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    expected = model.predict(grid=5)
    for again in (
        pickle.loads(pickle.dumps(model)),
        copy.copy(model),
        copy.deepcopy(model),
        lf.load(tmp_path / "model.json"),
    ):
        assert again.to_json() == model.to_json()
        pd.testing.assert_frame_equal(again.predict(grid=5), expected)
        assert again.log_likelihood == model.log_likelihood
    assert pickle.loads(pickle.dumps(model)).result == model.result
    assert json.loads(model.to_json())["format"]


def test_parameters_result_verdict_and_looks(model: lf.Model) -> None:
    table = model.parameters
    assert table.index[0] == "force1.lengthscale" and (table["value"] > 0)["force1.lengthscale"]
    assert list(table.columns) == ["value", "standard_error", "unit", "lower", "upper", "fixed", "tied_to"] + [
        "searched_lower",
        "searched_upper",
    ]
    assert model.result is not None and model.result.rows == 120
    assert len(model.result.trace) == model.result.iterations
    assert model.log_likelihood == model.result.log_likelihood
    assert {remark.severity for remark in model.verdict} <= {"good", "note", "warning"}
    assert "outputs: a, b" in repr(model) and "<table>" in model._repr_html_()
    free = table[~table["fixed"] & (table["tied_to"] == "")]
    assert (free["searched_lower"] <= free["value"] * (1 + 1e-9)).all()
    assert (free["value"] <= free["searched_upper"] * (1 + 1e-9)).all()
    assert (free["lower"] <= free["searched_lower"]).all() and np.isinf(table.loc["a.decay", "upper"])
    assert model.equations is None and model.known_inputs == [] and model.replicates == []
    tied = lf.fit({"a": ([0.0, 1, 2, 3], [1.0, 2, 1, 2])}, fix={"a.decay": 0.5}, max_iterations=1)
    assert tied.parameters.loc["a.decay", "fixed"] and tied.parameters.loc["a.decay", "value"] == 0.5


def test_a_model_without_a_posterior_and_files_that_are_none(waves: pd.DataFrame, tmp_path: Path) -> None:
    found = lf.fit(waves, forces=1, posterior=False, max_iterations=2)
    with pytest.raises(lf.ModelError, match="posterior=True"):
        found.predict([1.0])
    with pytest.raises(lf.FileError, match="nowhere"):
        lf.load(tmp_path / "nowhere.json")
    with pytest.raises(OSError):
        found.save(tmp_path / "no" / "folder.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(lf.ModelError, match="bad.json"):
        lf.load(tmp_path / "bad.json")


def test_a_range_beyond_the_horizon_is_an_error(waves: pd.DataFrame) -> None:
    found = lf.fit(waves, forces=1, engine="lowrank", max_iterations=2)
    with pytest.raises(lf.DataError, match="horizon="):
        found.predict([1e6])


def test_arrays_are_scored_and_added_as_they_are_fitted() -> None:
    t = np.linspace(0, 20, 100)
    y = np.column_stack([np.sin(t), np.cos(t)])
    found = lf.fit(t[:60], y[:60], names=["a", "b"], forces=1)
    table = found.score(t[60:65], y[60:65], names=["a", "b"])
    series = {name: (t[60:65], y[60:65, d]) for d, name in enumerate("ab")}
    pd.testing.assert_frame_equal(table, found.score(series), rtol=1e-9)
    with pytest.raises(lf.DataError, match="'y1' is not in the model; its outputs are a, b"):
        found.score(t[60:], y[60:])
    found.update(t[60:], y[60:], names=["a", "b"])
    assert found.predict(19.5, outputs="a")["sd"][0] < 0.1


def test_times_given_as_text_come_back_as_dates() -> None:
    hours = pd.date_range("2024-01-08", periods=30, freq="h")
    model = lf.fit(pd.DataFrame({"a": np.sin(np.arange(30.0))}, index=hours), forces=1)
    asked = ["2024-01-08 03:30", "2024-01-09"]
    table = model.predict(asked)
    assert table["time"].tolist() == [pd.Timestamp(text) for text in asked]
    assert table["mean"].equals(model.predict([pd.Timestamp(text) for text in asked])["mean"])
    assert model.predict(pd.DataFrame({"time": asked}))["time"].tolist() == table["time"].tolist()


@pytest.mark.parametrize(
    "ahead",
    [12, "12MS", "12ME", "1a", "12 months", pd.DateOffset(months=12), pd.DateOffset(years=1), pd.offsets.MonthBegin(12)],
)
def test_ahead_on_months(ahead: Any) -> None:
    index = pd.period_range("2000-01", periods=40, freq="M")
    for times in (index, index.to_timestamp()):
        model = lf.fit(pd.DataFrame({"a": np.sin(np.arange(40))}, index=times), forces=1, max_iterations=3)
        found = pd.DatetimeIndex(model.predict(ahead=ahead)["time"])
        assert list(found) == list(pd.date_range("2003-05-01", periods=12, freq="MS"))


def test_ahead_on_quarters_and_days() -> None:
    index = pd.period_range("1990Q1", periods=79, freq="Q")
    model = lf.fit(pd.DataFrame({"a": np.sin(np.arange(79))}, index=index), forces=1, max_iterations=3)
    found = pd.PeriodIndex(model.predict(ahead=pd.offsets.QuarterBegin(3))["time"], freq="Q")
    assert list(found) == list(pd.period_range("2009Q4", periods=3, freq="Q"))
    days = pd.date_range("2023-01-01", periods=40)
    model = lf.fit(pd.DataFrame({"a": np.sin(np.arange(40))}, index=days), forces=1, max_iterations=3)
    found = pd.DatetimeIndex(model.predict(ahead="2 months", step=pd.DateOffset(months=1))["time"])
    assert list(found.astype(str)) == ["2023-03-09", "2023-04-09"]
    with pytest.raises(lf.ArgumentError, match="as in 7d"):
        model.predict(ahead="7")
    with pytest.raises(lf.ArgumentError, match="whole months"):
        model.predict(ahead=pd.DateOffset(months=1, days=2))


def test_ahead_of_replicates() -> None:
    labels, times = ["r1"] * 20 + ["r2"] * 9, [*range(20), *range(9)]
    frame = pd.DataFrame({"replicate": labels, "time": times, "a": np.sin(times), "b": np.cos(times)})
    model = lf.fit(frame, forces=1, max_iterations=3)
    found = model.predict(ahead=2)
    expected = [(r, o, x) for r, end in (("r1", 20), ("r2", 9)) for o in "ab" for x in (end, end + 1)]
    assert list(zip(found["replicate"], found["output"], found["time"])) == expected
    alone = model.predict(ahead=2, replicate="r2")
    assert alone["mean"].tolist() == pytest.approx(found["mean"][4:].tolist(), rel=1e-12)
    at = model.predict(pd.DataFrame({"replicate": ["r2", "r2"], "time": [9.0, 10.0]}))
    assert at["mean"].tolist() == pytest.approx(alone["mean"].tolist(), rel=1e-9)
    assert model.sample(ahead=2, n=3).shape == (3, 2, 2, 2)


def test_stages(model: lf.Model, tmp_path: Path) -> None:
    assert model.result is not None
    with_seconds = model.result.stages
    assert list(with_seconds.columns) == ["seconds", "evaluations", "decision", "reason"]
    assert list(with_seconds.index[:3]) == ["problem", "plan", "start"] and with_seconds.index[-1] == "posterior"
    assert with_seconds.loc["problem", "decision"] == "2 outputs, 120 readings; 0 test readings"
    assert with_seconds["evaluations"].sum() >= with_seconds.loc["fit", "evaluations"] == model.result.evaluations
    assert (with_seconds["seconds"] >= 0).all()
    pd.testing.assert_frame_equal(model.stages, with_seconds.drop(columns="seconds"))
    model.save(tmp_path / "model.json")
    pd.testing.assert_frame_equal(lf.load(tmp_path / "model.json").stages, model.stages)
    assert len(pickle.loads(pickle.dumps(model)).result.stages) == len(with_seconds)


@pytest.mark.parametrize("stages", [None, 1, "fit", {"stage": "fit"}, [1, None, ["fit"]], [{"stage": 3, "evaluations": "x"}]])
def test_stages_of_a_file_from_elsewhere(model: lf.Model, tmp_path: Path, stages: Any) -> None:
    document = json.loads(model.to_json())
    document["provenance"]["stages"] = stages
    (tmp_path / "other.json").write_text(json.dumps(document))
    found = lf.load(tmp_path / "other.json")
    assert len(found.stages) == (1 if stages == [{"stage": 3, "evaluations": "x"}] else 0)
    assert found.provenance["stages"] == stages
    assert found.predict([1.0])["mean"].tolist() == model.predict([1.0])["mean"].tolist()
    del document["provenance"]["stages"]
    (tmp_path / "other.json").write_text(json.dumps(document))
    assert len(lf.load(tmp_path / "other.json").stages) == 0
