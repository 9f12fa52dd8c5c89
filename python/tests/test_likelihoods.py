"""Readings with outliers: Student-t noise, as the program has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
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
