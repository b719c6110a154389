"""The registries of field types and value types: one contract for every entry, and what each accepts."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from crm.field_types import FIELD_TYPES, VALUE_TYPES, BadValue, FieldSpec, TextFormat, make_spec
from crm.field_types.dates import format_of
from crm.models import CustomField

ID = "65a1b2c3d4e5f60718293a4b"
OPTIONS = [{"label": "Red", "value": "red"}, {"label": "7", "value": "7"}, {"label": "Yes", "value": "true"}]
NESTED: Any = [[[[[[[[[[[["deep"]]]]]]]]]]]]
HOSTILE = [
    "a\0b",
    "\ud800",
    float("nan"),
    float("inf"),
    10**400,
    NESTED,
    {"a": NESTED},
    {"\0": 1},
    "x" * 200_000,
    object(),
]
SAMPLES: list[Any] = [
    "red",
    "7",
    7,
    7.5,
    True,
    "2026-01-31",
    ID,
    ["red"],
    [7],
    [ID],
    {"a": 1},
    "ann@example.com",
    "+491701234567",
    "x.de",
]


def cleaned(field: FieldSpec, value: Any) -> Any:
    """Return the value as the field stores it, or None when it refuses."""
    try:
        return field.clean(value)
    except BadValue:
        return None


def spec(field_type: str, value_type: str, **values: Any) -> FieldSpec:
    return make_spec(key="k", name="k", field_type=field_type, value_type=value_type, **values)


PAIRS = [(field.name, value) for field in FIELD_TYPES.values() for value in field.value_types]


def test_the_registries_hold_what_the_contract_names() -> None:
    assert set(FIELD_TYPES) == set(CustomField.FieldType.values)
    assert set(VALUE_TYPES) == set(CustomField.ValueType.values)
    assert {value for _, value in PAIRS} == set(VALUE_TYPES)


@pytest.mark.parametrize(("field_type", "value_type"), PAIRS)
def test_every_pair_keeps_the_contract(field_type: str, value_type: str) -> None:
    """Empty is empty, cleaning twice changes nothing, and index rows fit their columns."""
    field = spec(field_type, value_type, options=OPTIONS)
    assert [field.clean(empty) for empty in (None, "", [])] == [None, None, None]
    assert field.parse("  ", TextFormat()) is None
    accepted = [value for sample in SAMPLES if (value := cleaned(field, sample)) is not None]
    assert accepted
    for value in accepted:
        assert cleaned(field, value) == value
        rows = field.index_rows(value)
        for row in rows:
            assert [name for name in ("text", "number", "time") if getattr(row, name) is not None] == [
                field.value_type.column
            ]
            assert len(row.text or "") <= 500
            assert row.number is None or abs(row.number) < Decimal(10) ** 20
        assert field.many or len(rows) <= 1
        assert all(reference.id == ID for reference in field.references(value))


@pytest.mark.parametrize(("field_type", "value_type"), PAIRS)
def test_every_pair_refuses_what_cannot_be_stored(field_type: str, value_type: str) -> None:
    field = spec(field_type, value_type, options=OPTIONS)
    for hostile in HOSTILE:
        for value in (hostile, [hostile], {"a": hostile}):
            with pytest.raises(BadValue):
                field.clean(value)


@pytest.mark.parametrize(
    ("field_type", "value_type", "value", "stored"),
    [
        ("text", "string", " a ", " a "),
        ("textarea", "string", "a\nb", "a\nb"),
        ("number", "number", 0, 0),
        ("number", "number", -1.25, -1.25),
        ("checkbox", "boolean", False, False),
        ("checkbox", "array", ["red", "red"], ["red"]),
        ("date", "date", "2026-01-31", "2026-01-31"),
        ("date", "date", "2026-01-31T10:00:00+02:00", "2026-01-31T08:00:00.000Z"),
        ("date", "date", "2026-01-31T10:00", "2026-01-31T10:00:00.000Z"),
        ("select", "string", "red", "red"),
        ("select", "number", 7, 7),
        ("select", "boolean", True, True),
        ("select", "member", ID, ID),
        ("radio", "string", "7", "7"),
        ("multi-select", "array", ["red", "7"], ["red", "7"]),
        ("multi-select", "number", [7, 7], [7]),
        ("multi-select", "member", [ID], [ID]),
        ("file", "file", ID, ID),
        ("file", "array", [ID, ID], [ID]),
        ("email", "string", "Ann@EXAMPLE.com", "Ann@example.com"),
        ("phone", "string", "+49 170 1234567", "+491701234567"),
        ("url", "string", "https://example.com/a?b=c", "https://example.com/a?b=c"),
        ("url", "string", "example.com", "https://example.com"),
        ("text", "any", {"a": [1, None]}, {"a": [1, None]}),
        ("text", "object", {"a": 1}, {"a": 1}),
        ("text", "array", ["a", 1, True, 1.0], ["a", 1, True]),
    ],
)
def test_what_is_accepted_and_how_it_is_stored(field_type: str, value_type: str, value: Any, stored: Any) -> None:
    found = spec(field_type, value_type, options=OPTIONS).clean(value)
    assert found == stored
    assert type(found) is type(stored)


@pytest.mark.parametrize(
    ("field_type", "value_type", "value", "reason"),
    [
        ("text", "string", 5, "enter a text, not 5"),
        ("text", "string", "x" * 5001, "is 5,001 characters long. Enter at most 5,000."),
        ("number", "number", "5", "5 is not a number. Enter a number, for example 1200"),
        ("number", "number", True, "true is not a number"),
        ("number", "number", 10**20, "is too large"),
        ("checkbox", "boolean", "true", "true is not allowed"),
        ("date", "date", "31.01.2026", "31.01.2026 is not a date. Enter a date, for example 2026-01-31"),
        ("date", "date", "2026-02-30", "2026-02-30 is not a date"),
        ("date", "date", 20260131, "20260131 is not a date"),
        ("select", "string", "green", "green is not an option. Choose one of these: red, 7, Yes (true)."),
        ("select", "string", ["red"], "enter a text, not an array"),
        ("select", "member", "ann", "enter the ID of a member, not ann"),
        ("multi-select", "array", "red", "enter a list, not red"),
        ("multi-select", "array", ["green"], "green is not an option"),
        ("multi-select", "array", [{"a": 1}], "enter texts or numbers"),
        ("multi-select", "array", ["red"] * 1001, "enter at most 1000 values"),
        ("email", "string", "ann", "“ann” is not an email address. Enter one like name@example.com."),
        (
            "phone",
            "string",
            "0170 1234567",
            "“0170 1234567” has no country code. Enter the number with its country code, for example +49 170 1234567",
        ),
        (
            "url",
            "string",
            "javascript:alert(1)",
            "javascript:alert(1) is not a web address. Enter one like https://example.com.",
        ),
        (
            "url",
            "string",
            "ftp://example.com",
            "ftp://example.com is not a web address. Enter one like https://example.com.",
        ),
        (
            "url",
            "string",
            "https://exa mple.com",
            "“https://exa mple.com” is not a web address. Enter one like https://example.com.",
        ),
        ("text", "object", [1], "enter a record, not an array"),
    ],
)
def test_what_is_refused_and_why(field_type: str, value_type: str, value: Any, reason: str) -> None:
    with pytest.raises(BadValue) as refused:
        spec(field_type, value_type, options=OPTIONS).clean(value)
    assert str(refused.value).startswith(reason)


def test_a_choice_without_options_takes_nothing() -> None:
    with pytest.raises(BadValue) as refused:
        spec("select", "string").clean("red")
    assert "Add options to the field first" in str(refused.value)


def child(name: str, field_type: str = "text", value_type: str = "string", **values: Any) -> dict[str, Any]:
    return {
        "name": name,
        "fieldType": field_type,
        "valueType": value_type,
        "required": False,
        "defaultValue": None,
        "options": [],
        "children": [],
        **values,
    }


def test_children_are_checked_at_every_level() -> None:
    inner = child(
        "lines",
        value_type="array",
        children=[child("sku", required=True), child("n", "number", "number", defaultValue=1)],
    )
    field = spec("text", "object", children=[child("by", "select", "member"), inner])
    value = {"by": ID, "lines": [{"sku": "a"}, {"sku": "b", "n": 2}]}
    assert field.clean(value) == {"by": ID, "lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}]}
    assert [tuple(found) for found in field.references(field.clean(value))] == [("member", ID)]
    for bad, reason in (
        ({"lines": [{"n": 1}]}, "lines: item 0: sku: enter a value"),
        ({"lines": [{"sku": "a", "n": "x"}]}, "lines: item 0: n: x is not a number. Enter a number, for example 1200."),
        ({"lines": ["a"]}, "lines: item 0: enter a record, not a"),
        ({"planet": 1}, "'planet' is unknown; known: by, lines"),
    ):
        with pytest.raises(BadValue) as refused:
            field.clean(bad)
        assert str(refused.value) == reason


@pytest.mark.parametrize(
    ("field_type", "value_type", "text", "stored"),
    [
        ("number", "number", "1,234.5", 1234.5),
        ("number", "number", "1.234,5", 1234.5),
        ("number", "number", "1 234,5", 1234.5),
        ("number", "number", "1'234.50", 1234.5),
        ("number", "number", "1,5", 1.5),
        ("number", "number", "0,125", 0.125),
        ("number", "number", "1,234,567", 1234567),
        ("number", "number", "-7", -7),
        ("number", "number", "1e3", 1000),
        ("checkbox", "boolean", "Yes", True),
        ("checkbox", "boolean", "nein", False),
        ("date", "date", "31.12.2026", "2026-12-31"),
        ("date", "date", "1.2.26", "2026-02-01"),
        ("date", "date", "12/31/2026", "2026-12-31"),
        ("date", "date", "31/12/2026", "2026-12-31"),
        ("date", "date", "2026-12-31 10:30", "2026-12-31T10:30:00.000Z"),
        ("date", "date", "31.12.2026 10:30", "2026-12-31T10:30:00.000Z"),
        ("select", "string", "RED", "red"),
        ("multi-select", "array", "Red; 7", ["red", "7"]),
        ("multi-select", "array", '["red"]', ["red"]),
        ("multi-select", "number", "7", [7]),
        ("text", "array", "a, b", ["a", "b"]),
        ("text", "object", '{"a": 1}', {"a": 1}),
        ("text", "string", 5.0, "5"),
        ("text", "string", True, "true"),
        ("number", "number", 5.0, 5.0),
        ("checkbox", "boolean", 1, True),
        ("checkbox", "boolean", True, True),
        ("multi-select", "array", 7.0, ["7"]),
        ("multi-select", "number", 7, [7]),
        ("select", "string", 7, "7"),
        ("date", "date", date(2026, 1, 31), "2026-01-31"),
        ("date", "date", datetime(2026, 1, 31, 9, 30), "2026-01-31T09:30:00.000Z"),
        ("text", "string", date(2026, 1, 31), "2026-01-31"),
    ],
)
def test_cells_of_a_file_are_read_tolerantly(field_type: str, value_type: str, text: Any, stored: Any) -> None:
    found = spec(field_type, value_type, options=OPTIONS).parse(text, TextFormat())
    assert found == stored
    assert type(found) is type(stored)


@pytest.mark.parametrize(
    ("field_type", "value_type", "text"),
    [
        ("number", "number", "12a"),
        ("number", "number", "1,23,4"),
        ("number", "number", "1e99"),
        ("number", "number", "nan"),
        ("number", "number", "9" * 400),
        ("checkbox", "boolean", "maybe"),
        ("date", "date", "1/2/2026"),
        ("date", "date", "30.02.2026"),
        ("date", "date", "soon"),
        ("text", "object", "{"),
        ("select", "string", "green"),
    ],
)
def test_cells_that_mean_nothing_or_two_things_are_refused(field_type: str, value_type: str, text: str) -> None:
    with pytest.raises(BadValue):
        spec(field_type, value_type, options=OPTIONS).parse(text, TextFormat())


def test_a_date_format_decides() -> None:
    field = spec("date", "date")
    assert field.parse("1/2/2026", TextFormat("MM/DD/YYYY")) == "2026-01-02"
    assert field.parse("1/2/2026", TextFormat("dd/mm/yyyy")) == "2026-02-01"
    assert field.parse("01.02.2026 18:30", TextFormat("DD.MM.YYYY HH:mm")) == "2026-02-01T18:30:00.000Z"
    assert field.parse("2026-12-31", TextFormat("DD/MM/YYYY")) == "2026-12-31"
    with pytest.raises(BadValue):
        field.parse("13/31/2026", TextFormat("MM/DD/YYYY"))


@pytest.mark.parametrize("text", ["", "%d", "DD.MM", "quarter", "YYYY", "x" * 500])
def test_what_is_no_date_format(text: str) -> None:
    with pytest.raises(ValueError):
        format_of(text)


def test_index_rows() -> None:
    assert spec("number", "number").index_rows(0.1)[0].number == Decimal("0.1")
    assert spec("number", "number").index_rows(10**19)[0].number == Decimal(10) ** 19
    assert spec("date", "date").index_rows("2026-01-31")[0].time == datetime(2026, 1, 31, tzinfo=UTC)
    assert spec("checkbox", "boolean").index_rows(True)[0].number == 1
    assert [row.text for row in spec("multi-select", "array").index_rows(["a", 1, True])] == ["a", "1", "true"]
    assert spec("text", "any").index_rows({"a": 1}) == []
    assert len(spec("text", "array").index_rows([str(n) for n in range(900)])) == 200
