"""What people are told of meetings by mail: invitations, changes, cancellations, reminders, and the files that go with
them."""

from __future__ import annotations

import email
from datetime import UTC, datetime, timedelta
from email import policy
from typing import Any

import pytest
import time_machine
from django.core import mail as outgoing
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.mails import worker as mail_worker
from accounts.models import Company, CompanySettings, Mail, Member
from core.jobs import WORK
from core.tenancy import unscoped
from core.text.json import format_iso
from crm.meetings.icalendar import Method, calendar_file
from crm.models import Meeting
from tests.crm.leads.helpers import member
from tests.crm.meetings.helpers import START, asked, event_of, mails, new_meeting, sent
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory

BOB = {"email": "bob@example.net", "name": "Bob"}
HOSTILE = [
    "Ann\r\nBcc: x@y.example",
    "Ann\rATTENDEE:mailto:x@y.example",
    "Ann\nEND:VEVENT\nBEGIN:VEVENT",
    'Ann "the boss", Lee; Ltd: \\n ^n ^^',
    "Ann\x07\x0b\x0c\x85\u2028Lee",
    "Ägnes 李小龍 👩‍🚀 \u202elee",
    "x" * 300,
    "李" * 300,
    "{{ brand }} {% now %} %s %(a)s",
]


def work() -> None:
    WORK["reminders"].drain(float("inf"))
    assert not WORK["reminders"].due()


def test_utc_is_named_once(cast: Cast) -> None:
    new_meeting(cast, timezone="UTC")
    assert {one.subject for one in mails()} == {"Invitation: Demo, 9 Mar 2090, 14:00 – 15:00 UTC"}


def test_all_are_invited(cast: Cast, sella: Member) -> None:
    Company.objects.filter(pk=cast.company.pk).update(timezone="America/New_York")
    with cast.scope():
        ann = ContactFactory(name="Ann Lee", email="ann@example.org")
    body = {
        "place": "Room 1",
        "link": "https://meet.example.com/a",
        "description": "Bring\nslides",
        "timezone": "Europe/Berlin",
    }
    made = new_meeting(cast, **body, attendees=[{"member": sella.pk}, {"contact": ann.pk}, BOB])
    found = mails()
    assert [(one.kind, one.to) for one in found] == [
        ("meeting_invitation", to)
        for to in (cast.owner.email, "sella@example.com", "ann@example.org", "bob@example.net")
    ]
    assert {one.company_id for one in found} == {cast.company.pk}
    when = "9 Mar 2090, 15:00 – 16:00 (UTC+01:00) Europe/Berlin"
    assert {one.subject for one in found} == {f"Invitation: Demo, {when}"}
    assert "Hello Ann Lee," in found[2].text
    for part in (
        f"When: {when}",
        "Where: Room 1",
        "Link: https://meet.example.com/a",
        "Bring\nslides",
        cast.owner.email,
    ):
        assert part in found[2].text
    assert len({one.calendar for one in found}) == 1
    assert found[2].calendar is not None
    method, event = event_of(found[2].calendar)
    assert (method, event["UID"], event["SEQUENCE"], event["STATUS"]) == (
        "REQUEST",
        f"{made['_id']}@meetings.leadwright",
        0,
        "CONFIRMED",
    )
    assert (event.decoded("DTSTART"), event.decoded("DTEND")) == (
        datetime(2090, 3, 9, 14, tzinfo=UTC),
        datetime(2090, 3, 9, 15, tzinfo=UTC),
    )
    assert event["DESCRIPTION"] == "Bring\nslides\n\nhttps://meet.example.com/a"
    assert event["ORGANIZER"] == f"mailto:{cast.owner.email}"
    assert asked(event) == [one.to for one in found]
    roles = [(one.params["ROLE"], one.params["PARTSTAT"], one.params.get("RSVP")) for one in event["ATTENDEE"]]
    assert roles == [("CHAIR", "ACCEPTED", None), *[("REQ-PARTICIPANT", "NEEDS-ACTION", "TRUE")] * 3]


def test_who_is_told_of_a_change(cast: Cast, sella: Member) -> None:
    made = new_meeting(cast, attendees=[{"member": sella.pk}, BOB])
    owner, place = cast.owner.email, f"/meeting/{made['_id']}"
    everybody = [("invitation", to) for to in (owner, "sella@example.com", "bob@example.net")]
    assert sent() == everybody
    with cast.scope():
        contact = ContactFactory()
    sequence = 0
    silent: list[dict[str, Any]] = [
        {},
        {"title": "Demo"},
        {"remindMinutes": 5},
        {"contact": contact.pk},
        {"startsAt": START},
    ]
    for body in [*silent, {"attendees": [{**BOB, "name": "Robert"}, {"member": sella.pk}]}]:
        assert cast.key.put(place, body).data["sequence"] == sequence
        assert sent() == [], body
    for body in (
        *({"title": "Demo 2"}, {"description": "x"}, {"startsAt": "2090-03-10T14:00Z"}, {"durationMinutes": 30}),
        *({"timezone": "Asia/Tokyo"}, {"place": "Room 2"}, {"link": "https://meet.example.com/b"}),
    ):
        sequence += 1
        assert cast.key.put(place, body).data["sequence"] == sequence
        assert {mail.subject.partition(":")[0] for mail in mails()} == {"Changed"}
        assert {event_of(mail.calendar or "")[1]["SEQUENCE"] for mail in mails()} == {sequence}
        assert sent() == everybody, body
    eve = {"email": "eve@example.net"}
    assert cast.key.put(place, {"attendees": [BOB, {"member": sella.pk}, eve]}).data["sequence"] == sequence + 1
    [invitation] = mails()
    assert (invitation.to, invitation.subject.partition(":")[0]) == ("eve@example.net", "Invitation")
    assert set(asked(event_of(invitation.calendar or "")[1])) == {
        owner,
        "sella@example.com",
        "bob@example.net",
        "eve@example.net",
    }
    sent()
    cast.key.put(place, {"attendees": [eve, {"email": "max@example.net"}], "title": "Demo 3"})
    cancellations = [mail for mail in mails() if mail.kind == "meeting_cancelled"]
    for mail in cancellations:
        method, event = event_of(mail.calendar or "")
        assert (method, event["SEQUENCE"], event["STATUS"], set(asked(event))) == (
            *("CANCEL", sequence + 2, "CANCELLED"),
            {"sella@example.com", "bob@example.net"},
        )
        assert "You are no longer invited to this meeting" in mail.text
    assert sorted(sent()) == sorted(
        [
            *(("cancelled", "sella@example.com"), ("cancelled", "bob@example.net")),
            *(("invitation", owner), ("invitation", "eve@example.net"), ("invitation", "max@example.net")),
        ]
    )


def test_all_are_told_of_a_cancellation(cast: Cast, sella: Member) -> None:
    made = new_meeting(cast, attendees=[{"member": sella.pk}, BOB])
    new_meeting(cast, title="Another")
    sent()
    assert cast.key.delete("/meeting", {"selectAll": True}, filters={"title": "Demo"}).data == {"deletedCount": 1}
    for mail in mails():
        method, event = event_of(mail.calendar or "")
        assert (method, event["UID"], event["SEQUENCE"]) == ("CANCEL", f"{made['_id']}@meetings.leadwright", 1)
        assert asked(event) == ["sella@example.com", "bob@example.net"]
        assert mail.subject == "Cancelled: Demo, 9 Mar 2090, 14:00 – 15:00 UTC"
        assert "This meeting will not take place" in mail.text
    assert sent() == [("cancelled", to) for to in (cast.owner.email, "sella@example.com", "bob@example.net")]


def test_nobody_is_told_of_what_is_over(cast: Cast) -> None:
    past, ahead = {"startsAt": "2020-01-01T09:00Z", "attendees": [BOB]}, {"startsAt": "2090-01-01T09:00Z"}
    made = new_meeting(cast, **past)["_id"]
    assert cast.key.put(f"/meeting/{made}", {"title": "Noted", "attendees": []}).status == 200
    assert cast.key.put(f"/meeting/{made}", {"attendees": [BOB]}).status == 200
    assert sent() == []
    assert cast.key.put(f"/meeting/{made}", ahead).status == 200
    assert len(sent()) == 2
    assert cast.key.put(f"/meeting/{made}", past).status == 200
    assert len(sent()) == 2, "it stands ahead in their calendars"
    assert cast.key.delete("/meeting", {"ids": [made]}).status == 200
    assert sent() == []


def test_who_has_left_the_company_is_told_nothing(cast: Cast, sella: Member) -> None:
    made = new_meeting(cast, organizer=sella.pk, attendees=[{"member": cast.narrow.pk}, BOB])
    sent()
    with cast.scope():
        Member.objects.filter(pk__in=(sella.pk, cast.narrow.pk)).update(status=Member.Status.REMOVED)
    cast.key.put(f"/meeting/{made['_id']}", {"title": "Without them"})
    assert sent() == [("invitation", "bob@example.net")]


def test_two_hundred_are_invited_by_as_many_queries_as_two(cast: Cast) -> None:
    def queries(number: int) -> int:
        body = {
            "title": "x",
            "startsAt": START,
            "durationMinutes": 5,
            "attendees": [{"email": f"a{n}@b.example"} for n in range(number)],
        }
        with CaptureQueriesContext(connection) as found:
            answer = cast.key.post("/meeting", body)
        assert (answer.status, len(answer.data["attendees"])) == (201, number)
        return len(found)

    queries(2)
    assert queries(2) == queries(200)
    assert len(mails()) == 3 + 3 + 201


# The mail as it goes out


def parts_of(message: Any) -> list[tuple[str, str | None]]:
    return [(part.get_content_type(), part.get_filename()) for part in message.walk() if not part.is_multipart()]


def test_the_mail_carries_the_file_as_calendars_expect_it(cast: Cast) -> None:
    with cast.scope():
        CompanySettings.objects.update_or_create(defaults={"app_name": "Acme"})
    made = new_meeting(cast, title="Démo", attendees=[BOB])
    cast.key.delete("/meeting", {"ids": [made["_id"]]})
    mail_worker.drain(float("inf"))
    assert [message.to for message in outgoing.outbox] == [[cast.owner.email], [BOB["email"]]] * 2
    for message, method in zip(outgoing.outbox[1::2], ("REQUEST", "CANCEL"), strict=True):
        found: Any = email.message_from_bytes(message.message().as_bytes(linesep="\r\n"), policy=policy.default)
        assert found["From"].addresses[0].display_name == "Acme via Leadwright"
        assert parts_of(found) == [
            ("text/plain", None),
            ("text/html", None),
            ("text/calendar", None),
            ("application/ics", "invite.ics"),
        ]
        inline, file = (
            part for part in found.walk() if part.get_content_type() in ("text/calendar", "application/ics")
        )
        assert (inline["Content-Type"].params["method"], inline["Content-Type"].params["charset"]) == (method, "utf-8")
        text = inline.get_content().replace("\r\n", "\n")
        assert text == file.get_content().decode().replace("\r\n", "\n")
        assert b"\r\n" in file.get_content()
        assert (event_of(text)[0], event_of(text)[1]["SUMMARY"]) == (method, "Démo")
    with unscoped(reason="test: mails"):
        assert list(Mail.objects.values_list("status", "text", "html", "calendar").distinct()) == [
            ("sent", "", "", None)
        ]


def test_the_file_is_encrypted_while_it_waits(cast: Cast) -> None:
    new_meeting(cast)
    with unscoped(reason="test: the bare column"), connection.cursor() as cursor:
        cursor.execute("SELECT calendar FROM accounts_mail WHERE company_id = %s", [cast.company.pk])
        assert [calendar[:7] for (calendar,) in cursor.fetchall()] == ["aesgcm:"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_titles_cannot_break_out_of_their_place(cast: Cast, name: str) -> None:
    with cast.scope():
        ann = ContactFactory(name=name, email="ann@example.org")
        Member.objects.filter(pk=cast.owner.pk).update(name=name[:200])
    attendees = [{"contact": ann.pk}, {"email": "bob@example.net", "name": name}]
    body = {"title": name, "place": name, "description": name + "\r\nX-EVIL:1\rX-EVIL:2", "attendees": attendees}
    made = new_meeting(cast, **body)
    text = mails()[0].calendar or ""
    method, event = event_of(text)
    assert (method, asked(event)) == ("REQUEST", [cast.owner.email, "ann@example.org", "bob@example.net"])
    assert event["SUMMARY"] == made["title"]
    assert set(event) == {
        *(
            "UID",
            "SEQUENCE",
            "DTSTAMP",
            "CREATED",
            "LAST-MODIFIED",
            "DTSTART",
            "DTEND",
            "SUMMARY",
            "STATUS",
            "TRANSP",
            "DESCRIPTION",
        ),
        *("LOCATION", "ORGANIZER", "ATTENDEE"),
    }
    lines = text.split("\r\n")
    assert all(len(line.encode()) <= 75 for line in lines)
    assert not set("".join(lines)) & {*map(chr, (*range(32), *range(127, 160))), "\u2028", "\u2029"}
    assert '"' not in str(event["ORGANIZER"].params["CN"])
    mail_worker.drain(float("inf"))
    assert len(outgoing.outbox) == 3
    for message in outgoing.outbox:
        found: Any = email.message_from_bytes(message.message().as_bytes(), policy=policy.default)
        assert (found["To"], found["Bcc"], found["Cc"]) == (message.to[0], None, None)
        assert len(parts_of(found)) == 4


def test_names_of_any_length_are_cut(scope: Cast) -> None:
    owner = Member(name='"' + "y" * 5000, email="o@example.com")
    meeting = Meeting(
        organizer=owner, title="x" * 5000, starts_at=timezone.now(), ends_at=timezone.now(), place="p" * 5000
    )
    meeting.created_at = meeting.updated_at = timezone.now()
    _, event = event_of(calendar_file(meeting, (), Method.REQUEST))
    assert event["ORGANIZER"].params["CN"] == "'" + "y" * 299
    assert (event["SUMMARY"], event["LOCATION"]) == ("x" * 5000, "p" * 5000)


# Reminders


def test_a_reminder_goes_to_members_once(cast: Cast, sella: Member) -> None:
    start = timezone.now() + timedelta(hours=2)
    with cast.scope():
        blocked = member()
    attendees = [{"member": sella.pk}, {"member": blocked.pk}, BOB]
    made = new_meeting(cast, startsAt=format_iso(start), remindMinutes=60, attendees=attendees)["_id"]
    new_meeting(cast, startsAt=format_iso(start), title="Unreminded")
    sent()
    with cast.scope():
        Member.objects.filter(pk=blocked.pk).update(status=Member.Status.BLOCKED)
    work()
    assert sent() == []
    with time_machine.travel(start - timedelta(minutes=59), tick=False):
        work()
        assert {(mail.subject.partition(",")[0], mail.calendar) for mail in mails()} == {("Soon: Demo", None)}
        assert sent() == [("reminder", cast.owner.email), ("reminder", "sella@example.com")]
        work()
        assert sent() == []
    assert (
        cast.key.put(f"/meeting/{made}", {"startsAt": format_iso(start + timedelta(hours=1))}).data["remindedAt"]
        is None
    )
    sent()
    with time_machine.travel(start + timedelta(minutes=1), tick=False):
        work()
        assert len(sent()) == 2


@pytest.mark.parametrize("case", ["cancelled", "over", "past", "taken back"])
def test_what_nobody_is_reminded_of(cast: Cast, case: str) -> None:
    start = timezone.now() + timedelta(hours=2 if case != "past" else -2)
    made = new_meeting(cast, startsAt=format_iso(start), remindMinutes=60)["_id"]
    if case == "cancelled":
        cast.key.delete("/meeting", {"ids": [made]})
    elif case == "taken back":
        cast.key.put(f"/meeting/{made}", {"remindMinutes": None})
    sent()
    with time_machine.travel(start + timedelta(minutes=61 if case == "over" else 1), tick=False):
        work()
    assert sent() == []
