"""The shared library and the program: where they are, and how the library is called.

`ffi` and `lib` are those of cffi, with the declarations of latentforce.h. LATENTFORCE_LIBRARY and LATENTFORCE_PROGRAM, in the
environment, name others than those that the package was built with.
"""

from __future__ import annotations

import os
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

ffi: Any = _ffi
# Local: its BLAS and its OpenMP are not offered to other modules of the process.
try:
    lib: Any = ffi.dlopen(LIBRARY, ffi.RTLD_NOW | ffi.RTLD_LOCAL)
except OSError as error:
    raise ImportError(
        f"the library of latentforce cannot be loaded: {error}; LATENTFORCE_LIBRARY can name another file"
    ) from error


def program_environment() -> dict[str, str]:
    """The environment in which to run PROGRAM: for reports, it reads the dygraphs that lie in the package, if any."""
    environment = dict(os.environ)
    if _DYGRAPHS:
        environment.setdefault("LATENTFORCE_DYGRAPHS", _DYGRAPHS)
    return environment
