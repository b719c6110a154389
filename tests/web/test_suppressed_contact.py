"""The mark of a contact whose address is on the suppression list."""

from __future__ import annotations

import pytest

from outreach.messaging.suppression.services import suppress_address
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter

MARK = "On the suppression list"

pytestmark = pytest.mark.django_db


def test_a_suppressed_address_leads_to_the_list(scope: Cast) -> None:
    suppress_address(email="ann@example.org", reason="manual")
    ann = ContactFactory(name="Ann", email="Ann@Example.org")
    others = [ContactFactory(name="Bob", email="joann@example.org"), ContactFactory(name="Cy", email=None)]
    client = enter(scope.owner)
    page = html_of(client.get(at(scope.owner, f"contacts/{ann.pk}")))
    address = f"{at(scope.owner, 'suppressions')}?q=Ann%40Example.org"
    assert (MARK in page, f'href="{address}"' in page) == (True, True)
    assert "ann@example.org" in html_of(client.get(address))
    for contact in others:
        assert MARK not in html_of(client.get(at(scope.owner, f"contacts/{contact.pk}")))


def test_only_readers_of_the_list_see_the_mark() -> None:
    cast = make_cast({"contact": {"GET": True}})
    with cast.scope():
        suppress_address(email="ann@example.org", reason="manual")
        ann = ContactFactory(name="Ann", email="ann@example.org")
        assert MARK not in html_of(enter(cast.narrow).get(at(cast.owner, f"contacts/{ann.pk}")))
