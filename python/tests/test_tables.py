"""Every way to give data in memory leads to the rows that the same table in a file has."""

from __future__ import annotations

import datetime
import decimal
import logging
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import latentforce as lf
from latentforce import _data
from latentforce._columns import column_of
from latentforce._context import Context
from latentforce._library import lib
from latentforce._sources import Reading
from latentforce._tables import source_of


def rows_of(*data: Any, reading: dict[str, Any] | None = None, **arguments: Any) -> list[tuple[Any, ...]]:
    """Rows (output, x, y, sd), sorted."""
    context = Context()
    table = source_of(*data, **arguments).read(context, Reading(reading or {}))
    names = _data.names(table, lib.LF_KIND_OUTPUT)
    outputs = [names[code] for code in _data.codes(table, "output")]
    x, y, sd = (_data.numbers(table, column).tolist() for column in ("x", "y", "sd"))
    return sorted((name, *place, *values) for name, place, *values in zip(outputs, x, y, sd))


T = np.array([0.0, 1.0, 2.5, 4.0])
A = np.array([1.0, 2.0, np.nan, 4.0])
B = np.array([5.0, np.nan, 7.0, 8.0])
WIDE = pd.DataFrame({"time": T, "a": A, "b": B})
EXPECTED = sorted(
    [(n, t, y, 0.0) for n, ys in (("a", A), ("b", B)) for t, y in zip(T.tolist(), ys.tolist()) if not np.isnan(y)]
)


@pytest.mark.parametrize(
    "data",
    [
        WIDE,
        WIDE.set_index("time"),
        WIDE.set_index("time").rename_axis(None),
        WIDE.astype("float32"),
        WIDE.astype(object),
        WIDE.astype(object).map(decimal.Decimal),
        WIDE.astype(str),
        WIDE.convert_dtypes(),
        WIDE[["time", "b", "a"]],
        pd.DataFrame(np.asfortranarray(WIDE.to_numpy()), columns=WIDE.columns),
        pd.DataFrame(np.ascontiguousarray(WIDE.to_numpy()), columns=WIDE.columns),
        {"time": T, "a": A, "b": B},
        {"time": T.tolist(), "a": [1, 2, None, 4], "b": B},
        {"a": (T, A), "b": (T, B)},
        {"a": (T[[0, 1, 3]], A[[0, 1, 3]]), "b": (T.tolist(), B)},
        {"a": pd.Series(A, T), "b": pd.Series(B, T)},
        {name: WIDE[name] for name in WIDE.columns},
        WIDE.melt("time", var_name="output", value_name="y"),
        WIDE.melt("time", var_name="output", value_name="y").astype({"output": "category"}),
        WIDE.melt("time", var_name="output", value_name="y").set_index(["output", "time"]),
        np.rec.fromarrays([T, A, B], names=["time", "a", "b"]),
    ],
    ids=range(21),
)
def test_shapes_and_types_of_tables(data: Any) -> None:
    assert rows_of(data) == EXPECTED


@pytest.mark.parametrize(
    "data",
    [
        (T, np.column_stack([A, B])),
        (T.tolist(), np.column_stack([A, B]).tolist()),
        (T[:, np.newaxis], np.asfortranarray(np.column_stack([A, B]))),
        (pd.Series(T, name="time"), WIDE[["a", "b"]]),
        (WIDE[["time"]], WIDE[["a", "b"]]),
        (np.repeat(T, 2)[::2], np.repeat(np.column_stack([A, B]), 3, axis=1)[:, ::3]),
    ],
)
def test_arrays(data: Any) -> None:
    assert rows_of(*data, names=["a", "b"]) == EXPECTED


def test_units_of_times() -> None:
    hours = pd.Series(A, pd.Index(T, name="time [h]"))
    for data in ({"a": hours}, {"a": (hours.index, A)}, hours.rename("a").to_frame()):
        assert [row[1] for row in rows_of(data, reading={"time_unit": "min"})] == [0.0, 60.0, 240.0]
    spans = pd.DataFrame({"time [h]": pd.to_timedelta(T, unit="h"), "a": A})  # a time delta has its own unit
    assert [row[1] for row in rows_of(spans, reading={"time_unit": "h"})] == [0.0, 1.0, 4.0]
    with pytest.raises(lf.DataError, match="another kind"):
        rows_of({"a": hours, "b": hours.rename_axis("time [min]")})


def test_integers_and_booleans_are_numbers() -> None:
    expected = [("a", 0.0, 1.0, 0.0), ("a", 1.0, 0.0, 0.0)]
    assert rows_of(pd.DataFrame({"time": np.array([0, 1], "int8"), "a": [True, False]})) == expected
    assert rows_of(pd.DataFrame({"time": [0, 1], "a": pd.array([1, 0], "UInt8")})) == expected
    assert rows_of([0, 1], [1, 0], names="a") == expected


def test_names_and_errors_of_arrays() -> None:
    assert {row[0] for row in rows_of(T, A)} == {"y"}
    assert {row[0] for row in rows_of(T, np.column_stack([A, B]))} == {"y1", "y2"}
    assert [row[3] for row in rows_of(T, A, sd=0.5)] == [0.5] * 3
    assert [row[3] for row in rows_of(T, A, sd=T + 1)] == [1.0, 2.0, 5.0]
    assert [row[3] for row in rows_of({"a": (T, A, T + 1)})] == [1.0, 2.0, 5.0]


def test_places() -> None:
    places = np.random.default_rng(0).normal(size=(4, 3))
    expected = sorted(("y", *place, y, 0.0) for place, y in zip(places.tolist(), B.tolist()) if not np.isnan(y))
    assert rows_of(places, B) == expected
    frame = pd.DataFrame(places, columns=["east", "north", "up"]).assign(y=B)
    assert rows_of(frame, reading={"x": ["east", "north", "up"]}) == expected
    assert rows_of(frame[["east", "north", "up"]], frame["y"]) == expected


HOURS = pd.date_range("2024-01-08", periods=4, freq="h")


@pytest.mark.parametrize(
    "times",
    [
        HOURS,
        HOURS.as_unit("s"),
        HOURS.tz_localize("Europe/Berlin"),
        HOURS.astype(object),
        pd.Index([time.to_pydatetime() for time in HOURS], dtype=object),
        pd.Index([time.to_pydatetime().replace(tzinfo=datetime.timezone.utc) for time in HOURS], dtype=object),
        HOURS.strftime("%Y-%m-%d %H:%M"),
        HOURS.to_period("h"),
        HOURS - HOURS[0],
    ],
    ids=range(9),
)
@pytest.mark.parametrize("as_column", [False, True])
def test_kinds_of_dates(times: pd.Index, as_column: bool) -> None:
    expected = [(output, float(i), y, sd) for output, i, y, sd in rows_of([0.0, 1, 2, 3], A, names=["a"])]
    frame = pd.DataFrame({"a": A}, index=times)
    if as_column:
        frame = frame.rename_axis("when").reset_index()
    got = rows_of(frame, reading={"time_unit": "h"})
    assert [row[0] for row in got] == ["a"] * 3
    np.testing.assert_allclose([row[1:] for row in got], [row[1:] for row in expected], rtol=1e-12)


def test_days_and_numpy_dates() -> None:
    days = [datetime.date(2024, 1, 8) + datetime.timedelta(days=i) for i in range(4)]
    expected = rows_of(np.array(days, "datetime64[D]"), A)
    assert rows_of(days, A) == expected == rows_of(pd.DatetimeIndex(days), A)
    assert [row[1] for row in expected] == [0.0, 24.0, 72.0]


def test_an_index_that_counts_rows_is_left_out_and_another_is_the_input() -> None:
    assert rows_of(WIDE.reset_index(drop=True)) == EXPECTED
    double = pd.concat([WIDE.assign(a=0.0), WIDE], ignore_index=True)
    assert rows_of(double.iloc[4:]) == EXPECTED  # its index is a range from 4
    assert rows_of(double[double["a"] != 0]) == EXPECTED
    assert rows_of(WIDE.rename(columns={"time": "s"}).iloc[[0, 2, 1, 3]], reading={"time": "s"}) == EXPECTED
    counts = pd.DataFrame({"a": A, "b": B}, index=[0, 5, 10, 15])
    assert [row[1] for row in rows_of(counts)] == [0.0, 5.0, 15.0, 0.0, 10.0, 15.0]
    halves = pd.DataFrame({"a": A}, index=T / 2)
    assert [row[1] for row in rows_of(halves)] == [0.0, 0.5, 2.0]
    with pytest.raises(lf.DataError, match="time="):  # rows were removed, and the index may number them
        rows_of(pd.DataFrame({"a": A, "b": B}, index=[3, 1, 7, 9]))


def test_arrays_reach_the_library_without_a_copy() -> None:
    values = np.arange(20.0)[::2]
    assert column_of("a", values).values is values
    frame = pd.DataFrame(np.arange(20.0).reshape(5, 4), columns=list("abcd"))
    assert np.shares_memory(column_of("b", frame["b"]).values, frame["b"].to_numpy())
    dates = np.arange(4).astype("datetime64[ns]")
    assert np.shares_memory(column_of("t", dates).values, dates)


def test_numbers_of_other_byte_orders_and_masked_arrays() -> None:
    assert rows_of(T.astype(">f8"), A.astype(">f8"), names=["a"]) == rows_of(T, A, names=["a"])
    masked = np.ma.masked_array(np.nan_to_num(A), np.isnan(A))
    assert rows_of({"time": T, "a": masked}) == rows_of(T, A, names=["a"]) == rows_of(T, masked, names=["a"])
    dates, hidden = HOURS.to_numpy().astype("datetime64[ns]"), np.array([False, True, False, False])
    assert column_of("t", np.ma.masked_array(dates)).values.tolist() == dates.astype(np.int64).tolist()
    for values in (
        dates,
        dates - dates[0],
        np.array(list("abcd")),
        np.array([1, 2, 3, 4]),
        np.array(["a", 1, 2, 3], object),
    ):
        column = column_of("t", np.ma.masked_array(values, hidden))
        assert column.missing().tolist() == hidden.tolist()
        assert type(column.dates) is type(column_of("t", values).dates)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((pd.DataFrame({"time": T}),), "no column is left for an output"),
        ((pd.DataFrame({"time": [], "a": []}),), "has no rows"),
        ((T,), r"fit\(t, y\)"),
        ((None,), "NoneType cannot be read; give a DataFrame"),
        ((3.0,), "float cannot be read; give a DataFrame"),
        ((object(),), "object cannot be read; give a DataFrame"),
        (({},), "empty"),
        (({"a": 3.0},), "single float"),
        (({"a": (T, A[:2])},), "'a' has 4 times, but 2 values"),
        (({"a": (T, A, A, A)},), "4 arrays"),
        (({"a": (T, A), "b": B},), "'b' is not"),
        (({"a": (A, T)},), "the time of row 2 is missing"),
        (({"a": (T, A), "b": (HOURS, B)},), "another kind"),
        ((T, A[:3]), "y has 3 rows, but there are 4 inputs"),
        ((T, np.zeros((4, 2, 2))), "shape"),
        ((np.zeros((4, 2, 2)), A), "shape"),
        ((A, T), "the input of row 2 is missing"),
        ((T, ["a", "b", "c", "d"]), "no number"),
        ((T, A * 1j), "complex numbers"),
        ((pd.concat([WIDE, WIDE["a"]], axis=1),), "two columns are named 'a'"),
        ((pd.concat({"one": WIDE, "two": WIDE}, axis=1),), "several levels"),
        ((pd.DataFrame({"time": T, "a": [[1], [2], [3], [4]]}),), "of type list"),
        ((np.array(["1500-01-01", "1600-01-01"], "datetime64[D]"), [1, 2]), "outside the years"),
        ((HOURS,), "has no outputs"),
        (({"a": (T, A), "b": (HOURS - HOURS[0], B)},), "another kind"),
        (([[1.0], [1.0, 2.0]], [1, 2]), "no array of times or places"),
        (([10**400, 1], [1, 2]), "too large"),
        ((A, HOURS), "the times come first"),
        ((A, pd.to_timedelta(T, "h").to_numpy()), "the times come first"),
        ((A, pd.DataFrame({"time": HOURS})), "the times come first"),
        ((WIDE, "a"), "give outputs='a'"),
        ((T, [[1, 2], [3]]), "no number"),
        ((pd.Series(A),), r"time='?row"),
        ((pd.DataFrame({"time;a;b": ["0;1;2"]}),), "separator="),
    ],
    ids=range(34),
)
def test_mistakes_are_errors_that_say_what_is_wrong(data: Any, message: str) -> None:
    with pytest.raises((lf.DataError, lf.ArgumentError), match=message):
        rows_of(*data)


def test_options_cannot_name_the_inputs_of_arrays() -> None:
    for reading in ({"time": "a"}, {"x": ["a", "b"]}):
        with pytest.raises(lf.ArgumentError, match="an argument of their own"):
            rows_of(T, A, reading=reading)


def test_mistakes_about_names_and_errors() -> None:
    for name in ("output", "Replicate", "split"):
        with pytest.raises(lf.ArgumentError, match=f"'{name}'.*another name"):
            rows_of(T, np.column_stack([A, B]), names=["a", name])
    with pytest.raises(lf.ArgumentError, match="names has 1 names, but y has 2 columns"):
        rows_of(T, np.column_stack([A, B]), names=["a"])
    with pytest.raises(lf.ArgumentError, match="together with y="):
        rows_of(WIDE, sd=WIDE)
    with pytest.raises(lf.ArgumentError, match="sd has the shape"):
        rows_of(T, np.column_stack([A, B]), sd=A)


def test_without_pandas(monkeypatch: pytest.MonkeyPatch, model: lf.Model) -> None:
    expected = model.predict([1.0, 2.0])
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = model.predict([1.0, 2.0])
    assert table.dtype.names == ("output", "time", "mean", "sd", "lower", "upper")
    assert table["output"].tolist() == ["a", "a", "b", "b"]
    np.testing.assert_array_equal(table["mean"], expected["mean"])
    assert "force1.lengthscale" in model.parameters["name"]
    assert rows_of({"time": T.tolist(), "a": np.array(["1", "2", None, "4"], object)}) == rows_of(T, A, names=["a"])


def test_outputs_are_in_the_order_of_the_columns() -> None:
    t = np.arange(40.0)
    y = np.column_stack([np.sin(t / 3), np.cos(t / 3), 0.1 * t])
    y[:3, 0] = np.nan
    y[0, 1] = np.nan
    model = lf.fit(t, y, forces=1, max_iterations=5)
    assert model.outputs == ["y1", "y2", "y3"]
    marked = pd.DataFrame(y, columns=["c", "b", "a"]).assign(time=t, split=["test"] * 5 + ["train"] * 35)
    assert lf.fit(marked, forces=1, max_iterations=5).outputs == ["c", "b", "a"]


def test_columns_that_are_hardly_the_time_are_refused(waves: pd.DataFrame) -> None:
    outputs = waves[["a", "b"]]
    for data in (outputs, {"a": outputs["a"], "b": outputs["b"]}, outputs.to_records(index=False)):
        with pytest.raises(lf.DataError, match=r"'a', the first.*time='?row"):
            rows_of(data)
    numbered = lf.fit(outputs, time="row", forces=1, max_iterations=2)
    assert list(numbered.predict([1.0, 2.0])) == ["output", "row", "mean", "sd", "lower", "upper"]
    assert numbered.score(outputs.iloc[:20]) is not None  # its rows are numbered again
    assert lf.fit(outputs, time="a", forces=1, max_iterations=2).outputs == ["b"]
    lf.fit(waves.sample(frac=1, random_state=0), forces=1, max_iterations=2)
    lf.fit(waves.rename(columns={"time": "depth"}), forces=1, max_iterations=2)


def test_rows_are_numbered_by_the_index() -> None:
    frame = pd.DataFrame({"a": A, "b": B[::-1]})
    assert [row[1] for row in rows_of(frame, reading={"time": "row"})] == [0.0, 1.0, 3.0, 0.0, 1.0, 3.0]
    late = frame.set_axis(range(10, 14))
    assert [row[1] for row in rows_of(late, reading={"time": "row"})] == [10.0, 11.0, 13.0, 10.0, 11.0, 13.0]
    assert [row[1] for row in rows_of(frame.iloc[[3, 0, 1]], reading={"time": "row"})] == [0.0, 1.0, 3.0, 0.0, 1.0, 3.0]
    assert [row[1] for row in rows_of(frame[["a"]], reading={"time": "row"})] == [0.0, 1.0, 3.0]
    gaps = pd.DataFrame({"a": [1.0, np.nan, 3.0]})  # a row without any value has its number
    assert [row[1] for row in rows_of(gaps, reading={"time": "row"})] == [0.0, 2.0]


def test_tables_as_r_has_them() -> None:
    chicks = pd.DataFrame(
        {"weight": [42.0, 51, 59, 40, 49, 58], "Time": [0, 2, 4] * 2, "Chick": [1] * 3 + [2] * 3, "Diet": [1] * 6}
    )
    with pytest.raises(lf.DataError, match="replicate_column='?Chick'?"):
        rows_of(chicks)
    weights = rows_of(chicks, reading={"replicate_column": "Chick", "drop": ["Diet"]})
    assert [row[:3] for row in weights[:2]] == [("weight", 0.0, 40.0), ("weight", 0.0, 42.0)]
    quarters = pd.DataFrame({"year": [1945] * 4 + [1946] * 2, "quarter": [1, 2, 3, 4, 1, 2], "approval": np.arange(6.0)})
    assert [row[1] for row in rows_of(quarters, reading={"time_unit": "d"})] == [0, 90, 181, 273, 365, 455]
    with pytest.raises(lf.DataError, match="need a year"):
        rows_of(pd.DataFrame({"ozone": [1.0, 3, 2], "month": [5, 5, 6], "day": [30, 31, 1]}))


def test_series_of_other_packages_keep_their_time_zone() -> None:
    class Series:
        """What polars and pyarrow have."""

        def __init__(self, values: Any) -> None:
            self.values = values

        def to_pandas(self) -> Any:
            return self.values

    times = pd.Series(pd.date_range("2024-10-26 12:00", periods=30, freq="h", tz="Europe/Berlin"))
    model = lf.fit(Series(times), Series(pd.Series(np.sin(np.arange(30) / 3))), forces=1)
    assert model.predict(Series(times))["time"].dtype == times.dtype


def test_warnings_of_the_library_are_logged_as_such(waves: pd.DataFrame, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "latentforce"):
        lf.fit(waves.assign(b=1.0), forces=1, max_iterations=2)
    levels = {record.levelno for record in caplog.records if "constant" in record.getMessage()}
    assert levels == {logging.WARNING}
    assert logging.INFO in {record.levelno for record in caplog.records}


def test_texts_with_decimal_commas() -> None:
    texts = WIDE.assign(b=[f"{value:.2f}".replace(".", ",") for value in WIDE["b"]])
    numbers = WIDE.assign(b=WIDE["b"].round(2))
    assert rows_of(texts, reading={"decimal": ","}) == rows_of(numbers)
    with pytest.raises(lf.ArgumentError, match="decimal=';'"):
        rows_of(texts, reading={"decimal": ";"})


def test_nanoseconds_keep_their_digits() -> None:
    counts = 1_700_000_000_000_000_000 + 100 * np.arange(30)
    data = {"a": (counts, np.arange(30.0))}
    context = Context()
    dates = pd.Series(np.arange(30.0), counts.view("datetime64[ns]"))
    for source in (data, pd.DataFrame({"time": counts, "a": np.arange(30.0)}), {"a": dates}):
        handle = source_of(source).read(context, Reading({}))
        label = lf._library.ffi.new("lf_label *", {"size": lf._library.ffi.sizeof("lf_label")})
        context.check(lib.lf_data_label_get(context.pointer, handle, lib.LF_KIND_INPUT, 0, label))
        x = _data.numbers(handle, "x")[:, 0] * label.seconds
        assert np.abs(x - 1e-7 * np.arange(30)).max() < 1e-20
    model = lf.fit({"a": (counts, np.sin(np.arange(30.0)))}, forces=1)
    times = model.predict(ahead=3e-7).iloc[:, 1]
    assert times.astype("int64").tolist() == [counts[-1] + 100 * (i + 1) for i in range(3)]


def test_dates_by_a_format() -> None:
    for times in (["12/23/19", "12/24/19"], [20191223, 20191224]):
        form = "%m/%d/%y" if isinstance(times[0], str) else "%Y%m%d"
        found = rows_of(pd.DataFrame({"time": times, "a": [1.0, 2.0]}), reading={"time_format": form, "time_unit": "d"})
        assert [row[1] for row in found] == [0.0, 1.0]
    with pytest.raises(lf.DataError, match="time_format='%d/%m/%Y'"):
        rows_of(pd.DataFrame({"time": ["01/02/2019", "02/02/2019"], "a": [1.0, 2.0]}))
