"""Tables that the package returns: DataFrames, or NumPy structured arrays where pandas is not installed."""

from __future__ import annotations

from typing import Any

import numpy as np


def frame_of(columns: dict[str, Any], index: str = "") -> Any:
    """A table of columns of equal length; `index` names the one that pandas takes as the index."""
    try:
        import pandas as pd
    except ImportError:
        return _structured(columns)
    frame = pd.DataFrame(columns)
    return frame.set_index(index) if index else frame


def _structured(columns: dict[str, Any]) -> Any:
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    arrays = {name: values.astype(str) if values.dtype.kind == "O" else values for name, values in arrays.items()}
    size = len(next(iter(arrays.values())))
    table = np.empty(size, [(name, values.dtype) for name, values in arrays.items()])
    for name, values in arrays.items():
        table[name] = values
    return table
