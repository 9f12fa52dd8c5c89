"""The shared library and the program: that they are found, loaded and run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import latentforce
from latentforce._library import LIBRARY, PROGRAM, ffi, lib


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def header() -> str:
    return (Path(__file__).parents[2] / "include/latentforce.h").read_text(encoding="utf-8")


def test_version_is_that_of_the_header() -> None:
    match = re.search(r'^#define LF_VERSION "(.*)"', header(), re.MULTILINE)
    assert match and latentforce.__version__ == match.group(1)


def test_every_declared_function_is_in_the_library() -> None:
    names = re.findall(r"^LF_API .*?\b(lf_[a-z0-9_]+)\(", header(), re.MULTILINE)
    assert len(names) > 100
    for name in names:
        assert callable(getattr(lib, name))


def names_in(list_name: str) -> list[tuple[str, str]]:
    body = re.search(rf"^#define {list_name}\(X\)(.*?[^\\])$", header(), re.MULTILINE | re.DOTALL)
    assert body
    return re.findall(r"X\((LF_[A-Z_]+), \"(.*?)\"\)", body.group(1))


def test_statuses_and_kinds_are_those_of_the_header() -> None:
    statuses, kinds = names_in("LF_STATUS_LIST"), names_in("LF_KIND_LIST")
    assert len(statuses) > 5 and len(kinds) > 5
    for names in statuses, kinds:
        for value, (name, _) in enumerate(names):
            assert getattr(lib, name) == value
    for value, (_, text) in enumerate(statuses):
        assert ffi.string(lib.lf_status_text(value)).decode() == text


def test_module_runs_the_program() -> None:
    done = run("-m", "latentforce", "--version")
    expected = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert (done.returncode, done.stdout) == (0, expected.stdout)


def test_exit_status_is_that_of_the_program() -> None:
    done = run("-m", "latentforce", "fit", "--no-such-option")
    assert done.returncode == 2
    assert "--no-such-option" in done.stderr


def test_signals_reach_the_program(tmp_path: Path) -> None:
    pipe = tmp_path / "data.csv"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [sys.executable, "-m", "latentforce", "data", str(pipe)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with pipe.open("w"):  # waits until the program reads
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=60) == -signal.SIGKILL


def test_environment_names_library_and_program(tmp_path: Path) -> None:
    library = tmp_path / "library.so"
    library.symlink_to(LIBRARY)
    show = "from latentforce import _library as l; print(l.LIBRARY, l.PROGRAM)"
    done = run("-c", show, LATENTFORCE_LIBRARY=str(library), LATENTFORCE_PROGRAM="/bin/echo")
    assert done.stdout.split() == [str(library), "/bin/echo"]
    done = run("-m", "latentforce", "a b", LATENTFORCE_PROGRAM="/bin/echo")
    assert done.stdout == "a b\n"


def test_missing_library_and_program_are_named() -> None:
    done = run("-c", "import latentforce", LATENTFORCE_LIBRARY="/nowhere/library.so")
    assert done.returncode == 1
    assert (
        "ImportError" in done.stderr and "/nowhere/library.so" in done.stderr and "LATENTFORCE_LIBRARY" in done.stderr
    )
    done = run("-m", "latentforce", LATENTFORCE_PROGRAM="/nowhere/program")
    assert done.returncode == 1
    assert "/nowhere/program" in done.stderr and "LATENTFORCE_PROGRAM" in done.stderr
