"""The forms of the steps of workflows, of every type of nodes: they open, save what they show, and are published."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import Resolver404, resolve

from accounts.models import Member, Role
from core.web.flows.schema_forms import SchemaForm
from core.web.flows.schemas import Schema, Sources, matches_condition
from outreach.chat.chatbots.pages.types import TYPES as CHATBOT_TYPES
from outreach.connections.mail_vendors.registry import letters
from outreach.models import AiApp, MailApp
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import EVERY, walked
from tests.kit.factories import MemberFactory, SmtpFactory
from tests.kit.html import html_of
from tests.kit.html_form import form_data
from tests.kit.rows import kept_for_module, row
from tests.web.helpers import at, enter, text_of
from tests.workflows.examples import asking_examples, examples, templated_mail
from tests.workflows.helpers import edges, node
from workflows.definitions.catalogue import catalogue
from workflows.definitions.pages.sources import CHANGED, CHOSEN, DATE_FIELD
from workflows.nodes.registry import NODE_TYPES

DRAWN = {"tree", "fields", "field", "expression", "pairs", "duration", "body"}
"""Widgets that are drawn otherwise than by a choice."""
LISTED = {*CHOSEN, "timezone", "event", CHANGED, DATE_FIELD}
"""Widgets whose choices the page knows."""
ODD: tuple[Any, ...] = ("soon", "{{ contact.name }}", 7, -0.5, True, [], ["a", 1], {}, {"a": {"b": []}}, None)
"""What a draft may hold for any setting: the API takes it, and says what is wrong."""
ODD_CONDITIONS: dict[str, Any] = {
    "operator": "and",
    "conditions": [
        {"field": "contact.name", "operator": "contains", "value": "Ann"},
        {"field": "lead.status", "operator": "equals", "value": "new"},
        {"field": "lead.value", "operator": "between", "value": [1, 2]},
        {"operator": "or", "conditions": [{"field": "contact.email", "operator": "isEmpty", "value": None}]},
    ],
}
"""Conditions of which the form shows some, and keeps the others as they are."""


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture(scope="module")
def filled(house: Cast) -> dict[str, dict[str, Any]]:
    """Settings of every type; a mail by a template as well as one by words of its own."""
    found = {**examples(house), **asking_examples(house), "mail/template": templated_mail(house)}
    found["loop/items"] = {"items": ["a", 1, "{{ contact.name }}"]}
    found["http/no"] = {**found["http"], "idempotent": False, "body": {"a": [1, "{{ contact.name }}"]}, "method": "PUT"}
    found["condition/any"] = {"filter": ODD_CONDITIONS}
    assert {one.partition("/")[0] for one in found} == {*NODE_TYPES}
    return found


@pytest.fixture
def cast(house: Cast, filled: Any, db: None) -> Cast:
    return house


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def draft(cast: Cast, type: str, config: Any = None) -> tuple[str, str]:
    """Write a draft with one step. Returns its id and the address of the step's page."""
    step = node("s", "stop") if type == "trigger" else node("s", type, config)
    lines = edges("trigger > s")
    body = {"name": "Steps", "triggerEventType": "lead.created", "nodes": [node("trigger", "trigger"), step]}
    body |= {"edges": lines}
    answer = cast.key.post("/workflow", body)
    assert answer.status == 201, answer.body
    id = str(answer.data["_id"])
    return id, at(cast.owner, f"workflows/{id}/step?node={'trigger' if type == 'trigger' else 's'}")


def config_of(cast: Cast, id: str) -> Any:
    return cast.key.get(f"/workflow/{id}").data["nodes"][-1]["data"].get("config", {})


def same(settings: Any) -> Any:
    """Return settings without what has no meaning in them: the order of conditions, and values that are null."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(one) for name, one in value.items() if one is not None}
        if isinstance(value, list):
            found = [plain(one) for one in value]
            return sorted(found, key=repr) if all(isinstance(one, dict) for one in found) else found
        return value

    return plain(settings.model_dump())


def settings_in(schema: Any) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield each setting of a schema, at any depth, with those that stand beside it."""
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            for one in properties.values():
                yield one, properties
        for one in schema.values():
            yield from settings_in(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from settings_in(one)


def schemas() -> dict[str, Any]:
    """Return the schemas of all settings that forms are drawn from."""
    found = {f"node {one.type}": one.schema for one in NODE_TYPES.values()}
    found |= {f"workflow {name}": one for name, one in catalogue()["settings"].items()}
    return found | {f"chatbot {name}": one["schema"] for name, one in CHATBOT_TYPES.items()}


def test_every_setting_is_chosen_from_something_that_exists(subtests: pytest.Subtests) -> None:
    sources, widgets, shown = 0, 0, 0
    for name, schema in schemas().items():
        for setting, siblings in settings_in(schema):
            with subtests.test(name, setting=setting.get("title")):
                source, widget = setting.get("x-source"), setting.get("x-widget")
                if source is not None:
                    sources += 1
                    assert "get" in getattr(resolve(f"/api/protected{source}").func, "actions", {}), source
                elif widget is not None:
                    widgets += 1
                    assert widget in DRAWN | LISTED, widget
                if "x-show-if" in setting:
                    shown += 1
                    assert {*setting["x-show-if"]} <= {*siblings}
    assert (sources >= 3, widgets > 40, shown >= 6) == (True, True, True), (sources, widgets, shown)
    with pytest.raises(Resolver404):
        resolve("/api/protected/apps")  # what once was the source of senders


@pytest.mark.parametrize("type", walked([*NODE_TYPES, "mail/template", "loop/items", "http/no", "condition/any"]))
def test_a_form_saves_what_it_shows_and_is_published(
    cast: Cast, client: Client, filled: dict[str, Any], type: str
) -> None:
    """Without a script: a browser that sends the form as it stands changes nothing."""
    config = filled[type]
    type = type.partition("/")[0]
    id, place = draft(cast, type, config)
    page = client.get(place)
    assert page.status_code == 200
    sent = form_data(html_of(page), "step-form")
    assert sent["node"], sent
    assert client.post(place, {**sent, "do": "save"}).status_code == 303
    if type != "trigger":
        model = NODE_TYPES[type].config
        assert same(model.model_validate(config_of(cast, id))) == same(model.model_validate(config))
    with cast.scope():
        SmtpFactory(verified=True)
    published = client.post(at(cast.owner, f"workflows/{id}"), {"do": "publish"})
    state = cast.key.get(f"/workflow/{id}").data
    assert (published.status_code, state["status"]) == (303, "published"), state["validation"]


@pytest.mark.parametrize("type", walked(one for one in NODE_TYPES if one != "trigger"))
def test_a_new_step_is_added_opened_and_saved_as_it_is(cast: Cast, client: Client, type: str) -> None:
    """By the list alone. What is missing is said at its field, and nothing of it is an error of the service."""
    id, _ = draft(cast, "trigger")
    place = at(cast.owner, f"workflows/{id}")
    added = client.post(f"{place}/add", {"do": "add", "at": "trigger/out", "type": type})
    assert added.status_code == 303
    page = client.get(added["Location"])
    assert (page.status_code, NODE_TYPES[type].label in text_of(page)) == (200, True)
    sent = form_data(html_of(page), "step-form")
    assert client.post(added["Location"], {**sent, "do": "save"}).status_code == 303
    again = client.get(added["Location"])
    errors = cast.key.get(f"/workflow/{id}").data["validation"]["errors"]
    assert again.status_code == 200
    assert not errors or 'class="trouble"' in html_of(again) or 'role="alert"' in html_of(again)


TURNS = 3
"""A type gets every third of the odd values in the suite, in turn; `make test` tries two at each type."""


@pytest.mark.parametrize("type", [one for one in NODE_TYPES if one != "trigger"])
def test_a_form_opens_whatever_a_draft_holds(cast: Cast, client: Client, subtests: pytest.Subtests, type: str) -> None:
    every = max(EVERY, TURNS)
    turn = list(NODE_TYPES).index(type) % every
    for value in ODD[turn::every]:
        with row(subtests, repr(value)):
            check_odd_draft(cast, client, type, value)


@pytest.mark.slow
@pytest.mark.parametrize("type", [one for one in NODE_TYPES if one != "trigger"])
def test_a_form_opens_with_each_odd_value(cast: Cast, client: Client, subtests: pytest.Subtests, type: str) -> None:
    for value in ODD:
        with row(subtests, repr(value)):
            check_odd_draft(cast, client, type, value)


def check_odd_draft(cast: Cast, client: Client, type: str, value: Any) -> None:
    """Check that the form of a step opens whose settings are all the value, and is saved or refused as it is."""
    _, place = draft(cast, type, dict.fromkeys(NODE_TYPES[type].schema.get("properties", {}), value))
    page = client.get(place)
    assert page.status_code == 200
    sent = form_data(html_of(page), "step-form")
    status = client.post(place, {**sent, "do": "save"}).status_code
    assert status in (303, 422)
    if status == 303:  # else nothing is saved, and the page is the one that has just opened
        assert client.get(place).status_code == 200


ROLES = ("Manager", "Member", "Viewer")


def test_every_form_answers_as_the_role_may(cast: Cast, filled: dict[str, Any], subtests: pytest.Subtests) -> None:
    with cast.scope():
        members: dict[str, Any] = {"narrow": cast.narrow}
        for role in ROLES:
            members[role] = MemberFactory(status=Member.Status.ACCEPTED, role=Role.objects.get(name=role))
        reads = {role: bool(one.permissions().get("workflow", {}).get("GET")) for role, one in members.items()}
    assert (reads["Viewer"], reads["narrow"]) == (True, False)
    readers = {role: enter(one) for role, one in members.items()}
    for name, config in walked(filled.items()):
        with row(subtests, name):
            _, place = draft(cast, name.partition("/")[0], config)
            for role, reader in readers.items():
                assert reader.get(place).status_code == (200 if reads[role] else 403), role


def options_in(page: Any) -> list[tuple[str, str]]:
    """Return the (value, label) of each option of the page."""
    return re.findall(r'<option value="([^"]*)"[^>]*>([^<]*)', html_of(page))


def test_a_field_that_is_in_two_rows_is_refused_at_the_second(cast: Cast, client: Client) -> None:
    id, place = draft(cast, "contact", {"action": "update", "values": {"name": "Ann"}})
    sent = form_data(html_of(client.get(place)), "step-form")
    answer = client.post(place, {**sent, "config.values:name.1": "name", "config.values:value.1": "Bob", "do": "save"})
    assert answer.status_code == 422
    assert "This name is used twice" in text_of(answer)
    shown = form_data(html_of(answer), "step-form")
    names = [f"config.values:{part}.{place}" for place in range(2) for part in ("name", "value")]
    assert [shown[name][0] for name in names] == ["name", "Ann", "name", "Bob"]
    assert config_of(cast, id)["values"] == {"name": "Ann"}


def test_values_that_nobody_edits_keep_their_types(cast: Cast, client: Client) -> None:
    values = {"nothing": None, "empty": "", "number": 5, "text": "5", "yes": "true", "list": ["a"], "lines": "a\nb"}
    id, place = draft(cast, "set", {"values": values})
    sent = form_data(html_of(client.get(place)), "step-form")
    assert client.post(place, {**sent, "do": "save"}).status_code == 303
    assert config_of(cast, id)["values"] == values


def test_a_new_trigger_shows_what_its_kinds_need_before_it_is_saved(cast: Cast, client: Client) -> None:
    id, place = draft(cast, "trigger")
    cast.key.put(f"/workflow/{id}", {"triggerEventType": "manual"})
    page = client.get(place)
    assert "Contact: Name" in text_of(page)
    assert "Organization: Name" in text_of(page)
    assert 'name="config.changedFields" value="name"' in html_of(page)
    assert 'name="schedule.field.name"' in html_of(page)
    assert 'name="schedule.field:on"' not in html_of(page)
    sent = form_data(html_of(page), "step-form")
    timed = {"triggerEventType": "schedule", "schedule.type": "field", "schedule.field.name": "createdAt"}
    assert client.post(place, {**sent, **timed, "do": "save"}).status_code == 303
    field = cast.key.get(f"/workflow/{id}").data["schedule"]["field"]
    assert (field["panel"], field["name"]) == ("contact", "createdAt")


def test_senders_templates_and_ai_apps_are_chosen_by_name(cast: Cast, client: Client) -> None:
    letter = {one: spec.key for one, spec in letters().items()}
    with cast.scope():
        smtp = SmtpFactory(from_name="Ann", from_email="ann@example.org", verified=True)
        apps = [
            MailApp.objects.create(
                letter=one, vendor=key, api_key="k", from_name=f"By {one}", from_email="b@example.org"
            )
            for one, key in letter.items()
        ]
        off = SmtpFactory(from_name="Old", is_active=False)
        AiApp.objects.filter(provider="ai-a").update(name="Our model")
    assert len(apps) == 8
    id, place = draft(cast, "mail")
    shown = client.get(place)
    assert "Ann <ann@example.org>" in text_of(shown)
    assert "(switched off)" in text_of(shown)
    ids = [one.pk for one in (smtp, off, *apps)]
    for one in ids:
        assert f'name="config.senders" value="{one}"' in html_of(shown)
    chosen = {"do": "save", "node": "s", "config.senders": ids[2:], "config.subject": "Hi", "config.body": "Come"}
    assert client.post(place, chosen).status_code == 303
    assert config_of(cast, id)["senders"] == ids[2:]
    _, place = draft(cast, "genie")
    assert ("ai-a", "Our model") in options_in(client.get(place))
    assert ("de", "German") in options_in(client.get(place))
    _, place = draft(cast, "waitFor")
    assert ("mail.replied", "A reply to an email is received") in options_in(client.get(place))


def test_a_role_that_may_not_see_the_choices_types_them(cast: Cast) -> None:
    with cast.scope():
        role = Role.objects.create(name="Drawer", permission={"workflow": {"GET": True, "PUT": True}})
        member: Any = MemberFactory(status=Member.Status.ACCEPTED, role=role)
    id, place = draft(cast, "mail", {"senders": ["f" * 24], "subject": "Hi", "body": "Come"})
    page = enter(member).get(place)
    assert page.status_code == 200
    assert text_of(page).count("You can't see this list. Enter the ID.") == 2
    sent = form_data(html_of(page), "step-form")
    assert enter(member).post(place, {**sent, "do": "save"}).status_code == 303
    assert config_of(cast, id).items() >= {"senders": ["f" * 24], "subject": "Hi", "body": "Come"}.items()


def test_a_source_that_names_nothing_leaves_a_field_to_type_in(
    cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = next(one for one in catalogue()["nodes"] if one["type"] == "campaign")
    monkeypatch.setitem(known["schema"]["properties"]["campaign"], "x-source", "/nowhere")
    _, place = draft(cast, "campaign", {"campaign": "e" * 24})
    page = client.get(place)
    assert page.status_code == 200
    assert "Enter the ID." in text_of(page)
    assert f'value="{"e" * 24}"' in html_of(page)


@pytest.mark.parametrize(
    ("sent", "wanted", "result"),
    [
        ([""], [None], True),
        ([], [None], True),
        (["x"], [None], False),
        (["x"], [True], True),
        (["on"], [True], True),
        ([], [True], False),
        ([], [False], True),
        (["on"], [False], False),
        (["b"], ["a", "b"], True),
        (["c"], ["a", "b"], False),
        (["a", "c"], ["c"], True),
        ([""], ["a", None], True),
        (["0"], [0], True),
        ([""], [0], False),
        (["1"], [1], True),
        (["x"], [1], False),
        (["None"], [None], False),
    ],
)
def test_what_makes_a_setting_matter(sent: list[str], wanted: list[Any], result: bool) -> None:
    assert matches_condition(sent, wanted) is result


SHOWN: Schema = {
    "type": "object",
    "properties": {
        "on": {"type": "boolean"},
        "kinds": {"type": "array", "items": {"enum": ["a", "b"]}},
        "other": {"type": "string"},
        "whenOn": {"type": "string", "x-show-if": {"on": True}},
        "whenOff": {"type": "string", "x-show-if": {"on": False}},
        "whenB": {"type": "string", "x-show-if": {"kinds": ["b", "c"]}},
        "whenNone": {"type": "string", "x-show-if": {"kinds": None, "other": None}},
    },
}


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("config.on=on&config.other=", {"whenOn", "whenNone"}),
        ("config.other=", {"whenOff", "whenNone"}),
        ("config.other=x&config.kinds=b", {"whenOff", "whenB"}),
        ("config.other=x&config.kinds=a&config.on=on", {"whenOn"}),
        ("", {"whenOff", "whenNone"}),
    ],
)
def test_settings_that_do_not_matter_are_not_saved(query: str, kept: set[str]) -> None:
    names = [name for name in SHOWN["properties"] if name.startswith("when")]
    sent = QueryDict("&".join([query, *(f"config.{name}=x" for name in names)]))
    read = SchemaForm(SHOWN, {}, Sources()).read(sent)
    assert {name for name in read if name.startswith("when")} == kept
