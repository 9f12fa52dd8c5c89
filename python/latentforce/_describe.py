"""What a model says of itself: names, parameters, provenance, verdict."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _parts
from ._context import Context, text_of
from ._frames import frame_of
from ._library import ffi, lib
from ._result import Remark
from ._result_tables import model_columns


def outputs(handle: Any) -> list[str]:
    """The names of the outputs."""
    return _parts.names(handle, lib.LF_KIND_OUTPUT)


def known_inputs(handle: Any) -> list[str]:
    """The names of the known inputs."""
    return _parts.names(handle, lib.LF_KIND_KNOWN)


def inputs(handle: Any) -> list[str]:
    """The headings of the inputs."""
    return _parts.names(handle, lib.LF_KIND_INPUT)


def replicates(posterior: Any) -> list[str]:
    """The names of the replicates of the training data; none where they have no names."""
    info = ffi.new("lf_posterior_info *", {"size": ffi.sizeof("lf_posterior_info")})
    lib.lf_posterior_get(ffi.NULL, posterior, info)
    names = [text_of(lib.lf_posterior_name(posterior, i)) for i in range(info.replicates)]
    return names if len(names) > 1 or names[0] else []


def parameters(context: Context, handle: Any) -> Any:
    """The table of the parameters, by name."""
    columns = model_columns(context, handle, "parameters")
    columns["fixed"] = columns["fixed"].astype(bool)
    return frame_of(columns, index="name")


def quantities(context: Context, handle: Any) -> Any:
    """The table of what follows from the parameters, by name."""
    return frame_of(model_columns(context, handle, "quantities"), index="name")


def provenance(context: Context, handle: Any) -> dict[str, Any]:
    """The provenance of a model; empty where it has none."""
    text = _parts.document(context, handle, "provenance")
    found = json.loads(text) if text else {}
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


def summary(context: Context, handle: Any) -> list[tuple[str, str]]:
    """The lines that show a model."""
    names, known, found = outputs(handle), known_inputs(handle), provenance(context, handle)
    rows = [
        ("outputs", ", ".join(names[:6]) + (f", … ({len(names)})" if len(names) > 6 else "")),
        ("forces", str(_parts.count(handle, lib.LF_KIND_FORCE))),
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
