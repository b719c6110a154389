"""What becomes of values when their field gets other types: one contract over every pair of types, and what each cell
of the table does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crm.custom_fields.conversion import narrows
from crm.field_types import FIELD_TYPES, BadValue, FieldSpec, make_spec
from crm.field_types.conversion import CONVERSIONS, convert, item_kind, refusal
from tests.kit.examples import thorough

ID = "65a1b2c3d4e5f60718293a4b"
OPTIONS = [{"label": "Red", "value": "red"}, {"label": "7", "value": "7"}, {"label": "Yes", "value": "true"}]
SAMPLES: list[Any] = [
    *(
        "red",
        "7",
        7,
        7.5,
        0,
        True,
        False,
        "2026-01-31",
        "2026-01-31T10:00:00Z",
        ID,
        [ID],
        "ann@example.com",
        "+491701234567",
        "x.de",
    ),
    *(
        ["red"],
        ["red", "7"],
        [7],
        [True, "a"],
        {"a": 1},
        [{"a": 1}],
        " ",
        "red; 7",
        "a\nb",
        '{"a": 2}',
        '["red"]',
        [[1]],
    ),
]
PAIRS = [(field.name, value) for field in FIELD_TYPES.values() for value in field.value_types]


def spec(field_type: str, value_type: str, **values: Any) -> FieldSpec:
    return make_spec(key="k", name="k", field_type=field_type, value_type=value_type, **{"options": OPTIONS, **values})


def stored(field: FieldSpec, values: list[Any]) -> list[Any]:
    found = []
    for value in values:
        try:
            found.append(field.clean(value))
        except BadValue:
            continue
    return [value for value in found if value is not None]


def keeps_the_contract(value: Any, old: FieldSpec, new: FieldSpec) -> bool:
    """Tell whether the value could be converted, after checking that the new field stores the result as it is, typed
    rows and all."""
    try:
        made = convert(value, old, new)
    except BadValue:
        return False
    assert refusal(old, new) == ""
    if made is not None:
        again = new.clean(made)
        assert again == made
        assert type(again) is type(made)
        assert new.many or new.value_type.name == "any" or len(new.index_rows(made)) <= 1
    return True


@pytest.mark.parametrize(("field_type", "value_type"), PAIRS)
def test_every_pair_of_types_keeps_the_contract(field_type: str, value_type: str) -> None:
    old = spec(field_type, value_type)
    values = stored(old, SAMPLES)
    assert values
    reached = set()
    for target in PAIRS:
        new = spec(*target)
        converted = [keeps_the_contract(value, old, new) for value in values]
        assert not (refusal(old, new) and any(converted))
        if any(converted):
            reached.add(target)
    assert (field_type, value_type) in reached
    assert all(convert(value, old, old) == value for value in values if value != " ")


def test_the_table_names_kinds_that_there_are() -> None:
    kinds = {item_kind(spec(*pair)) for pair in PAIRS}
    assert set(CONVERSIONS) == kinds | {"object"}
    assert {kind for row in CONVERSIONS.values() for kind in row} <= set(CONVERSIONS)
    assert all(kind in row and "any" in row for kind, row in CONVERSIONS.items())


@pytest.mark.parametrize(
    ("old", "new", "value", "made"),
    [
        (("text", "string"), ("number", "number"), " 1,234.5 ", 1234.5),
        (("text", "string"), ("number", "number"), "  ", None),
        (("text", "string"), ("checkbox", "boolean"), "Yes", True),
        (("text", "string"), ("date", "date"), "31.01.2026", "2026-01-31"),
        (("text", "string"), ("textarea", "string"), "  a ", "  a "),
        (("text", "string"), ("select", "string"), "Red", "red"),
        (("text", "string"), ("select", "number"), "7", 7),
        (("text", "string"), ("multi-select", "array"), "Red; 7", ["red", "7"]),
        (("text", "string"), ("multi-select", "number"), "7", [7]),
        (("text", "string"), ("text", "object"), '{"a": 2}', {"a": 2}),
        (("text", "string"), ("email", "string"), "Ann@EXAMPLE.com", "Ann@example.com"),
        (("text", "string"), ("phone", "string"), "+49 170 1234567", "+491701234567"),
        (("text", "string"), ("url", "string"), "example.com", "https://example.com"),
        (("number", "number"), ("text", "string"), 7, "7"),
        (("number", "number"), ("text", "string"), 7.5, "7.5"),
        (("number", "number"), ("checkbox", "boolean"), 1, True),
        (("number", "number"), ("select", "string"), 7, "7"),
        (("number", "number"), ("multi-select", "number"), 7, [7]),
        (("checkbox", "boolean"), ("number", "number"), False, 0),
        (("checkbox", "boolean"), ("text", "string"), True, "true"),
        (("date", "date"), ("text", "string"), "2026-01-31", "2026-01-31"),
        (("multi-select", "array"), ("text", "string"), ["red", "7"], "red; 7"),
        (("multi-select", "array"), ("select", "string"), ["red"], "red"),
        (("multi-select", "array"), ("multi-select", "number"), ["7"], [7]),
        (("text", "object"), ("textarea", "string"), {"a": 1}, '{"a":1}'),
        (("text", "any"), ("number", "number"), "5", 5),
        (("text", "any"), ("text", "string"), True, "true"),
        (("text", "any"), ("text", "array"), ["a", 1], ["a", 1]),
        (("select", "member"), ("multi-select", "member"), ID, [ID]),
        (("file", "array"), ("file", "file"), [ID], ID),
        (("text", "string"), ("text", "any"), "a", "a"),
    ],
)
def test_what_a_value_becomes(old: tuple[str, str], new: tuple[str, str], value: Any, made: Any) -> None:
    found = convert(value, spec(*old), spec(*new))
    assert found == made
    assert type(found) is type(made)


@pytest.mark.parametrize(
    ("old", "new", "value", "reason"),
    [
        (("text", "string"), ("number", "number"), "ten", "ten is not a number"),
        (("text", "string"), ("date", "date"), "03/04/2026", "may be day and month or month and day"),
        (("text", "string"), ("select", "string"), "green", "green is not an option"),
        (("number", "number"), ("checkbox", "boolean"), 2, "enter 1 or 0"),
        (("number", "number"), ("date", "date"), 2, "no number can become a date"),
        (("date", "date"), ("number", "number"), "2026-01-31", "no date can become a number"),
        (("text", "string"), ("select", "member"), ID, "a member is chosen among the company's own"),
        (("select", "member"), ("text", "string"), ID, "says nothing as another value"),
        (("file", "file"), ("select", "member"), ID, "a member is chosen"),
        (("multi-select", "array"), ("select", "string"), ["red", "7"], "has 2 values, and the field is to hold one"),
        (("text", "any"), ("date", "date"), 5, "enter a date, not 5"),
        (("text", "any"), ("text", "string"), [["a"]], "enter a string, not an array"),
        (("textarea", "string"), ("text", "string"), "x" * 5001, "Enter at most 5,000."),
    ],
)
def test_what_cannot_be_converted(old: tuple[str, str], new: tuple[str, str], value: Any, reason: str) -> None:
    with pytest.raises(BadValue, match=reason):
        convert(value, spec(*old), spec(*new))


def child(name: str, value_type: str = "string", **values: Any) -> dict[str, Any]:
    more = {
        "description": "",
        "placeholder": "",
        "helper": "",
        "required": False,
        "defaultValue": None,
        "options": [],
        "children": [],
    }
    return {
        **more,
        "name": name,
        "fieldType": "number" if value_type == "number" else "text",
        "valueType": value_type,
        **values,
    }


def test_children_decide_what_fits_into_an_object() -> None:
    free, strict = spec("text", "object"), spec("text", "object", children=[child("sku"), child("count", "number")])
    assert convert({"sku": "a", "count": 2}, free, strict) == {"sku": "a", "count": 2}
    with pytest.raises(BadValue, match="'size' is unknown"):
        convert({"size": 1}, free, strict)
    assert convert({"sku": "a"}, strict, free) == {"sku": "a"}
    lines = spec("text", "array", children=[child("sku")])
    assert convert({"sku": "a"}, free, lines) == [{"sku": "a"}]
    assert convert([{"sku": "a"}], lines, strict) == {"sku": "a"}
    assert convert('[{"sku": "a"}]', spec("text", "string"), lines) == [{"sku": "a"}]


def test_what_narrows_a_field() -> None:
    choice = spec("select", "string")
    assert not narrows(choice, spec("select", "string", options=[*OPTIONS, {"label": "Blue", "value": "blue"}]))
    assert not narrows(choice, spec("select", "string", options=[{**OPTIONS[0], "label": "Rot"}, *OPTIONS[:0:-1]]))
    assert narrows(choice, spec("select", "string", options=OPTIONS[1:]))
    assert narrows(choice, spec("radio", "string"))
    one, two = spec("text", "object", children=[child("a")]), spec("text", "object", children=[child("a"), child("b")])
    assert not narrows(one, two)
    assert narrows(two, one)
    assert narrows(one, spec("text", "object", children=[child("a", required=True)]))
    assert narrows(one, spec("text", "object", children=[child("a", "number")]))
    assert narrows(one, spec("text", "object", children=[child("a"), child("b", required=True)]))
    assert narrows(spec("text", "object"), one)
    assert not narrows(one, spec("text", "object"))
    assert narrows(spec("text", "array", children=[child("a")]), spec("text", "array"))


SCALARS = st.one_of(
    st.text(max_size=20), st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6), st.booleans(), st.sampled_from(SAMPLES)
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=4), st.dictionaries(st.text(max_size=5), SCALARS, max_size=3))


@settings(max_examples=thorough(400), deadline=None)
@given(st.sampled_from(PAIRS), st.sampled_from(PAIRS), VALUES)
def test_a_converted_value_is_one_of_the_new_field(old: tuple[str, str], new: tuple[str, str], value: Any) -> None:
    before = spec(*old)
    for found in stored(before, [value]):
        keeps_the_contract(found, before, spec(*new))
