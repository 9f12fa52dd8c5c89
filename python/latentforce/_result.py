"""How a fit ended, and what it says while it runs: copies of structures of the library."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._context import Context, text_of
from ._library import lib
from ._result_tables import frame_of_table, result_columns


@dataclass(frozen=True)
class Progress:
    """The state of a fit, as a function given as ``progress=`` receives it.

    Attributes
    ----------
    stage
        "selection" of the shape, "fit" or standard "errors".
    item, items
        Which candidate, start or parameter of the stage, from 0, and how many there are.
    iteration, max_iterations, evaluations
        Of this candidate or start.
    objective
        Log marginal likelihood plus log prior; NaN for standard errors.
    gradient_norm
        Largest entry of its gradient that the bounds leave free.
    seconds, remaining
        Since the beginning of the stage, and expected until its end.

    Examples
    --------
    >>> import numpy as np
    >>> import latentforce as lf
    >>> t = np.linspace(0, 10, 60)
    >>> stop = lambda at: at.stage == "fit" and at.iteration == 3
    >>> model = lf.fit(t, np.column_stack([np.sin(t), np.cos(t)]), forces=1, restarts=1, progress=stop)
    >>> model.result.iterations, model.result.cancelled
    (3, True)
    """

    stage: str
    item: int
    items: int
    iteration: int
    max_iterations: int
    evaluations: int
    objective: float
    gradient_norm: float
    seconds: float
    remaining: float


def progress_of(at: Any) -> Progress:
    """A copy of an ``lf_progress``."""
    return Progress(
        text_of(at.stage),
        at.item,
        at.items,
        at.iteration,
        at.max_iterations,
        at.evaluations,
        at.objective,
        at.gradient_norm,
        at.seconds,
        at.remaining,
    )


class Candidate(NamedTuple):
    """One shape of model that a fit has tried."""

    operator: str
    force_kernel: str
    private_kernel: str | None
    forces: int
    chosen: bool
    parameters: int
    iterations: int
    log_likelihood: float
    log_prior: float
    score: float


class Remark(NamedTuple):
    """One sentence of a verdict: its severity is "good", "note" or "warning"."""

    severity: str
    sentence: str
    output: str | None

    def __str__(self) -> str:
        return f"warning: {self.sentence}" if self.severity == "warning" else self.sentence


@dataclass(frozen=True)
class Result:
    """How a fit ended.

    Attributes
    ----------
    reason
        Why it ended, in words.
    converged
        At an optimum, by the rules of stopping.
    cancelled
        By Ctrl-C or by the function given as ``progress=``.
    start, iterations, evaluations
        The start that won, from 0, its iterations, and the evaluations of all starts.
    objective, log_likelihood, log_prior
        At the parameters found.
    seconds
        The optimisation took.
    rows
        Training rows.
    free_parameters
        Parameters that could move.
    bounds
        Names of those that ended on a bound.
    trace
        Objective after each iteration.
    engine, nodes, columns
        Of the posterior.
    candidates
        Shapes that were compared, in the order they were tried.
    undetermined
        Names of parameters that the data do not determine.
    combinations
        What the data determine of them, "Ro*Cw"; None where it is not known.
    stages
        What the stages of the fit took and decided: a table by stage with the columns seconds, evaluations, decision and reason. Their
        evaluations are more than those of the optimisation alone.
    """

    reason: str
    converged: bool
    cancelled: bool
    start: int
    iterations: int
    evaluations: int
    objective: float
    log_likelihood: float
    log_prior: float
    seconds: float
    rows: int
    free_parameters: int
    bounds: tuple[str, ...]
    trace: npt.NDArray[np.float64] = field(repr=False, compare=False)
    engine: str
    nodes: str
    columns: int
    candidates: tuple[Candidate, ...] = field(repr=False)
    undetermined: tuple[str, ...]
    combinations: str | None
    stages: Any = field(repr=False, compare=False)


def result_of(context: Context, found: Any) -> Result:
    """A copy of an ``lf_fit_result``."""

    def names(what: str) -> tuple[str, ...]:
        return tuple(result_columns(context, found, what)["parameter"])

    return Result(
        reason=text_of(found.reason),
        converged=bool(found.converged),
        cancelled=bool(found.cancelled),
        start=found.restart,
        iterations=found.iterations,
        evaluations=found.evaluations,
        objective=found.objective,
        log_likelihood=found.log_likelihood,
        log_prior=found.log_prior,
        seconds=found.seconds,
        rows=found.rows,
        free_parameters=found.free_count,
        bounds=names("bounds"),
        trace=result_columns(context, found, "trace")["objective"],
        engine=text_of(found.engine),
        nodes=text_of(found.nodes),
        columns=found.columns,
        candidates=tuple(_candidate(*row) for row in zip(*result_columns(context, found, "candidates").values())),
        undetermined=names("undetermined"),
        combinations=text_of(found.combinations) if found.combinations else None,
        stages=_stages(context, found),
    )


def _stages(context: Context, found: Any) -> Any:
    table = context.make(lib.lf_fit_result_table, lib.lf_table_free, "lf_table", context.pointer, found, b"stages")
    return frame_of_table(context, table, index="stage")


def _candidate(
    operator: str, force: str, private: str | None, forces: float, chosen: float, parameters: float, iterations: float, *scores: float
) -> Candidate:
    figures = (float(score) for score in scores)
    return Candidate(operator, force, private, int(forces), bool(chosen), int(parameters), int(iterations), *figures)
