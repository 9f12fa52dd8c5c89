"""Fits while they run: progress, notes, Ctrl-C, handles; test_threads.py and test_leaks.py have the rest."""

from __future__ import annotations

import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest

import latentforce as lf


def test_a_progress_function_sees_every_stage_and_can_stop_the_fit(waves: pd.DataFrame) -> None:
    seen: list[lf.Progress] = []
    found = lf.fit(waves, forces=1, progress=seen.append)
    assert {at.stage for at in seen} == {"fit", "errors"}
    assert found.result is not None and not found.result.cancelled
    assert max(at.iteration for at in seen if at.stage == "fit") >= found.result.iterations
    stopped = lf.fit(waves, forces=1, restarts=1, progress=lambda at: at.iteration >= 2)
    assert stopped.result is not None and stopped.result.cancelled and stopped.result.iterations <= 3
    assert len(stopped.predict(grid=2)) == 4


@pytest.mark.parametrize("failure", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_an_exception_in_a_progress_function_ends_the_fit(waves: pd.DataFrame, failure: type[BaseException]) -> None:
    def fail(at: lf.Progress) -> None:
        raise failure("on purpose")

    with pytest.raises(failure):
        lf.fit(waves, forces=1, progress=fail)


def test_progress_must_be_callable_or_a_choice(waves: pd.DataFrame) -> None:
    with pytest.raises(lf.ArgumentError, match="progress='yes'"):
        lf.fit(waves, progress="yes")  # type: ignore[arg-type]


def test_tqdm(waves: pd.DataFrame, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lf.fit(waves, forces=1, progress=True)
    assert "objective" in capfd.readouterr().err
    lf.fit(waves, forces=1)
    assert capfd.readouterr().err == ""
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(lf.ArgumentError, match="tqdm"):
        lf.fit(waves, progress=True)


def test_notes_are_kept_and_logged(waves: pd.DataFrame, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "latentforce"):
        found = lf.fit(waves.assign(remark="text"), forces=1)
    assert any("DataFrame: read 60 rows" in note for note in found.notes)
    assert [record.getMessage() for record in caplog.records] == found.notes


def test_notes_of_later_calls_do_not_pile_up(waves: pd.DataFrame) -> None:
    found = lf.fit(waves.iloc[:40], forces=1, max_iterations=2)
    before = list(found.notes)
    found.score(waves.iloc[40:].assign(c=1.0))
    assert found._context.take_notes() == []
    found.update(waves.iloc[40:])
    assert found.notes[: len(before)] == before and len(found.notes) == len(before) + 1


def test_an_exception_in_a_log_handler_is_raised(waves: pd.DataFrame) -> None:
    class Failing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise ZeroDivisionError

    logger, handler = logging.getLogger("latentforce"), Failing()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with pytest.raises(ZeroDivisionError):
            lf.fit(waves, forces=1)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def long_data() -> pd.DataFrame:
    t = np.arange(3000.0)
    z = np.random.default_rng(3).normal(size=(3, 3000))
    return pd.DataFrame({"time": t, **{f"y{d}": np.sin(t / (20 + 9 * d)) + 0.3 * z[d] for d in range(3)}})


def interrupt_once_running(count: int) -> Any:
    """A progress function that sends Ctrl-C when the fit has begun, and again."""
    sent: list[int] = []

    def report(at: lf.Progress) -> None:
        if len(sent) < count:
            sent.append(1)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)

    return report


def test_ctrl_c_keeps_the_best_so_far() -> None:
    with pytest.warns(lf.FitWarning, match="interrupted"):
        found = lf.fit(long_data(), operator="ode2", forces=2, progress=interrupt_once_running(1))
    assert found.result is not None and found.result.cancelled and not found.result.converged
    assert np.isfinite(found.predict(grid=3)["mean"]).all()


def test_a_second_ctrl_c_is_a_keyboard_interrupt() -> None:
    def report(at: lf.Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)

    with pytest.raises(KeyboardInterrupt):
        lf.fit(long_data(), operator="ode2", forces=2, progress=report)
    for thread in threading.enumerate():
        if thread.name == "latentforce fit":
            thread.join(30)
            assert not thread.is_alive()


def test_one_model_can_be_used_from_several_threads(model: lf.Model) -> None:
    expected = model.predict(grid=50)["mean"].to_numpy()
    samples = model.sample(grid=5, n=2)
    with ThreadPoolExecutor(4) as pool:
        for mean in pool.map(lambda _: model.predict(grid=50)["mean"].to_numpy(), range(20)):
            np.testing.assert_array_equal(mean, expected)
        for drawn in pool.map(lambda _: model.sample(grid=5, n=2), range(20)):
            np.testing.assert_array_equal(drawn, samples)


def test_handles_are_released_at_once_and_their_context_after_them(waves: pd.DataFrame) -> None:
    gc.disable()
    try:
        found = lf.fit(waves, forces=1, max_iterations=2)
        found.predict(grid=3)
        context = weakref.ref(found._context)
        posterior = found._posterior()
        del found
        assert context() is not None  # the posterior needs it
        del posterior
        assert context() is None
    finally:
        gc.enable()


def test_the_interpreter_can_end_at_any_time() -> None:
    program = """
import atexit, sys, threading, time
import numpy as np, latentforce as lf
t = np.arange(3000.0)
y = np.column_stack([np.sin(t / 9), np.cos(t / 9)])
m = lf.fit(t[:40], y[:40], forces=1, max_iterations=1)
sys.kept = m
atexit.register(lambda: m.predict(grid=3))
threading.Thread(target=lambda: lf.fit(t, y, operator="ode2"), daemon=True).start()
time.sleep(0.3)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
