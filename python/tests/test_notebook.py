"""The tutorial: runs from the beginning to the end, and shows what the committed file shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "docs/tutorials/python.ipynb"


def kinds(notebook: Any) -> list[list[str]]:
    """The kinds of outputs of each cell, without the bars of progress."""
    return [
        [
            output.output_type if output.output_type == "stream" else min(output.data)
            for output in cell.get("outputs", [])
            if output.get("name") != "stderr" and (output.output_type != "stream" or output.text.strip())
        ]
        for cell in notebook.cells
    ]


def test_tutorial_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook: Any = nbformat.read(NOTEBOOK, 4)  # type: ignore[no-untyped-call]
    shown = kinds(notebook)
    monkeypatch.delenv("MPLBACKEND", raising=False)  # figures are shown inline
    folder = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=folder).execute()
    assert kinds(notebook) == shown
    assert sum("image/png" in cell for cell in shown) == 4


def test_tutorial_is_small_and_has_no_errors() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(text) < 300_000
    assert "Traceback" not in text and "/ipykernel_" not in text


def test_links_of_the_tutorial() -> None:
    notebook: Any = nbformat.read(NOTEBOOK, 4)  # type: ignore[no-untyped-call]
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 5
    for link in links:
        assert (NOTEBOOK.parent / link).exists(), link
