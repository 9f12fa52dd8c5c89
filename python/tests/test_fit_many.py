"""fit_many: the models of the program and of single fits, failures, progress."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import latentforce as lf
from latentforce import _places

FAST: dict[str, Any] = {"forces": 1, "max_iterations": 5, "errors": "no"}


@pytest.fixture
def wells() -> pd.DataFrame:
    random = np.random.default_rng(3)
    t = np.arange(20.0)
    parts = [
        pd.DataFrame({"well": well, "t": t, "a": np.sin(t / 3 + well), "b": np.cos(t / 4) + 0.1 * random.standard_normal(20)})
        for well in (7, 3, 5)
    ]
    return pd.concat(parts, ignore_index=True)


def document(path: Path) -> Any:
    """A model file without the command, which names other data."""
    found = json.loads(path.read_text())
    del found["provenance"]["command"]
    return found


def test_models_are_those_of_single_fits_and_of_the_program(wells: pd.DataFrame, tmp_path: Path) -> None:
    models = lf.fit_many(wells, by="well", threads=2, **FAST)
    assert isinstance(models, lf.Models) and list(models) == ["7", "3", "5"] and not models.failures
    wells.to_csv(tmp_path / "wells.csv", index=False)
    words = ["--forces", "1", "--max-iterations", "5", "--errors", "no", "--quiet"]
    run = [_places.PROGRAM, "fit", tmp_path / "wells.csv", "--by", "well", *words, "-o", f"{tmp_path}/models/"]
    subprocess.run(run, check=True)
    for value, model in models.items():
        alone = lf.fit(wells[wells.well == int(value)].drop(columns="well").reset_index(drop=True), **FAST)
        alone.save(tmp_path / "alone.json")
        model.save(tmp_path / "many.json")
        assert document(tmp_path / "many.json") == document(tmp_path / "alone.json")
        assert document(tmp_path / "many.json") == document(tmp_path / "models" / f"{value}.json")
        assert model.result is not None and alone.result is not None
        assert model.result.log_likelihood == alone.result.log_likelihood and model.result.rows == 40
        pd.testing.assert_frame_equal(model.predict(ahead=5), alone.predict(ahead=5))
        assert len(pickle.loads(pickle.dumps(model)).predict(grid=3)) == 6


def test_a_failure_does_not_end_the_others(wells: pd.DataFrame) -> None:
    table = wells.drop(index=range(21, 40))  # one row of well 3
    with pytest.warns(lf.FitWarning, match=r"1 of 3 fits failed, the first for '3': .*have the same input"):
        models = lf.fit_many(table, by="well", **FAST)
    assert list(models) == ["7", "5"]
    assert isinstance(models.failures["3"], lf.DataError)


def test_progress_sees_the_series_and_stops_them(wells: pd.DataFrame) -> None:
    seen: list[lf.Progress] = []
    lf.fit_many(wells, by="well", progress=seen.append, **FAST)
    assert {(at.stage, at.items) for at in seen} == {("series", 3)}
    with pytest.warns(lf.FitWarning, match="stopped"):
        models = lf.fit_many(wells, by="well", threads=1, progress=lambda at: at.item == 1, **FAST)
    assert list(models) == ["7"]

    def fail(at: lf.Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        lf.fit_many(wells, by="well", progress=fail, **FAST)


def test_refused(wells: pd.DataFrame) -> None:
    with pytest.raises(lf.DataError, match="column 'replicate'"):
        lf.fit_many(wells.assign(replicate="r"), by="well", **FAST)
    with pytest.raises(lf.Error, match="no such column"):
        lf.fit_many(wells, by="plate", **FAST)
    with pytest.raises(lf.ArgumentError, match="name of a column"):
        lf.fit_many(wells, by=3, **FAST)  # type: ignore[arg-type]
