"""A program for test_beside.py: fits models in one process with other libraries of numerical computing, and prints their bits.

``beside.py before MODULE... after MODULE...`` loads and uses modules before and after latentforce.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from typing import Any, Callable

SIZE = 200  # of matrices: large enough for several threads


def use_numpy(numpy: Any) -> float:
    a = numpy.random.default_rng(0).standard_normal((SIZE, SIZE))
    return float(numpy.linalg.slogdet(a @ a.T + numpy.eye(SIZE))[1])


def use_scipy(scipy: Any) -> float:
    import numpy
    import scipy.linalg

    a = numpy.random.default_rng(0).standard_normal((SIZE, SIZE))
    factor, _ = scipy.linalg.cho_factor(scipy.linalg.blas.dgemm(1.0, a, a.T) + numpy.eye(SIZE))
    return float(2 * numpy.log(numpy.diag(factor)).sum())


def use_sklearn(sklearn: Any) -> float:
    import numpy
    from sklearn.cluster import KMeans  # has loops of OpenMP

    a = numpy.random.default_rng(0).standard_normal((5 * SIZE, 5))
    return float(KMeans(4, n_init=1, max_iter=5, random_state=0).fit(a).inertia_)


def use_torch(torch: Any) -> float:
    import numpy

    a = torch.as_tensor(numpy.random.default_rng(0).standard_normal((SIZE, SIZE)))
    return float(torch.logdet(a @ a.T + torch.eye(SIZE, dtype=torch.float64)))


USES: dict[str, Callable[[Any], float]] = {
    "numpy": use_numpy,
    "scipy": use_scipy,
    "sklearn": use_sklearn,
    "torch": use_torch,
}


def use(names: list[str]) -> dict[str, float]:
    return {name: USES[name](importlib.import_module(name)) for name in names}


def bits() -> str:
    """Of models whose fits need BLAS, LAPACK and several threads, and of predictions."""
    import numpy

    import latentforce

    generator = numpy.random.default_rng(1)
    places = generator.uniform(size=(60, 2))
    times = numpy.sort(generator.uniform(0, 10, 100))
    found = hashlib.sha256()
    small = {"errors": "no", "period": "none", "calibrate": "no"}
    for x, y, options in (
        (places, numpy.sin(5 * places), {"max_iterations": 3}),
        (
            times,
            numpy.column_stack([numpy.sin(times), numpy.cos(times)]),
            {"engine": "dense", "forces": 1, "max_iterations": 3},
        ),
        (times, numpy.sin(times), {"operator": "ode2", "max_iterations": 20}),
    ):
        model = latentforce.fit(x, y, **options, **small)
        found.update(model.to_json().encode())
        found.update(numpy.asarray(model.predict(x)["mean"]).tobytes())
    return found.hexdigest()


def main(arguments: list[str]) -> None:
    place = arguments.index("after")
    before, after = arguments[1:place], arguments[place + 1 :]
    first = use(before)
    print(bits())
    first.update(use(after))
    print(bits())
    for name, value in use(before + after).items():
        if abs(value - first[name]) > 1e-9 * abs(value):
            sys.exit(f"{name} computes {value} after a fit, but {first[name]} before")


if __name__ == "__main__":
    main(sys.argv[1:])
