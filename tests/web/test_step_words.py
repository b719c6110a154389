"""Words about the steps of workflows: in the list of new steps, in problems of settings, and about failed runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from core.events.kinds import EVENT_KINDS, EVENTS
from core.text.labels.event_kinds import EVENT_LABELS, RESOURCES
from core.types import Values
from core.web.words.problems import to_sentence
from tests.kit.cast import Cast
from tests.kit.factories import SmtpFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of
from tests.workflows.helpers import contact, edges, node, published, runs, work
from workflows.definitions.catalogue import catalogue
from workflows.definitions.pages.problems import problem_view
from workflows.definitions.pages.settings import LABELS as SETTING_LABELS
from workflows.definitions.pages.words import HELPS, KEYWORDS, LABELS, PURPOSES, WORDS
from workflows.nodes.registry import NODE_TYPES
from workflows.runs.pages.failures import failure_text


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def test_each_type_has_keywords_and_a_purpose() -> None:
    assert {*KEYWORDS} == {*PURPOSES} == {*NODE_TYPES} - {"trigger"}


def paths_in(schema: Values, root: Values, path: str) -> Iterator[str]:
    """Yield the paths of the settings of a schema; `*` stands for the places of rows. Spans have no parts."""
    schema = resolved(schema, root)
    if "items" in schema:
        yield from paths_in(schema["items"], root, f"{path}.*")
    if path.count(".") and {*schema.get("properties", ())} == {"amount", "unit"}:
        return
    for name, setting in schema.get("properties", {}).items():
        yield f"{path}.{name}"
        yield from paths_in(setting, root, f"{path}.{name}")


def resolved(schema: Values, root: Values) -> Values:
    """Return the schema of a value that is not null, without references."""
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if options:
        return resolved(options[0], root)
    reference = schema.get("$ref", "").rpartition("/")[2]
    return root["$defs"][reference] if reference else schema


def test_each_setting_of_a_workflow_has_a_label_of_its_own() -> None:
    for node_type in NODE_TYPES.values():
        schema = node_type.schema
        assert {*paths_in(schema, schema, "config")} <= {*LABELS}, node_type.type
    parts = catalogue()["settings"]
    for name in ("schedule", "onError"):
        assert {*paths_in(parts[name], parts[name], name)} <= {*LABELS}, name
    own = {*paths_in(parts["config"], parts["config"], "config")}
    assert len(own) > 15
    assert own <= {*SETTING_LABELS, *LABELS}
    for path in {*HELPS, *WORDS}:
        assert path in LABELS


def test_each_kind_of_events_has_a_sentence_of_its_own() -> None:
    assert {*EVENT_LABELS} == EVENT_KINDS
    assert {*RESOURCES} == {*EVENTS}
    assert len({*EVENT_LABELS.values()}) == len(EVENT_LABELS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("choose a day", "Choose a day."),
        ("", ""),
        ("api.example.org is no longer there", "api.example.org is no longer there."),
        ("ann@example.org has unsubscribed", "ann@example.org has unsubscribed."),
        ("https://example.org does not answer", "https://example.org does not answer."),
        ("createdAt never changes.", "createdAt never changes."),
        ("header: enter a name", "Header: enter a name."),
    ],
)
def test_addresses_and_names_keep_their_first_letter(text: str, expected: str) -> None:
    assert to_sentence(text) == expected


def test_new_steps_are_found_by_usual_words(cast: Cast, client: Client) -> None:
    id = published(cast, [node("a", "set", {"values": {"a": 1}})], edges(), triggerEventType="manual")
    page = html_of(client.get(at(cast.owner, f"workflows/{id}")))
    offers = re.findall(
        r'<button type="button" class="flow-type.*?data-type="(\w+)".*?data-keywords="(.*?)"><b>(.*?)</b>',
        page,
        re.DOTALL,
    )
    found = {
        word: {type for type, keywords, label in offers if word in f"{label} {keywords}".lower()}
        for word in ("email", "delay", "sms", "if", "branch", "api", "task", "tag")
    }
    assert {"mail", "genie"} <= found["email"]
    assert {"wait"} <= found["delay"]
    assert found["sms"] == {"chat"}
    assert {"condition", "switch"} <= found["if"] & found["branch"]
    assert found["api"] == {"http"}
    assert found["task"] == {"followUp"}
    assert found["tag"] == {"tags"}
    assert "Nothing found" in page


@pytest.mark.parametrize(
    ("type", "config", "text"),
    [
        ("wait", {}, "Set how long to wait, a date, or opening hours."),
        ("assign", {}, "Choose a team or a member."),
        ("mail", {"subject": "Hi", "body": "Hello"}, "Connect an email sender, or choose another."),
        ("loop", {}, "Set the items to repeat for."),
        ("loop", {"mode": "while"}, "Add the conditions of the loop."),
    ],
)
def test_problems_of_steps_name_the_labels(cast: Cast, client: Client, type: str, config: object, text: str) -> None:
    body = {
        "name": "W",
        "triggerEventType": "lead.created",
        "nodes": [node("trigger", "trigger"), node("a", type, config)],
    }
    draft = cast.key.post("/workflow", {**body, "edges": edges("trigger > a")}).data
    errors = [problem for problem in draft["validation"]["errors"] if problem["nodeId"] == "a"]
    assert text in [problem_view(problem)["message"] for problem in errors]
    assert text in text_of(client.get(at(cast.owner, f"workflows/{draft['_id']}")))


def test_a_run_without_a_sender_offers_to_connect_one(cast: Cast, client: Client) -> None:
    steps = [node("trigger", "trigger"), node("m", "mail", {"subject": "Hi", "body": "Hello"})]
    with cast.scope():
        sender = SmtpFactory()
    id = published(cast, steps, edges("trigger > m"))
    with cast.scope():
        sender.delete()
    contact(cast)
    work()
    [run] = runs(cast, id)
    shown = client.get(at(cast.owner, f"workflow-runs/{run.pk}"))
    assert text_of(shown).count("No email sender is active.") == 1
    assert f'href="{at(cast.owner, "senders/new")}"' in html_of(shown)
    listed = text_of(client.get(at(cast.owner, f"workflows/{id}/runs")))
    assert "No email sender is active." in listed
    for text in (text_of(shown), listed):
        assert not re.search(r"POST /apps|_400", text)


@pytest.mark.parametrize(
    ("code", "message", "text"),
    [
        ("SegmentNotFound_400", "segment: there is no such segment in this company", "The segment was deleted."),
        ("httpStatus", "the answer has the status 500: no", "The answer has the status 500: no"),
        ("badValue", "teamMember: there is none", "Member: there is none"),
        ("", "", ""),
    ],
)
def test_failures_from_before_reasons_were_stored_are_told_without_names_of_the_api(
    code: str, message: str, text: str
) -> None:
    assert failure_text({"code": code, "message": message}) == text


@pytest.mark.parametrize(
    ("field", "reason", "text"),
    [
        ("teamMember", "there is none", "Member: there is none"),
        ("", "note: the host answers nothing", "Note: the host answers nothing"),
        ("", "connect an app first, or switch one on", "Connect an app first, or switch one on"),
        ("6a1b2c3d4e5f6a7b8c9d0e1f", "City: enter a text", "City: enter a text"),
        ("body, subject", "the contact has no value", "Body, Subject: the contact has no value"),
    ],
)
def test_failures_are_told_by_their_stored_reasons(field: str, reason: str, text: str) -> None:
    message = f"{field}: {reason} (POST /apps/ocr)"
    assert failure_text({"code": "other", "message": message, "field": field, "text": reason}) == text
