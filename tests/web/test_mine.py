"""The tab Mine of contacts, organizations and leads, and the owner on the pages of contacts."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from crm.models import Contact, Organization
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of

NEW = {"name": "Ann Lee", "email": "ann@example.org", "countryCode": "+44", "number": "7400123456"}


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def names(response: Any) -> list[str]:
    return re.findall(r'aria-label="Select ([^"]+)"></label></td>', html_of(response))


def mine(response: Any) -> tuple[str, bool]:
    """Return the address of the tab Mine, and whether it is open."""
    tab = re.search(r'<a href="([^"]+)"( aria-current="page")?>Mine</a>', re.sub(r"\s+", " ", html_of(response)))
    assert tab is not None
    return unescape(tab[1]), bool(tab[2])


@pytest.mark.parametrize("page", ["contacts", "organizations", "leads"])
def test_mine_shows_own_records(scope: Cast, client: Any, page: str) -> None:
    for name, member in (("Ann", scope.owner), ("Bob", scope.narrow), ("Cid", None)):
        if page == "leads":
            LeadFactory(contact=ContactFactory(name=name), team_member=member)
        else:
            factory = ContactFactory if page == "contacts" else OrganizationFactory
            factory(name=name, owner=member)
    everything = client.get(at(scope.owner, page))
    assert sorted(names(everything)) == ["Ann", "Bob", "Cid"]
    link, is_open = mine(everything)
    assert not is_open
    own = client.get(link)
    assert names(own) == ["Ann"]
    assert mine(own)[1]
    assert "Save as segment" not in text_of(own)
    assert names(client.get(link + "&q=nobody")) == []
    other = client.get(link.replace(scope.owner.pk, scope.narrow.pk))
    assert (names(other), mine(other)[1]) == (["Bob"], False)
    assert scope.narrow.name in text_of(other)


def test_mine_on_the_board(scope: Cast, client: Any) -> None:
    LeadFactory(contact=ContactFactory(name="Ann"), team_member=scope.owner)
    LeadFactory(contact=ContactFactory(name="Bob"), team_member=scope.narrow)
    text = text_of(client.get(mine(client.get(at(scope.owner, "leads?view=board")))[0] + "&view=board"))
    assert ("Ann" in text, "Bob" in text) == (True, False)


def test_mine_without_sight_of_members(scope: Cast) -> None:
    scope.narrow.role.permission = {"contact": {"GET": True, "PUT": True, "POST": True}, "lead": {"GET": True}}
    scope.narrow.role.save()
    client = enter(scope.narrow)
    for page in ("contacts", "organizations", "leads"):
        link, _ = mine(client.get(at(scope.narrow, page)))
        assert mine(client.get(link))[1], page
        assert "Me" in text_of(client.get(link)), page


def test_who_makes_a_record_owns_it(scope: Cast, client: Any) -> None:
    new = html_of(client.get(at(scope.owner, "contacts/new")))
    assert re.search(rf'<option value="{scope.owner.pk}" selected', new)
    client.post(at(scope.owner, "contacts/new"), {"do": "save", **NEW, "owner": scope.narrow.pk})
    contact = Contact.objects.get()
    assert contact.owner == scope.narrow
    nobody = {**NEW, "email": "bob@example.org", "number": "7400123457", "owner": ""}
    client.post(at(scope.owner, "contacts/new"), {"do": "save", **nobody})
    assert Contact.objects.get(email="bob@example.org").owner is None
    assert re.search(
        rf'<option value="{scope.owner.pk}" selected', html_of(client.get(at(scope.owner, "organizations/new")))
    )


def test_who_sees_no_members_owns_what_they_make(scope: Cast) -> None:
    scope.narrow.role.permission = {"contact": {"GET": True, "POST": True}}
    scope.narrow.role.save()
    client = enter(scope.narrow)
    client.post(at(scope.narrow, "contacts/new"), {"do": "save", **NEW})
    client.post(at(scope.narrow, "organizations/new"), {"do": "save", "name": "Acme"})
    assert Contact.objects.get().owner == scope.narrow
    assert Organization.objects.get().owner == scope.narrow


def test_the_owner_is_changed_on_pages(scope: Cast, client: Any) -> None:
    contact = ContactFactory(name="Ann Lee", owner=scope.owner)
    page = at(scope.owner, f"contacts/{contact.pk}")
    assert scope.owner.name in text_of(client.get(page))
    cell = f"{page}/cell?field=owner&at=record"
    before = f'{{"owner": "{scope.owner.pk}"}}'
    assert client.post(cell, {"do": "save", "owner": scope.narrow.pk, "before": before}).status_code == 303
    contact.refresh_from_db()
    assert contact.owner == scope.narrow
    path = at(scope.owner, "contacts/change")
    client.post(path, {"do": "save", "ids": [contact.pk], "what": "owner", "how": "set", "owner": scope.owner.pk})
    contact.refresh_from_db()
    assert contact.owner == scope.owner
    listed = client.get(at(scope.owner, f"contacts?columns=owner&f=owner.name:equals:{scope.owner.name}"))
    assert names(listed) == ["Ann Lee"]
