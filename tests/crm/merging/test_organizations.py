"""POST /contact/merge and /lead/merge: the organization, and the text of the company that follows it."""

from __future__ import annotations

from typing import Any

import pytest

from crm.models import Organization
from tests.crm.contacts.helpers import add_field, form
from tests.crm.leads.helpers import make
from tests.kit.cast import Caller, Cast

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["key", "session"])
def caller(cast: Cast, request: pytest.FixtureRequest) -> Caller:
    with cast.scope():
        add_field("company")
    chosen: Caller = getattr(cast, request.param)
    return chosen


def organization_of(caller: Caller, name: str) -> str:
    return str(caller.post("/organization", {"formData": {"name": name}}).data["_id"])


def contact_of(caller: Caller, n: int, organization: str | None = None, **values: Any) -> str:
    body = {"formData": form(n, **values), **({"organization": organization} if organization else {})}
    return str(caller.post("/contact", body).data["_id"])


def delete(cast: Cast, organization: str) -> None:
    with cast.scope():
        Organization.objects.filter(pk=organization).update(is_deleted=True)


def merged(caller: Caller, ids: list[str], **choices: Any) -> tuple[str | None, str | None]:
    answer = caller.post("/contact/merge", {"ids": ids, "winner": ids[0], "choices": choices})
    assert answer.status in (200, 201), answer.body
    contact = caller.get(f"/contact/{ids[0]}").data
    return (contact["organization"] or {}).get("name"), contact["formData"].get("company")


def test_the_text_follows_a_chosen_organization(caller: Caller) -> None:
    ids = [
        contact_of(caller, 1, organization_of(caller, "Acme")),
        contact_of(caller, 2, organization_of(caller, "Beta")),
    ]
    assert merged(caller, ids, organization=ids[1]) == ("Beta", "Beta")


def test_a_chosen_text_stays(caller: Caller) -> None:
    ids = [
        contact_of(caller, 1, organization_of(caller, "Acme")),
        contact_of(caller, 2, organization_of(caller, "Beta")),
    ]
    assert merged(caller, ids, organization=ids[1], company={"value": "Beta West"}) == ("Beta", "Beta West")


def test_a_chosen_contact_without_an_organization_gives_its_text(caller: Caller) -> None:
    ids = [contact_of(caller, 1, organization_of(caller, "Acme")), contact_of(caller, 2, company="Gamma")]
    assert merged(caller, ids, organization=ids[1]) == (None, "Gamma")


def test_the_own_organization_keeps_its_text(caller: Caller) -> None:
    ids = [
        contact_of(caller, 1, organization_of(caller, "Acme"), company="Acme West"),
        contact_of(caller, 2, organization_of(caller, "Beta")),
    ]
    assert merged(caller, ids, organization=ids[0]) == ("Acme", "Acme West")


def test_an_organization_that_fills_a_gap_names_the_company(caller: Caller) -> None:
    ids = [
        contact_of(caller, 1),
        contact_of(caller, 2, company="Gamma"),
        contact_of(caller, 3, organization_of(caller, "Beta")),
    ]
    assert merged(caller, ids) == ("Beta", "Beta")


def test_a_deleted_organization_is_refused_and_fills_no_gap(cast: Cast, caller: Caller) -> None:
    gone = organization_of(caller, "Acme")
    ids = [contact_of(caller, 1), contact_of(caller, 2, gone), contact_of(caller, 3, organization_of(caller, "Beta"))]
    delete(cast, gone)
    refused = caller.post("/contact/merge", {"ids": ids, "winner": ids[0], "choices": {"organization": ids[1]}})
    assert (refused.status, refused.body["name"]) == (400, "OrganizationNotFound_400")
    assert [error["field"] for error in refused.body["errors"]] == ["choices.organization"]
    assert merged(caller, ids)[0] == "Beta"


def test_leads_take_no_deleted_organization(cast: Cast, caller: Caller) -> None:
    gone = organization_of(caller, "Acme")
    ids = [make(cast, n)["_id"] for n in (1, 2)]
    assert caller.put(f"/lead/{ids[1]}", {"formData": {}, "organization": gone}).status == 200
    delete(cast, gone)
    refused = caller.post("/lead/merge", {"ids": ids, "winner": ids[0], "choices": {"organization": ids[1]}})
    assert (refused.status, refused.body["name"]) == (400, "OrganizationNotFound_400")
