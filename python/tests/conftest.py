"""What several tests need: the program, the folder of the examples, small data, and a model of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import latentforce as lf
from latentforce._library import PROGRAM

EXAMPLES = Path(__file__).parents[2] / "examples"

# Whether the long versions of tests are to run.
ALL_CHECKS = os.environ.get("LF_CHECK") == "all"


def command(*words: Any) -> str:
    """Runs the program; what it prints."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def read_exactly(source: Any) -> pd.DataFrame:
    """A CSV file with numbers to the last bit."""
    frame = pd.read_csv(source, dtype=str)
    for name in frame.columns:
        try:
            frame[name] = np.array([float(text) for text in frame[name]])
        except ValueError:
            pass
    return frame


def command_table(*words: Any) -> pd.DataFrame:
    """What the program prints as a table."""
    return read_exactly(StringIO(command(*words)))


@pytest.fixture(scope="session")
def house() -> Path:
    """A wide file with dates, four outputs, units and missing values."""
    return EXAMPLES / "house/house.csv"


@pytest.fixture(scope="session")
def waves() -> pd.DataFrame:
    """Two noisy series over the column time."""
    t = np.linspace(0, 10, 60)
    z = np.random.default_rng(1).normal(size=(2, 60))
    return pd.DataFrame({"time": t, "a": np.sin(t) + 0.05 * z[0], "b": np.cos(t) + 0.05 * z[1]})


@pytest.fixture(scope="session")
def model(waves: pd.DataFrame) -> lf.Model:
    """A small model of them."""
    return lf.fit(waves, forces=1)


@pytest.fixture
def both(tmp_path: Path) -> Callable[..., tuple[str, str]]:
    """Fits a file by the command line and by Python: the texts of the model files."""

    def fit(data: Any, words: list[Any], **options: Any) -> tuple[str, str]:
        command("fit", *(data if isinstance(data, list) else [data]), *words, "-q", "-o", tmp_path / "command.json")
        lf.fit(data, **options).save(tmp_path / "python.json")
        return (tmp_path / "command.json").read_text(), (tmp_path / "python.json").read_text()

    return fit
