"""Audiences that name segments: POST /genie/audience/preview, and the walk of a run."""

from __future__ import annotations

from typing import Any

from crm.models import CustomField, Segment, SegmentRecord
from outreach.runs.genie.audience import Audience
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, TagFactory
from tests.outreach.runs.genie.test_audience_preview import PATH


def tree(field: str, value: Any) -> dict[str, Any]:
    return {"operator": "and", "conditions": [{"field": field, "operator": "equals", "value": value}]}


def walked(audience: Audience, size: int = 1) -> list[str]:
    """The whole walk, some ids at a time."""
    found: list[str] = []
    while ids := audience.next_ids(found[-1] if found else "", size):
        assert len(found) < 20
        found += ids
    return found


def test_segments_join_the_union(scope: Cast, outsiders: Cast) -> None:
    ann, bob, cid, dora, eve = (ContactFactory(name=name) for name in ("Ann", "Bob", "Cid", "Dora", "Eve"))
    with outsiders.scope():
        ContactFactory(name="Ann")
    for contact in (bob, bob, dora):
        LeadFactory(contact=contact, status="won")
    LeadFactory(contact=eve, status="new")
    static = Segment.objects.create(name="static", kind="static")
    for contact in (cid, ann):
        SegmentRecord.objects.create(segment=static, contact=contact)
    picked = Segment.objects.create(name="picked", kind="static", panel="lead")
    for lead in (LeadFactory(contact=eve), LeadFactory(contact=eve), LeadFactory(contact=ann)):
        SegmentRecord.objects.create(segment=picked, lead=lead)
    named = Segment.objects.create(name="named", filters=tree("name", "Ann"))
    won = Segment.objects.create(name="won", panel="lead", filters=tree("status", "won"))
    every = Segment.objects.create(name="all", filters={"operator": "and", "conditions": []})
    expected = {
        (static,): [ann, cid],
        (picked,): [ann, eve],
        (named,): [ann],
        (won,): [bob, dora],
        (every,): [ann, bob, cid, dora, eve],
        (static, named, won): [ann, bob, cid, dora],
    }
    for segments, contacts in expected.items():
        ids = [segment.pk for segment in segments]
        answer = scope.key.post(PATH, {"segments": ids})
        assert answer.status == 200, answer.body
        assert answer.data["count"] == len(contacts)
        assert [row["_id"] for row in answer.data["sample"]] == [contact.pk for contact in contacts]
        audience = Audience.from_json({"segments": ids})
        assert audience.as_json()["segments"] == ids
        for size in (1, 2, 50):
            assert walked(audience, size) == [contact.pk for contact in contacts], (segments, size)
    together = scope.key.post(PATH, {"segments": [named.pk], "contactIds": [ann.pk, bob.pk]})
    assert together.data["count"] == 2


def test_a_segment_is_run_anew_while_a_run_walks_it(scope: Cast) -> None:
    tag = TagFactory()
    first, second = ContactFactory(name="Ann"), ContactFactory(name="Bob")
    segment = Segment.objects.create(name="named", filters=tree("name", "Ann"))
    audience = Audience.from_json({"segments": [segment.pk], "tags": [tag.pk]})
    assert audience.next_ids("", 5) == [first.pk]
    Segment.objects.filter(pk=segment.pk).update(filters=tree("name", "Bob"))
    assert audience.next_ids(first.pk, 5) == [second.pk]
    segment.delete()
    assert audience.next_ids("", 5) == [], "a segment that is gone selects nobody"
    assert not audience.contacts().exists()


def test_segments_that_cannot_be_used_are_named(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        foreign = Segment.objects.create(name="theirs", filters=tree("name", "Ann")).pk
    for id in ("0" * 24, foreign):
        answer = cast.key.post(PATH, {"segments": [id]})
        assert (answer.status, answer.body["message"]) == (400, "Segment not found.")
        assert answer.body["warning"] == f"segments: {id} not found in this company (1 in all)"
    with cast.scope():
        add_field("city")
        segment = Segment.objects.create(name="Bonn", filters=tree("city", "Bonn")).pk
        assert cast.key.post(PATH, {"segments": [segment]}).data["count"] == 0
        CustomField.objects.filter(unique_field_id="city").delete()
    answer = cast.key.post(PATH, {"segments": [segment]})
    assert (answer.status, answer.body["message"]) == (400, "This request is not possible.")
    assert answer.body["warning"].startswith("segment 'Bonn': the field 'city' is unknown")
