"""docs/python.md: its blocks of Python run one after the other and print what the page shows."""

from __future__ import annotations

import contextlib
import io
import math
import re
from pathlib import Path
from typing import Any

import matplotlib
import pytest

matplotlib.use("agg")
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/python.md"
# A block of Python and, perhaps, what it prints; numbers may differ as a comment before that says.
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n(?:<!-- within (?P<within>\d+) % -->\n)?```text\n(?P<printed>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


def agree(shown: str, printed: str, within: float) -> bool:
    """Whether two words are equal, or numbers that differ by little."""
    try:
        return shown == printed or math.isclose(float(shown.strip(",;")), float(printed.strip(",;")), rel_tol=within)
    except ValueError:
        return False


def same_line(shown: str, printed: str, within: float) -> bool:
    """Whether two lines agree word by word; "…" at the end stands for any words."""
    words, others = shown.split(), printed.split()
    if words[-1:] == ["…"]:
        words = words[:-1]
        others = others[: len(words)]
    return len(words) == len(others) and all(agree(a, b, within) for a, b in zip(words, others))


def test_blocks_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("```python\n") > 15
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks:
        line = text[: block.start("code")].count("\n")
        code = compile("\n" * line + block["code"], str(PAGE), "exec")  # messages name lines of the page
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)  # noqa: S102
        if block["printed"] is None:
            assert not printed.getvalue()
            continue
        within = float(block["within"] or 2) / 100
        shown, found = block["printed"].splitlines(), printed.getvalue().splitlines()
        assert len(shown) == len(found), f"line {line}: printed\n{printed.getvalue()}"
        for a, b in zip(shown, found):
            assert same_line(a, b, within), f"line {line}: the page shows\n{a}\nbut this is printed:\n{b}"
