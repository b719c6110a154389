"""Two who change the same record: a save keeps what the other saved since the form was opened, on every page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from django.db import transaction

from config.urls.web import PAGES
from core.web.forms import Form
from core.web.pages import Page
from core.web.settings import SettingsForm
from outreach.models import AiApp, BookingPage, DataApp, SocialAApp
from tests.kit.browser_form import untouched
from tests.kit.html import html_of
from tests.kit.rows import kept_for_module
from tests.web.world import World, address, make_world

FORM_CLASSES = ("form", "matrix-form", "body start")
"""The classes of the forms that save a record."""
QUERIES: dict[str, tuple[str, type[Any] | None]] = {
    "ai-app": ("kind=ai-a", AiApp),
    "data-app": ("kind=lead-source", DataApp),
    "social-app": ("", SocialAApp),
    "contact": ("edit", None),
    "lead": ("edit=facts", None),
    "organization": ("edit", None),
}
"""The pages whose address needs a query, and the model of the record that it names, if the path does not."""
ACTIONS = {"senders": "hours"}
"""Pages that save a record under another name than save."""
NAMED = ("name", "7")
OFF: tuple[str, str] = ("isActive", "")
FIELDS: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "answer-time": (("firstMinutes", "7"), ("nextMinutes", "8")),
    "booking-page-hours": (("day1", "09:00 – 12:00"), ("day2", "10:00 – 12:00")),
    "deliverability": (("guardFrom", "70"), ("limit-google", "80")),
    "formats": (("currency", "SEK"), ("dateFormat", "dd.mm.yyyy")),
    "senders": (("approvalDays", "7"), ("language", "Danish")),
    "brand": (("productName", "7"), ("senderName", "8")),
    "call": (("notes", "7"), ("minutes", "8")),
    "chat-app": (NAMED, ("perHour", "8")),
    "chat-template": (("body", "7"), ("footer", "8")),
    "contact": (NAMED, ("email", "eight@example.org")),
    "data-app": (NAMED, ("headerName", "8")),
    "lead": (("notes", "7"), ("value", "8")),
    "organization": (NAMED, ("domain", "eight.example")),
    "quote": (("title", "7"), ("notes", "8")),
    "sender": (("fromName", "7"), ("name", "8")),
    "sender-mailbox": (("folders", "7"), OFF),
    "social-app": (NAMED, OFF),
    "webhook": (("description", "7"), ("payload", "thin")),
    "widget": (NAMED, ("greeting", "8")),
}
"""Two fields of a page with other values, where the first two texts would not do; a box is taken off by none."""
VALID: dict[str, dict[str, list[str]]] = {
    "billing-details": {"country": ["DE"], "vatId": [""]},
    "brand": {"accent": ["#123456"]},
    "chat-template": {"language": ["en"]},
    "quote": {"currency": ["EUR"]},
    "webhook": {"kinds": ["contact.created"]},
    "widget": {"allowedOrigins": ["https://www.example.org"]},
}
"""Further input of both tabs, in place of values of the test company that the API no longer takes."""
WITHOUT: dict[str, str] = {
    "contact-cell": "one field, which asks by itself",
    "lead-cell": "one field, which asks by itself",
    "organization-cell": "one field, which asks by itself",
    "email": "a draft is its writer's alone, and saves itself",
    "comment-edit": "one text, which is its author's alone",
    "file": "one field",
    "email-template-files": "one list, in which both changes stay",
    "quote-send": "sends the quote, and changes nothing of it",
    "email-template-design": "asks after any change of the template (version)",
    "booking-questions": "adds a question",
    "conversation-people": "one choice, which has a test below",
    "notices": "switches alone",
    "tracking": "switches alone",
    "video-calls": "one text",
    "form-field": "the world's form has no field",
    "key": "nothing of it can be changed",
    "secret": "nothing of it can be changed",
    "member": "one field besides a role",
    "outreach-review": "asks after any change of the draft (contentHash)",
    "outreach-draft": "the world's message is no draft",
    "pipeline-edit": "refuses a save after any change of the pipeline (fingerprint)",
    "lost-reason": "one field",
    "segment-filters": "one tree of filters",
    "webhook-filter": "one tree of filters",
    "chatbot-step": "asks after any change of the step (fingerprint)",
    "workflow-step": "asks after any change of the step (fingerprint)",
    "workflow-settings": "asks after any change of the settings (fingerprint)",
}
"""The pages on which two changes cannot be compared here -> the reason."""


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with kept_for_module(django_db_blocker):
        company = make_world()
        with company.cast.scope():
            AiApp.objects.update(provider="ai-a")
            BookingPage.objects.update(member=company.cast.owner)
        yield company


def place_of(world: World, page: type[Page]) -> str:
    """Return the address of the page with a record."""
    if page.name not in QUERIES:
        return address(world, page)
    query, model = QUERIES[page.name]
    record = f"&id={world.ids[model]}" if model else ""
    return f"{address(world, page)}?{query}{record}"


def form_of(response: Any) -> Form | None:
    """Return the form of a record on a page."""
    form = response.context["form"] if response.context and "form" in response.context else None
    return form if isinstance(form, Form) and form.initial else None


def sent_of(response: Any) -> dict[str, list[str]]:
    """Return what a browser sends for the untouched form of a record."""
    forms = [untouched(response, css) for css in FORM_CLASSES]
    return next(form for form in forms if "opened" in form)


def errors_of(response: Any) -> Any:
    """Return the errors of the form on a page."""
    form = form_of(response)
    return form.errors if form is not None else html_of(response)


def changes_on(page: type[Page], form: Form) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return two fields of the page, each with another value."""
    if page.name in FIELDS:
        return FIELDS[page.name]
    first, second = [field.name for field in form if field.kind in ("text", "textarea")][:2]
    return (first, "7"), (second, "8")


def changed(value: str) -> str:
    """Return another value that the same field takes."""
    return value.replace("12", "11").replace("7", "9").replace("SEK", "NOK")


def edit_pages() -> list[type[Page]]:
    """Return the pages that may save a record."""
    return [
        page
        for page in PAGES
        if page.name in ACTIONS
        or issubclass(page, SettingsForm)
        or (hasattr(page, "do_save") and (page.name in QUERIES or "<str:" in page.path))
    ]


@pytest.mark.parametrize(
    "page", [page for page in edit_pages() if page.name not in WITHOUT], ids=lambda page: page.name
)
def test_a_save_keeps_what_another_has_saved(world: World, page: type[Page]) -> None:
    client, place = world.clients["Owner"], place_of(world, page)
    with transaction.atomic():
        shown = client.get(place)
        form = form_of(shown)
        assert form is not None, "no form of a record"
        action = {"do": [ACTIONS.get(page.name, "save")]}
        sent = sent_of(shown) | VALID.get(page.name, {}) | action
        (first, mine), (second, other) = changes_on(page, form)
        assert {first, second} <= form.fields.keys(), list(form.fields)
        for name, value in ((first, mine), (second, other)):
            saved = client.post(place, sent | {name: [value] if value else []})
            assert saved.status_code == 303, errors_of(saved)
        values = form_of(client.get(place)).values
        assert [str(values[first]), str(values[second] or "")] == [mine, other]
        refused = client.post(place, sent | {first: [changed(mine)]})
        assert (refused.status_code, "Choose the values to keep" in html_of(refused)) == (422, True)
        taken = client.post(place, sent_of(refused) | action | {f"choose-{first}": ["theirs"]})
        assert taken.status_code == 303, errors_of(taken)
        assert str(form_of(client.get(place)).values[first]) == mine
        transaction.set_rollback(True)


def test_pages_without_are_there() -> None:
    assert WITHOUT.keys() <= {page.name for page in edit_pages()}


def test_permissions_of_a_role_are_merged_one_by_one(world: World) -> None:
    """Two change the permissions of a role: what one takes away is not given back by the other."""
    page = next(page for page in PAGES if page.name == "role")
    client, place = world.clients["Owner"], address(world, page)
    with transaction.atomic():
        given = sent_of(client.get(place)) | {"do": ["save"], "flags": ["lead.GET", "contact.GET"]}
        assert client.post(place, given).status_code == 303
        sent = sent_of(client.get(place)) | {"do": ["save"]}
        assert client.post(place, sent | {"flags": ["contact.GET"]}).status_code == 303
        assert client.post(place, sent | {"description": ["Seven"]}).status_code == 303
        assert form_of(client.get(place)).values["flags"] == ["contact.GET"]
        assert client.post(place, sent | {"flags": ["lead.GET", "contact.GET", "tag.GET"]}).status_code == 303
        assert set(form_of(client.get(place)).values["flags"]) == {"contact.GET", "tag.GET"}
        transaction.set_rollback(True)


def test_no_secret_is_among_the_values_of_a_form(world: World) -> None:
    names = set()
    for page in edit_pages():
        form = form_of(world.clients["Owner"].get(place_of(world, page)))
        if form is not None:
            secrets = {field.name for field in form if field.kind == "password"}
            assert not secrets & orjson.loads(form.opened).keys(), page.name
            names |= secrets
    assert {"password", "accessToken"} <= names


def test_days_of_sending_are_kept_beside_other_settings(world: World) -> None:
    client, place = world.clients["Owner"], address(world, next(page for page in PAGES if page.name == "senders"))
    with transaction.atomic():
        for days, approval in ((["1", "2"], "20"), (["1", "2"], "21"), (["2", "6"], "21"), ([], "21")):
            sent = sent_of(client.get(place)) | {"do": ["hours"], "windowDays": days, "approvalDays": [approval]}
            assert client.post(place, sent).status_code == 303
            values = form_of(client.get(place)).values
            assert (values["windowDays"], values["approvalDays"]) == ([int(day) for day in days], int(approval))
        transaction.set_rollback(True)


def test_who_answers_a_conversation_is_asked_when_two_choose(world: World) -> None:
    page = next(page for page in PAGES if page.name == "conversation-people")
    client, place = world.clients["Owner"], address(world, page)
    with transaction.atomic():
        shown = client.get(place)
        sent = sent_of(shown) | {"do": ["save"]}
        first, second = [option.value for option in form_of(shown).fields["assignee"].options][:2]
        assert client.post(place, sent | {"assignee": [first]}).status_code == 303
        refused = client.post(place, sent | {"assignee": [second]})
        assert (refused.status_code, "Choose the values to keep" in html_of(refused)) == (422, True)
        assert form_of(client.get(place)).values["assignee"] == first
        transaction.set_rollback(True)
