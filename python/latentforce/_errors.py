"""Exceptions and warnings of the package, and which status of the library each stands for."""

from __future__ import annotations

from ._library import lib


class Error(Exception):
    """Base class of all errors of this package.

    Examples
    --------
    >>> import latentforce as lf
    >>> try:
    ...     lf.fit([1.0, 2.0], [0.5, 0.5, 0.5])
    ... except lf.Error as error:
    ...     print(type(error).__name__, error, sep=": ")
    DataError: y has 3 rows, but there are 2 inputs
    """


class ArgumentError(Error, ValueError):
    """An argument or an option is wrong."""


class DataError(Error, ValueError):
    """The data are wrong."""


class ModelError(Error, ValueError):
    """A model, or a model file, is wrong."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class UnsupportedError(Error, NotImplementedError):
    """The combination of options, model and data is not supported."""


class NumericalError(Error, ArithmeticError):
    """A computation broke down."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory."""


class FitWarning(UserWarning):
    """A fit was stopped before its end; the model has the best parameters found until then."""


class ScoreWarning(UserWarning):
    """Scores are of rows that the model was fitted to."""


_CLASSES: dict[int, type[Error]] = {
    lib.LF_ERROR_ARGUMENT: ArgumentError,
    lib.LF_ERROR_DATA: DataError,
    lib.LF_ERROR_MODEL: ModelError,
    lib.LF_ERROR_IO: FileError,
    lib.LF_ERROR_UNSUPPORTED: UnsupportedError,
    lib.LF_ERROR_NUMERIC: NumericalError,
    lib.LF_ERROR_MEMORY: OutOfMemoryError,
}


def error_of(status: int, message: str) -> Error:
    """The exception for a status of the library."""
    return _CLASSES.get(status, Error)(message)
