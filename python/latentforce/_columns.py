"""One column of a table in memory, as the library takes it: numbers, dates or words.

Arrays of float64 with any stride, and of datetime64[ns], are passed as they are; everything else is converted once.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import numbers
import re
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import DataError
from ._library import ffi

Array = npt.NDArray[Any]

MISSING_DATE = np.iinfo(np.int64).min
_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3}


@dataclass
class Column:
    """A heading and values. Of `dates` and `codes` the missing values are MISSING_DATE and -1."""

    name: str
    numbers: Array | None = None
    dates: Array | None = None
    codes: Array | None = None
    words: list[str] = field(default_factory=list)
    zone: datetime.tzinfo | None = None
    offset: int = 0
    integers: Array | None = None  # of int64, where a float has no place for all of their digits

    def __len__(self) -> int:
        return len(self.values)

    @property
    def values(self) -> Array:
        """Numbers, dates or codes."""
        for values in (self.numbers, self.integers, self.dates, self.codes):
            if values is not None:
                return values
        raise AssertionError("a column has values")

    def as_floats(self) -> Column:
        """The column with its integers as floats."""
        return self if self.integers is None else Column(self.name, numbers=self.integers.astype(float))

    def missing(self) -> Array:
        """Where it has no value."""
        if self.numbers is not None:
            return np.isnan(self.numbers)
        if self.integers is not None:
            return np.zeros(len(self.integers), bool)
        return self.dates == MISSING_DATE if self.dates is not None else self.values < 0

    def fill(self, place: Any) -> list[Any]:
        """Describes the column in an ``lf_column``; returns what must live as long as that is used."""
        values = self.values
        name = ffi.new("char[]", self.name.encode("utf-8"))
        place.name = name
        place.stride = values.strides[0] if len(values) else values.itemsize
        keep: list[Any] = [name, values]
        if self.numbers is not None:
            place.number = ffi.cast("const double *", values.ctypes.data)
        elif self.integers is not None:
            place.integer = ffi.cast("const int64_t *", values.ctypes.data)
        elif self.dates is not None:
            place.date = ffi.cast("const int64_t *", values.ctypes.data)
            place.zoned = self.zone is not None
            place.zone = self.offset
        else:
            place.code = ffi.cast("const int32_t *", values.ctypes.data)
            place.word_count = len(self.words)
            place.words, words = _pointers(self.words)
            keep += words
        return keep


def _pointers(words: list[str]) -> tuple[Any, list[Any]]:
    """An array of char pointers to the words, in one buffer, and what keeps it alive."""
    joined = ("\0".join(words) + "\0").encode("utf-8")
    buffer = ffi.from_buffer(joined)
    ends = np.flatnonzero(np.frombuffer(joined, np.uint8) == 0)
    starts = np.append(0, ends[:-1] + 1).astype(np.uintp)
    pointers = starts + np.uintp(int(ffi.cast("uintptr_t", buffer)))
    return ffi.cast("const char *const *", pointers.ctypes.data), [buffer, pointers]


_UNIT = re.compile(r"[ _]*(\[[^][]+\]|\([^()]+\))$")


def bare_name(heading: str) -> str:
    """A heading without its unit: "T" of "T [K]" and of "T (K)"."""
    return _UNIT.sub("", heading) or heading


def unit_of(heading: str) -> str:
    """What :func:`bare_name` takes from a heading: " [K]" of "T [K]"."""
    return heading[len(bare_name(heading)) :]


def is_pandas(value: Any) -> bool:
    """Whether a value is of a class of pandas, which need not be installed."""
    return type(value).__module__.split(".")[0] == "pandas"


def as_pandas(value: Any) -> Any:
    """A table or series of polars or pyarrow as one of pandas, which keeps its time zone; others as they are."""
    return value.to_pandas() if hasattr(value, "to_pandas") else value


def column_of(name: str, values: Any) -> Column:
    """A column of anything with one dimension: an array, a list, a Series, an Index."""
    values = as_pandas(values)
    if is_pandas(values):
        return _from_pandas(name, values)
    array = values if isinstance(values, np.ndarray) else _as_array(values)
    if array.ndim != 1:
        raise DataError(f"{_title(name)}: expected one dimension, not an array of shape {array.shape}")
    return _from_array(name, array)


def _as_array(values: Any) -> Array:
    if hasattr(values, "__array__"):
        return np.asarray(values)
    values = list(values)
    plain = all(type(value) in (float, int) for value in values)
    array = np.empty(len(values), object)
    if plain or any(np.ndim(value) for value in values):
        return np.asarray(values, float) if plain else np.asarray(values)
    array[:] = values
    return array


def _title(name: str) -> str:
    return f"the column {name!r}" if name else "the column without a name"


def _from_array(name: str, array: Array) -> Column:
    kind = array.dtype.kind
    if np.ma.isMaskedArray(array):
        hidden, missing = np.ma.getmaskarray(array), {"M": "NaT", "m": "NaT", "U": None, "S": None, "O": None}
        values = array.data.astype(object if kind in "US" else array.dtype if kind in missing else float)
        values[hidden] = missing.get(kind, np.nan)
        return _from_array(name, values)
    if kind in "iu" and len(array) and max(-int(array.min()), int(array.max())) in range(2**53, 2**63):
        return Column(name, integers=np.asarray(array, np.int64))
    if kind in "fiub":
        return Column(name, numbers=array if array.dtype == np.dtype(float) else array.astype(float))
    if kind == "M":
        return Column(name, dates=_nanoseconds(name, array))
    if kind == "m":
        return _elapsed(name, array)
    if kind in "US":
        texts = array.astype(str) if kind == "U" else np.char.decode(array, "utf-8")
        words, codes = np.unique(texts, return_inverse=True)
        return _words(name, codes, words.tolist())
    if kind == "O":
        return _from_objects(name, array)
    raise DataError(f"{_title(name)} has the type {array.dtype}; numbers, dates and texts can be read")


def _nanoseconds(name: str, array: Array) -> Array:
    unit = np.datetime_data(array.dtype)[0]
    if unit == "generic":
        return np.full(len(array), MISSING_DATE)
    if unit == "ns" and np.datetime_data(array.dtype)[1] == 1 and array.dtype.isnative:
        return array.view(np.int64)
    seconds = array.astype("datetime64[s]")
    known = seconds[~np.isnat(seconds)]
    low, high = np.datetime64("1677-09-22"), np.datetime64("2262-04-11")
    if known.size and (known.min() < low or known.max() > high):
        beyond = known[(known < low) | (known > high)][0]
        raise DataError(f"{_title(name)}: the date {beyond} lies outside the years 1678 to 2262, which can be read")
    return array.astype("datetime64[ns]").view(np.int64)


def _elapsed(name: str, array: Array) -> Column:
    """Time deltas are numbers of seconds."""
    heading = f"{bare_name(name) or 'time'} [s]"
    missing = np.isnat(array)
    seconds = array.astype("timedelta64[ns]").view(np.int64) / 1e9
    seconds[missing] = np.nan
    return Column(heading, numbers=seconds)


def _words(name: str, codes: Array, words: list[str]) -> Column:
    if "\0" in "".join(words):
        raise DataError(f"{_title(name)}: a text has a zero byte; remove it")
    return Column(name, codes=np.ascontiguousarray(codes, np.int32), words=words)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, decimal.Decimal)) and bool(np.isnan(float(value)))


_NUMBERS = (numbers.Real, decimal.Decimal, fractions.Fraction, np.bool_)


def _from_objects(name: str, array: Array) -> Column:
    pandas = sys.modules.get("pandas")
    if pandas is not None and pandas.api.types.infer_dtype(array, skipna=True) == "string":
        codes, words = pandas.factorize(array)
        return _words(name, codes, list(words))
    known = [(i, value) for i, value in enumerate(array) if not _is_missing(value)]
    if all(isinstance(value, _NUMBERS) for _, value in known):
        result = np.full(len(array), np.nan)
        for i, value in known:
            try:
                result[i] = float(value)
            except OverflowError:
                raise DataError(f"{_title(name)}: the number in row {i} is too large") from None
        return Column(name, numbers=result)
    if all(isinstance(value, (datetime.date, np.datetime64)) for _, value in known):
        return _from_dates(name, len(array), known)
    if all(isinstance(value, (datetime.timedelta, np.timedelta64)) for _, value in known):
        spans = np.full(len(array), np.timedelta64("NaT", "ns"))
        for i, value in known:
            spans[i] = np.timedelta64(value)
        return _elapsed(name, spans)
    codes = np.full(len(array), -1, np.int32)
    numbering: dict[str, int] = {}
    for i, value in known:
        if not isinstance(value, (str, *_NUMBERS)):
            raise DataError(
                f"{_title(name)}: row {i} holds {value!r} of type {type(value).__name__}; "
                "numbers, dates and texts can be read"
            )
        codes[i] = numbering.setdefault(str(value), len(numbering))
    return _words(name, codes, list(numbering))


def _from_dates(name: str, count: int, known: list[tuple[int, Any]]) -> Column:
    dates = np.full(count, np.datetime64("NaT", "ns"))
    zone: datetime.tzinfo | None = None
    offset = 0
    for place, (i, value) in enumerate(known):
        own = getattr(value, "tzinfo", None)
        if place == 0 and own is not None:
            zone, offset = own, int(value.utcoffset().total_seconds())
        if (own is None) != (zone is None):
            raise DataError(f"{_title(name)}: some dates have a time zone and others have none; row {i} holds {value}")
        plain = value.astimezone(datetime.timezone.utc).replace(tzinfo=None) if own is not None else value
        exact = plain.to_datetime64() if hasattr(plain, "to_datetime64") else np.datetime64(plain)
        dates[i] = np.array(_nanoseconds(name, np.array([exact]))).view("datetime64[ns]")[0]
    return Column(name, dates=dates.view(np.int64), zone=zone, offset=offset)


def _from_pandas(name: str, values: Any) -> Column:
    import pandas as pd

    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return _from_array(name, values.to_numpy())
    if isinstance(dtype, pd.PeriodDtype):
        starts = values.dt.to_timestamp() if isinstance(values, pd.Series) else pd.PeriodIndex(values).to_timestamp()
        return _from_pandas(name, starts)
    if isinstance(dtype, pd.CategoricalDtype):
        return _from_categories(name, pd.Categorical(values))
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _from_timestamps(name, pd.DatetimeIndex(values))
    if pd.api.types.is_timedelta64_dtype(dtype):
        return _elapsed(name, pd.TimedeltaIndex(values).to_numpy())
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        return _from_array(name, values.to_numpy(dtype=float, na_value=np.nan))
    if pd.api.types.is_string_dtype(dtype):
        codes, words = pd.factorize(values)
        return _words(name, codes, list(map(str, words)))
    return _from_objects(name, values.to_numpy(dtype=object))


def _from_timestamps(name: str, index: Any) -> Column:
    zone = index.tz
    if zone is None:
        return _from_array(name, index.to_numpy())
    known = index[~index.isna()]
    offset = int(known[0].utcoffset().total_seconds()) if len(known) else 0
    column = _from_array(name, index.tz_convert("UTC").tz_localize(None).to_numpy())
    return Column(name, dates=column.dates, zone=zone, offset=offset)


def _from_categories(name: str, values: Any) -> Column:
    categories = column_of(name, values.categories)
    codes = np.asarray(values.codes)
    if categories.codes is None:
        return column_of(name, values.categories.take(codes).where(codes >= 0))
    order = np.append(categories.codes, -1)
    return _words(name, order[codes], categories.words)
