"""POST /lead/bulk"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Event
from crm.models import Contact, Lead, LeadProduct
from tests.crm.contacts.helpers import form
from tests.crm.leads.helpers import lead_field, make, member, product, set_duplicates, team_of
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, TagFactory
from tests.kit.plans import allow

MISSING = "0" * 24


def items(count: int, start: int = 1) -> list[dict[str, Any]]:
    return [form(n, name=f"Person {n}") for n in range(start, start + count)]


def test_creates_many_with_their_contacts(cast: Cast) -> None:
    with cast.scope():
        roof, cellar, tag = product("Roof"), product("Cellar"), TagFactory()
        team = team_of("North", seller := member())
        known = ContactFactory()
        lead_field("budget", "number", "number")
    bodies = [
        {**form(1), "budget": 5, "productServices": [cellar.pk], "tags": [], "teamMember": seller.pk},
        {"contact": known.pk, "status": "lost"},
        form(3, value=10),
    ]
    answer = cast.key.post(
        "/lead/bulk", {"formData": bodies, "productServices": [roof.pk], "team": team.pk, "tags": [tag.pk]}
    )
    assert answer.status == 200
    assert (answer.data["updated"], answer.data["failed"], answer.data["errors"]) == ([], [], [])
    created = answer.data["created"]
    assert [found["contact"]["email"] for found in created] == ["ann1@example.com", known.email, "ann3@example.com"]
    assert [[product["name"] for product in found["productServices"]] for found in created] == [
        ["Cellar"],
        ["Roof"],
        ["Roof"],
    ]
    assert [len(found["tags"]) for found in created] == [0, 1, 1]
    assert [found["team"]["name"] for found in created] == ["North"] * 3
    assert [found["teamMember"] and found["teamMember"]["_id"] for found in created] == [seller.pk, None, None]
    assert [found["status"] for found in created] == ["new", "lost", "new"]
    assert [found["value"] for found in created] == [None, None, 10]
    assert created[0]["formData"]["budget"] == 5
    with cast.scope():
        assert sorted(Event.objects.values_list("kind", flat=True)) == ["contact.created"] * 2 + ["lead.created"] * 3
        assert list(Lead.objects.order_by("first_product", "value").values_list("first_product", flat=True)) == [
            "Cellar",
            "Roof",
            "Roof",
        ]


def test_each_item_succeeds_or_fails_on_its_own(cast: Cast) -> None:
    first = make(cast, 1)
    with cast.scope():
        set_duplicates("refuse")
        blocked = member("blocked")
    bodies: list[Any] = [
        form(1),  # a duplicate
        form(2, status="asleep"),
        "x",
        {**form(3), "team": MISSING},
        {**form(4), "teamMember": blocked.pk},
        {**form(5), "productServices": "x"},
        {**form(6), "tags": [MISSING]},
        {"contact": MISSING},
        {},
        form(7),
        {**form(7), "name": "Repeated"},
        {**form(7), "email": "ann1@example.com"},
    ]
    answer = cast.key.post("/lead/bulk", {"formData": bodies})
    assert answer.status == 200
    assert [found["contact"]["email"] for found in answer.data["created"]] == ["ann7@example.com"]
    assert [(found["index"], found["name"]) for found in answer.data["failed"]] == [
        (0, "DuplicateField_400"),
        (1, "InvalidSystemField_400"),
        (2, "InvalidPayload_400"),
        (3, "TeamNotFound_400"),
        (4, "MemberNotAccepted_400"),
        (5, "ProductServiceNotFound_400"),
        (6, "TagNotFound_400"),
        (7, "ContactNotFound_400"),
        (8, "ContactDataRequired_400"),
        (10, "DuplicateField_400"),
        (11, "ContactAlreadyExists_400"),
    ]
    duplicate = answer.data["failed"][0]
    assert duplicate["message"] == "Duplicate field(s): contact, productServices"
    assert duplicate["formData"] == form(1)
    assert first["_id"] in duplicate["warning"]
    assert answer.data["errors"][0]["key"] == "contact"
    with cast.scope():
        assert Contact.objects.count() == 2
        assert not Contact.objects.filter(name="Repeated").exists()


def test_existing_error_off_updates_open_leads_of_the_company_and_of_the_request(cast: Cast) -> None:
    first = make(cast, 1)
    with cast.scope():
        roof = product("Roof")
    bodies = [
        form(1, source="event"),
        form(2, source="other"),
        form(2, value=5),
        {**form(2), "productServices": [roof.pk]},
        form(1, status="won"),
        form(1, notes="after the win"),
    ]
    answer = cast.key.post("/lead/bulk", {"formData": bodies, "existingError": False})
    assert answer.data["failed"] == []
    created = [
        (found["contact"]["email"], found["source"], found["value"], found["notes"]) for found in answer.data["created"]
    ]
    assert created == [
        ("ann2@example.com", "other", 5, ""),
        ("ann2@example.com", "", None, ""),
        ("ann1@example.com", "", None, "after the win"),
    ]
    assert [(found["_id"], found["source"], found["status"]) for found in answer.data["updated"]] == [
        (first["_id"], "event", "won"),
        (answer.data["created"][0]["_id"], "other", "new"),
    ]


def test_what_all_share_is_checked_once_for_all(cast: Cast) -> None:
    for key, message in (("team", "Team not found."), ("contact", None), ("tags", "Tag not found.")):
        answer = cast.key.post("/lead/bulk", {"formData": items(2), key: [MISSING] if key == "tags" else MISSING})
        if message is None:
            assert [found["name"] for found in answer.data["failed"]] == ["ContactNotFound_400"] * 2
        else:
            assert (answer.status, answer.body["message"]) == (400, message)


def test_500_at_most_and_one_at_least(cast: Cast) -> None:
    refused = cast.key.post("/lead/bulk", {"formData": items(501)})
    assert (refused.status, refused.body["message"]) == (400, "The request is not complete or has wrong values.")
    assert cast.key.post("/lead/bulk", {}).body["message"] == "Enter the missing details of the contact."
    with cast.scope():
        roof = product("Roof")
    made = cast.key.post("/lead/bulk", {"formData": items(500), "productServices": [roof.pk]})
    assert (len(made.data["created"]), made.data["failed"]) == (500, [])
    with cast.scope():
        assert (Lead.objects.count(), Contact.objects.count(), LeadProduct.objects.count()) == (500, 500, 500)


def test_the_number_of_statements_does_not_grow_with_the_items(cast: Cast) -> None:
    cast.key.get("/tag")  # the first use of a key is noted
    counts = []
    for count, start in ((2, 1), (60, 100)):
        with CaptureQueriesContext(connection) as queries:
            assert len(cast.key.post("/lead/bulk", {"formData": items(count, start)}).data["created"]) == count
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_beyond_the_plan_items_fail_one_by_one(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.access import Entitlement

    allow(monkeypatch, Entitlement(limits={"lead": 2}))
    answer = cast.session.post("/lead/bulk", {"formData": items(3)})
    assert len(answer.data["created"]) == 2
    assert [(found["index"], found["name"]) for found in answer.data["failed"]] == [(2, "PlanLimitExceeded_403")]
    with cast.scope():
        assert Contact.objects.count() == 2


def test_roles_and_companies(cast: Cast, outsiders: Cast) -> None:
    assert cast.narrow_session.post("/lead/bulk", {"formData": items(1)}).status == 403
    assert make_cast({"lead": {"POST": True}}).narrow_session.post("/lead/bulk", {"formData": items(1)}).status == 200
    with outsiders.scope():
        foreign = ContactFactory()
    answer = cast.key.post("/lead/bulk", {"formData": [{"contact": foreign.pk}]})
    assert [found["name"] for found in answer.data["failed"]] == ["ContactNotFound_400"]
