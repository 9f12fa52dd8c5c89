"""The shared library and the program: where they are, and how the library is called.

`ffi` and `lib` are those of cffi, with the declarations of latentforce.h. LATENTFORCE_LIBRARY and LATENTFORCE_PROGRAM, in the
environment, name others than those that the package was built with.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

try:
    from ._declarations import ffi as _ffi
    from ._places import DYGRAPHS as _DYGRAPHS
    from ._places import LIBRARY as _LIBRARY
    from ._places import PROGRAM as _PROGRAM
except ModuleNotFoundError as error:
    if error.name not in ("latentforce._declarations", "latentforce._places"):
        raise
    raise ImportError(
        f"{error}: latentforce is not built here; install it with 'pip install ./python' in the source of latentforce"
    ) from error

#: The shared library, and the program `latentforce`.
LIBRARY: str = os.environ.get("LATENTFORCE_LIBRARY") or _LIBRARY
PROGRAM: str = os.environ.get("LATENTFORCE_PROGRAM") or _PROGRAM
#: The folder of dygraphs that lies in the package; None: there is none.
DYGRAPHS: str | None = _DYGRAPHS


def _blas_kernels() -> str | None:
    """The kernels of OpenBLAS that the program would choose, by what the processor can do; None: those that OpenBLAS chooses."""
    flags: set[str] = set()
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        flags = set(next((line for line in lines if line.startswith("flags")), "").split())
    if flags >= {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}:
        return "SkylakeX"
    return "Haswell" if flags >= {"avx2", "fma"} else None


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """The environment in which the library is loaded, as cli/main.c makes that of the program: BLAS and OpenMP read it only then."""
    wanted = {"OPENBLAS_CORETYPE": _blas_kernels()}
    if "GOMP_SPINCOUNT" not in os.environ:
        wanted["OMP_WAIT_POLICY"] = "passive"
    added = {name: value for name, value in wanted.items() if value is not None and name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


ffi: Any = _ffi
# Local: its BLAS and its OpenMP are not offered to other modules of the process.
try:
    with _environment():
        lib: Any = ffi.dlopen(LIBRARY, ffi.RTLD_NOW | ffi.RTLD_LOCAL)
except OSError as error:
    raise ImportError(
        f"the library of latentforce cannot be loaded: {error}; LATENTFORCE_LIBRARY can name another file"
    ) from error


def program_environment() -> dict[str, str]:
    """The environment in which to run PROGRAM: for reports, it reads the dygraphs that lie in the package, if any."""
    environment = dict(os.environ)
    if DYGRAPHS:
        environment.setdefault("LATENTFORCE_DYGRAPHS", DYGRAPHS)
    return environment
