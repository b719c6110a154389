"""/lead-activity (contract 4.4), and how activities come about"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.events import deliver, emit
from core.ids import new_id
from core.models import Event, EventDelivery
from core.tenancy import as_owner
from crm.activities.services import READERS, record
from crm.models import LeadActivity
from tests.crm.contacts.helpers import form
from tests.crm.leads.helpers import lead_field, make, member, product, team_of
from tests.kit.cast import SESSION, Answer, Caller, Cast, make_cast, session_headers
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, RoleFactory

PATH = "/lead-activity"
MISSING = "0" * 24


def told(cast: Cast, **filters: Any) -> list[tuple[str, Any]]:
    """Return kind and details of the activities that match, oldest first, once all events are delivered."""
    deliver()
    answer = cast.key.get(PATH, filters=filters, sortBy="happenedAt", sortOrder="asc")
    assert answer.status == 200, answer.body
    return [(row["kind"], row["details"]) for row in answer.data]


def ids(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.body
    return [row["_id"] for row in answer.data]


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
    assert found[0] == ("created", {})
    assert sorted(found[1:4], key=lambda part: part[0]) == [
        (
            "assigned",
            {"team": {"from": old["team"], "to": team.pk}, "teamMember": {"from": old["teamMember"], "to": seller.pk}},
        ),
        ("changed", {"budget": {"from": 3, "to": 4}, "productServices": {"to": [roof.pk]}}),
        ("status", {"status": {"from": "new", "to": "won"}}),
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
        "follow-up.deleted": ({"lead": lead.pk, "title": "T"}, "follow_up", {"followUp": thing, "title": "T"}),
        "follow-up.updated": ({"lead": lead.pk, "changes": {}}, "follow_up", {"followUp": thing, "changes": {}}),
        "follow-up.completed": ({"lead": lead.pk, "from": "open"}, "follow_up", {"followUp": thing, "from": "open"}),
        "contact.merged": ({"losers": ["x"]}, "merged", {"winner": lead.contact_id, "losers": ["x"]}),
        "contact.unmerged": ({}, "merged", {"winner": lead.contact_id}),
        "lead.merged": ({"lead": lead.pk}, "merged", {"winner": lead.pk}),
        "lead.unmerged": ({"lead": lead.pk}, "merged", {"winner": lead.pk}),
        "contact.restored": ({}, "restored", {}),
        "lead.restored": ({}, "restored", {}),
        "contact.unsubscribed": ({"sendJob": thing}, "changed", {"unsubscribed": {"from": False, "to": True}}),
    }
    covered = {"lead.created", "lead.updated", "lead.deleted", "contact.updated", "contact.deleted"}
    assert set(cases) | covered == set(READERS)
    for kind, (payload, activity, details) in cases.items():
        panel, _, step = kind.partition(".")
        id = {"lead": lead.pk, "contact": lead.contact_id}.get(panel, thing)
        emit(kind, [id], payloads={id: payload}, actor_id=scope.owner.pk)
        assert deliver() == 1, kind
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


def test_notes(cast: Cast, outsiders: Cast) -> None:
    lead = make(cast)
    made = cast.session.post(PATH, {"lead": lead["_id"], "notes": "called back\nnice"})
    assert (made.status, made.body["message"]) == (201, "Note created")
    assert (made.data["kind"], made.data["notes"], made.data["details"]) == ("note", "called back\nnice", {})
    assert (made.data["lead"]["_id"], made.data["contact"]["_id"]) == (lead["_id"], lead["contact"]["_id"])
    assert made.data["member"]["_id"] == cast.owner.pk
    with cast.scope():
        event = Event.objects.get(kind="note.created")
    assert (event.object_id, event.payload["lead"], event.payload["notes"]) == (
        made.data["_id"],
        lead["_id"],
        "called back\nnice",
    )
    of_contact = cast.key.post(PATH, {"contact": lead["contact"]["_id"], "notes": "prefers mail"})
    assert (of_contact.status, of_contact.data["lead"]) == (201, None)
    assert told(cast, lead=lead["_id"], kind="note") == [("note", {})]
    foreign = make(outsiders)
    deleted = make(cast, 2)
    cast.key.delete("/lead", {"ids": [deleted["_id"]]})
    cases: list[tuple[dict[str, Any], str]] = [
        ({"lead": MISSING, "notes": "x"}, "Lead not found"),
        ({"lead": foreign["_id"], "notes": "x"}, "Lead not found"),
        ({"lead": deleted["_id"], "notes": "x"}, "Lead not found"),
        ({"contact": foreign["contact"]["_id"], "notes": "x"}, "Contact not found"),
        ({"notes": "x"}, "Invalid input"),
        ({"lead": lead["_id"], "contact": lead["contact"]["_id"], "notes": "x"}, "Invalid input"),
    ]
    for body, message in cases:
        answer = cast.key.post(PATH, body)
        assert (answer.status, answer.body["message"]) == (400, message), body
    shapes: list[dict[str, Any]] = [
        {},
        {"lead": lead["_id"]},
        {"lead": lead["_id"], "notes": ""},
        {"lead": lead["_id"], "notes": " "},
    ]
    shapes += [{"lead": lead["_id"], "notes": bad} for bad in (3, None, ["x"], "x" * 20_001)]
    shapes += [{"lead": "x", "notes": "x"}, {"lead": lead["_id"], "notes": "x", "kind": "call"}]
    for body in shapes:
        assert cast.key.post(PATH, body).status == 400, body
    assert told(cast, kind="note") == [("note", {})], "that of the contact is in its timeline"
    assert cast.key.get(f"{PATH}/{of_contact.data['_id']}").data == of_contact.data


def test_notes_of_any_activity_can_be_changed(cast: Cast, outsiders: Cast) -> None:
    lead = make(cast)
    deliver()
    created = cast.key.get(PATH).data[0]
    note = cast.key.post(PATH, {"lead": lead["_id"], "notes": "first"}).data
    changed = cast.session.call("PATCH", f"{PATH}/{note['_id']}/notes", {"notes": "second"})
    assert (changed.status, changed.body["message"], changed.data["notes"]) == (200, "Notes updated", "second")
    assert changed.data | {"notes": "first", "updatedAt": note["updatedAt"]} == note
    assert changed.data["updatedAt"] > note["updatedAt"]
    for text in ("by the fair", ""):
        assert cast.key.call("PATCH", f"{PATH}/{created['_id']}/notes", {"notes": text}).data["notes"] == text
    emptied = cast.key.call("PATCH", f"{PATH}/{note['_id']}/notes", {"notes": " "})
    assert (emptied.status, emptied.body["message"]) == (400, "Invalid input")
    for bad in ({}, {"notes": None}, {"notes": 1}, {"notes": "x", "shade": "red"}):
        assert cast.key.call("PATCH", f"{PATH}/{note['_id']}/notes", bad).status == 400
    assert cast.key.get(f"{PATH}/{note['_id']}").data["notes"] == "second"
    for caller, id in ((cast.key, MISSING), (outsiders.key, note["_id"])):
        answers = [caller.get(f"{PATH}/{id}"), caller.call("PATCH", f"{PATH}/{id}/notes", {"notes": "x"})]
        assert [(one.status, one.body["message"]) for one in answers] == [(404, "Lead activity not found")] * 2
    assert cast.key.get(f"{PATH}/xyz").status == 400
    assert cast.key.call("PATCH", f"{PATH}/xyz/notes", {"notes": "x"}).status == 400


def test_rights(cast: Cast) -> None:
    note = {"lead": make(cast)["_id"], "notes": "x"}
    id = cast.key.post(PATH, note).data["_id"]
    reader = make_reader(cast, GET=True)
    assert ids(reader.get(PATH)) == [id]
    assert reader.post(PATH, note).status == 403
    assert reader.call("PATCH", f"{PATH}/{id}/notes", {"notes": "y"}).status == 403
    writer = make_reader(cast, POST=True, PUT=True)
    assert writer.get(PATH).status == 403
    assert writer.post(PATH, note).status == 201
    assert writer.call("PATCH", f"{PATH}/{id}/notes", {"notes": "y"}).status == 200
    assert cast.narrow_session.get(PATH).status == 403


def make_reader(cast: Cast, **methods: bool) -> Caller:
    """Return a session of a new member who may do this with lead activities."""
    with cast.scope():
        role = RoleFactory(permission={"lead-activity": methods})
        return Caller(SESSION, session_headers(MemberFactory(status="accepted", role=role)))


@pytest.fixture
def history(cast: Cast, outsiders: Cast) -> list[LeadActivity]:
    """Nine activities, an hour apart, the oldest first: of three leads in turn, kinds call, note, status; a tenth is
    of outsiders."""
    with outsiders.scope():
        LeadActivity.objects.create(kind="note", lead=LeadFactory(), happened_at=timezone.now())
    with cast.scope():
        leads = [
            LeadFactory(contact__name=f"Person {letter}", contact__email=f"{letter}@example.org") for letter in "abc"
        ]
        return [
            LeadActivity.objects.create(
                kind=("call", "note", "status")[n // 3],
                lead=leads[n % 3],
                contact=leads[n % 3].contact,
                member=cast.owner if n % 2 else cast.narrow,
                notes=f"Text {n}",
                happened_at=timezone.now() - timedelta(hours=9 - n),
            )
            for n in range(9)
        ]


def test_filters_search_and_sort(cast: Cast, history: list[LeadActivity]) -> None:
    keys = [activity.pk for activity in history]

    def found(**query: Any) -> list[int]:
        return [keys.index(id) for id in ids(cast.key.get(PATH, **query))]

    assert found() == [8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert found(filters={"lead": history[1].lead_id}) == [7, 4, 1]
    assert found(filters={"contact": [history[0].contact_id, history[2].contact_id]}) == [8, 6, 5, 3, 2, 0]
    assert found(filters={"kind": ["call", "note"], "member": cast.owner.pk}) == [5, 3, 1]
    after = {"field": "happenedAt", "operator": "after", "value": history[5].happened_at.isoformat()}
    assert found(advancedFilters={"operator": "and", "conditions": [after]}) == [8, 7, 6]
    last = {"field": "happenedAt", "operator": "withinLast", "value": {"amount": 150, "unit": "minutes"}}
    assert found(advancedFilters={"operator": "and", "conditions": [last]}) == [8, 7]
    assert found(searchValue="text 4") == [4]
    assert found(searchValue="PERSON B", searchBy="contact.name") == [7, 4, 1]
    assert found(sortBy="contact.name,happenedAt", sortOrder="asc,desc") == [6, 3, 0, 7, 4, 1, 8, 5, 2]
    assert found(sortBy="kind", sortOrder="asc", p="2", n="3") == sorted([3, 4, 5], key=lambda n: keys[n])
    assert found(ids=f"{keys[3]},{keys[5]}") == [5, 3]
    for bad in (
        {"filters": {"details": 1}},
        {"sortBy": "details"},
        {"searchBy": "kind", "searchValue": "x"},
        {"filters": {"lead": "x"}},
    ):
        assert cast.key.get(PATH, **bad).status == 400, bad


def test_pages(cast: Cast, history: list[LeadActivity]) -> None:
    seen, query = [], {"n": "4", "cursorPagination": "true"}
    for _ in range(3):
        page = cast.key.get(PATH, **query)
        assert page.body["totalCount"] == 9
        seen += ids(page)
        query = {"n": "4", "cursor": page.body["nextCursor"]}
    assert page.body["nextCursor"] is None
    assert seen == [activity.pk for activity in history][::-1]


def test_the_list_takes_as_many_statements_for_one_as_for_eight(cast: Cast, history: list[LeadActivity]) -> None:
    cast.key.get(PATH, p="1", n="1")
    counts = []
    for size in ("1", "8"):
        with CaptureQueriesContext(connection) as captured:
            assert len(ids(cast.key.get(PATH, p="1", n=size))) == int(size)
        counts.append(len(captured))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("filters", "index"),
    [
        ({}, "leadactivity_created"),
        ({"lead": 1}, "leadactivity_lead_created"),
        ({"contact": 1}, "leadactivity_contact_created"),
    ],
)
def test_lists_are_read_from_their_index(cast: Cast, filters: dict[str, Any], index: str) -> None:
    with cast.scope():
        leads = LeadFactory.create_batch(40)
        now = timezone.now()
        LeadActivity.objects.bulk_create(
            [
                LeadActivity(
                    kind="note", lead=lead, contact=lead.contact, happened_at=now - timedelta(minutes=n * 40 + place)
                )
                for n in range(100)
                for place, lead in enumerate(leads)
            ]
        )
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE crm_leadactivity, crm_lead, crm_contact")
    chosen = {name: getattr(leads[7], "pk" if name == "lead" else "contact_id") for name in filters}
    with CaptureQueriesContext(connection) as captured:
        assert len(ids(cast.key.get(PATH, filters=chosen, p="1", n="10"))) == 10
    page = next(query["sql"] for query in captured if "LIMIT" in query["sql"] and "crm_leadactivity" in query["sql"])
    with cast.scope(), connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + page)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert index in plan, plan
    assert "Seq Scan on crm_leadactivity" not in plan


def test_a_failing_activity_costs_no_other(scope: Cast) -> None:
    leads = [lead.pk for lead in LeadFactory.create_batch(3)]
    payloads = {leads[1]: {"changes": "not an object"}, leads[2]: {"changes": {"value": {"from": 1, "to": 2}}}}
    with transaction.atomic():
        emit("lead.updated", leads, payloads=payloads)
    assert deliver() == 3
    left = EventDelivery.objects.get()
    assert (left.consumer, left.event.object_id, left.attempts) == ("activities", leads[1], 1)
    assert list(LeadActivity.objects.values_list("lead_id", "kind")) == [(leads[2], "changed")]


def test_a_lead_without_activities_has_an_empty_list(cast: Cast) -> None:
    with cast.scope():
        lead = LeadFactory(contact=ContactFactory())
    assert cast.key.get(PATH, filters={"lead": lead.pk}, p="1", n="5").body["data"] == []
