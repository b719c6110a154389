"""Segments tell who enters and leaves"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from core.events import deliver, emit, event_cause
from core.models import Event
from core.tenancy import unscoped
from crm.models import Contact, Segment, SegmentMember
from crm.segments import tracking
from tests.crm.contacts.helpers import add_field, form
from tests.crm.leads.helpers import make
from tests.crm.segments.test_crud import new, where
from tests.kit.cast import Cast


@pytest.fixture
def watched(cast: Cast) -> dict[str, str]:
    """Two contacts, and a segment of those in Bonn that a webhook watches, as nobody listens to it."""
    with cast.scope():
        add_field("city")
    found = {
        name: cast.key.post("/contact", {"formData": form(n, name=name, city=city)}).data["_id"]
        for n, (name, city) in enumerate({"Ann": "Bonn", "Bob": "Ulm"}.items())
    }
    found["Bonn"] = new(cast, "Bonn", advancedFilters=where("city", "equals", "Bonn"))
    made = cast.key.post("/webhook", {"url": "http://127.0.0.1:9/", "kinds": ["segment.*"]})
    assert made.status == 201, made.body
    found["webhook"] = made.data["_id"]
    deliver()
    return found


def told(cast: Cast) -> list[tuple[str, str, str]]:
    """Deliver events. Returns what segments have told since the last time: (kind, record, segment)."""
    deliver()
    with cast.scope():
        rows = list(Event.objects.filter(kind__startswith="segment.", sequence__gt=_seen[-1]).order_by("sequence"))
    _seen.extend(row.sequence for row in rows)
    return [(row.kind, row.object_id, row.payload["segment"]) for row in rows]


_seen = [0]


def inside(cast: Cast, segment: str) -> set[str]:
    with cast.scope():
        return set(SegmentMember.objects.filter(segment=segment).values_list("record_id", flat=True))


def test_records_enter_and_leave_by_their_changes(cast: Cast, watched: dict[str, str]) -> None:
    assert inside(cast, watched["Bonn"]) == {watched["Ann"]}, "who was in it has not entered"
    assert told(cast) == []
    cast.key.put(f"/contact/{watched['Bob']}", {"formData": {"city": "Bonn"}})
    assert told(cast) == [("segment.entered", watched["Bob"], watched["Bonn"])]
    cast.key.put(f"/contact/{watched['Bob']}", {"formData": {"name": "Bobby"}})
    assert told(cast) == []
    cast.key.put(f"/contact/{watched['Ann']}", {"formData": {"city": "Ulm"}})
    cast.key.delete("/contact", {"ids": [watched["Bob"]]})
    left = told(cast)
    assert sorted(left) == sorted(("segment.left", watched[name], watched["Bonn"]) for name in ("Ann", "Bob"))
    assert inside(cast, watched["Bonn"]) == set()
    cid = cast.key.post("/contact", {"formData": form(7, name="Cid", city="Bonn")}).data["_id"]
    assert told(cast) == [("segment.entered", cid, watched["Bonn"])]
    with cast.scope():
        event = Event.objects.get(kind="segment.entered", object_id=cid)
        assert (event.payload, event.object_sequence) == (
            {"segment": watched["Bonn"], "name": "Bonn", "contact": cid},
            2,
        )


def test_another_tree_tells_nobody_and_records_chosen_by_hand_do(cast: Cast, watched: dict[str, str]) -> None:
    cast.key.put(f"/segment/{watched['Bonn']}", {"advancedFilters": where("city", "equals", "Ulm")})
    assert (told(cast), inside(cast, watched["Bonn"])) == ([], {watched["Bob"]})
    fixed = new(cast, "fixed", kind="static", ids=[watched["Ann"]])
    assert (told(cast), inside(cast, fixed)) == ([], {watched["Ann"]})
    cast.key.put(f"/segment/{fixed}", {"addIds": [watched["Bob"]], "removeIds": [watched["Ann"]]})
    assert told(cast) == [("segment.entered", watched["Bob"], fixed), ("segment.left", watched["Ann"], fixed)]


def test_leads_move_by_what_happens_to_their_contact(cast: Cast, watched: dict[str, str]) -> None:
    lead = make(cast, 9, formData={"status": "new", "name": "Zoe"})
    segment = new(cast, "Zoes", panel="lead", advancedFilters=where("contact.name", "equals", "Zoe"))
    told(cast)
    assert inside(cast, segment) == {lead["_id"]}
    cast.key.put(f"/contact/{lead['contact']['_id']}", {"formData": {"name": "Zora"}})
    assert told(cast) == [("segment.left", lead["_id"], segment)]
    cast.key.put(f"/contact/{lead['contact']['_id']}", {"formData": {"name": "Zoe"}})
    assert told(cast) == [("segment.entered", lead["_id"], segment)]


def test_time_moves_records_too(cast: Cast, watched: dict[str, str]) -> None:
    span = {"amount": 1, "unit": "days"}
    fresh = new(cast, "fresh", advancedFilters=where("createdAt", "withinLast", span))
    assert inside(cast, fresh) == {watched["Ann"], watched["Bob"]}
    with cast.scope():
        Contact.objects.filter(pk=watched["Ann"]).update(created_at=timezone.now() - timedelta(days=2))

    def compare_all() -> int:
        n = 0
        with unscoped(reason="test: as a periodic task"):
            while tracking.compare_due():
                n += 1
        return n

    assert compare_all() == 0
    with cast.scope():
        Segment.objects.update(compared_at=timezone.now() - timedelta(minutes=16))
    assert (compare_all(), told(cast)) == (1, [("segment.left", watched["Ann"], fresh)])
    with cast.scope():
        Segment.objects.update(compared_at=timezone.now() - timedelta(hours=25))
    assert compare_all() == 2


def test_what_caused_the_change_caused_the_entry(cast: Cast, watched: dict[str, str]) -> None:
    with cast.scope(), transaction.atomic():
        Contact.objects.filter(pk=watched["Bob"]).update(is_deleted=True)
        Contact.objects.filter(pk=watched["Ann"]).update(is_deleted=True)
        with event_cause({"workflow": "w", "depth": 3}):
            emit("contact.deleted", [watched["Ann"]], automation=False)
    told(cast)
    with cast.scope():
        event = Event.objects.get(kind="segment.left")
        assert (event.cause, event.automation) == ({"workflow": "w", "depth": 3}, False)


def test_segments_that_nobody_watches_keep_no_members(cast: Cast, outsiders: Cast, watched: dict[str, str]) -> None:
    other = new(outsiders, "Bonn", advancedFilters=where("name", "isNotEmpty"))
    assert inside(outsiders, other) == set()
    assert cast.key.put(f"/webhook/{watched['webhook']}", {"kinds": ["*"]}).status == 200
    assert inside(cast, watched["Bonn"]) == set()
    cast.key.put(f"/contact/{watched['Bob']}", {"formData": {"city": "Bonn"}})
    assert told(cast) == []


def test_a_segment_whose_field_is_gone_stops_no_other(cast: Cast, watched: dict[str, str]) -> None:
    with cast.scope():
        Segment.objects.filter(pk=watched["Bonn"]).update(filters=where("no such", "equals", "x"))
    every = new(cast, "every", advancedFilters={"operator": "and", "conditions": []})
    id = cast.key.post("/contact", {"formData": form(8, name="Dan")}).data["_id"]
    assert told(cast) == [("segment.entered", id, every)]


def names(tree: Any) -> frozenset[str]:
    return tracking._names(Segment(panel="lead", filters=tree))


def test_the_names_of_a_tree_are_those_that_changes_have() -> None:
    assert names(where("contact.name", "equals", "x")) == {"contact:name", "lead:contact"}
    assert names(where("updatedAt", "isNotEmpty")) == {"lead:"}
    assert names(where("status", "equals", "won")) == {"lead:status"}
