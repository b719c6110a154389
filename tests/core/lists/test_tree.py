"""Filters: each operator, and that SQL and Python agree on every tree."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import InvalidFormat, NamedError
from core.lists import tree
from core.lists.operators import OPERATORS, RELATIVE, shift
from core.lists.values import upper_text
from tests.core.lists.app.models import Label, Person, PersonValue, Team
from tests.core.lists.helpers import COLUMNS, FIELDS, FLAG_FIELD, NOW, NUMBER_FIELD, TEXT_FIELD, TIME_FIELD, person
from tests.kit.examples import thorough

pytestmark = pytest.mark.django_db


def matching(*conditions: tuple[str, str, Any] | dict[str, Any], operator: str = "and") -> list[str]:
    """Return the names of the people that the tree finds, sorted."""
    nodes = [c if isinstance(c, dict) else {"field": c[0], "operator": c[1], "value": c[2]} for c in conditions]
    found = tree.parse({"operator": operator, "conditions": nodes})
    queryset = Person.objects.filter(tree.compile(found, FIELDS, now=NOW))
    assert sorted(p.name for p in Person.objects.all() if tree.evaluate(found, record(p), FIELDS, now=NOW)) == sorted(
        p.name for p in queryset
    )
    return sorted(p.name for p in queryset)


def record(p: Person) -> dict[str, Any]:
    """Return the person as `evaluate` takes it."""
    values = {
        value.field_id: getattr(value, COLUMNS[value.field_id][0]) for value in PersonValue.objects.filter(person=p)
    }
    if FLAG_FIELD in values:
        values[FLAG_FIELD] = bool(values[FLAG_FIELD])
    return {
        "_id": p.id,
        "name": p.name,
        "createdAt": p.created_at,
        "email": p.email,
        "age": p.age,
        "score": p.score,
        "weight": p.weight,
        "doubled": None if p.age is None else p.age * 2,
        "active": p.active,
        "born": p.born,
        "team": p.team_id,
        "team.name": p.team.name if p.team else None,
        "labels": [label.id for label in p.labels.all()],
        "labels.name": [label.name for label in p.labels.all()],
        **values,
    }


def refusal(raw: Any) -> str:
    with pytest.raises(NamedError) as error:
        tree.compile(tree.parse(raw), FIELDS, now=NOW)
    assert error.value.name == "InvalidRequest_400"
    return error.value.detail


def one(field: str, operator: str, value: Any = None) -> dict[str, Any]:
    return {"operator": "and", "conditions": [{"field": field, "operator": operator, "value": value}]}


@pytest.mark.parametrize(
    ("field", "operator", "value", "expected"),
    [
        ("email", "contains", "EXAMPLE", ["Ann", "Bob"]),
        ("email", "notContains", "bob", ["Ann", "Empty", "None"]),
        ("email", "startsWith", "ann", ["Ann"]),
        ("email", "endsWith", ".ORG", ["Bob"]),
        ("email", "equals", "ann@EXAMPLE.com", ["Ann"]),
        ("email", "isEmpty", None, ["Empty", "None"]),
        ("email", "isNotEmpty", None, ["Ann", "Bob"]),
        ("email", "equals", None, ["Empty", "None"]),
        ("email", "in", [None, "bob@example.org"], ["Bob", "Empty", "None"]),
        ("email", "notIn", [None, "bob@example.org"], ["Ann"]),
        ("name", "equals", "ann", []),
        ("name", "equals", "Ann", ["Ann"]),
        ("name", "in", ["Ann", "Bob", "bob"], ["Ann", "Bob"]),
        ("age", "equals", 30, ["Ann"]),
        ("age", "notEquals", 30, ["Bob", "Empty", "None"]),
        ("age", "greaterThan", 30, ["Bob"]),
        ("age", "greaterThanOrEqual", 29.5, ["Ann", "Bob"]),
        ("age", "lessThan", 40, ["Ann"]),
        ("age", "lessThanOrEqual", 40, ["Ann", "Bob"]),
        ("age", "between", [30, 39.9], ["Ann"]),
        ("age", "lessThan", 10**299, ["Ann", "Bob"]),
        ("weight", "equals", 70.1, ["Ann"]),
        ("weight", "lessThan", 1e299, ["Ann"]),
        ("doubled", "equals", 60, ["Ann"]),
        ("active", "equals", True, ["Ann"]),
        ("active", "notEquals", True, ["Bob", "Empty", "None"]),
        ("active", "in", [False, None], ["Bob", "Empty", "None"]),
        ("born", "equals", "2000-01-31", ["Ann"]),
        ("born", "equals", "2000-01-31T23:59:59.999Z", ["Ann"]),
        ("born", "equals", "2000-01-31T23:59:59.999999Z", ["Ann"]),
        ("born", "equals", "2000-01-31T23:59:59.999998Z", []),
        ("born", "equals", "2000-02-01T00:59:59.999+01:00", ["Ann"]),
        ("born", "after", "2000-01-31", ["Bob"]),
        ("born", "before", "2000-01-31", []),
        ("born", "lessThanOrEqual", "2000-01-31", ["Ann"]),
        ("born", "between", ["2000-01-31", "2000-02-01"], ["Ann", "Bob"]),
        ("born", "after", "9999-12-31", []),
        ("born", "lessThanOrEqual", "9999-12-31", ["Ann", "Bob"]),
        ("createdAt", "withinLast", {"amount": 1, "unit": "days"}, ["Ann", "Bob", "Empty", "None"]),
        ("createdAt", "withinNext", {"amount": 1, "unit": "minutes"}, ["Ann", "Bob", "Empty", "None"]),
        ("born", "withinLast", {"amount": 12, "unit": "months"}, []),
        ("born", "withinLast", {"amount": 30, "unit": "years"}, ["Ann", "Bob"]),
        ("born", "notWithinLast", {"amount": 12, "unit": "months"}, ["Ann", "Bob", "Empty", "None"]),
        ("born", "notWithinLast", {"amount": 30, "unit": "years"}, ["Empty", "None"]),
        ("createdAt", "notWithinLast", {"amount": 1, "unit": "days"}, []),
        (TIME_FIELD, "notWithinLast", {"amount": 30, "unit": "years"}, ["Ann", "Empty", "None"]),
        ("team.name", "equals", "Sales", ["Ann"]),
        ("team.name", "notEquals", "Sales", ["Bob", "Empty", "None"]),
        ("team.name", "isEmpty", None, ["Empty", "None"]),
        ("labels.name", "equals", "hot", ["Ann"]),
        ("labels.name", "notContains", "O", ["Bob", "Empty", "None"]),
        ("labels.name", "isEmpty", None, ["Empty", "None"]),
        ("labels.name", "in", ["hot", None], ["Ann", "Empty", "None"]),
        (NUMBER_FIELD, "greaterThan", 1.5, ["Ann"]),
        (NUMBER_FIELD, "notEquals", 2, ["Bob", "Empty", "None"]),
        (NUMBER_FIELD, "isEmpty", None, ["Empty", "None"]),
        (TEXT_FIELD, "contains", "STRASS", ["Ann"]),
        (TEXT_FIELD, "contains", "STRAßE", ["Ann"]),
        (TIME_FIELD, "before", "2026-01-01", ["Bob"]),
        (FLAG_FIELD, "equals", True, ["Ann"]),
        (FLAG_FIELD, "notIn", [True, None], ["Bob"]),
    ],
)
def test_operator(field: str, operator: str, value: Any, expected: list[str]) -> None:
    sales, support = Team.objects.create(name="Sales"), Team.objects.create(name="Support")
    hot, old, vip = (Label.objects.create(name=name) for name in ("hot", "old", "vip"))
    person(
        "Ann", email="Ann@example.com", age=30, weight=70.1, active=True, team=sales, labels=[hot, old],
        born=datetime(2000, 1, 31, 23, 59, 59, 999999, tzinfo=UTC), **{NUMBER_FIELD: 2, TEXT_FIELD: "Straße 5",
        FLAG_FIELD: True},
    )  # fmt: skip
    person(
        "Bob", email="bob@example.org", age=40, active=False, team=support, labels=[vip],
        born=datetime(2000, 2, 1, tzinfo=UTC),
        **{FLAG_FIELD: False, NUMBER_FIELD: Decimal("1.5"), TIME_FIELD: datetime(2025, 12, 31, 23, tzinfo=UTC)},
    )  # fmt: skip
    person("Empty", email="")
    person("None")
    assert matching((field, operator, value)) == expected


def test_wildcards_are_text() -> None:
    for name in ("50%", "500", "a_b", "axb", "back\\slash"):
        person(name)
    assert matching(("name", "contains", "0%")) == ["50%"]
    assert matching(("name", "contains", "_")) == ["a_b"]
    assert matching(("name", "contains", "k\\s")) == ["back\\slash"]


def test_texts_are_compared_without_case_and_accents() -> None:
    for name in ("ß", "ẞ", "ss", "ı", "i", "İ", "é", "É", "e\u0301"):
        person(name)
    found = {text: matching(("name", "contains", text)) for text in ("ß", "ẞ", "sS", "I", "e", "é")}
    assert found["ß"] == found["ẞ"] == found["sS"] == ["ss", "ß", "ẞ"]
    assert found["I"] == ["i", "İ", "ı"]
    assert found["e"] == found["é"] == ["e\u0301", "É", "é"]
    assert matching(("name", "startsWith", "E")) == matching(("name", "endsWith", "E")) == found["e"]
    assert matching(("name", "notContains", "e")) == ["i", "ss", "ß", "İ", "ı", "ẞ"]
    assert matching(("name", "equals", "é")) == ["é"]


def test_an_accent_alone_is_no_text_to_look_for() -> None:
    for operator in ("contains", "startsWith"):
        assert "accents alone" in refusal({"field": "name", "operator": operator, "value": "\u0301"})


def test_groups_nest() -> None:
    for name, age in (("Ann", 30), ("Bob", 40), ("Cid", 50)):
        person(name, age=age)
    inner = {"operator": "or", "conditions": [{"field": "age", "operator": "equals", "value": age} for age in (30, 40)]}
    assert matching(inner, ("name", "notEquals", "Bob")) == ["Ann"]
    assert matching(inner, ("name", "equals", "Cid"), operator="or") == ["Ann", "Bob", "Cid"]
    assert matching({"operator": "and", "conditions": []}, ("name", "equals", "Cid")) == ["Cid"]
    assert matching({"operator": "and", "conditions": []}, ("name", "equals", "Cid"), operator="or") == [
        "Ann",
        "Bob",
        "Cid",
    ]


def test_a_lone_condition_is_a_tree() -> None:
    person("Ann")
    lone = tree.parse('{"field": "name", "operator": "equals", "value": "Ann"}')
    assert Person.objects.filter(tree.compile(lone, FIELDS)).count() == 1
    assert tree.parse(tree.tree_to_json(lone)) == lone


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (one("nope", "equals", 1), "advancedFilters: the field 'nope' is unknown; fields to filter by: _id, name"),
        (one("hidden", "equals", "x"), "advancedFilters: the field 'hidden' is not one to filter by"),
        (one("age", "contains", "3"),
         "advancedFilters: field 'age': the operator 'contains' does not fit a number; allowed: equals"),
        (one("age", "equals", "30"), "advancedFilters: field 'age': needs a number, got '30'"),
        (one("age", "equals", True), "advancedFilters: field 'age': needs a number, got true"),
        (one("age", "equals", 10**400), "advancedFilters: field 'age': the number is out of range"),
        (one("age", "equals", 1e-320), "advancedFilters: field 'age': the number is out of range"),
        (one("name", "equals", 3), "advancedFilters: field 'name': needs a text, got 3"),
        (one("name", "contains", ""), "advancedFilters: field 'name': contains needs a text that is not empty"),
        (one("name", "contains", None), "advancedFilters: field 'name': needs a text, got null"),
        (one("name", "equals", "a\0b"), "advancedFilters: field 'name': the text holds a NUL character"),
        (one("name", "equals", "\ud800"), "advancedFilters: field 'name': the text is not valid Unicode"),
        (one("name", "equals", "x" * 10_001), "advancedFilters: field 'name': the text is 10001 characters long"),
        (one("name", "in", "Ann"), "advancedFilters: field 'name': needs an array of values"),
        (one("name", "in", []), "advancedFilters: field 'name': needs 1 to 1000 values, got 0"),
        (one("active", "equals", "true"), "advancedFilters: field 'active': needs true or false, got 'true'"),
        (one("born", "after", "soon"), "advancedFilters: field 'born': needs a date such as"),
        (one("born", "after", "0001-01-01T00:00:00+10:00"), "advancedFilters: field 'born': needs a date such as"),
        (one("born", "between", ["2026-01-02", "2026-01-01"]),
         "advancedFilters: field 'born': between needs the lower value first"),
        (one("born", "between", ["2026-01-02"]), "advancedFilters: field 'born': between needs an array of two values"),
        (one("born", "withinLast", 7),
         'advancedFilters: field \'born\': withinLast needs {"amount": 7, "unit": "days"}'),
        (one("born", "notWithinLast", 7),
         'advancedFilters: field \'born\': notWithinLast needs {"amount": 7, "unit": "days"}'),
        (one("born", "withinLast", {"amount": 0, "unit": "days"}), "advancedFilters: field 'born': withinLast needs"),
        (one("born", "withinLast", {"amount": 1, "unit": []}), "advancedFilters: field 'born': withinLast needs"),
        (one("born", "withinLast", {"amount": 9999, "unit": "years"}),
         "advancedFilters: field 'born': withinLast 9999 years leaves"),
        ('{"operator":', "advancedFilters: is not JSON"),
        ('{"operator": "and", "conditions": [NaN]}', "advancedFilters: is not JSON (NaN is no JSON number)"),
        ("[" * 100_000, "advancedFilters: is not JSON"),
        ("[]", "advancedFilters: needs an object such as"),
        ({"operator": "xor", "conditions": []}, "advancedFilters: the operator of a group is and or or, not 'xor'"),
        ({"operator": [], "conditions": []}, "advancedFilters: the operator of a group is and or or, not '[]'"),
        ({"operator": "and"}, "advancedFilters: conditions needs to be an array"),
        ({"operator": "and", "conditions": [], "x": 1},
         "advancedFilters: the key 'x' is unknown; allowed: conditions, operator"),
        ({"conditions": [{"field": "name"}]}, "advancedFilters.conditions[0]: a condition needs field and operator"),
        ({"conditions": [{"field": 3, "operator": "equals"}]},
         "advancedFilters.conditions[0]: a condition needs field and operator"),
        ({"conditions": [3]}, "advancedFilters.conditions[0]: needs an object such as"),
        ({"conditions": [{"conditions": [{"field": "name"}] * 30}] * 2},
         "advancedFilters.conditions[0].conditions[0]: a condition needs"),
        (
            {"conditions": [{"conditions": [{"field": "name", "operator": "isEmpty"}] * 30}] * 2},
            "advancedFilters: has 60 conditions, at most 50 are allowed",
        ),
    ],
)  # fmt: skip
def test_refusal_names_parameter_and_field(raw: Any, expected: str) -> None:
    assert refusal(raw).startswith(expected)


def test_malformed_id_in_a_filter() -> None:
    with pytest.raises(InvalidFormat) as error:
        tree.compile(tree.parse(one("team", "equals", "12")), FIELDS)
    assert error.value.message == "Invalid format for field team: 12"


def test_depth_is_limited() -> None:
    def nested(depth: int) -> dict[str, Any]:
        return {"operator": "and", "conditions": [nested(depth - 1)] if depth > 1 else []}

    assert tree.parse(nested(5)).operator == "and"
    assert refusal(nested(6)).startswith("advancedFilters: is nested too deeply, at most 5")


def test_months_and_years_end_on_their_last_day() -> None:
    assert shift(NOW, -1, "months") == datetime(2026, 2, 28, 12, tzinfo=UTC)
    assert shift(datetime(2024, 2, 29, tzinfo=UTC), 1, "years") == datetime(2025, 2, 28, tzinfo=UTC)
    assert shift(NOW, 1, "weeks") == NOW + timedelta(days=7)


def test_capitals_as_in_the_database() -> None:
    """Every character whose upper case Python and PostgreSQL both know folds the same."""
    points = [point for point in range(1, 0x110000) if not 0xD800 <= point <= 0xDFFF]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p, upper(chr(p)) FROM (SELECT p FROM generate_series(1, 1114111) AS p WHERE p NOT BETWEEN 55296"
            " AND 57343 OFFSET 0) "
            "AS points WHERE upper(chr(p)) <> chr(p)"
        )
        upper = dict(cursor.fetchall())
    assert len(upper) > 1300
    differing = [point for point in points if upper_text(chr(point)) != upper.get(point, chr(point))]
    assert [point for point in differing if upper_text(chr(point)) != chr(point)] == []
    assert len(differing) < 100


LETTERS = st.text(alphabet=st.sampled_from("aAbßẞéÉ%_\\'\"iıİ😀 "), max_size=4)
NUMBERS = st.one_of(st.integers(-3, 3), st.decimals(-3, 3, places=1), st.sampled_from([0.5, 2**40]))
MOMENTS = st.builds(
    lambda hours, micros: NOW + timedelta(hours=hours, microseconds=micros),
    st.integers(-72, 72),
    st.sampled_from([0, 1, 999]),
)
DATES = MOMENTS.flatmap(
    lambda m: st.sampled_from([m.isoformat(), m.date().isoformat(), m.isoformat(timespec="milliseconds")])
)
LENGTHS = st.fixed_dictionaries(
    {"amount": st.integers(1, 50), "unit": st.sampled_from(["minutes", "hours", "days", "months"])}
)
BY_KIND: dict[str, tuple[list[str], st.SearchStrategy[Any]]] = {
    "text": (["name", "email", "team.name", "labels.name", TEXT_FIELD], LETTERS),
    "number": (["age", "score", "doubled", NUMBER_FIELD], NUMBERS),
    "boolean": (["active", FLAG_FIELD], st.booleans()),
    "date": (["born", "createdAt", TIME_FIELD], DATES),
}


@st.composite
def conditions(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(sorted(BY_KIND)))
    fields, values = BY_KIND[kind]
    operator = draw(st.sampled_from(OPERATORS[kind]))
    value: Any = None
    if operator in ("equals", "notEquals"):
        value = draw(st.none() | values)
    elif operator in ("in", "notIn"):
        value = draw(st.lists(st.none() | values, min_size=1, max_size=3))
    elif operator == "between":
        low, high = draw(values), draw(values)
        value = sorted([low, high]) if kind == "number" else sorted([low[:10], high[:10]])
    elif operator in RELATIVE:
        value = draw(LENGTHS)
    elif operator not in ("isEmpty", "isNotEmpty"):
        value = draw(values.filter(bool) if kind == "text" else values)
    return {"field": draw(st.sampled_from(fields)), "operator": operator, "value": value}


def groups(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"operator": st.just("and"), "conditions": st.lists(children, max_size=3)}
    ) | st.fixed_dictionaries({"operator": st.just("or"), "conditions": st.lists(children, min_size=1, max_size=3)})


TREES = groups(conditions() | groups(conditions() | groups(conditions())))
PEOPLE = st.lists(
    st.fixed_dictionaries(
        {"name": LETTERS},
        optional={
            "email": LETTERS, "age": st.integers(-3, 3), "score": st.decimals(-3, 3, places=1),
            "active": st.booleans(), "born": MOMENTS,
            "team": LETTERS, "labels": st.lists(LETTERS, max_size=2, unique=True),
            TEXT_FIELD: LETTERS, FLAG_FIELD: st.booleans(), NUMBER_FIELD: st.decimals(-3, 3, places=1),
            TIME_FIELD: MOMENTS,
        },
    ),
    min_size=1, max_size=6,
)  # fmt: skip


EMPTY: dict[str, Any] = {"operator": "and", "conditions": []}


@pytest.mark.parametrize(("around", "empty"), [("and", []), ("and", [EMPTY]), ("or", [EMPTY])])
def test_a_group_of_nothing_holds_for_every_record_at_any_depth(around: str, empty: list[dict[str, Any]]) -> None:
    somebody = person(name="Ann")
    inner = {"operator": around, "conditions": empty}
    whole = tree.parse(
        {"operator": "or", "conditions": [{"field": "name", "operator": "equals", "value": "Bob"}, inner]}
    )
    assert list(Person.objects.filter(tree.compile(whole, FIELDS, now=NOW))) == [somebody]
    assert tree.evaluate(whole, record(somebody), FIELDS, now=NOW)


@settings(
    max_examples=thorough(80),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(people=PEOPLE, trees=st.lists(TREES, min_size=1, max_size=4))
def test_sql_and_python_agree(people: list[dict[str, Any]], trees: list[dict[str, Any]]) -> None:
    Person.objects.all().delete()
    for values in people:
        made = dict(values)
        if "team" in made:
            made["team"] = Team.objects.create(name=made["team"])
        made["labels"] = [Label.objects.create(name=name) for name in made.get("labels", ())]
        person(**made)
    everyone = {p.id: record(p) for p in Person.objects.select_related("team").prefetch_related("labels")}
    for raw in trees:
        found = tree.parse(raw)
        by_sql = set(Person.objects.filter(tree.compile(found, FIELDS, now=NOW)).values_list("id", flat=True))
        assert by_sql == {key for key, values in everyone.items() if tree.evaluate(found, values, FIELDS, now=NOW)}
