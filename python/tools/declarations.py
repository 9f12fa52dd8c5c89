"""Writes the declarations of the C interface for cffi: declarations.py COMPILER HEADER OUTPUT.

The header is preprocessed by the C compiler, so that nothing of the interface is written twice. OUTPUT is the module
latentforce._declarations, which names no address and no Python ABI: cffi looks functions up in the shared library.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from cffi import FFI


def declarations(compiler: str, header: str) -> str:
    """The header as cffi reads it: without system headers, whose types cffi knows, attributes and comments."""
    text = Path(header).read_text(encoding="utf-8")
    text = re.sub(r"^#include <.*>$", "", text, flags=re.MULTILINE)
    # Without __GNUC__ the header leaves attributes away.
    done = subprocess.run(
        [compiler, "-E", "-P", "-U__GNUC__", "-x", "c", "-"],
        input=text,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    constants = re.findall(r"^#define LF_[A-Z_]+ [0-9]+\b", text, flags=re.MULTILINE)
    return "\n".join([*constants, done.stdout])


def main() -> None:
    compiler, header, output = sys.argv[1:]
    ffi = FFI()
    ffi.set_source("latentforce._declarations", None)
    ffi.cdef(declarations(compiler, header))
    ffi.emit_python_code(output)


if __name__ == "__main__":
    main()
