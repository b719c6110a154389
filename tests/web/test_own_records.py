"""Members with own records on every page, and the scope on the page of a role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from accounts.models import Role
from config.urls.web import PAGES
from core.tenancy.own_rows import owned_models
from crm.models import Contact, Lead, Organization
from tests.contracts.own_world import SECRETS, limit, own_records, refer
from tests.kit.cast import Cast
from tests.kit.examples import walked
from tests.kit.html import html_of
from tests.kit.rows import kept_for_module
from tests.web.helpers import at, enter, text_of
from tests.web.world import ADDRESSES, KEYS, World, address, make_world

OWN_PAGES = {"contacts": "Own Contact", "leads": "Own Contact", "organizations": "Own Organization"}


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with kept_for_module(django_db_blocker):
        world = make_world()
        cast = world.cast
        limit(cast)
        with cast.scope():
            Contact.objects.update(name=SECRETS[0], email="", owner=cast.owner)
            Organization.objects.update(name=SECRETS[1], owner=cast.owner)
            Lead.objects.update(notes=SECRETS[2], team_member=cast.owner)
            refer(world.ids)
            own_records(cast)
        yield world


def test_every_page(world: World, subtests: pytest.Subtests) -> None:
    client = enter(world.cast.narrow)
    owner = world.clients["Owner"]
    shown = 0
    for page in walked(PAGES):
        with subtests.test(page.name), transaction.atomic():
            path = address(world, page)
            answer = client.get(path)
            assert answer.status_code < 500
            text = "" if answer.streaming else html_of(answer)
            assert [word for word in SECRETS if word in text] == []
            if page.name in OWN_PAGES:
                assert OWN_PAGES[page.name] in text
            if ADDRESSES.get(page.name) in owned_models() and page.name not in KEYS:
                assert answer.status_code == 404
            theirs = owner.get(path)
            shown += not theirs.streaming and any(word in html_of(theirs) for word in SECRETS)
            transaction.set_rollback(True)
    assert shown > 5


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def test_the_scope_is_chosen_on_the_page_of_a_role(scope: Cast, client: Any) -> None:
    new = at(scope.owner, "settings/roles/new")
    page = html_of(client.get(new))
    assert ("Visible contacts and organizations" in page, "Visible leads" in page) == (True, True)
    assert page.count('<option value="all" selected') == 2
    values = {"do": "save", "name": "Sales", "flags": ["contact.GET"], "scope_contact": "own", "scope_lead": "all"}
    assert client.post(new, values).status_code == 303
    role = Role.objects.get(name="Sales")
    assert role.record_scope == {"contact": "own", "lead": "all"}
    edit = at(scope.owner, f"settings/roles/{role.pk}")
    assert html_of(client.get(edit)).count('<option value="own" selected') == 1
    assert "Own only" in text_of(client.get(edit))
    assert client.post(edit, {**values, "scope_lead": "own"}).status_code == 303
    role.refresh_from_db()
    assert role.record_scope == {"contact": "own", "lead": "own"}
    copy = html_of(client.get(f"{new}?like={role.pk}"))
    assert copy.count('<option value="own" selected') == 2
