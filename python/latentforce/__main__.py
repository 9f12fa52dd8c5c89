"""`python -m latentforce …` runs the program `latentforce` with the same arguments."""

from __future__ import annotations

import os
import sys

from ._library import PROGRAM, program_environment


def main() -> None:
    """Become the program, so that its exit status and signals are those of this process."""
    try:
        os.execve(PROGRAM, ["latentforce", *sys.argv[1:]], program_environment())
    except OSError as error:
        sys.exit(
            f"latentforce: error: {PROGRAM}: the program cannot be run: {error.strerror}; LATENTFORCE_PROGRAM can name another file"
        )


if __name__ == "__main__":
    main()
