"""Readings with outliers: Student-t noise, as the program has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import command_table

import latentforce as lf

OPTIONS: dict[str, Any] = {"forces": 2, "private": False, "calibrate": "no", "errors": "no", "restarts": 1, "period": "none"}


def spiked(waves: pd.DataFrame) -> pd.DataFrame:
    """Every 11th reading of a is off by 3."""
    frame = waves.copy()
    frame.loc[5::11, "a"] += 3.0
    return frame


def test_outliers_have_little_weight(waves: pd.DataFrame) -> None:
    times = waves["time"].to_numpy()
    errors = {}
    for likelihood in ("gaussian", "student"):
        model = lf.fit(spiked(waves), likelihood=f"a={likelihood}", **OPTIONS)
        mean = model.predict(times, outputs="a")["mean"].to_numpy()
        errors[likelihood] = float(np.mean((mean - np.sin(times)) ** 2))
    assert errors["student"] < 0.05 * errors["gaussian"]


def test_the_same_model_as_the_program(waves: pd.DataFrame, tmp_path: Path) -> None:
    data, file = tmp_path / "spiked.csv", tmp_path / "model.json"
    spiked(waves).to_csv(data, index=False)
    model = lf.fit(data, likelihood=["a=student", "b=gaussian"], **OPTIONS)
    model.save(file)
    rows = command_table("predict", file, "--at", data, "--ignore-columns", "--quiet")
    mine = model.predict(spiked(waves)["time"].to_numpy(), noise=False)
    assert np.allclose(mine["mean"], rows["mean"], rtol=1e-12)
    assert np.allclose(mine["sd"], rows["sd_f"], rtol=1e-12)


def counted(waves: pd.DataFrame) -> pd.DataFrame:
    """Counts about exp(a + 1), whether b is positive, and exp(a) with errors of 10 %."""
    rng = np.random.default_rng(4)
    a, b = waves["a"].to_numpy(), waves["b"].to_numpy()
    count, rain = rng.poisson(np.exp(a + 1)), (b + rng.logistic(scale=0.3, size=b.size) > 0).astype(int)
    return pd.DataFrame({"time": waves["time"], "count": count, "rain": rain, "flow": np.exp(a) * rng.gamma(100, 0.01, a.size)})


LIKELIHOODS = {"count": "poisson", "rain": "bernoulli", "flow": "gamma"}


def test_readings_with_links(waves: pd.DataFrame, tmp_path: Path) -> None:
    frame = counted(waves)
    model = lf.fit(frame, likelihood=[f"{name}={kind}" for name, kind in LIKELIHOODS.items()], **OPTIONS)
    ahead = model.predict(ahead=4)
    assert set(ahead["output"]) == set(LIKELIHOODS)
    assert (ahead["lower"] >= 0).all() and (ahead["lower"] <= ahead["upper"]).all() and (ahead["mean"] > 0).all()
    counts = ahead[ahead["output"] == "count"]
    assert (counts["lower"] % 1 == 0).all() and (counts["upper"] % 1 == 0).all()
    assert set(ahead.loc[ahead["output"] == "rain", "upper"]) <= {0, 1}
    assert (model.sample(n=3, ahead=4) > 0).all()
    with pytest.warns(lf.ScoreWarning):
        scores = model.score(frame)
    assert set(LIKELIHOODS) <= set(scores.index) and np.isfinite(scores["nlpd"]).all()
    assert np.isfinite(model.cross_validate(frame, folds=2)["nlpd"]).all()
    axes = model.plot(data=frame)
    assert axes is not None
    model.report(tmp_path / "report.html", data=frame)
    assert (tmp_path / "report.html").stat().st_size > 100_000
    with pytest.raises(lf.Error, match="rates of change of output 'count'"):
        model.predict(ahead=4, rates=True)
    with pytest.raises(lf.DataError, match="none of the likelihood poisson"):
        lf.fit(waves, likelihood="poisson", **OPTIONS)
