"""Conditions compare the values of a run by what they say, and a step shows what cannot be compared."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from core.errors import NamedError
from tests.kit.cast import Cast, make_cast
from tests.workflows.helpers import edges, node, published, runs, steps, when, work
from workflows.expressions.compile import compile_value
from workflows.expressions.conditions import Subject, compile_conditions
from workflows.expressions.filters import BadNumber
from workflows.models import RunStep

NOW = datetime(2026, 12, 20, 12, tzinfo=UTC)


def verdict(value: Any, operator: str, other: Any) -> tuple[bool, int]:
    """Return whether the comparison holds, and how many warnings it gives."""
    compiled = compile_conditions(when("trigger.payload.x", operator, other), "filter")
    [found] = compiled.judge([Subject({}, {"trigger": {"payload": {"x": value}}})], NOW)
    return found.holds, len(found.warnings)


@pytest.mark.parametrize(
    ("value", "operator", "other", "holds"),
    [
        ("5", "greaterThan", 0, True),
        (" 5 ", "greaterThan", 5, False),
        ("0", "equals", 0, True),
        ("0", "notEquals", 0, False),
        ("5.50", "equals", 5.5, True),
        ("1.234,50", "equals", 1234.5, True),
        ("€ 12", "equals", 12, False),
        ("7", "in", [6, 7], True),
        ("7", "between", [6, 8], True),
        (5, "greaterThan", "4", True),
        (5, "equals", "5", True),
        (5.0, "equals", "5", True),
        ("5.0", "equals", "5", False),  # two texts
        ("05", "equals", "5", False),
        (42, "contains", "4", True),
        (["3", 9], "greaterThan", 8, True),
        (["3", 9], "notIn", [9], False),
        ("true", "equals", True, True),
        ("False", "equals", True, False),
        (True, "equals", "true", True),
        ("2026-12-24", "greaterThan", "2026-12-20", True),
        ("2026-12-20T08:00:00Z", "equals", "2026-12-20", True),
        ("2026-12-19T23:59:00Z", "before", "2026-12-20", True),
        ("2026-12-21", "withinNext", {"amount": 2, "unit": "days"}, True),
        (None, "greaterThan", 0, False),
        (None, "notEquals", 0, True),
        ("", "greaterThan", 0, False),
        ([], "equals", "a", False),
        ("Ann", "equals", "Ann", True),
    ],
)
def test_values_compare_by_what_they_say(value: Any, operator: str, other: Any, holds: bool) -> None:
    assert verdict(value, operator, other) == (holds, 1 if value == "€ 12" else 0)


@pytest.mark.parametrize(
    ("value", "operator", "other", "holds"),
    [
        ("many", "greaterThan", 0, False),
        ("many", "notEquals", 0, True),
        ("1,234", "equals", 1234, False),  # or 1.234
        (True, "greaterThan", 0, False),
        ({"a": 1}, "equals", "a", False),
        ("soon", "before", "2026-12-20", False),
        (20261219, "before", "2026-12-20", False),
        ("yes", "equals", True, False),
    ],
)
def test_what_cannot_be_compared_gives_a_warning(value: Any, operator: str, other: Any, holds: bool) -> None:
    assert verdict(value, operator, other) == (holds, 1)


def test_an_operator_that_fits_no_type_is_refused() -> None:
    with pytest.raises(NamedError, match="does not fit a text"):
        compile_conditions(when("trigger.payload.x", "greaterThan", "many"), "filter")


@pytest.mark.parametrize(
    ("text", "number"),
    [("1.234,50", 1234.5), ("1,234.50", 1234.5), ("1.234", 1.234), (" 12 ", 12), ("12 €", None), ("", None)],
)
def test_numbers_are_read_as_imports_read_them(text: str, number: float | None) -> None:
    scope = {"trigger": {"payload": {"x": text}}}
    if text == "12 €":
        with pytest.raises(BadNumber, match="is an amount in EUR"):
            compile_value("{{ trigger.payload.x | number }}").read(scope)
        return
    assert compile_value("{{ trigger.payload.x | number }}").read(scope) == number


@pytest.mark.parametrize("value", ["many", "1,234", "nan", "1e999", {"a": 1}, [1]])
def test_what_is_no_number_fails(value: Any) -> None:
    scope = {"trigger": {"payload": {"x": value}}}
    for filters in ("number", "add: 1", "round"):
        with pytest.raises(BadNumber):
            compile_value(f"{{{{ trigger.payload.x | {filters} }}}}").read(scope)


@pytest.mark.parametrize("value", ["1,234", "1.234", "12.345", "-5,678"])
def test_no_error_of_a_number_speaks_of_the_options_of_imports(value: str) -> None:
    """1.234 is read as programs write it; what may be two numbers says what an expression can do about it."""
    scope = {"trigger": {"payload": {"x": value}}}
    if "," not in value:
        assert compile_value("{{ trigger.payload.x | number }}").read(scope) == float(value)
        return
    with pytest.raises(BadNumber, match="replace") as refused:
        compile_value("{{ trigger.payload.x | number }}").read(scope)
    assert "decimalMark" not in str(refused.value)
    assert compile_value('{{ trigger.payload.x | replace: ",", "" | number }}').read(scope) == int(
        value.replace(",", "")
    )


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def started(cast: Cast, nodes: list[dict[str, Any]], lines: list[dict[str, Any]], given: dict[str, Any]) -> Any:
    workflow = published(cast, nodes, lines, triggerEventType="manual")
    assert cast.key.post(f"/workflow/{workflow}/enrol", {"withoutRecord": True, "input": given}).status == 201
    work()
    return runs(cast, workflow)[0]


def test_the_step_shows_what_could_not_be_compared(cast: Cast) -> None:
    nodes = [node("c", "condition", {"filter": when("trigger.input.n", "greaterThan", 0)}), node("yes", "stop")]
    run = started(cast, nodes, edges("c:true > yes"), {"n": "many"})
    assert (run.status, steps(cast, run)[-1]) == ("completed", ("c", "done", "false"))
    with cast.scope():
        output = RunStep.objects.get(run=run, node="c").output
    assert output == {"result": False, "warnings": ["trigger.input.n: 'many' cannot be compared as a number"]}
    run = started(cast, nodes, edges("c:true > yes"), {"n": "3"})
    with cast.scope():
        assert RunStep.objects.get(run=run, node="c").output == {"result": True}


def test_a_number_that_cannot_be_read_fails_its_step_by_its_policy(cast: Cast) -> None:
    values = {"values": {"n": "{{ trigger.input.n | number }}"}}
    run = started(cast, [node("a", "set", values)], [], {"n": "1,234"})
    assert (run.status, run.error_code) == ("failed", "badValue")
    run = started(cast, [node("a", "set", values)], [], {"n": "1.234,50"})
    assert (run.status, run.state["vars"]) == ("completed", {"n": 1234.5})
    going = node("a", "set", values, onError={"then": "continue"})
    assert started(cast, [going], [], {"n": "many"}).status == "completed"


def test_a_loop_over_what_is_not_there_has_no_rounds(cast: Cast) -> None:
    nodes = [
        node("l", "loop", {"items": "{{ trigger.input.list }}"}),
        node("each", "set", {"values": {"a": 1}}),
        node("end", "set", {"values": {"done": True}}),
    ]
    lines = edges("l:item > each", "l:done > end")
    for given in ({}, {"list": None}, {"list": []}):
        run = started(cast, nodes, lines, given)
        assert (run.status, run.state["vars"]) == ("completed", {"done": True})
        assert [one[0] for one in steps(cast, run)].count("each") == 0
    run = started(cast, nodes, lines, {"list": "a"})
    assert (run.status, run.error_code) == ("failed", "badValue")


def test_unknown_fields_of_expressions_are_warnings_at_their_step(cast: Cast) -> None:
    field = cast.key.post("/custom-field", {"name": "Plan", "fieldType": "text", "panel": "contact"}).data
    known = [
        "contact.name",
        "contact.firstName",
        f"contact.{field['uniqueFieldID']}",
        "trigger.payload.any",
        "run._id",
        "company.name",
    ]
    unknown = ["contact.nmae", "lead.zork", "trigger.body", "vars.never", "loop.item", "company.city", "run.id"]
    texts = [f"{{{{ {path} }}}}" for path in (*known, *unknown)]
    values = {f"v{place}": text for place, text in enumerate(texts)}
    body = {
        "name": "Fields",
        "triggerEventType": "manual",
        "nodes": [node("a", "set", {"values": values})],
        "edges": [],
    }
    validation = cast.key.post("/workflow", body).data["validation"]
    assert validation["errors"] == []
    found = [one for one in validation["warnings"] if one["code"] == "unknownField"]
    assert {(one["nodeId"], one["path"]) for one in found} == {("a", "config.values")}
    assert sorted(one["message"] for one in found) == [
        "loop.item is empty, since the step is in no loop",
        "there is no company.city, so it is empty",
        "there is no contact.nmae, so it is empty; did you mean contact.name?",
        "there is no lead.zork, so it is empty",
        "there is no run.id, so it is empty; did you mean run._id?",
        "there is no trigger.body, so it is empty",
        "vars.never is empty, since no step sets it",
    ]


def test_parts_of_values_without_parts_are_warnings(cast: Cast) -> None:
    """A path of any length warns at the first key that leads to nothing, and only there."""

    def field(name: str, **values: Any) -> str:
        return str(cast.key.post("/custom-field", {"name": name, "panel": "contact", **values}).data["uniqueFieldID"])

    options = [{"label": "Red", "value": "red"}]
    plan = field("Plan", fieldType="text")
    colors = field("Colors", fieldType="multi-select", options=options)
    anything = field("Any", fieldType="text", valueType="any")
    size = field(
        "Size",
        fieldType="text",
        valueType="object",
        children=[{"name": "width", "fieldType": "number", "valueType": "number"}],
    )
    known = [
        f"contact.{plan}",
        f"contact.{colors}.0",
        f"contact.{anything}.any.thing",
        f"contact.{size}.width",
        "trigger.payload.a.b.c",
        "trigger.input.a",
        "steps.b.error.code",
        "steps.b.records.0.name",
        "vars.v0.part",
        "now",
    ]
    unknown = [
        *("contact.category.name", "contact.name.first", "contact.firstName.x.y", "lead.contact.name", "now.nope"),
        *(f"contact.{size}.widht", f"contact.{size}.width.x"),
        *(f"contact.{plan}.x", f"contact.{colors}.red", f"contact.{colors}.0.x", "trigger.kind.x", "run.workflow.name"),
        *("company.timezone.offset", "steps.b.count.x"),
    ]
    texts = [f"{{{{ {path} }}}}" for path in (*known, *unknown)]
    body = {
        "name": "Parts",
        "triggerEventType": "manual",
        "nodes": [
            node("b", "find", {"panel": "contact", "filter": when("name", "equals", "Ann")}),
            node("a", "set", {"values": {f"v{place}": text for place, text in enumerate(texts)}}),
        ],
        "edges": edges("b:found > a"),
    }
    validation = cast.key.post("/workflow", body).data["validation"]
    found = [one for one in validation["warnings"] if one["code"] == "unknownField"]
    assert (validation["errors"], {one["nodeId"] for one in found}) == ([], {"a"})
    single = "is a single value without parts"
    assert sorted(one["message"] for one in found) == sorted(
        [
            f"contact.category.name is empty, since contact.category {single}",
            f"contact.name.first is empty, since contact.name {single}",
            f"contact.firstName.x.y is empty, since contact.firstName {single}",
            f"lead.contact.name is empty, since lead.contact {single}",
            f"now.nope is empty, since now {single}",
            f"there is no contact.{size}.widht, so it is empty; did you mean contact.{size}.width?",
            f"contact.{size}.width.x is empty, since contact.{size}.width {single}",
            f"contact.{plan}.x is empty, since contact.{plan} {single}",
            f"contact.{colors}.red is empty: contact.{colors} is a list, whose first item is contact.{colors}.0",
            f"contact.{colors}.0.x is empty, since contact.{colors}.0 {single}",
            f"trigger.kind.x is empty, since trigger.kind {single}",
            f"run.workflow.name is empty, since run.workflow {single}",
            f"company.timezone.offset is empty, since company.timezone {single}",
            f"steps.b.count.x is empty, since steps.b.count {single}",
        ]
    )


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        ({"id": 5}, "nodes[0].id"),
        ({"id": True}, "nodes[0].id"),
        ({"id": None}, "nodes[0].id"),
        ({"id": ["a"]}, "nodes[0].id"),
        ({"type": 0}, "nodes[0].type"),
        ({"data": []}, "nodes[0].data"),
        ({"data": {"label": 0}}, "nodes[0].data.label"),
    ],
)
def test_parts_of_nodes_of_another_type_are_refused(cast: Cast, broken: dict[str, Any], place: str) -> None:
    body = {"name": "Odd", "triggerEventType": "manual", "nodes": [{**node("a", "stop"), **broken}], "edges": []}
    answer = cast.key.post("/workflow", body)
    assert (answer.status, place in str(answer.body)) == (400, True), answer.body


@pytest.mark.parametrize(
    ("broken", "place"),
    [({"id": 5}, "id"), ({"source": 1}, "source"), ({"sourceHandle": 0}, "sourceHandle"), ({"label": 1}, "label")],
)
def test_parts_of_edges_of_another_type_are_refused(cast: Cast, broken: dict[str, Any], place: str) -> None:
    line = {**edges("a > b")[0], **broken}
    nodes = [node("a", "set", {"values": {"a": 1}}), node("b", "stop")]
    answer = cast.key.post("/workflow", {"name": "Odd", "triggerEventType": "manual", "nodes": nodes, "edges": [line]})
    assert (answer.status, f"edges[0].{place}" in str(answer.body)) == (400, True), answer.body
