"""How activities come about: each event that concerns a lead or a contact makes one."""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.events import deliver, emit
from core.ids import new_id
from core.models import Event, EventDelivery
from crm.activities.services import READERS, record
from crm.models import LeadActivity, Stage
from tests.crm.activities.activity_helpers import MISSING, PATH, told
from tests.crm.contacts.helpers import form
from tests.crm.leads.helpers import lead_field, make, member, product, team_of
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import LeadFactory


def test_a_leads_life_is_told_step_by_step(cast: Cast) -> None:
    with cast.scope():
        seller, team, roof = member(name="Ada"), team_of("North"), product("Roof")
        lead_field("budget", "number", "number")
    lead = make(cast, formData={"budget": 3})
    place = f"/lead/{lead['_id']}"
    old = {"team": lead["team"]["_id"], "teamMember": (lead["teamMember"] or {}).get("_id")}
    body = {
        "formData": {"status": "won", "budget": 4},
        "team": team.pk,
        "teamMember": seller.pk,
        "productServices": [roof.pk],
    }
    assert cast.key.put(place, body).status == 200
    assert cast.key.put(place, body).status == 200, "nothing is different, so that nothing is told"
    assert (
        cast.key.put("/lead", {"ids": [lead["_id"]], "formData": {"source": "referral"}, "automation": "skip"}).status
        == 200
    )
    assert cast.key.delete("/lead", {"ids": [lead["_id"]]}).status == 200
    found = told(cast, lead=lead["_id"])
    with cast.scope():
        stages = dict(Stage.objects.values_list("status", "pk"))
    assert found[0] == ("created", {})
    assert sorted(found[1:4], key=lambda part: part[0]) == [
        (
            "assigned",
            {"team": {"from": old["team"], "to": team.pk}, "teamMember": {"from": old["teamMember"], "to": seller.pk}},
        ),
        ("changed", {"budget": {"from": 3, "to": 4}, "productServices": {"to": [roof.pk]}}),
        ("status", {"status": {"from": "new", "to": "won"}, "stage": {"from": stages["new"], "to": stages["won"]}}),
    ]
    assert found[4:] == [("changed", {"source": {"from": "", "to": "referral"}}), ("deleted", {})]


def test_what_an_activity_carries(cast: Cast) -> None:
    lead = make(cast, 7)
    deliver()
    row = cast.key.get(PATH, filters={"lead": lead["_id"]}).data[0]
    assert cast.key.get(f"{PATH}/{row['_id']}").data == row
    contact = {
        "_id": lead["contact"]["_id"],
        "name": "Person 7",
        "email": "ann7@example.com",
        "contactNumber": "+491701000007",
        "isDeleted": False,
    }
    with cast.scope():
        event = Event.objects.get(kind="lead.created")
    assert row == {
        "_id": row["_id"],
        "kind": "created",
        "lead": {"_id": lead["_id"], "status": "new", "contact": contact},
        "contact": contact,
        "member": {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email},
        "details": {},
        "notes": "",
        "happenedAt": event.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "createdAt": row["createdAt"],
        "updatedAt": row["updatedAt"],
    }


def test_what_happens_to_a_contact_is_told_without_a_lead(cast: Cast) -> None:
    lead = make(cast)
    contact = lead["contact"]["_id"]
    assert cast.key.put(f"/contact/{contact}", {"formData": {"name": "Ann"}}).status == 200
    assert cast.key.put("/contact", {"ids": [contact], "formData": {"name": "Bea"}}).status == 200
    names = [
        ("changed", {"name": {"from": "Person 1", "to": "Ann"}}),
        ("changed", {"name": {"from": "Ann", "to": "Bea"}}),
    ]
    assert told(cast, contact=contact) == [("created", {})], "the list is of leads"
    assert told(cast, lead=lead["_id"]) == [("created", {})]
    assert cast.key.delete("/contact", {"ids": [contact]}).status == 200
    deliver()
    with cast.scope():
        own = LeadActivity.objects.filter(contact=contact, lead=None).order_by("happened_at", "pk")
        assert list(own.values_list("kind", "details")) == [*names, ("deleted", {})]


def test_a_new_contact_makes_no_activity(cast: Cast) -> None:
    cast.key.post("/contact", {"formData": form(1)})
    assert told(cast) == []


def test_what_other_events_tell(scope: Cast) -> None:
    lead = LeadFactory()
    thing, when = new_id(), "2026-03-01T10:00:00Z"
    cases: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
        "mail.sent": (
            {"contact": lead.contact_id, "subject": "Hi", "secret": 1},
            "mail",
            {"message": thing, "subject": "Hi"},
        ),
        "mail.opened": ({"contact": lead.contact_id, "subject": "Hi"}, "mail", {"message": thing, "subject": "Hi"}),
        "mail.clicked": ({"contact": lead.contact_id, "subject": "Hi"}, "mail", {"message": thing, "subject": "Hi"}),
        "mail.replied": (
            {"contact": None, "lead": lead.pk, "subject": "Re: Hi", "text": "Yes"},
            "mail",
            {"message": thing, "subject": "Re: Hi"},
        ),
        "mail.bounced": ({"contact": lead.contact_id, "severity": "hard"}, "mail", {"message": thing}),
        "mail.complained": ({"contact": lead.contact_id}, "mail", {"message": thing}),
        "calllog.created": (
            {"lead": lead.pk, "duration": 3, "startedAt": when},
            "call",
            {"call": thing, "duration": 3, "startedAt": when},
        ),
        "meeting.created": (
            {"lead": lead.pk, "contact": None, "title": "T"},
            "meeting",
            {"meeting": thing, "title": "T"},
        ),
        "meeting.updated": ({"lead": None, "contact": lead.contact_id}, "meeting", {"meeting": thing}),
        "meeting.cancelled": ({"lead": lead.pk}, "meeting", {"meeting": thing}),
        "follow-up.created": (
            {"lead": lead.pk, "title": "T", "dueAt": when},
            "follow_up",
            {"followUp": thing, "title": "T", "dueAt": when},
        ),
        "follow-up.restored": ({"lead": lead.pk, "title": "T"}, "follow_up", {"followUp": thing, "title": "T"}),
        "follow-up.deleted": ({"lead": lead.pk, "title": "T"}, "follow_up", {"followUp": thing, "title": "T"}),
        "follow-up.updated": ({"lead": lead.pk, "changes": {}}, "follow_up", {"followUp": thing, "changes": {}}),
        "follow-up.completed": ({"lead": lead.pk, "from": "open"}, "follow_up", {"followUp": thing, "from": "open"}),
        **{
            f"quote.{word}": ({"lead": lead.pk, "number": "Q-0001"}, "quote", {"quote": thing, "number": "Q-0001"})
            for word in ("created", "sent", "viewed", "accepted", "declined", "expired", "deleted", "restored")
        },
        "contact.merged": ({"losers": ["x"]}, "merged", {"winner": lead.contact_id, "losers": ["x"]}),
        "contact.unmerged": ({}, "merged", {"winner": lead.contact_id}),
        "lead.merged": ({"lead": lead.pk}, "merged", {"winner": lead.pk}),
        "lead.unmerged": ({"lead": lead.pk}, "merged", {"winner": lead.pk}),
        "contact.restored": ({}, "restored", {}),
        "lead.restored": ({}, "restored", {}),
        "contact.unsubscribed": ({"sendJob": thing}, "changed", {"unsubscribed": {"from": False, "to": True}}),
        "contact.resubscribed": ({"sendJob": thing}, "changed", {"unsubscribed": {"from": True, "to": False}}),
    }
    covered = {"lead.created", "lead.updated", "lead.deleted", "contact.updated", "contact.deleted"}
    covered |= {
        f"task.{step}" for step in ("created", "updated", "completed", "deleted", "restored")
    }  # tests/crm/tasks
    # tests/crm/organizations
    covered |= {f"organization.{step}" for step in ("updated", "deleted", "restored", "merged", "unmerged")}
    assert set(cases) | covered == set(READERS)
    for kind, (payload, activity, details) in cases.items():
        panel, _, step = kind.partition(".")
        id = {"lead": lead.pk, "contact": lead.contact_id}.get(panel, thing)
        emit(kind, [id], payloads={id: payload}, actor_id=scope.owner.pk)
        assert deliver() == (2 if kind == "mail.replied" else 1), kind  # the inbox hears of replies as well
        row = LeadActivity.objects.get(event_id=Event.objects.get(kind=kind).pk)
        wanted = details if activity in ("changed", "restored") else {"event": step, **details}
        assert (row.kind, row.details, row.contact_id, row.member_id) == (
            activity,
            wanted,
            lead.contact_id,
            scope.owner.pk,
        ), kind
        assert row.lead_id == (lead.pk if payload.get("lead") or panel == "lead" else None), kind
        assert (row.happened_at.isoformat() == "2026-03-01T10:00:00+00:00") is (kind == "calllog.created"), kind


def test_what_is_gone_or_of_another_company_is_skipped(scope: Cast) -> None:
    stranger = make_cast()
    with stranger.scope():
        foreign = LeadFactory()
    lead = LeadFactory()
    emit("lead.created", [MISSING, foreign.pk, lead.pk], actor_id=MISSING)
    emit("mail.sent", [new_id()], payloads={})
    emit(
        "calllog.created",
        [thing := new_id()],
        payloads={thing: {"lead": MISSING, "contact": lead.contact_id}},
        actor_id=stranger.owner.pk,
    )
    assert deliver() == 5
    assert not EventDelivery.objects.exists()
    rows = LeadActivity.objects.order_by("kind").values_list("kind", "lead_id", "contact_id", "member_id")
    assert list(rows) == [("call", None, lead.contact_id, None), ("created", lead.pk, lead.contact_id, None)]


def test_an_event_that_comes_twice_makes_one_activity(scope: Cast) -> None:
    lead = LeadFactory()
    emit(
        "lead.updated",
        [lead.pk],
        payloads={lead.pk: {"changes": {"status": {"from": "a", "to": "b"}, "value": {"from": 1, "to": 2}}}},
    )
    emit(
        "contact.updated",
        [lead.contact_id],
        payloads={lead.contact_id: {"changes": {"name": {"from": "a", "to": "b"}}}},
    )
    deliver()
    for _ in range(2):
        record(list(Event.objects.order_by("sequence")))
    kinds = LeadActivity.objects.order_by("kind", "lead_id").values_list("kind", "lead_id")
    assert list(kinds) == [("changed", lead.pk), ("changed", None), ("status", lead.pk)]


def test_many_events_cost_as_many_statements_as_one(scope: Cast) -> None:
    counts = []
    for number in (1, 200):
        leads = [lead.pk for lead in LeadFactory.create_batch(number)]
        emit(
            "lead.updated",
            leads,
            payloads={id: {"changes": {"value": {"from": None, "to": 1}}} for id in leads},
            actor_id=scope.owner.pk,
        )
        with CaptureQueriesContext(connection) as captured:
            assert deliver() == number
        counts.append(len(captured))
    assert counts[0] == counts[1]
    assert LeadActivity.objects.filter(kind="changed").count() == 201


def test_a_failing_activity_costs_no_other(scope: Cast) -> None:
    leads = [lead.pk for lead in LeadFactory.create_batch(3)]
    payloads = {leads[1]: {"changes": "not an object"}, leads[2]: {"changes": {"value": {"from": 1, "to": 2}}}}
    with transaction.atomic():
        emit("lead.updated", leads, payloads=payloads)
    assert deliver() == 3
    left = EventDelivery.objects.get()
    assert (left.consumer, left.event.object_id, left.attempts) == ("activities", leads[1], 1)
    assert list(LeadActivity.objects.values_list("lead_id", "kind")) == [(leads[2], "changed")]
