"""lf.fit and `latentforce fit` write the same file, and each reads what the other has written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import EXAMPLES, command, command_table, read_exactly

import latentforce as lf

Both = Callable[..., "tuple[str, str]"]

CASES: list[tuple[str, list[str], dict[str, Any]]] = [
    ("house/house.csv", ["--forces", "1", "--max-iterations", "5"], {"forces": 1, "max_iterations": 5}),
    (
        "house/house.csv",
        [
            *["--forces", "1", "--operator", "ode2", "--operator", "attic=ode1", "--no-private", "--time-unit", "d"],
            *["--period", "none", "--max-iterations", "5"],
        ],
        {
            **{"forces": 1, "operator": ["ode2", "attic=ode1"], "private": False, "time_unit": "d"},
            **{"period": "none", "max_iterations": 5},
        },
    ),
    (
        "house/house.csv",
        ["--drop", "attic,bedroom", "--input", "outdoor", "--fix", "living.noise_variance=0.01", "--seed", "3"],
        {"drop": ["attic", "bedroom"], "input": "outdoor", "fix": {"living.noise_variance": 0.01}, "seed": 3},
    ),
    (
        "genes/genes.csv",
        [
            "--outputs",
            "gene1,gene2",
            "--force-kernel",
            "eq",
            "--engine",
            "dense",
            "--forces",
            "1",
            "--max-iterations",
            "5",
        ],
        {"outputs": ["gene1", "gene2"], "force_kernel": "eq", "engine": "dense", "forces": 1, "max_iterations": 5},
    ),
    (
        "cokriging/deposits.csv",
        ["--forces", "1", "--restarts", "1", "--max-iterations", "5"],
        {"forces": 1, "restarts": 1, "max_iterations": 5},
    ),
    (
        "equations/rc1.csv",
        ["--equations", str(EXAMPLES / "equations/rc1.eq"), "--restarts", "1"],
        {"equations": EXAMPLES / "equations/rc1.eq", "restarts": 1},
    ),
    (
        "equations/one-compartment.csv",
        ["--equations", str(EXAMPLES / "equations/one-compartment.eq"), "--no-posterior", "--errors", "no"],
        {"equations": EXAMPLES / "equations/one-compartment.eq", "posterior": False, "errors": "no"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join([case[0], *(w.split("/")[-1] for w in case[1])]))
def test_files_of_command_and_python_are_equal(both: Both, case: tuple[str, list[str], dict[str, Any]]) -> None:
    name, words, options = case
    by_command, by_python = both(EXAMPLES / name, words, **options)
    assert by_command == by_python


def as_named(text: str, *names: str) -> str:
    """A model file in which other names of the data stand as DATA."""
    for name in names:
        text = text.replace(f'"{name}"', '"DATA"')
    return text


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join([case[0], *(w.split("/")[-1] for w in case[1])]))
def test_a_frame_gives_the_model_of_its_file(case: tuple[str, list[str], dict[str, Any]]) -> None:
    name, _, options = case
    by_file = lf.fit(EXAMPLES / name, **options).to_json()
    frame = read_exactly(EXAMPLES / name)
    by_frame = lf.fit(frame, **options).to_json()
    assert as_named(by_file, str(EXAMPLES / name)) == as_named(by_frame, "DataFrame")


def test_dates_with_a_zone_and_errors_and_splits(both: Both, tmp_path: Path) -> None:
    hours = pd.date_range("2024-03-01", periods=80, freq="h", tz="+02:00")
    z = np.random.default_rng(2).normal(size=80)
    frame = pd.DataFrame({"T [K]": np.sin(np.arange(80) / 9) + 0.1 * z, "T.sd": 0.1}, index=hours.rename("when"))
    frame["split"] = np.where(np.arange(80) % 10 < 8, "train", "test")
    path = tmp_path / "zoned.csv"
    frame.to_csv(path)
    by_command, by_python = both(path, [])
    assert by_command == by_python
    assert as_named(by_command, str(path)) == as_named(lf.fit(frame).to_json(), "DataFrame")


def test_replicates_by_file(both: Both, waves: pd.DataFrame, tmp_path: Path) -> None:
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    waves.iloc[:30].to_csv(paths[0], index=False)
    waves.iloc[30:].to_csv(paths[1], index=False)
    by_command, by_python = both(paths, ["--replicates-by-file", "--forces", "1"], replicates_by_file=True, forces=1)
    assert by_command == by_python
    frame = pd.concat([waves.iloc[:30].assign(replicate="one"), waves.iloc[30:].assign(replicate="two")])
    found = lf.fit(frame.reset_index(drop=True), forces=1)
    assert found.replicates == ["one", "two"]
    np.testing.assert_array_equal(
        found.predict(grid=3)["mean"], lf.load(tmp_path / "python.json").predict(grid=3)["mean"]
    )


def test_equations_given_as_text_and_init_given_as_model(house: Path, tmp_path: Path) -> None:
    text = (EXAMPLES / "equations/rc1.eq").read_text()
    path = EXAMPLES / "equations/rc1.csv"
    by_text = lf.fit(path, equations=text, restarts=1)
    by_file = lf.fit(path, equations=EXAMPLES / "equations/rc1.eq", restarts=1)
    pd.testing.assert_frame_equal(by_text.parameters, by_file.parameters)
    assert by_text.equations is not None and by_text.equations.strip() == text.strip()
    first = lf.fit(house, forces=1, outputs=["living", "attic"])
    first.save(tmp_path / "first.json")
    again = [lf.fit(house, outputs="living,attic", init=start) for start in (first, tmp_path / "first.json")]
    pd.testing.assert_frame_equal(again[0].parameters, again[1].parameters)


@pytest.fixture(scope="module")
def house_model(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that the command line has fitted."""
    path = tmp_path_factory.mktemp("house") / "house.json"
    command("fit", house, "--forces", 1, "-q", "-o", path)
    return path


def check_prediction(ours: pd.DataFrame, theirs: pd.DataFrame, sd: str) -> None:
    np.testing.assert_array_equal(ours["mean"], theirs["mean"])
    np.testing.assert_array_equal(ours["sd"], theirs[sd])
    assert list(ours.iloc[:, 0]) == list(theirs.iloc[:, 0])
    if "time" in theirs and theirs["time"].dtype != float:
        assert list(ours["time"].astype("datetime64[us]")) == list(
            pd.to_datetime(theirs["time"], format="ISO8601").astype("datetime64[us]")
        )


@pytest.mark.parametrize(
    ("words", "arguments", "sd"),
    [
        (["--grid", 37], {"grid": 37}, "sd_y"),
        (["--grid", 200], {"noise": False}, "sd_f"),
        (["--ahead", "5h"], {"ahead": "5h"}, "sd_y"),
        (["--ahead", "5h", "--step", "30min"], {"ahead": "5h", "step": pd.Timedelta("30min")}, "sd_y"),
        (["--grid", 5, "--rates"], {"grid": 5, "rates": True}, "sd"),
        (["--grid", 5, "--forces"], {"grid": 5, "forces": True}, "sd"),
    ],
)
def test_python_predicts_what_the_command_predicts(
    house_model: Path, words: list[Any], arguments: dict[str, Any], sd: str
) -> None:
    theirs = command_table("predict", house_model, *words)
    check_prediction(lf.load(house_model).predict(**arguments), theirs, sd)


def test_the_command_predicts_from_a_model_of_python(house: Path, tmp_path: Path) -> None:
    found = lf.fit(pd.read_csv(house, index_col="time", parse_dates=True), forces=1)
    found.save(tmp_path / "model.json")
    check_prediction(found.predict(grid=11), command_table("predict", tmp_path / "model.json", "--grid", 11), "sd_y")


def test_predictions_at_given_inputs(house_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "at.csv"
    path.write_text("time,output\n2024-01-16 12:00,living\n2024-01-30,attic\n")
    theirs = command_table("predict", house_model, "--at", path)
    found = lf.load(house_model)
    check_prediction(found.predict(path), theirs, "sd_y")
    frame = pd.read_csv(path, parse_dates=["time"])
    check_prediction(found.predict(frame), theirs, "sd_y")


def test_samples_are_those_of_the_command(house_model: Path) -> None:
    theirs = command_table("predict", house_model, "--grid", 4, "--samples", 3)
    ours = lf.load(house_model).sample(grid=4, n=3)
    np.testing.assert_array_equal(ours.reshape(3, -1), theirs[["sample1", "sample2", "sample3"]].to_numpy().T)


def test_known_inputs_and_states(tmp_path: Path) -> None:
    folder = EXAMPLES / "equations"
    path = tmp_path / "rc1.json"
    command("fit", folder / "rc1.csv", "--equations", folder / "rc1.eq", "--restarts", 1, "-q", "-o", path)
    last = pd.read_csv(folder / "rc1.csv").iloc[-1]
    start = float(last["time [h]"])
    later = pd.DataFrame({"time [h]": start + np.arange(1, 6), "To [°C]": 3.0, "Qh [kW]": 1.0})
    later.to_csv(tmp_path / "later.csv", index=False)
    theirs = command_table("predict", path, "--at", tmp_path / "later.csv")
    found = lf.load(path)
    ours = found.predict(later)
    check_prediction(ours, theirs, "sd_y")
    assert list(ours["time"]) == list(later["time [h]"])
    by_known = found.predict(later["time [h]"], known=later)
    np.testing.assert_array_equal(by_known["mean"], theirs["mean"])
    states = command_table("predict", path, "--at", tmp_path / "later.csv", "--states")
    check_prediction(found.predict(later, states=True), states, "sd")
    with pytest.raises(lf.DataError):  # the readings were for one call
        found.predict(later["time [h]"])
