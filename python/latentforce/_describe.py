"""What a model says of itself: names, parameters, provenance, verdict."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ._context import Context, text_of
from ._frames import frame_of
from ._library import ffi, lib
from ._result import Remark
from ._result_tables import model_columns

_NAME_SIZE = 256


def listed(name: Any, handle: Any, count: int) -> list[str]:
    """The names that a function of the library returns by number."""
    return [text_of(name(handle, i)) for i in range(count)]


def written(name: Any, handle: Any, count: int) -> list[str]:
    """The names that a function of the library writes by number."""
    text = ffi.new("char[]", _NAME_SIZE)
    names = []
    for i in range(count):
        name(handle, i, _NAME_SIZE, text)
        names.append(text_of(text))
    return names


def outputs(handle: Any) -> list[str]:
    """The names of the outputs."""
    return listed(lib.lf_model_output_name, handle, lib.lf_model_output_count(handle))


def known_inputs(handle: Any) -> list[str]:
    """The names of the known inputs."""
    return listed(lib.lf_model_known_name, handle, lib.lf_model_known_count(handle))


def inputs(handle: Any) -> list[str]:
    """The headings of the inputs."""
    return written(lib.lf_model_input_heading, handle, lib.lf_model_input_dim(handle))


def replicates(posterior: Any) -> list[str]:
    """The names of the replicates of the training data; none where they have no names."""
    names = listed(lib.lf_posterior_replicate_name, posterior, lib.lf_posterior_replicate_count(posterior))
    return names if len(names) > 1 or names[0] else []


def parameters(context: Context, handle: Any) -> Any:
    """The table of the parameters, by name."""
    columns = model_columns(context, handle, "parameters")
    columns["fixed"] = columns["fixed"].astype(bool)
    return frame_of(columns, index="name")


def quantities(context: Context, handle: Any) -> Any:
    """The table of what follows from the parameters, by name."""
    return frame_of(model_columns(context, handle, "quantities"), index="name")


def provenance(handle: Any) -> dict[str, Any]:
    """The provenance of a model; empty where it has none."""
    text = lib.lf_model_provenance(handle)
    try:
        found = json.loads(text_of(text)) if text else {}
    finally:
        lib.lf_free(text)
    return found if isinstance(found, dict) else {"provenance": found}


def stages(context: Context, provenance: dict[str, Any]) -> Any:
    """The table of the stages of a fit. What is no list of such rows, as a file may have it, is left out."""
    listed = provenance.get("stages")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    counts = [row.get("evaluations") for row in rows]
    columns: dict[str, Any] = {
        "stage": np.array([str(row.get("stage", "")) for row in rows], object),
        "evaluations": np.array([n if type(n) is int and 0 <= n < 2**63 else 0 for n in counts], np.int64),
    }
    for name in ("decision", "reason"):
        columns[name] = np.array([context.spell(str(row.get(name, ""))) for row in rows], object)
    return frame_of(columns, index="stage")


def verdict(context: Context, handle: Any) -> tuple[Remark, ...]:
    """The sentences of the verdict."""
    return tuple(Remark(*row) for row in zip(*model_columns(context, handle, "verdict").values()))


def summary(handle: Any) -> list[tuple[str, str]]:
    """The lines that show a model."""
    names, known, found = outputs(handle), known_inputs(handle), provenance(handle)
    rows = [
        ("outputs", ", ".join(names[:6]) + (f", … ({len(names)})" if len(names) > 6 else "")),
        ("forces", str(lib.lf_model_force_count(handle))),
    ]
    if known:
        rows.append(("known inputs", ", ".join(known)))
    if "conditioned" in found:
        count = found["conditioned"].get("rows")
        rows.append(("conditioned on", f"{count} rows" if count else "other rows"))
        rows.append(("fitted to", f"{found.get('rows', 'other')} rows"))
    elif "rows" in found:
        rows.append(("training rows", str(found["rows"])))
    if "log_likelihood" in found and "conditioned" not in found:
        rows.append(("log likelihood", f"{found['log_likelihood']:.6g}"))
    if "engine" in found:
        rows.append(("engine", str(found["engine"])))
    if found.get("converged") is False:
        rows.append(("ended", str(found.get("reason", "before an optimum"))))
    return rows
