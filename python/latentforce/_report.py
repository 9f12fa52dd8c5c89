"""The HTML report of a model: the page of ``latentforce report``."""

from __future__ import annotations

import contextlib
import html
import os
import tempfile
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _shown_rows
from ._errors import FileError
from ._library import DYGRAPHS
from ._panels import Panels

if TYPE_CHECKING:
    from ._model import Model


class Report:
    """A page of HTML that needs no other files. A notebook shows it below the cell.

    Attributes
    ----------
    html
        The text of the page.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import latentforce as lf
    >>> t = np.linspace(0, 10, 60)
    >>> report = lf.fit(t, np.sin(t)).report()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report.save(os.path.join(folder, "report.html")).name
    'report.html'
    """

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, which appears whole or not at all, and return its path."""
        place = Path(path)
        target = Path(os.path.realpath(place))
        partial = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            if target.exists() and not target.is_file():  # a device or a pipe stays what it is
                target.write_text(self.html, encoding="utf-8")
            else:
                partial.write_text(self.html, encoding="utf-8")
                os.replace(partial, target)
        except OSError as error:
            raise FileError(error.errno, f"{place}: the report cannot be written: {error.strerror}") from error
        finally:
            with contextlib.suppress(OSError):
                partial.unlink()
        return place

    def open(self) -> Path:
        """Show the page in a web browser. The file that it needs is left in the folder of temporary files."""
        number, name = tempfile.mkstemp(prefix="latentforce-", suffix=".html")
        os.close(number)
        place = self.save(name)
        webbrowser.open(place.as_uri())
        return place

    def __repr__(self) -> str:
        return f"<latentforce.Report of {len(self.html) / 1e6:.1f} MB; save(path) writes it, open() shows it>"

    def _repr_html_(self) -> str:
        # A document of its own: its scripts and styles do not meet those of the notebook.
        style = "width: 100%; height: 720px; border: 1px solid #ccc"
        return f'<iframe srcdoc="{html.escape(self.html)}" style="{style}" title="Report of latentforce"></iframe>'


def make(
    model: Model, handle: Any, data: Any, options: Mapping[str, Any], all_forces: bool, dygraphs: str | None
) -> Report:
    """The page of the model, as the program writes it for the files ``model.json`` and ``data.csv``."""
    table = _shown_rows.read(model, handle, data, options)
    command = ["report", "model.json", "-o", "report.html"]
    shown: dict[str, Any] = {"model": "model.json"}
    if table is not None:
        command += ["--data", "data.csv"]
        shown["data"] = "data.csv"
    if all_forces:
        command.append("--all-forces")
        shown["all_forces"] = "yes"
    if dygraphs is not None:
        dygraphs = os.path.abspath(dygraphs)
        command += ["--dygraphs", dygraphs]
    folder = dygraphs or os.environ.get("LATENTFORCE_DYGRAPHS") or DYGRAPHS
    if folder:
        shown["dygraphs"] = folder
    panels = Panels(model, handle, None, table, {**shown, "command": command})
    with tempfile.TemporaryDirectory(prefix="latentforce-") as place:
        page = Path(place, "report.html")
        panels.write(os.fsencode(page))
        return Report(page.read_text(encoding="utf-8"))
