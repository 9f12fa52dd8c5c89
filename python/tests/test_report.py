"""Reports: the page that the program writes, whatever the data came from."""

from __future__ import annotations

import re
import subprocess
import webbrowser
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import EXAMPLES

import latentforce as lf
from latentforce._library import PROGRAM

FIT: dict[str, Any] = {"forces": 2, "restarts": 1, "max_iterations": 15}


def run(folder: Path, *words: str) -> None:
    subprocess.run(["latentforce", *words], executable=PROGRAM, cwd=folder, check=True, capture_output=True)


def contents(page: str) -> str:
    """The page without the commands that made the model and itself."""
    return re.sub(r'"command": ?\[[^]]*\]', "", page)


@pytest.fixture(scope="module")
def rooms() -> lf.Model:
    return lf.fit(EXAMPLES / "rooms/rooms.csv", **FIT)


def test_page_is_that_of_the_program(rooms: lf.Model, tmp_path: Path) -> None:
    run(tmp_path, "data", str(EXAMPLES / "rooms/rooms.csv"), "-o", "data.csv")
    rooms.save(tmp_path / "model.json")
    run(tmp_path, "report", "model.json", "-o", "report.html", "--data", "data.csv")
    assert rooms.report().html == (tmp_path / "report.html").read_text()


def test_page_of_a_frame_is_that_of_its_file(tmp_path: Path) -> None:
    t = pd.date_range("2024-01-08", periods=80, freq="30min", tz="Europe/Berlin", name="time")
    rng = np.random.default_rng(3)
    y = np.sin(np.arange(80) / 6)[:, np.newaxis] + 0.1 * rng.normal(size=(80, 2))
    frame = pd.DataFrame(y, index=t, columns=["indoor [°C]", "wall [°C]"])
    frame.iloc[20:30, 1] = np.nan
    frame.to_csv(tmp_path / "frame.csv")
    given = lf.fit(frame, period="none", **FIT)
    read = lf.fit(tmp_path / "frame.csv", period="none", **FIT)
    pages = [contents(model.report().html) for model in (given, read)]
    assert '"zero":1704672000' in pages[0]  # midnight on the clock of the data
    assert pages[0] == pages[1]


def test_files_and_data(rooms: lf.Model, tmp_path: Path) -> None:
    page = rooms.report(tmp_path / "with.html")
    assert (tmp_path / "with.html").read_text() == page.html
    rooms.save(tmp_path / "model.json")
    model = lf.load(tmp_path / "model.json")
    bare = model.report().html
    assert '"training":0' in bare and '"training":551,"test":29' in page.html
    assert model.report(data=EXAMPLES / "rooms/rooms.csv").html == page.html
    frame = pd.read_csv(EXAMPLES / "rooms/rooms.csv").rename(columns={"x": "hours"})
    assert model.report(data=frame, time="hours").html == page.html


class _Frames(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.documents: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "iframe":
            self.documents += [value or "" for name, value in attrs if name == "srcdoc"]


def test_notebooks_show_the_page_in_a_frame(rooms: lf.Model) -> None:
    page = rooms.report()
    parser = _Frames()
    parser.feed(page._repr_html_())
    assert parser.documents == [page.html]
    assert "MB" in repr(page)


def test_open_shows_a_file(rooms: lf.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(webbrowser, "open", seen.append)
    page = rooms.report()
    path = page.open()
    try:
        assert seen == [path.as_uri()] and path.read_text() == page.html
    finally:
        path.unlink()


def test_a_page_is_written_whole_or_not_at_all(rooms: lf.Model, tmp_path: Path) -> None:
    place, link = tmp_path / "page.html", tmp_path / "link.html"
    place.write_text("old")
    link.symlink_to(place)
    page = rooms.report(link)
    assert link.is_symlink() and place.read_text() == page.html
    broken = lf.Report(page.html + "\ud800")  # cannot be encoded
    with pytest.raises(UnicodeEncodeError):
        broken.save(place)
    assert place.read_text() == page.html and sorted(tmp_path.iterdir()) == [link, place]
    assert lf.Report("x").save("/dev/null") == Path("/dev/null") and Path("/dev/null").is_char_device()


def test_errors(rooms: lf.Model, tmp_path: Path) -> None:
    with pytest.raises(lf.Error, match=r"nowhere/dygraph.min.js.*dygraphs=DIR"):
        rooms.report(dygraphs=tmp_path / "nowhere")
    with pytest.raises(lf.FileError, match="cannot be written"):
        rooms.report(tmp_path / "no/such/folder.html")
    with pytest.raises(lf.DataError, match="attic"):
        rooms.report(data={"attic": ([1.0], [2.0])})


def test_no_program_is_needed(rooms: lf.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*words: Any, **options: Any) -> None:
        raise AssertionError(f"{words} is run")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert rooms.report().html.startswith("<!DOCTYPE html>")


def test_updated_model_shows_no_old_rows() -> None:
    t = np.arange(40.0)
    model = lf.fit({"a": (t, np.sin(t / 4))}, **{**FIT, "forces": 1})
    later: Any = {"a": (t + 40, np.sin((t + 40) / 4))}
    model.update(later)
    assert '"training":0' in model.report().html
