"""Any value that an export writes is read back by an import as the same value."""

from __future__ import annotations

import datetime as dt
import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text.formats import DATE_PATTERNS, TIME_PATTERNS, Formats
from core.text.json import format_iso
from crm.exports.columns import custom_cell
from crm.exports.formats import FORMATS
from crm.field_types import FieldSpec, TextFormat, make_spec
from crm.field_types.dates import format_of
from crm.imports.columns.blank_values import words_for_nothing
from crm.imports.columns.evidence import Collector, OwnFormat, judge
from crm.imports.columns.mapping import cell_text
from crm.imports.readers import open_table
from crm.records.writes.updates import is_same_text
from tests.kit.examples import thorough

ZONES = ("UTC", "America/Los_Angeles", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Monrovia")
OPTIONS = [{"label": "Very hot", "value": "Hot"}, {"label": "Hot; or cold", "value": "cold"}, {"value": "7"}]
FIRST, LAST = dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30)
moments = st.datetimes(FIRST, LAST).map(lambda moment: format_iso(moment.replace(tzinfo=dt.UTC)))
days = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)).map(dt.date.isoformat)
texts = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cf"), include_characters="\n"), min_size=1, max_size=30
).filter(str.strip)
numbers = st.one_of(
    st.integers(-(2**53), 2**53),
    st.floats(-1e12, 1e12, allow_nan=False),
    st.decimals(-1000, 1000, places=3).map(float),
)
FIELD_VALUES: dict[tuple[str, str], st.SearchStrategy[Any]] = {
    ("date", "date"): st.one_of(days, moments),
    ("number", "number"): numbers,
    ("textarea", "string"): texts,
    ("text", "any"): st.one_of(texts, numbers, st.booleans(), st.dictionaries(texts, numbers, min_size=1, max_size=2)),
    ("text", "array"): st.lists(st.one_of(texts, st.integers(-99, 99)), min_size=1, max_size=4, unique_by=repr),
    ("select", "string"): st.sampled_from(["Hot", "cold", "7"]),
    ("multi-select", "array"): st.lists(st.sampled_from(["Hot", "cold", "7"]), min_size=1, unique=True),
    ("checkbox", "boolean"): st.booleans(),
    ("textarea", "object"): st.dictionaries(texts, texts, min_size=1, max_size=3),
}


def spec_for(kind: tuple[str, str]) -> FieldSpec:
    options = OPTIONS if kind[0] in ("select", "multi-select") else []
    return make_spec(key="f", name="F", field_type=kind[0], value_type=kind[1], options=options)


def read_back(values: list[Any], spec: FieldSpec, formats: Formats, format: str) -> list[Any]:
    """Return the values as an import reads them from an export of them; None for a word for nothing."""
    words = {"Hot": "Very hot", "cold": "Hot; or cold"} if spec.options else {}
    cells = [["x", custom_cell(value, spec, words)] for value in values]
    target = io.BytesIO()
    FORMATS[format].write(target, ["_id", "F"], cells, formats, None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "own")
        path.write_bytes(target.getvalue())
        kind = FORMATS[format].mime
        with open_table(path, kind=kind, delimiter=None, encoding=None, sheet=None) as table:
            rows = [row[1] for row in table.rows()]  # type: ignore[index]
    return [parse(row[1], spec, how_of(rows, formats)) for row in rows]


def how_of(rows: list[list[Any]], formats: Formats) -> TextFormat:
    collector = Collector(["_id", "F"])
    for row in rows:
        collector.add(row)
    form = format_of(formats.date_format)
    separator = next((mark for mark in "/.-" if mark in form.text), "")
    clock: Any = "12" if "a" in formats.time_format else "24"
    verdict = judge(collector.as_json(), OwnFormat(separator, form.order, clock)).get("F")
    return TextFormat(
        time_zone=formats.timezone,
        decimal_mark=verdict.decimal_mark if verdict else "",
        date_order=verdict.date_order if verdict else "",
        day_numbers=bool(verdict and verdict.day_numbers),
    )


def parse(cell: Any, spec: FieldSpec, how: TextFormat) -> Any:
    if cell is None or cell in words_for_nothing("f", spec):
        return None
    typed = spec.value_type.name == "number" and type(cell) in (int, float)
    return spec.parse(cell if typed else cell_text(cell), how)


@pytest.mark.parametrize("format", ["csv", "xlsx"])
@pytest.mark.parametrize("kind", FIELD_VALUES, ids="-".join)
def test_values_are_read_as_they_were(kind: tuple[str, str], format: str) -> None:
    spec = spec_for(kind)

    @settings(max_examples=thorough(60) if format == "csv" else thorough(24), deadline=None)
    @given(
        values=st.lists(FIELD_VALUES[kind], min_size=1, max_size=6),
        zone=st.sampled_from(ZONES),
        date_format=st.sampled_from(sorted(DATE_PATTERNS)),
        time_format=st.sampled_from(sorted(TIME_PATTERNS)),
    )
    def check(values: list[Any], zone: str, date_format: str, time_format: str) -> None:
        formats = Formats(zone, date_format, time_format)
        for old, new in zip(values, read_back(values, spec, formats, format), strict=True):
            assert new is None or new == old or is_same_text(old, new), (old, new)

    check()
