"""Options: every one of the library's tables, under the same name; errors with suggestions; messages respelt."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import command

import latentforce as lf
from latentforce import _options
from latentforce._options import find, words_of
from latentforce._sources import Reading


def test_the_options_are_those_of_the_command() -> None:
    text = command("fit", "--help") + command("fit", "--help-engines")
    theirs = {name.replace("-", "_") for name in re.findall(r"^  (?:-., )?--([a-z-]+)", text, re.MULTILINE)}
    only_there = {"by", "output", "json", "require_convergence", "quiet", "verbose", "plan", "help", "trace", "progress"}
    ours = set(lf.options().index)
    assert {name for name in theirs - only_there if not name.startswith("no_")} == ours
    assert set(lf.options("kernel").index) == {"force_kernel", "private_kernel"}


def test_an_unknown_option_is_an_error_with_a_suggestion(waves: pd.DataFrame) -> None:
    with pytest.raises(lf.OptionError, match=r"fit\(\) has no option 'operater'; did you mean 'operator'\?"):
        lf.fit(waves, operater="ode2")
    with pytest.raises(TypeError, match="'force_kernel'"):
        lf.fit(waves, force_kernels="eq")
    with pytest.raises(lf.ArgumentError, match=r"latentforce.options\(\)"):
        lf.fit(waves, zzz=1)
    with pytest.raises(lf.OptionError, match="did you mean 'threads'"):
        lf.fit(waves, n_jobs=2)
    with pytest.raises(lf.OptionError, match="'names'"):
        lf.fit(waves, name=1)


@pytest.mark.parametrize(
    ("keyword", "value", "words"),
    [
        ("operator", "ode2", ["--operator", "ode2"]),
        ("operator", ["ode1", "a=ode2"], ["--operator", "ode1", "--operator", "a=ode2"]),
        ("operator", {"a": "ode2"}, ["--operator", "a=ode2"]),
        ("fix", {"a.decay": 0.5, "b.decay": None}, ["--fix", "a.decay=0.5", "--fix", "b.decay"]),
        ("forces", 3, ["--forces", "3"]),
        ("forces", np.int64(3), ["--forces", "3"]),
        ("forces", "auto", ["--forces", "auto"]),
        ("tolerance", 1e-7, ["--tolerance", "1e-07"]),
        ("tolerance", np.float32(0.5), ["--tolerance", "0.5"]),
        ("private", True, ["--private"]),
        ("private", False, ["--no-private"]),
        ("private", np.bool_(False), ["--no-private"]),
        ("resume", False, []),
        ("resume", True, ["--resume"]),
        ("forces", None, []),
        ("drop", ["a", 'b,"c"'], ["--drop", 'a,"b,""c"""']),
        ("drop", [], []),
        ("x", ("east", "north"), ["--x", "east,north"]),
        ("missing", -999, ["--missing", "-999"]),
        ("period", [datetime.timedelta(days=1), 7], ["--period", "86400.0s", "--period", "7"]),
        ("horizon", pd.Timestamp("2024-02-01 12:00"), ["--horizon", "2024-02-01T12:00:00"]),
        ("horizon", datetime.date(2024, 2, 1), ["--horizon", "2024-02-01"]),
        ("horizon", np.datetime64("2024-02-01T12"), ["--horizon", "2024-02-01T12:00:00"]),
        ("init", Path("a.json"), ["--init", "a.json"]),
    ],
)
def test_values_become_the_words_of_the_command(keyword: str, value: Any, words: list[str]) -> None:
    assert words_of(find(keyword), value) == words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"forces": True}, "forces=True: expected a whole number or one of auto"),
        ({"forces": 2.5}, "forces='2.5'"),
        ({"forces": -1}, "forces='-1'"),
        ({"private": "yes"}, "private='yes': expected True or False"),
        ({"operator": object()}, "operator="),
        ({"operator": "ode7x"}, "operator"),
        ({"time": "nowhere"}, "time= 'nowhere'|time='nowhere'"),
        ({"prior": "strong"}, "prior"),
        ({"resume": True}, "checkpoint"),
        ({"fix": "nothing=1"}, "nothing"),
    ],
)
def test_wrong_values_are_errors_that_name_the_keyword(
    waves: pd.DataFrame, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(lf.Error, match=message) as caught:
        lf.fit(waves, **options)
    assert isinstance(caught.value, ValueError)
    assert "--" not in str(caught.value)


def test_none_is_the_default_and_the_order_of_keywords_is_that_of_the_command(waves: pd.DataFrame) -> None:
    found = lf.fit(waves, seed=2, operator=None, forces=1, time_in="s", threads=1, max_iterations=2)
    words = [
        "latentforce",
        "fit",
        "DataFrame",
        "--seed",
        "2",
        "--forces",
        "1",
        "--time-in",
        "s",
        "--max-iterations",
        "2",
    ]
    assert found.provenance["command"] == words


def test_every_option_of_a_fit_can_be_found() -> None:
    assert all(_options.find(keyword).keyword == keyword for keyword in lf.options().index)


def test_every_option_of_reading_is_a_field() -> None:
    for option in _options.table().values():
        if option.reading:
            assert getattr(Reading({option.keyword: True if option.type == "flag" else "a"}).struct, option.keyword)
