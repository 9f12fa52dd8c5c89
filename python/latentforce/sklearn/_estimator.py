"""What the estimators share: constructors whose parameters are the options of the library's table."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from .._options import OptionError, find, table

# A table of data has no part in these: scikit-learn gives arrays, and predictions need the posterior.
_LEFT_OUT = {keyword for keyword, option in table().items() if option.reading} | {"posterior"}
_OPTIONS = {keyword: option for keyword, option in table().items() if keyword not in _LEFT_OUT}


def constructor(own: Mapping[str, Any]) -> Callable[..., None]:
    """An ``__init__`` with the parameters `own` (name: default) and the options of a fit.

    scikit-learn reads the parameters of an estimator from the signature of its constructor, which keeps them as they are.
    """
    defaults: dict[str, Any] = {**own, **dict.fromkeys(_OPTIONS)}

    def __init__(self: Any, **parameters: Any) -> None:
        for name in parameters:
            if name in _LEFT_OUT and name not in defaults:
                raise OptionError(
                    f"{type(self).__name__} has no parameter {name!r}, an option for fits to tables and files"
                )
            if name not in defaults:
                find(name, type(self).__name__, own)
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
    """The options of a fit that an estimator was given."""
    return {name: getattr(estimator, name) for name in _OPTIONS}


def documented(cls: Any) -> Any:
    """A decorator that writes the options into the docstring of a class, in the place of the word OPTIONS."""
    entries = []
    for name, option in _OPTIONS.items():
        about = f"{option.help}. Default: {option.default}." if option.default else f"{option.help}."
        entries.append(f"{name} : {option.type}, optional\n{textwrap.indent(textwrap.fill(about, 100), '    ')}")
    cls.__doc__ = inspect.cleandoc(cls.__doc__).replace("OPTIONS", "\n".join(entries))
    return cls
