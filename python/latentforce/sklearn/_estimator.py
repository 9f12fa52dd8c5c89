"""What the estimators share: constructors whose parameters are the options of the library's table."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from .._options import OptionError, find, table

# Options for reading tables, and for columns of known inputs; predictions need the posterior.
_LEFT_OUT = {keyword for keyword, option in table().items() if option.reading} | {"input", "posterior"}
_OPTIONS = {keyword: option for keyword, option in table().items() if keyword not in _LEFT_OUT}

# Predictions may be asked for at any time, also before the first training row, as in cross-validation. A system that has run
# forever has no first time.
_INITIAL = "stationary"
_ABOUT_INITIAL = f"{_INITIAL}, so that any time can be predicted; with origin, init or equations as these say"


def constructor(own: Mapping[str, Any]) -> Callable[..., None]:
    """An ``__init__`` with the parameters `own` (name: default) and the options of a fit.

    scikit-learn reads the parameters of an estimator from the signature of its constructor, which keeps them as they are.
    """
    defaults: dict[str, Any] = {**own, **dict.fromkeys(_OPTIONS)}

    def __init__(self: Any, **parameters: Any) -> None:
        for name in parameters:
            if name in _LEFT_OUT and name not in defaults:
                raise OptionError(f"{type(self).__name__}() has no option {name!r}; latentforce.fit() has it")
            if name not in defaults:
                find(name, f"{type(self).__name__}()", own)
        for name, default in defaults.items():
            setattr(self, name, parameters.get(name, default))

    keyword = inspect.Parameter.KEYWORD_ONLY
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY),
            *(inspect.Parameter(name, keyword, default=default) for name, default in defaults.items()),
        ]
    )
    return __init__


def options_of(estimator: Any) -> dict[str, Any]:
    """The options of the fit of an estimator."""
    options = {name: getattr(estimator, name) for name in _OPTIONS}
    if all(options[name] is None for name in ("initial", "origin", "init", "equations")):
        options["initial"] = _INITIAL
    return options


def documented(cls: Any) -> Any:
    """A decorator that writes the options into the docstring of a class, in the place of the word OPTIONS."""
    if cls.__doc__ is None:  # python -OO
        return cls
    entries = []
    for name, option in _OPTIONS.items():
        default = _ABOUT_INITIAL if name == "initial" else option.default
        about = f"{option.help}. Default: {default}." if default else f"{option.help}."
        entries.append(f"{name} : {option.type}, optional\n{textwrap.indent(textwrap.fill(about, 100), '    ')}")
    cls.__doc__ = inspect.cleandoc(cls.__doc__).replace("OPTIONS", "\n".join(entries))
    return cls
