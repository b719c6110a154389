"""/calllog (contract 4.4)"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Company
from core.events import deliver
from core.models import Event
from core.tenancy import as_owner
from crm.models import CallLog, Contact
from tests.crm.contacts.helpers import form
from tests.crm.leads.helpers import make, member
from tests.kit.cast import SESSION, Answer, Caller, Cast, session_headers
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, RoleFactory

PATH = "/calllog"
MISSING = "0" * 24
SENT = "2026-03-09T14:30:00+01:00"


def log(cast: Cast, **body: Any) -> dict[str, Any]:
    answer = cast.key.post(PATH, body)
    assert answer.status == 201, answer.body
    return dict(answer.data)


def refused(answer: Answer, message: str, status: int = 400) -> str:
    assert (answer.status, answer.body["message"]) == (status, message), answer.body
    return str(answer.body["warning"])


def ids(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.body
    return [row["_id"] for row in answer.data]


def shared_number(cast: Cast, number: int) -> list[str]:
    """Create two contacts that share the nth contact's number. Returns their ids."""
    with cast.scope():
        return [ContactFactory(contact_number=f"+49170{1000000 + number}", number_key=None).pk for _ in range(2)]


def test_a_call_with_a_lead_in_full(cast: Cast) -> None:
    lead = make(cast)
    with cast.scope():
        seller = member(name="Ada")
    answer = cast.session.post(
        PATH,
        {
            "lead": lead["_id"],
            "number": "(0171) 555-1234",
            "countryCode": "+49",
            "member": seller.pk,
            "direction": "inbound",
            "outcome": "voicemail",
            "startedAt": SENT,
            "duration": 65,
            "notes": "left word",
            "recording": "https://example.com/a.mp3",
        },
    )
    assert (answer.status, answer.body["message"]) == (201, "Call log created")
    owner = {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert answer.data == {
        "_id": answer.data["_id"],
        "lead": {"_id": lead["_id"], "status": "new", "contact": lead["contact"]},
        "contact": lead["contact"],
        "member": {"_id": seller.pk, "name": "Ada", "email": seller.email},
        "direction": "inbound",
        "outcome": "voicemail",
        "number": "+491715551234",
        "startedAt": "2026-03-09T13:30:00.000Z",
        "duration": 65,
        "notes": "left word",
        "recording": "https://example.com/a.mp3",
        "createdBy": owner,
        "updatedBy": owner,
        "createdAt": answer.data["createdAt"],
        "updatedAt": answer.data["updatedAt"],
    }
    assert cast.key.get(f"{PATH}/{answer.data['_id']}").data == answer.data


def test_what_is_not_given_follows(cast: Cast) -> None:
    lead = make(cast)
    before = timezone.now()
    call = log(cast, lead=lead["_id"])
    assert (call["contact"], call["number"]) == (lead["contact"], "+491701000001")
    assert (call["direction"], call["outcome"], call["duration"], call["notes"], call["recording"]) == (
        "outbound",
        "connected",
        0,
        "",
        "",
    )
    assert call["member"]["_id"] == cast.owner.pk
    assert before - timedelta(seconds=1) <= datetime.fromisoformat(call["startedAt"]) <= timezone.now()
    other = log(cast, contact=lead["contact"]["_id"], number="+44 20 7946 0123", member=None)
    assert (other["lead"], other["contact"], other["number"], other["member"]) == (
        None,
        lead["contact"],
        "+442079460123",
        None,
    )
    Company.objects.filter(pk=cast.company.pk).update(timezone="Europe/Berlin")
    assert log(cast, lead=lead["_id"], startedAt="2026-07-01T12:00:00")["startedAt"] == "2026-07-01T10:00:00.000Z"


def test_the_contact_is_found_by_the_number(cast: Cast, outsiders: Cast) -> None:
    ann, bob = (cast.key.post("/contact", {"formData": form(n)}).data for n in (1, 2))
    outsiders.key.post("/contact", {"formData": form(3)})
    call = log(cast, number="0170 1000002", countryCode="DE")
    assert (call["contact"]["_id"], call["lead"], call["number"]) == (bob["_id"], None, "+491701000002")
    assert log(cast, number="+49 170 1000001", lead=None, contact=None)["contact"]["_id"] == ann["_id"]
    assert "+491701000003" in refused(cast.key.post(PATH, {"number": "+491701000003"}), "Contact not found")
    cast.key.delete("/contact", {"ids": [ann["_id"]]})
    refused(cast.key.post(PATH, {"number": "+491701000001"}), "Contact not found")
    two = shared_number(cast, 5)
    warning = refused(cast.key.post(PATH, {"number": "+491701000005"}), "Invalid input")
    assert all(id in warning for id in two)
    assert log(cast, number="+491701000005", contact=two[0])["contact"]["_id"] == two[0]


def test_what_is_refused(cast: Cast, outsiders: Cast) -> None:
    lead, other, foreign = make(cast, 1), make(cast, 2), make(outsiders, 3)
    gone = make(cast, 4)
    cast.key.delete("/lead", {"ids": [gone["_id"]]})
    to_come = (timezone.now() + timedelta(hours=1)).isoformat()
    named: list[tuple[dict[str, Any], str, int]] = [
        ({}, "Invalid input", 400),
        ({"number": ""}, "Invalid input", 400),
        ({"number": "123"}, "Invalid input", 400),
        ({"number": "0170 1000001"}, "Invalid input", 400),
        ({"number": "+49 170", "lead": lead["_id"]}, "Invalid input", 400),
        ({"countryCode": "+49", "lead": lead["_id"]}, "Invalid input", 400),
        ({"lead": lead["_id"], "startedAt": to_come}, "Invalid input", 400),
        ({"lead": lead["_id"], "contact": other["contact"]["_id"]}, "Invalid input", 400),
        *(({"lead": id}, "Lead not found", 400) for id in (MISSING, foreign["_id"], gone["_id"])),
        *(({"contact": id}, "Contact not found", 400) for id in (MISSING, foreign["contact"]["_id"])),
        *(({"lead": lead["_id"], "member": id}, "Member not found", 404) for id in (MISSING, outsiders.owner.pk)),
    ]
    for body, message, status in named:
        assert refused(cast.key.post(PATH, body), message, status), body
    shapes: list[dict[str, Any]] = [
        *({"lead": bad} for bad in ("x", 3)),
        {"number": 491701000001},
        *({"duration": bad} for bad in (-1, "5", 1.5, True, 2**31)),
        {"direction": "up"},
        {"outcome": None},
        *({"startedAt": bad} for bad in ("soon", "2026-03-09")),
        {"notes": ["x"]},
        {"notes": "x" * 20_001},
        {"recording": "javascript:alert(1)"},
        {"recording": "ftp://example.com/a"},
        {"automation": "no"},
        {"durationSeconds": 3},
        {"number": "+49\0170"},
    ]
    for body in shapes:
        answer = cast.key.post(PATH, {"contact": lead["contact"]["_id"], **body})
        assert answer.status == 400, body
        assert next(iter(body)) in answer.body["message"] + answer.body["warning"], (body, answer.body)
    for body in ([], "x", 3):
        assert cast.key.post(PATH, body).status == 400
    with cast.scope():
        assert not CallLog.objects.exists()
        assert not Event.objects.filter(kind="calllog.created").exists()


def test_update(cast: Cast, outsiders: Cast) -> None:
    lead, other = make(cast, 1), make(cast, 2)
    call = log(cast, lead=lead["_id"], startedAt=SENT, notes="first")
    place = f"{PATH}/{call['_id']}"
    changed = cast.session.put(place, {"notes": "second", "duration": 30})
    assert (changed.status, changed.body["message"]) == (200, "Call log updated")
    assert changed.data == {**call, "notes": "second", "duration": 30, "updatedAt": changed.data["updatedAt"]}
    assert changed.data["updatedAt"] > call["updatedAt"]
    assert cast.key.put(place, {"notes": "second"}).data == changed.data, (
        "nothing is different, so that nothing is written"
    )
    with cast.scope():
        event = Event.objects.get(kind="calllog.updated")
    assert event.payload["changes"] == {"notes": {"from": "first", "to": "second"}, "duration": {"from": 0, "to": 30}}
    moved = cast.key.put(place, {"lead": other["_id"]}).data
    assert (moved["lead"]["_id"], moved["contact"], moved["number"]) == (
        other["_id"],
        other["contact"],
        "+491701000001",
    )
    moved = cast.key.put(place, {"contact": lead["contact"]["_id"]}).data
    assert (moved["lead"], moved["contact"]) == (None, lead["contact"])
    moved = cast.key.put(place, {"contact": None, "number": "+491701000002"}).data
    assert (moved["contact"], moved["number"]) == (other["contact"], "+491701000002")
    refused(cast.key.put(place, {"contact": None, "number": ""}), "Invalid input")
    refused(cast.key.put(place, {"lead": MISSING}), "Lead not found")
    for body in ({"duration": -1}, {"number": "1"}, {"startedAt": "x"}, {"ids": []}, {"outcome": "fine"}):
        assert cast.key.put(place, body).status == 400, body
    for caller, id in ((cast.key, MISSING), (outsiders.key, call["_id"])):
        refused(caller.get(f"{PATH}/{id}"), "Call log not found")
        refused(caller.put(f"{PATH}/{id}", {"notes": "x"}), "Call log not found")
    assert cast.key.get(f"{PATH}/xyz").status == 400
    assert cast.key.put(f"{PATH}/xyz", {}).status == 400


def test_a_call_stays_when_its_lead_is_deleted(cast: Cast) -> None:
    lead = make(cast)
    call = log(cast, lead=lead["_id"])
    cast.key.delete("/lead", {"ids": [lead["_id"]]})
    changed = cast.key.put(f"{PATH}/{call['_id']}", {"notes": "still here"}).data
    assert (changed["lead"]["_id"], changed["notes"]) == (lead["_id"], "still here")


def test_delete(cast: Cast, outsiders: Cast) -> None:
    lead, foreign = make(cast), make(outsiders)
    calls = [log(cast, lead=lead["_id"], outcome=outcome)["_id"] for outcome in ("busy", "busy", "failed", "connected")]
    theirs = log(outsiders, lead=foreign["_id"])["_id"]
    answer = cast.session.delete(PATH, {"ids": [calls[0], theirs]})
    assert (answer.status, answer.body["message"], answer.data) == (200, "Call logs deleted", {"deletedCount": 1})
    assert cast.key.delete(
        PATH, {"selectAll": True, "nids": [calls[3]]}, filters={"outcome": ["busy", "connected"]}
    ).data == {"deletedCount": 1}
    assert sorted(ids(cast.key.get(PATH))) == sorted(calls[2:])
    for body in ({"ids": [theirs]}, {"ids": [MISSING]}):
        refused(cast.key.delete(PATH, body), "Call log not found")
    for bad in ({}, {"ids": ["x"]}, {"ids": "x"}, {"selectAll": "yes"}, {"id": calls[2]}):
        assert cast.key.delete(PATH, bad).status == 400
    assert ids(outsiders.key.get(PATH)) == [theirs]
    with cast.scope():
        assert set(Event.objects.filter(kind="calllog.deleted").values_list("object_id", flat=True)) == set(calls[:2])
    assert cast.key.delete(PATH, {"selectAll": True}).data == {"deletedCount": 2}


def test_a_call_is_an_activity(cast: Cast) -> None:
    lead = make(cast)
    call = log(cast, lead=lead["_id"], startedAt=SENT, duration=9, automation="skip")
    deliver()
    row = cast.key.get("/lead-activity", filters={"lead": lead["_id"], "kind": "call"}).data[0]
    assert row["happenedAt"] == "2026-03-09T13:30:00.000Z"
    assert row["details"] == {
        "event": "created",
        "call": call["_id"],
        "direction": "outbound",
        "outcome": "connected",
        "duration": 9,
        "number": "+491701000001",
        "startedAt": row["details"]["startedAt"],
    }
    assert datetime.fromisoformat(row["details"]["startedAt"]) == datetime(2026, 3, 9, 13, 30, tzinfo=UTC)
    with cast.scope():
        assert Event.objects.get(kind="calllog.created").automation is False
    cast.key.delete(PATH, {"ids": [call["_id"]]})
    deliver()
    assert len(cast.key.get("/lead-activity", filters={"kind": "call"}).data) == 1


def test_bulk(cast: Cast, outsiders: Cast) -> None:
    lead, foreign = make(cast), make(outsiders, 2)
    two = shared_number(cast, 5)
    items: list[Any] = [
        {"lead": lead["_id"], "duration": 5},
        {"number": "+49 170 1000001", "startedAt": SENT},
        "no object",
        {"lead": foreign["_id"]},
        {"number": "+491701000009"},
        {"number": "+491701000005"},
        {"contact": two[1], "duration": -3},
        {"contact": two[1], "colour": "red"},
        {"contact": two[1], "automation": "skip"},
        {"contact": two[1], "number": "12"},
        {"lead": lead["_id"], "member": MISSING},
    ]
    answer = cast.session.post(f"{PATH}/bulk", {"formData": items})
    assert (answer.status, answer.body["message"]) == (200, "Call logs processed")
    assert set(answer.data) == {"created", "failed", "errors"}
    assert [(row["contact"]["_id"], row["duration"]) for row in answer.data["created"]] == [
        (lead["contact"]["_id"], 5),
        (lead["contact"]["_id"], 0),
    ]
    assert [(row["index"], row["name"], row["message"]) for row in answer.data["failed"]] == [
        (2, "ValidationError_400", "Validation error"),
        (3, "LeadNotFound_400", "Lead not found"),
        (4, "ContactNotFound_400", "Contact not found"),
        (5, "InvalidInput_400", "Invalid input"),
        (6, "ValidationError_400", "Validation error"),
        (7, "ValidationError_400", "Validation error"),
        (8, "ValidationError_400", "Validation error"),
        (9, "InvalidInput_400", "Invalid input"),
        (10, "MemberNotFound_404", "Member not found"),
    ]
    assert [row["formData"] for row in answer.data["failed"]] == items[2:]
    keys = ["formData", "lead", "number", "number", "duration", "colour", "automation", "number", "member"]
    assert [(row["index"], row["key"]) for row in answer.data["errors"]] == list(enumerate(keys, 2))
    assert [row["name"] for row in answer.data["errors"]] == [row["name"] for row in answer.data["failed"]]
    with cast.scope():
        assert CallLog.objects.count() == Event.objects.filter(kind="calllog.created").count() == 2
    for bad in ({}, {"formData": []}, {"formData": [{"lead": lead["_id"]}] * 501}):
        refused(cast.key.post(f"{PATH}/bulk", bad), "Invalid payload")
    for bad in ({"formData": {}}, {"formData": "x"}, {"calls": []}):
        assert cast.key.post(f"{PATH}/bulk", bad).status == 400


def test_a_bulk_that_takes_all_calls_or_none(cast: Cast) -> None:
    good, bad = {"lead": make(cast)["_id"]}, {"lead": MISSING}
    refused(cast.key.post(f"{PATH}/bulk", {"formData": [good, bad], "skipInvalid": False}), "Lead not found")
    with cast.scope():
        assert not CallLog.objects.exists()
    kept = cast.key.post(f"{PATH}/bulk", {"formData": [good, bad], "skipInvalid": True}).data
    assert (len(kept["created"]), [row["index"] for row in kept["failed"]]) == (1, [1])


def test_bulk_costs_as_many_statements_for_one_as_for_many(cast: Cast) -> None:
    lead = make(cast)
    items = [
        {"lead": lead["_id"], "startedAt": "2026-03-09T12:00"},
        {"number": "+491701000001"},
        {"contact": lead["contact"]["_id"], "member": cast.owner.pk},
    ]
    cast.key.post(f"{PATH}/bulk", {"formData": items})
    counts = []
    for times in (1, 100):
        with CaptureQueriesContext(connection) as captured:
            assert len(cast.key.post(f"{PATH}/bulk", {"formData": items * times}).data["created"]) == 3 * times
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_rights(cast: Cast) -> None:
    lead = make(cast)
    call = log(cast, lead=lead["_id"])
    place, one = f"{PATH}/{call['_id']}", {"lead": lead["_id"]}

    def caller(**methods: bool) -> Caller:
        with cast.scope():
            return Caller(
                SESSION,
                session_headers(
                    MemberFactory(status="accepted", role=RoleFactory(permission={"lead-activity": methods}))
                ),
            )

    def statuses(who: Caller) -> list[int]:
        answers = [who.get(PATH), who.get(place), who.post(PATH, one), who.post(f"{PATH}/bulk", {"formData": [one]})]
        return [answer.status for answer in (*answers, who.put(place, {}), who.delete(PATH, {"ids": [MISSING]}))]

    assert statuses(cast.narrow_session) == [403] * 6
    assert statuses(caller(GET=True)) == [200, 200, 403, 403, 403, 403]
    assert statuses(caller(POST=True)) == [403, 403, 201, 200, 403, 403]
    assert statuses(caller(PUT=True)) == [403, 403, 403, 403, 200, 403]
    assert statuses(caller(DELETE=True)) == [403, 403, 403, 403, 403, 400]


@pytest.fixture
def calls(cast: Cast, outsiders: Cast) -> list[CallLog]:
    """Six calls, an hour apart, the oldest first, with three leads in turn; and one of outsiders."""
    with outsiders.scope():
        CallLog.objects.create(contact=ContactFactory(), started_at=timezone.now())
    with cast.scope():
        leads = [LeadFactory(contact__name=f"Person {letter}") for letter in "abc"]
        return [
            CallLog.objects.create(
                lead=leads[n % 3],
                contact=leads[n % 3].contact,
                member=cast.owner if n % 2 else None,
                direction="inbound" if n < 2 else "outbound",
                outcome="busy" if n == 5 else "connected",
                number=f"+4917010000{n:02}",
                notes=f"Text {n}",
                duration_seconds=n * 10,
                started_at=timezone.now() - timedelta(hours=6 - n),
            )
            for n in range(6)
        ]


def test_filters_search_sort_and_pages(cast: Cast, calls: list[CallLog]) -> None:
    keys = [call.pk for call in calls]

    def found(**query: Any) -> list[int]:
        return [keys.index(id) for id in ids(cast.key.get(PATH, **query))]

    assert found() == [5, 4, 3, 2, 1, 0]
    assert found(filters={"lead": calls[1].lead_id}) == [4, 1]
    assert found(filters={"contact": calls[2].contact_id, "direction": "outbound"}) == [5, 2]
    assert found(filters={"member": cast.owner.pk}) == [5, 3, 1]
    assert found(filters={"outcome": "busy"}) == [5]
    assert found(filters={"number": "+491701000003"}) == [3]
    longer = {"field": "duration", "operator": "between", "value": [20, 40]}
    assert found(advancedFilters={"operator": "and", "conditions": [longer]}) == [4, 3, 2]
    assert found(searchValue="1000004") == [4]
    assert found(searchValue="TEXT 2") == [2]
    assert found(searchValue="person b") == [4, 1]
    assert found(sortBy="duration", sortOrder="asc", p="2", n="2") == [2, 3]
    assert found(sortBy="contact.name,startedAt", sortOrder="asc,asc") == [0, 3, 1, 4, 2, 5]
    first = cast.key.get(PATH, n="4", cursorPagination="true")
    rest = cast.key.get(PATH, n="4", cursor=first.body["nextCursor"])
    assert (first.body["totalCount"], rest.body["nextCursor"]) == (6, None)
    assert ids(first) + ids(rest) == keys[::-1]
    for bad in (
        {"filters": {"recording": 1}},
        {"sortBy": "x"},
        {"searchBy": "duration", "searchValue": "1"},
        {"filters": {"lead": "x"}},
    ):
        assert cast.key.get(PATH, **bad).status == 400, bad
    counts = []
    for size in ("1", "5"):
        with CaptureQueriesContext(connection) as captured:
            assert len(ids(cast.key.get(PATH, p="1", n=size))) == int(size)
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_the_finder_by_number_reads_its_index(cast: Cast) -> None:
    made = cast.key.post("/contact/bulk", {"formData": [form(n) for n in range(1, 301)]}).data["created"]
    contact = next(row["_id"] for row in made if row["contactNumber"] == "+491701000007")
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE crm_contact")
    with CaptureQueriesContext(connection) as captured:
        assert log(cast, number="+491701000007")["contact"]["_id"] == contact
    looking = [query["sql"] for query in captured if "contact_number" in query["sql"] and "IN (" in query["sql"]]
    assert len(looking) == 1
    with cast.scope(), connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + looking[0])
        plan = "\n".join(row[0] for row in cursor.fetchall())
    index = next(one.name for one in Contact._meta.indexes if "contact_number" in one.fields)
    assert index in plan, plan
