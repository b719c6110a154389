"""POST /calllog (contract 4.4)"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Company
from core.events import deliver
from core.models import Event
from core.tenancy import use_owner_role
from crm.models import CallLog, Contact
from tests.crm.activities.call_helpers import MISSING, PATH, SENT, log, refused, shared_number
from tests.crm.contacts.helpers import form
from tests.crm.leads.helpers import make, member
from tests.kit.cast import Cast


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
    assert (answer.status, answer.body["message"]) == (201, "Call created.")
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
    assert "+491701000003" in refused(cast.key.post(PATH, {"number": "+491701000003"}), "Contact not found.")
    cast.key.delete("/contact", {"ids": [ann["_id"]]})
    refused(cast.key.post(PATH, {"number": "+491701000001"}), "Contact not found.")
    two = shared_number(cast, 5)
    warning = refused(cast.key.post(PATH, {"number": "+491701000005"}), "Some values are missing or wrong.")
    assert all(id in warning for id in two)
    assert log(cast, number="+491701000005", contact=two[0])["contact"]["_id"] == two[0]


def test_the_finder_by_number_reads_its_index(cast: Cast) -> None:
    made = cast.key.post("/contact/bulk", {"formData": [form(n) for n in range(1, 301)]}).data["created"]
    contact = next(row["_id"] for row in made if row["contactNumber"] == "+491701000007")
    with use_owner_role(), connection.cursor() as cursor:
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


def test_what_is_refused(cast: Cast, outsiders: Cast) -> None:
    lead, other, foreign = make(cast, 1), make(cast, 2), make(outsiders, 3)
    gone = make(cast, 4)
    cast.key.delete("/lead", {"ids": [gone["_id"]]})
    to_come = (timezone.now() + timedelta(hours=1)).isoformat()
    named: list[tuple[dict[str, Any], str, int]] = [
        ({}, "Some values are missing or wrong.", 400),
        ({"number": ""}, "Some values are missing or wrong.", 400),
        ({"number": "123"}, "Some values are missing or wrong.", 400),
        ({"number": "0170 1000001"}, "Some values are missing or wrong.", 400),
        ({"number": "+49 170", "lead": lead["_id"]}, "Some values are missing or wrong.", 400),
        ({"countryCode": "+49", "lead": lead["_id"]}, "Some values are missing or wrong.", 400),
        ({"lead": lead["_id"], "startedAt": to_come}, "Some values are missing or wrong.", 400),
        ({"lead": lead["_id"], "contact": other["contact"]["_id"]}, "Some values are missing or wrong.", 400),
        *(({"lead": id}, "Lead not found.", 400) for id in (MISSING, foreign["_id"], gone["_id"])),
        *(({"contact": id}, "Contact not found.", 400) for id in (MISSING, foreign["contact"]["_id"])),
        *(({"lead": lead["_id"], "member": id}, "Member not found.", 404) for id in (MISSING, outsiders.owner.pk)),
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
