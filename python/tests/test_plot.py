"""Figures: which axes there are, what is in them, and that they agree with predictions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest

import latentforce as lf

matplotlib.use("agg")
import matplotlib.dates
import matplotlib.pyplot as plt

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def _close_figures() -> Any:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rooms() -> lf.Model:
    return lf.fit(EXAMPLES / "rooms/rooms.csv", forces=2, restarts=1, max_iterations=20)


@pytest.fixture(scope="module")
def dated() -> lf.Model:
    t = pd.date_range("2024-01-08", periods=60, freq="h", tz="Europe/Berlin", name="time")
    y = np.sin(np.arange(60) / 5)
    return lf.fit(pd.DataFrame({"indoor [°C]": y, "wall [°C]": np.roll(y, 4)}, index=t), forces=1, period="none")


@pytest.fixture(scope="module")
def places() -> lf.Model:
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 3, (60, 2))
    return lf.fit(x, np.sin(x[:, 0]) * x[:, 1], names="level", forces=1)


def titles(axes: Any) -> list[str]:
    return [ax.get_title("left") for ax in np.ravel(axes)]


def mean_line(ax: Any) -> Any:
    """The longest line without markers."""
    return max((line for line in ax.lines if line.get_marker() == "None"), key=lambda line: len(line.get_xdata()))


def test_an_axes_for_each_output_with_mean_and_readings(rooms: lf.Model) -> None:
    axes = rooms.plot()
    assert titles(axes) == rooms.outputs
    assert axes[0].get_xlabel() == "" and axes[-1].get_xlabel() == "x"
    living = pd.read_csv(EXAMPLES / "rooms/rooms.csv").query("output == 'living room'")
    points = {line.get_marker(): line for line in axes[1].lines if line.get_marker() != "None"}
    for marker, split in ((".", "train"), ("o", "test")):
        own = living[living["split"] == split]
        np.testing.assert_allclose(points[marker].get_xdata(), own["x"])
        np.testing.assert_allclose(points[marker].get_ydata(), own["y"])
    assert not [line for line in axes[0].lines if line.get_marker() == "o"]  # nothing of the kitchen is held out


@pytest.mark.parametrize("noise", [True, False])
def test_curves_are_the_predictions(rooms: lf.Model, noise: bool) -> None:
    t = np.linspace(5, 60, 30)
    axes = rooms.plot(outputs=["study", "kitchen"], t=t[::-1], level=0.8, noise=noise)
    table = rooms.predict(t, outputs=["study", "kitchen"], level=0.8, noise=noise)
    for ax, name in zip(axes, ("study", "kitchen")):
        own = table[table["output"] == name]
        line = mean_line(ax)
        np.testing.assert_allclose(line.get_xdata(), t)
        np.testing.assert_allclose(line.get_ydata(), own["mean"])
        corners = ax.collections[0].get_paths()[0].vertices
        np.testing.assert_allclose(corners[:, 1].min(), own["lower"].min())
        np.testing.assert_allclose(corners[:, 1].max(), own["upper"].max())


def test_one_output_gives_one_axes_that_may_be_given(rooms: lf.Model) -> None:
    _, ax = plt.subplots()
    before = plt.get_fignums()
    assert rooms.plot(outputs="study", ax=ax) is ax
    assert plt.get_fignums() == before and titles(ax) == ["study"] and ax.get_xlabel() == "x"
    _, pair = plt.subplots(1, 2)
    assert list(rooms.plot("forces", ax=pair)) == list(pair)
    with pytest.raises(lf.ArgumentError, match="1 axes, but 4 are drawn"):
        rooms.plot(ax=ax)


def test_samples_and_forecast(rooms: lf.Model) -> None:
    ax = rooms.plot(outputs="study", ahead=12, samples=3, seed=5)
    lines = [line for line in ax.lines if line.get_marker() == "None" and len(line.get_xdata()) > 2]
    assert len(lines) == 4
    assert lines[0].get_xdata()[-1] == pytest.approx(84)
    again = rooms.plot(outputs="study", ahead=12, samples=3, seed=5)
    other = rooms.plot(outputs="study", ahead=12, samples=3, seed=6)
    np.testing.assert_array_equal(again.lines[0].get_ydata(), lines[0].get_ydata())
    assert not np.allclose(other.lines[0].get_ydata(), lines[0].get_ydata(), rtol=0, atol=1e-6)


def test_forces_rates_and_names(rooms: lf.Model) -> None:
    assert titles(rooms.plot("forces")) == ["force1", "force2"]
    ax = rooms.plot("forces", "force2", t=[1.0, 2.0, 3.0])
    table = rooms.forces([1.0, 2.0, 3.0])
    np.testing.assert_allclose(mean_line(ax).get_ydata(), table[table["force"] == "force2"]["mean"])
    rates = rooms.plot("rates", "kitchen", t=[1.0, 2.0])
    np.testing.assert_allclose(
        mean_line(rates).get_ydata(), rooms.predict([1.0, 2.0], rates=True, outputs="kitchen")["mean"]
    )
    for wrong in ({"what": "covariance"}, {"outputs": "attic"}, {"what": "forces", "outputs": "force9"}):
        with pytest.raises(lf.ArgumentError, match=str(next(reversed(wrong.values())))):
            rooms.plot(**wrong)  # type: ignore[arg-type]
    with pytest.raises(lf.ArgumentError, match="nothing to draw"):
        rooms.plot(outputs=[])
    with pytest.raises(lf.ModelError, match="no known inputs"):
        rooms.plot("inputs")


def test_residuals(rooms: lf.Model) -> None:
    axes = rooms.plot("residuals", ["kitchen", "study"])
    assert axes.shape == (2, 3)
    assert titles(axes)[0] == "kitchen: one-step errors"
    errors = axes[0, 0].lines[0].get_ydata()
    assert len(errors) == 145 and 0.5 < np.std(errors) < 1.5
    lags, limit = axes[0, 1].collections[0].get_segments(), axes[0, 1].lines[1].get_ydata()[0]
    centred = errors - errors.mean()
    assert len(lags) == 145 // 4 and limit == pytest.approx(1.959963984540054 / np.sqrt(145))
    np.testing.assert_allclose(lags[0][1, 1], (centred[1:] @ centred[:-1]) / (centred @ centred))
    assert rooms.plot("residuals", "study").shape == (3,)


def test_loaded_model_needs_data_for_points(rooms: lf.Model, tmp_path: Path) -> None:
    rooms.save(tmp_path / "model.json")
    model = lf.load(tmp_path / "model.json")
    assert not [line for line in model.plot(outputs="study").lines if line.get_marker() == "."]
    ax = model.plot(outputs="study", data=EXAMPLES / "rooms/rooms.csv")
    assert len([line for line in ax.lines if line.get_marker() == "."]) == 1
    with pytest.raises(lf.ArgumentError, match="give data="):
        model.plot("residuals")
    other = model.condition({"study": (np.arange(5.0), np.full(5, 20.0))}).plot(outputs="study")
    np.testing.assert_allclose(other.lines[-1].get_ydata(), np.full(5, 20.0))
    with pytest.raises(lf.DataError, match="give data= too"):
        model.plot(time="x")


def test_dates_are_on_the_clock_of_the_data_and_units_on_the_axes(dated: lf.Model) -> None:
    axes = dated.plot()
    assert [ax.get_ylabel() for ax in axes] == ["°C", "°C"] and axes[-1].get_xlabel() == ""
    low = matplotlib.dates.num2date(mean_line(axes[0]).get_xdata(orig=False)[0])
    assert low.strftime("%Y-%m-%d %H:%M") == "2024-01-08 00:00"
    assert str(dated.predict(grid=2)["time"].iloc[0]) == "2024-01-08 00:00:00+01:00"
    axes[0].figure.canvas.draw()
    assert "Jan" in axes[-1].xaxis.get_major_formatter().get_offset()
    longer = dated.plot(outputs="indoor", ahead="24h")
    days = np.ptp(mean_line(longer).get_xdata(orig=False))
    assert days == pytest.approx((59 + 24) / 24)


def test_many_outputs_are_cut_and_said() -> None:
    t = np.linspace(0, 5, 25)
    y = np.column_stack([np.sin(t + d / 3) for d in range(14)])
    model = lf.fit(t, y, forces=1, restarts=1, max_iterations=3)
    axes = model.plot()
    assert len(axes) == 12
    assert "the first 12 of 14 outputs" in axes[0].figure._supxlabel.get_text()
    assert len(model.plot(outputs=model.outputs)) == 14


def test_maps_and_many_inputs(places: lf.Model) -> None:
    ax = places.plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")
    mesh = next(c for c in ax.collections if type(c).__name__ == "QuadMesh")
    points = mesh.get_coordinates()[::30, ::30].reshape(-1, 2)
    expected = places.predict(points)["mean"].to_numpy()
    np.testing.assert_allclose(np.reshape(mesh.get_array(), (60, 60))[::30, ::30].ravel(), expected)
    with pytest.raises(lf.UnsupportedError, match="one input"):
        places.plot(samples=2)
    x = np.random.default_rng(2).uniform(0, 3, (40, 3))
    model = lf.fit(x, x.sum(axis=1), forces=1, restarts=1, max_iterations=10)
    ax = model.plot()
    np.testing.assert_allclose(ax.lines[0].get_xdata(), model.predict(x)["mean"], rtol=1e-6)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), x.sum(axis=1))


def test_replicates_and_states() -> None:
    folder = EXAMPLES / "equations"
    model = lf.fit(folder / "two-compartments.csv", equations=folder / "two-compartments.eq", restarts=1)
    ax = model.plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()][1:] == model.replicates
    assert len([line for line in ax.lines if line.get_marker() == "."]) == 3
    turned = model.plot(replicate=["subject3", "subject1"])
    assert [text.get_text() for text in turned.get_legend().get_texts()][1:] == ["subject3", "subject1"]
    means = [[line.get_ydata() for line in drawn.lines if len(line.get_xdata()) == 1000] for drawn in (ax, turned)]
    np.testing.assert_array_equal(means[1], [means[0][2], means[0][0]])
    states = model.plot("states", replicate="subject2", t=[1.0, 2.0])
    assert titles(states) == ["c1", "c2"]
    table = model.predict([1.0, 2.0], states=True, replicate="subject2")
    np.testing.assert_allclose(mean_line(states[1]).get_ydata(), table[table["state"] == "c2"]["mean"])


def test_known_inputs() -> None:
    folder = EXAMPLES / "equations"
    model = lf.fit(folder / "rc2.csv", equations=folder / "rc2.eq", restarts=1, max_iterations=5)
    axes = model.plot("inputs")
    assert titles(axes) == ["To", "Qh"]
    readings = pd.read_csv(folder / "rc2.csv")
    column = next(name for name in readings.columns if name.startswith("To"))
    np.testing.assert_allclose(axes[0].lines[0].get_ydata(), readings[column].dropna())
    assert axes[0].lines[0].get_drawstyle() == "default" and axes[1].lines[0].get_drawstyle() == "steps-post"
    with pytest.raises(lf.ArgumentError, match="Qx"):
        model.plot("inputs", "Qx")


def test_without_matplotlib(rooms: lf.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        rooms.plot()


def test_ahead_needs_the_last_training_input(rooms: lf.Model, tmp_path: Path) -> None:
    rooms.save(tmp_path / "model.json")
    record = json.loads((tmp_path / "model.json").read_text())
    del record["posterior"]["span"]
    (tmp_path / "bare.json").write_text(json.dumps(record))
    model = lf.load(tmp_path / "bare.json")
    with pytest.raises(lf.ModelError, match="does not contain the range"):
        model.plot(outputs="study", ahead=12)
    seen = model.plot(outputs="study", ahead=12, data=EXAMPLES / "rooms/rooms.csv")
    expected = mean_line(rooms.plot(outputs="study", ahead=12)).get_xdata()[-1]
    assert mean_line(seen).get_xdata()[-1] == expected
