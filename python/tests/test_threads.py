"""Several threads and several processes: the same bits as one after the other."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import latentforce as lf

OPTIONS: list[dict[str, Any]] = [
    {"operator": "ode1"},
    {"operator": "ode2"},
    {"operator": "ode2", "force_kernel": "matern52"},
    {"operator": "gaussian"},
    {"engine": "dense"},
    {"engine": "lowrank", "force_kernel": "eq"},
    {"initial": "zero"},
    {"seed": 5, "restarts": 3},
]


def fit(number: int) -> tuple[str, bytes]:
    """The bits of a model and of a prediction; each number is another model of other data."""
    t = np.linspace(0, 10, 40 + number)
    y = np.column_stack([np.sin(t + number), np.cos(t)])
    model = lf.fit(t, y, forces=1, max_iterations=8, errors="no", **OPTIONS[number])
    return model.to_json(), np.asarray(model.predict(t[:5])["mean"]).tobytes()


def test_threads_fit_different_models_at_once() -> None:
    expected = [fit(number) for number in range(len(OPTIONS))]
    assert len(set(expected)) == len(OPTIONS)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(fit, [*range(len(OPTIONS))] * 2))
    assert found == expected * 2


def fit_in_child(threads: int | None) -> tuple[str, list[float]]:
    t = np.linspace(0, 10, 60)
    y = np.column_stack([np.sin(t), np.cos(t)])
    model = lf.fit(t, y, forces=1, max_iterations=2, engine="lowrank", errors="no", threads=threads)
    return model.to_json(), predict_in_child(model)


def predict_in_child(model: lf.Model) -> list[float]:
    """At so many times that threads share them."""
    means: list[float] = model.predict(grid=3000)["mean"].tolist()
    return means


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_children_fit(method: str) -> None:
    expected = fit_in_child(2)  # the parent has now threads that a forked child lacks
    model = lf.fit(np.linspace(0, 10, 60), np.sin(np.linspace(0, 10, 60)), threads=2)
    means = predict_in_child(model)
    with multiprocessing.get_context(method).Pool(2) as pool:
        fits = [pool.apply_async(fit_in_child, (threads,)) for threads in (None, 1, 2)]
        assert [result.get(60) for result in fits] == [expected] * 3
        assert pool.apply_async(predict_in_child, (model,)).get(60) == means
