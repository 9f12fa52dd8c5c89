"""Latent force models and convolved multi-output Gaussian processes.

>>> import numpy as np
>>> import latentforce as lf
>>> t = np.linspace(0, 10, 60)
>>> model = lf.fit(t, np.column_stack([np.sin(t), np.cos(t)]), names=["a", "b"], forces=1)
>>> model.predict([5.0])["output"].tolist()
['a', 'b']
"""

from __future__ import annotations

from ._compare import compare
from ._errors import (
    ArgumentError,
    DataError,
    Error,
    FileError,
    FitWarning,
    ModelError,
    NumericalError,
    OutOfMemoryError,
    ScoreWarning,
    UnsupportedError,
)
from ._fit import fit, plan
from ._fit_many import Models, fit_many
from ._library import ffi, lib
from ._model import Model, load
from ._options import OptionError, options
from ._report import Report
from ._result import Candidate, Progress, Remark, Result

__version__: str = ffi.string(lib.lf_version()).decode()

__all__ = [
    "ArgumentError",
    "Candidate",
    "DataError",
    "Error",
    "FileError",
    "FitWarning",
    "Model",
    "ModelError",
    "Models",
    "NumericalError",
    "OptionError",
    "OutOfMemoryError",
    "Progress",
    "Remark",
    "Report",
    "Result",
    "ScoreWarning",
    "UnsupportedError",
    "compare",
    "fit",
    "fit_many",
    "load",
    "options",
    "plan",
]
