"""Walk the registries by the pages: each connected app, field type, settings tab and report opens for each role.

The owner opens all of them, the other roles take turns.

The forms of the steps of workflows are walked in tests/web/test_step_forms.py, the URL map in tests/web/test_guards.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import cycle
from typing import Any

import pytest
from django.test import Client

from config.urls.web import PAGES
from core.reports import REPORTS
from core.web.navigation.menu import first_pages
from core.web.navigation.places import SETTINGS
from crm.field_types.types import FIELD_TYPES
from crm.field_types.values import VALUE_TYPES
from crm.models import Contact
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE, ConnectedApp
from tests.guards.population import record_like
from tests.kit.examples import walked
from tests.kit.html import html_of
from tests.kit.rows import kept_for_module, row
from tests.web.helpers import at, enter
from tests.web.world import World, address, make_world

ONE_FORM = {
    "smtp": ("senders/new", "senders/{id}"),
    "imap": ("senders/{id}/mailbox",),
    "chatapp": ("settings/chat-apps/new", "settings/chat-apps/{id}"),
    "bucket": ("settings/storage/bucket", "settings/storage/bucket?id={id}"),
    "ocr": ("settings/storage/reader", "settings/storage/reader?id={id}"),
    "social-a": ("settings/social/app", "settings/social/app?id={id}"),
}
"""App with pages of its own -> the addresses of its forms; the others' say in their query which app they are of."""
WITHOUT_FORM = {"ai-offline"}
LINK = re.compile(r'href="([^"#]+)"')
IDS = re.compile(r"\b[0-9a-f]{24}\b")


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with kept_for_module(django_db_blocker):
        made = make_world()
        with made.cast.scope():
            for app in CONNECTED_APPS.values():
                record_of(app)
        yield made


def record_of(app: ConnectedApp) -> Any:
    """Return a record of an app, made like one of its model where there is none."""
    found = app.rows().first()
    if found is None:
        wanted = {one.lhs.target.name: one.rhs for one in app.rows().query.where.children if hasattr(one, "lhs")}
        del wanted["company"]
        values = {name: value[0] if isinstance(value, list | tuple) else value for name, value in wanted.items()}
        record_like(app.model, **values)
        found = app.rows().first()
    assert found is not None, app.key
    return found


@pytest.fixture(scope="module")
def others(world: World) -> Iterator[tuple[str, Client]]:
    """Those who are not the owner, in turn: what a role opens does not depend on the kind of an app or a field."""
    members = {**world.clients, "narrow": enter(world.cast.narrow)}
    del members["Owner"]
    return cycle(members.items())


def opened(world: World, others: Iterator[tuple[str, Client]], path: str) -> dict[str, int]:
    """Return the status of an address for the owner, and for the next one of the others."""
    place = path if path.startswith("/") else at(world.cast.owner, path)
    role, client = next(others)
    return {name: who.get(place).status_code for name, who in (("Owner", world.clients["Owner"]), (role, client))}


def links_of(world: World, path: str) -> set[str]:
    """Return the addresses of the company's pages that a page leads to, as the owner gets it."""
    place = at(world.cast.owner, path)
    page = world.clients["Owner"].get(place)
    assert page.status_code == 200, place
    found = (unescape(one) for one in LINK.findall(html_of(page)))
    whole = (f"{place.partition('?')[0]}{one}" if one.startswith("?") else one for one in found)
    return {one for one in whole if one.startswith(at(world.cast.owner))}


def test_every_connected_app_has_forms_that_open(
    world: World, others: Iterator[tuple[str, Client]], subtests: pytest.Subtests
) -> None:
    lists = {page.path for page in PAGES if page.module == MODULE and "<" not in page.path}
    links = {link for path in lists for link in links_of(world, path)}
    tried: dict[str, list[str]] = {}
    for key, app in CONNECTED_APPS.items():
        with world.cast.scope():
            record = record_of(app)
            id = record.smtp_id if key == "imap" else record.pk
        own = [one.format(id=id) for one in ONE_FORM.get(key, ())]
        named = [link for link in links if re.search(rf"[?&](?:kind|app)={key}(?:&|$)", link)]
        edits = [link for link in links if id in link]
        tried[key] = [*own, *named, *edits]
    assert {key for key, places in tried.items() if not places} <= WITHOUT_FORM, tried
    for key, places in tried.items():
        for place in walked(places):
            with row(subtests, f"{key} {IDS.sub('<id>', place)}"):
                found = opened(world, others, place)
                assert found["Owner"] == 200
                assert {*found.values()} <= {200, 403}
    assert len([1 for places in tried.values() if places]) >= len(CONNECTED_APPS) - len(WITHOUT_FORM)
    assert sum(map(len, tried.values())) > 30


def test_every_page_of_the_settings_opens(
    world: World, others: Iterator[tuple[str, Client]], subtests: pytest.Subtests
) -> None:
    pages = [page for item, page in first_pages().items() if item.place == SETTINGS]
    assert len(pages) > 30
    for page in walked(pages):
        with row(subtests, page.name):
            found = opened(world, others, address(world, page))
            assert (found["Owner"], {*found.values()} <= {200, 403}) == (200, True), found


def test_every_report_opens_by_each_grouping(
    world: World, others: Iterator[tuple[str, Client]], subtests: pytest.Subtests
) -> None:
    places = [(name, by) for name, report in REPORTS.items() for by in report.order]
    assert (len(REPORTS) > 8, len(places) > 25) == (True, True)
    for name, by in walked(places):
        with row(subtests, f"{name} by {by}"):
            place = at(world.cast.owner, f"reports?reportType={name}&by={by}")
            assert world.clients["Owner"].get(place).status_code in (200, 403)
    for name in REPORTS:
        with row(subtests, name):
            assert {*opened(world, others, f"reports?reportType={name}").values()} <= {200, 403}
    assert world.clients["Owner"].get(at(world.cast.owner, "reports?reportType=contacts")).status_code == 200


def test_every_type_of_field_has_forms_that_open(
    world: World, others: Iterator[tuple[str, Client]], subtests: pytest.Subtests
) -> None:
    """The forms of fields, of the records that have them, of their cells, and lists filtered by them."""
    pairs = [(kind, value) for kind, one in FIELD_TYPES.items() for value in one.value_types]
    assert len(pairs) >= len(VALUE_TYPES)
    with world.cast.scope():
        person = Contact.objects.values_list("pk", flat=True).first()
    for kind, value in walked(pairs):
        with row(subtests, f"{kind} of {value}"):
            made = world.cast.key.post("/custom-field", field_body(kind, value))
            assert made.status == 201, made.body
            id, name = made.data["_id"], made.data["uniqueFieldID"]
            for path in (
                f"settings/fields/{id}",
                f"contacts/{person}/cell?name={name}",
                f"contacts?f={name}:isEmpty:",
            ):
                assert world.clients["Owner"].get(at(world.cast.owner, path)).status_code == 200, path
    with row(subtests, "forms with all of them"):
        made = [world.cast.key.post("/custom-field", field_body(kind, value)).data for kind, value in pairs]
        for path in ("contacts/new", f"contacts/{person}", "contacts/change"):
            page = world.clients["Owner"].get(at(world.cast.owner, path))
            assert page.status_code == 200, path
            if path == "contacts/new":
                shown = unescape(html_of(page))
                named = [field["name"] for field in made if is_in_forms(field)]
                assert len(named) > 15
                assert [name for name in named if name not in shown] == []
        assert {*opened(world, others, "contacts/new").values()} <= {200, 403}


def is_in_forms(field: dict[str, Any]) -> bool:
    """Return whether a plain form has an input for a field; members, files, objects and lists are set in the cell."""
    if field["valueType"] == "array":
        return bool(field["fieldType"] == "checkbox")
    return field["valueType"] not in ("member", "file", "object")


def field_body(kind: str, value: str) -> dict[str, Any]:
    """Return what makes a field of contacts of the type."""
    body = {"panel": "contact", "name": f"{kind} {value}", "fieldType": kind, "valueType": value}
    if FIELD_TYPES[kind].takes_options:
        body["options"] = [{"label": one, "value": one} for one in ("1", "2")]  # type: ignore[assignment]
    return body
