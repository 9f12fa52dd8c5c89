"""In one process with NumPy, SciPy, scikit-learn and PyTorch, which bring BLAS and OpenMP of their own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import latentforce
from latentforce import _declarations, _library, _places

SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's PyTorch is for this one: see scripts/install-deps
OTHERS = ["numpy", "scipy", "sklearn", "torch"]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and the modules that its build has made, for any interpreter."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "latentforce").mkdir()
    sources = [*Path(latentforce.__file__).parent.iterdir(), Path(_declarations.__file__), Path(_places.__file__)]
    for path in sources:
        if path.suffix == ".py" and not (folder / "latentforce" / path.name).exists():
            (folder / "latentforce" / path.name).symlink_to(path)
    return folder


def run(python: str, package: Path, *arguments: str) -> list[str]:
    # Debian's NumPy loads the same OpenBLAS; what loads it first chooses its kernels, on which the last bits depend.
    kernels = {"OPENBLAS_CORETYPE": os.environ.get("OPENBLAS_CORETYPE", "Prescott")}
    environment = {**os.environ, **kernels, "PYTHONPATH": str(package), "LATENTFORCE_LIBRARY": str(_library.LIBRARY)}
    script = str(Path(__file__).with_name("beside.py"))
    done = subprocess.run(
        [python, script, *arguments], capture_output=True, text=True, env=environment, timeout=120, check=False
    )
    assert done.returncode == 0, f"{python} {' '.join(arguments)}:\n{done.stdout}{done.stderr}"
    return done.stdout.split()


def has(python: str, modules: list[str]) -> bool:
    command = [python, "-c", f"from importlib.util import find_spec; assert all(map(find_spec, {modules}))"]
    return (
        Path(python).exists() and subprocess.run(command, capture_output=True, timeout=120, check=False).returncode == 0
    )


@pytest.mark.parametrize("python", [sys.executable, SYSTEM_PYTHON], ids=["environment", "system"])
def test_same_bits_beside_others(python: str, package: Path) -> None:
    others = OTHERS
    if python == sys.executable:
        others = [name for name in OTHERS if name != "torch" or importlib.util.find_spec(name)]
    elif not has(python, ["cffi", *OTHERS]):
        pytest.skip(f"{python} lacks one of cffi, {', '.join(OTHERS)}; scripts/install-deps test installs them")
    alone = run(python, package, "before", "after")
    assert len(set(alone)) == 1
    assert run(python, package, "before", *others, "after") == alone
    assert run(python, package, "before", "after", *others) == alone
