"""The shared library and the program: where they are, and how the library is called.

`ffi` and `lib` are those of cffi, with the declarations of latentforce.h. LATENTFORCE_LIBRARY and LATENTFORCE_PROGRAM, in the
environment, name others than those that the package was built with.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

try:
    from . import _declarations, _places
except ImportError as error:
    raise ImportError(
        f"{error}: latentforce is not built here; install it with 'pip install ./python' in the source of latentforce"
    ) from error

# The modules that the build makes lie beside what it copies into the package; with an editable installation, not beside this one.
_folder = Path(_places.__file__).parent


def _place(variable: str, default: str) -> Path:
    """A path: the value of an environment variable, or one that is relative to the package unless it is absolute."""
    return Path(os.environ.get(variable) or _folder / default)


#: The shared library.
LIBRARY: Path = _place("LATENTFORCE_LIBRARY", _places.LIBRARY)
#: The program `latentforce`.
PROGRAM: Path = _place("LATENTFORCE_PROGRAM", _places.PROGRAM)

ffi: Any = _declarations.ffi
# Local: its BLAS and its OpenMP are not those that other modules of the process have loaded, nor offered to them.
try:
    lib: Any = ffi.dlopen(str(LIBRARY), ffi.RTLD_NOW | ffi.RTLD_LOCAL)
except OSError as error:
    raise ImportError(f"the library of latentforce cannot be loaded: {error}; LATENTFORCE_LIBRARY can name another file") from error


def program_environment() -> dict[str, str]:
    """The environment in which to run PROGRAM: it reads the dygraphs that lie in the package, if any, for reports."""
    environment = dict(os.environ)
    dygraphs = _folder / "dygraphs"
    if dygraphs.is_dir():
        environment.setdefault("LATENTFORCE_DYGRAPHS", str(dygraphs))
    return environment
