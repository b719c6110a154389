"""Conditions of workflow steps: what the forms offer is what the API knows, for every form that has conditions."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from core.web.filters import WITHIN_TIME
from tests.kit.cast import Cast
from tests.kit.examples import walked
from tests.kit.factories import TagFactory
from tests.kit.html import html_of
from tests.kit.html_form import form_data
from tests.web.helpers import enter, text_of
from tests.web.test_step_forms import config_of, draft, settings_in
from tests.workflows.examples import asking_examples, examples
from workflows.nodes.registry import NODE_TYPES


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


@pytest.fixture
def filled(cast: Cast) -> dict[str, dict[str, Any]]:
    """Settings of every type."""
    return {**examples(cast), **asking_examples(cast)}


def trees_of(schema: Any) -> bool:
    """Return whether a form has conditions."""
    return any(setting.get("x-widget") == "tree" for setting, _ in settings_in(schema))


def offered_conditions(html: str) -> dict[str, tuple[list[str], str]]:
    """Return the fields of the page's filter menu, each with its operators and a value that people could enter."""
    menu = html[html.index('id="filter-menu"') :]
    fields: dict[str, tuple[list[str], str]] = {}
    for part in re.findall(r'<details name="filter">(.*?)</details>', menu, re.DOTALL):
        name = re.search(r'name="operator-([^"]+)"', part)
        if name is None:
            button = re.search(r'name="add" value="([^":]+):([^":]+):([^"]*)"', part)
            assert button, part
            fields[button[1]] = ([button[2]], button[3])
            continue
        operators = re.search(r'name="operator-.*?</select>', part, re.DOTALL)
        value = re.search(r'(class="what".*?)(?:</select>|>)', part, re.DOTALL)
        assert operators, part
        assert value, part
        options = re.findall(r'<option value="([^"]+)"', part[value.start() :].partition("</select>")[0])
        kind = re.search(r'type="(\w+)"', value[1])
        typed = {"number": "7", "date": "2026-01-31"}.get(kind[1] if kind else "", "a")
        boxes = re.findall(r'type="checkbox"[^>]* value="([^"]+)"', part)
        if boxes:
            fields[name[1]] = (re.findall(r'<option value="(\w+)"', operators[0]), boxes[0])
            continue
        is_choice = part[: value.start()].rpartition("<")[2].startswith("select")
        fields[name[1]] = (re.findall(r'<option value="(\w+)"', operators[0]), options[0] if is_choice else typed)
    return fields


TREE_FORMS = [
    *((type, "", {"filter": {}}) for type in ("condition", "waitFor")),
    ("loop", "config.filter", {"mode": "while", "filter": {}, "items": None}),
    *(("find", "config.filter", {"panel": panel, "filter": {}}) for panel in ("contact", "lead")),
    ("switch", "config.cases.0.filter", {"cases": [{"id": "a", "filter": {}}]}),
    ("trigger", "config.filter", {}),
    *(("trigger", "schedule.audience.filter", panel) for panel in ("contact", "lead")),
]
"""Forms with conditions: type of the node, path of the conditions, settings (of a schedule: its panel)."""


def test_every_form_with_conditions_is_tried() -> None:
    types = {type for type, one in NODE_TYPES.items() if trees_of(one.schema)}
    assert {type for type, *_ in TREE_FORMS} == {*types, "trigger"}


@pytest.mark.parametrize(("type", "path", "config"), walked(TREE_FORMS))
def test_every_offered_condition_is_one_that_the_api_knows(
    cast: Cast, client: Client, filled: dict[str, Any], type: str, path: str, config: Any
) -> None:
    """Every field of the menu, with every operator: what a form adds is valid and shown again."""
    with cast.scope():
        TagFactory(name="VIP")
    id, place = draft(cast, type, None if type == "trigger" else {**filled.get(type, {}), **config})
    if path.startswith("schedule"):
        audience = {"panel": config, "filter": {}}
        schedule = {"type": "cron", "cron": "0 9 * * *", "audience": audience}
        saved = cast.key.put(f"/workflow/{id}", {"triggerEventType": "schedule", "schedule": schedule})
        assert saved.status == 200, saved.body
    path = path or "config.filter"
    place = f"{place}&tree={path}"
    html = html_of(client.get(place))
    fields = offered_conditions(html)
    assert len(fields) >= 8
    rounds = max(len(operators) for operators, _ in fields.values())
    assert rounds > 7
    for number in range(rounds):
        sent: dict[str, Any] = form_data(html_of(client.get(place)), "step-form")
        before = sent.get("drop", [])
        assert not before
        for name, (operators, value) in fields.items():
            operator = operators[number % len(operators)]
            sent[f"operator-{name}"] = operator
            within = {f"amount-{name}": "7", f"unit-{name}": "days"}
            sent |= within if operator in WITHIN_TIME else {f"value-{name}": value}
        answer = client.post(place, {**sent, "do": "save", "stay": "1"})
        assert answer.status_code == 303, text_of(answer)
        workflow = cast.key.get(f"/workflow/{id}").data
        wrong = [problem for problem in workflow["validation"]["errors"] if problem["path"].startswith(path)]
        assert not wrong, wrong
        page = client.get(place)
        assert "other conditions that stay unchanged" not in text_of(page), workflow["nodes"][-1]["data"]
        chips = re.findall(r'name="drop"\s+value="([^"]*)"', html_of(page))
        assert len(chips) == len(fields), (set(fields), chips)
        again = form_data(html_of(page), "step-form")
        assert (
            client.post(place, {**again, "drop": [unescape(chip) for chip in chips], "do": "save"}).status_code == 303
        )


def test_a_find_step_takes_conditions_of_the_panel_that_is_chosen_with_them(cast: Cast, client: Client) -> None:
    id, place = draft(cast, "find", {"panel": "contact", "filter": {}})
    sent = form_data(html_of(client.get(place)), "step-form")
    added = {"config.panel": "contact", "operator-name": "contains", "value-name": "a", "add": "name"}
    assert client.post(place, {**sent, **added, "do": "save"}).status_code == 303
    condition = {"field": "name", "operator": "contains", "value": "a"}
    assert config_of(cast, id)["filter"]["conditions"] == [condition]
    sent = form_data(html_of(client.get(place)), "step-form")
    changed = {"config.panel": "lead", "operator-notes": "contains", "value-notes": "b", "add": "notes"}
    assert client.post(place, {**sent, **changed, "do": "save"}).status_code == 303
    assert len(config_of(cast, id)["filter"]["conditions"]) == 2
    page = client.get(place)
    assert "other conditions that stay unchanged" in text_of(page)
    sent = form_data(html_of(page), "step-form")
    assert client.post(place, {**sent, "drop": "unshown", "do": "save"}).status_code == 303
    notes = {"field": "notes", "operator": "contains", "value": "b"}
    assert config_of(cast, id)["filter"]["conditions"] == [notes]
