"""The HTML report of a model, made by the program: ``latentforce report``."""

from __future__ import annotations

import contextlib
import html
import logging
import os
import subprocess
import tempfile
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _files, _shown_rows
from ._context import Context
from ._errors import Error, FileError
from ._library import PROGRAM, lib, program_environment

if TYPE_CHECKING:
    from ._model import Model

_logger = logging.getLogger("latentforce")
_PREFIX = "latentforce: "


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
    """Runs the program in a folder of its own, with files that it removes."""
    table = _shown_rows.read(model, handle, data, options)
    with tempfile.TemporaryDirectory(prefix="latentforce-") as folder:
        _files.write(model._context, handle, os.path.join(folder, "model.json"))
        words = ["report", "model.json", "-o", "report.html"]
        if table is not None:
            place = os.fsencode(os.path.join(folder, "data.csv"))
            model._context.check(lib.lf_data_write(model._context.pointer, table, place))
            words += ["--data", "data.csv"]
        if all_forces:
            words.append("--all-forces")
        if dygraphs is not None:
            words += ["--dygraphs", os.path.abspath(dygraphs)]
        if model._context.threads:
            words += ["--threads", str(model._context.threads)]
        _run(model._context, words, folder)
        return Report(Path(folder, "report.html").read_text(encoding="utf-8"))


def _run(context: Context, words: list[str], folder: str) -> None:
    """Its notes go to the log; its errors become exceptions."""
    try:
        done = subprocess.run(
            ["latentforce", *words],
            executable=PROGRAM,
            cwd=folder,
            check=False,
            env=program_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        raise FileError(
            error.errno,
            f"{PROGRAM}: the program, which makes reports, cannot be run: {error.strerror}; LATENTFORCE_PROGRAM can name "
            "another file",
        ) from error
    lines = [line[len(_PREFIX) :] for line in done.stdout.splitlines() if line.startswith(_PREFIX)]
    for line in lines:
        if line.startswith("note: "):
            _logger.info("%s", context.spell(line[len("note: ") :]))
    if done.returncode != 0:
        errors = [line[len("error: ") :] for line in lines if line.startswith("error: ")]
        message = "; ".join(errors) or done.stdout.strip() or f"the program ended with status {done.returncode}"
        raise Error(f"report: {context.spell(message)}")
