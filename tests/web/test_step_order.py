"""The order of a step's settings, and the links of problems to the fields that fix them."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter
from tests.web.test_workflows import made
from tests.workflows.helpers import edges, node
from workflows.nodes.registry import NODE_TYPES


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def parts_of(html: str) -> tuple[list[str], list[str], bool]:
    """Return the settings that a step shows first, those under Advanced, and whether these are open."""
    main, advanced, rest = re.split(r"<details( open)?><summary>Advanced</summary>", html)
    folded = rest.partition("</details>")[0]
    return re.findall(r'id="at-config\.(\w+)"', main), re.findall(r'id="at-config\.(\w+)"', folded), bool(advanced)


def test_a_mail_step_begins_with_its_subject(cast: Cast, client: Client) -> None:
    _, place = made(cast, node("s", "mail", {"subject": "Hi", "body": "Come"}), lines=("trigger > s",))
    shown = parts_of(html_of(client.get(f"{place}/step?node=s")))
    assert shown == (["subject", "body", "senders", "template", "variables"], ["to", "draft", "goOn"], False)


def test_changed_settings_are_not_hidden(cast: Cast, client: Client) -> None:
    config = {"subject": "Hi", "body": "Come", "draft": True}
    _, place = made(cast, node("s", "mail", config), lines=("trigger > s",))
    assert parts_of(html_of(client.get(f"{place}/step?node=s")))[2]


@pytest.mark.parametrize("type", [name for name, type in NODE_TYPES.items() if type.config.main])
def test_the_main_settings_are_settings_and_no_needed_one_is_folded(type: str) -> None:
    config = NODE_TYPES[type].config
    fields = {field.alias or name: field for name, field in config.model_fields.items()}
    needed = {name for name, field in fields.items() if field.is_required()}
    assert needed <= {*config.main} <= fields.keys()


def test_each_problem_leads_to_a_field_that_exists(cast: Cast, client: Client) -> None:
    nodes = [
        node("trigger", "trigger"),
        node("wait", "wait", {}),
        node("mail", "mail", {}),
        node("team", "assign", {}),
        node("ask", "approval", {"text": "May we?"}),
        node("new", "contact", {"action": "create"}),
        node("lost", "note", {"notes": "x"}),
        node("call", "http", {"url": "x"}),
    ]
    lines = edges("trigger > wait", "wait > mail", "mail > team", "team > ask", "new > call")
    body = {"name": "All wrong", "triggerEventType": "schedule", "nodes": nodes, "edges": lines}
    id = cast.key.post("/workflow", body).data["_id"]
    place = at(cast.owner, f"workflows/{id}")
    html = html_of(client.get(f"{place}?view=list"))
    problems = html[html.index('id="problems"') : html.index('class="flow-stage"')]
    links = [unescape(link) for link in re.findall(r'<li[^>]*><a href="([^"]+)"', problems)]
    assert (len(links) >= 7, problems.count("<li")) == (True, len(links))
    assert "Set when the workflow starts." in problems
    assert any(link.endswith("#at-schedule.type") for link in links), links
    for link in links:
        address, _, anchor = link.partition("#")
        assert anchor, link
        assert f'id="{anchor}"' in html_of(client.get(address)), link


def test_a_dry_run_links_its_problems(cast: Cast, client: Client) -> None:
    _, place = made(cast, node("s", "mail", {}), lines=("trigger > s",))
    tried = html_of(client.post(f"{place}/test", {"do": "try", "record": ""}))
    assert re.search(r'<a class="link" href="[^"]+node=s#at-config\.subject"><b>', tried)


def test_trying_begins_with_the_record_and_folds_the_rest(cast: Cast, client: Client) -> None:
    _, place = made(cast, node("s", "set", {"values": {"a": "b"}}), lines=("trigger > s",))
    page = html_of(client.get(f"{place}/test"))
    form = page[page.index('<form method="post" class="form"') :]
    order = [form.index(f'name="{name}"') for name in ("record", "until")] if 'name="record"' in form else []
    folded = form[form.index("<details><summary>Advanced") : form.index("</details>")]
    assert (order == sorted(order), 'name="payload"' in folded, 'name="version"' in folded) == (True, True, True)
    assert "<details open><summary>Advanced" in html_of(client.post(f"{place}/test", {"do": "try", "payload": "{"}))


@pytest.mark.parametrize("type", NODE_TYPES)
def test_a_setting_with_a_usual_value_is_chosen_from_a_list(type: str) -> None:
    properties = NODE_TYPES[type].config.model_json_schema()["properties"]
    typed = {
        name
        for name, schema in properties.items()
        if isinstance(schema.get("default"), str) and schema["default"] and not {"enum", "x-widget"} & schema.keys()
    }
    assert typed <= {"timezone", "language"}


@pytest.mark.parametrize(
    ("type", "setting", "chosen"), [("call", "outcome", "Connected"), ("join", "mode", "All remaining branches")]
)
def test_codes_have_words_in_lists(cast: Cast, client: Client, type: str, setting: str, chosen: str) -> None:
    _, place = made(cast, node("s", type), lines=("trigger > s",))
    html = html_of(client.get(f"{place}/step?node=s"))
    field = html[html.index(f'id="at-config.{setting}"') :].partition("</select>")[0]
    assert re.search(rf"<option [^>]*selected[^>]*>{chosen}</option>", field)
    assert ("Number of branches" in html) == (type == "join")
