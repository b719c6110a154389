"""What visitors do, without script: choose a time, book it, move it, cancel it."""

from __future__ import annotations

import re
from typing import Any

import pytest
import time_machine
from django.test import Client
from icalendar import Calendar

from accounts.models import Mail
from core.events import deliver
from core.events.models import Event
from core.tenancy import unscoped
from crm.models import Contact, Lead, Meeting
from outreach.models import Booking
from tests.crm.meetings.helpers import mails
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.outreach.helpers import work
from tests.outreach.site.booking.helpers import VISITOR, book, make_page, open_at, path_of, slots

pytestmark = pytest.mark.usefixtures("monday", "quick")
EVIL = '"><script>alert(1)</script>{{ 7|add:7 }}'


def one_booking(cast: Cast) -> Booking:
    with cast.scope():
        found: Booking = Booking.objects.select_related("meeting", "page").get()
        return found


def test_a_visitor_books_and_both_are_told(cast: Cast, outsiders: Cast) -> None:
    questions = [{"key": "topic", "label": "About what?", "type": "text", "required": True}]
    page = make_page(cast, questions=questions, place="Harbour Street 1", kind="offline")
    shown = Client().get(path_of(page)).content.decode()
    assert ("Tuesday, 2 Mar 2027" in shown, "just taken" in shown) == (True, False)
    refused = book(page, email="x")
    assert (refused.status_code, "About what?" in refused.content.decode()) == (422, True)
    sent = book(page, topic="Beans", query="&tz=America/New_York")
    assert sent.status_code == 303, sent.content.decode()
    booking = one_booking(cast)
    assert (booking.name, booking.email, booking.answers) == ("Ann Ash", "ann@example.org", {"topic": "Beans"})
    assert booking.meeting.starts_at.isoformat() == "2027-03-02T09:00:00+00:00"
    assert (booking.meeting.title, booking.meeting.place) == ("Intro: Ann Ash", "Harbour Street 1")
    assert booking.meeting.organizer_id == cast.owner.pk
    with cast.scope():
        contact = Contact.objects.get()
        assert (contact.name, contact.email, booking.contact_id) == ("Ann Ash", "ann@example.org", contact.pk)
        told = Event.objects.get(kind="meeting.booked")
        assert (told.object_id, told.payload["answers"]) == (booking.meeting_id, {"topic": "Beans"})
        assert not Lead.objects.exists()
    letters = {mail.to: mail for mail in mails()}
    assert set(letters) == {"ann@example.org", cast.owner.email}
    assert f"/booking/{booking.token}" in letters["ann@example.org"].text
    assert "04:00" in letters["ann@example.org"].text
    assert f"/booking/{booking.token}" not in letters[cast.owner.email].text
    [event] = Calendar.from_ical(letters["ann@example.org"].calendar).walk("VEVENT")
    assert str(event["UID"]) == f"{booking.meeting_id}@meetings.leadwright"
    assert slots(cast, page) == ["09:30", "10:00", "10:30"]
    done = html_of(Client().get(sent["Location"]))
    assert ("Meeting booked" in done, "04:00" in done, "America/New_York" in done) == (True, True, True)
    assert outsiders.key.get("/booking").data == []
    assert outsiders.key.get(f"/booking/{booking.pk}").status == 404


def test_what_is_sent_twice_counts_once(cast: Cast) -> None:
    page = make_page(cast)
    hidden = open_at(page, "2027-03-02T09:00:00+00:00")
    answers = [Client().post(path_of(page), {**hidden, **VISITOR}) for _ in range(2)]
    assert {one.status_code for one in answers} == {303}
    assert answers[0]["Location"] == answers[1]["Location"]
    assert len(mails()) == 2
    late = Client().post(path_of(page), {**hidden, **VISITOR, "page": open_at(page, hidden["at"]).get("page", "")})
    assert late.status_code in (409, 422)
    one_booking(cast)


def test_a_visitor_moves_and_cancels(cast: Cast) -> None:
    page = make_page(cast)
    at = book(page)["Location"].partition("?")[0]
    deliver()
    with unscoped(reason="test: mails"):
        Mail.objects.all().delete()
    choice = Client().get(f"{at}?move=1").content.decode()
    assert "at=2027-03-02T09%3A30%3A00%2B00%3A00" in choice
    moved = Client().post(at, {"do": "move", "at": "2027-03-02T09:30:00+00:00"})
    assert moved.status_code == 303
    booking = one_booking(cast)
    assert (booking.meeting.starts_at.isoformat()[11:16], booking.meeting.sequence) == ("09:30", 1)
    assert booking.remind_at.isoformat() == "2027-03-01T09:30:00+00:00"
    assert [mail.to for mail in mails()].count("ann@example.org") == 1
    taken = Client().post(at, {"do": "move", "at": "2027-03-02T09:45:00+00:00"})
    assert (taken.status_code, "just taken" in taken.content.decode()) == (409, True)
    for _ in range(2):
        gone = Client().post(at, {"do": "cancel", "reason": EVIL})
        assert gone.status_code == 303
    booking = one_booking(cast)
    assert (booking.meeting.status, booking.reason) == ("cancelled", EVIL)
    assert len([mail for mail in mails("meeting_cancelled") if mail.to == "ann@example.org"]) == 1
    assert "cancelled" in Client().get(at).content.decode()
    assert Client().post(at, {"do": "move", "at": "2027-03-02T10:00:00+00:00"}).status_code == 409
    with cast.scope():
        kinds = set(Event.objects.filter(object_id=booking.meeting_id).values_list("kind", flat=True))
    assert {"meeting.booked", "meeting.rescheduled", "meeting.cancelled"} <= kinds
    assert slots(cast, page) == ["09:00", "09:30", "10:00", "10:30"]


def test_a_visitor_is_reminded_once_and_after_a_move_anew(cast: Cast, monday: time_machine.Coordinates) -> None:
    page = make_page(cast, remindMinutes=60)
    book(page)
    booking = one_booking(cast)
    cast.key.put(f"/meeting/{booking.meeting_id}", {"startsAt": "2027-03-02T10:00:00Z"})
    deliver()
    monday.move_to("2027-03-02T08:30:00Z")
    work("reminders")
    assert mails("meeting_reminder") == []
    monday.move_to("2027-03-02T09:05:00Z")
    for _ in range(2):
        work("reminders")
    [mail] = mails("meeting_reminder")
    assert (mail.to, f"/booking/{booking.token}" in mail.text) == ("ann@example.org", True)


def test_a_known_contact_stays_as_it_is_and_a_lead_is_made_by_setting(cast: Cast) -> None:
    with cast.scope():
        known = ContactFactory(name="Ann", email="Ann@Example.org")
    page = make_page(cast, makesLead=True, leadSource="website")
    book(page, name="Somebody else")
    booking = one_booking(cast)
    with cast.scope():
        known.refresh_from_db()
        lead = Lead.objects.get()
        assert (known.name, booking.contact_id, booking.lead_id) == ("Ann", known.pk, lead.pk)
        assert (lead.contact_id, lead.source, lead.team_member_id) == (known.pk, "website", cast.owner.pk)
        assert Meeting.objects.get().lead_id == lead.pk


def test_no_rule_of_the_company_loses_a_booking(cast: Cast) -> None:
    field = {"name": "Size", "uniqueFieldID": "size", "fieldType": "text", "valueType": "string", "panel": "contact"}
    assert cast.key.post("/custom-field", {**field, "required": True}).status == 201
    page = make_page(cast)
    assert book(page).status_code == 303
    booking = one_booking(cast)
    attendees = cast.key.get(f"/meeting/{booking.meeting_id}").data["attendees"]
    assert [one["email"] for one in attendees] == ["ann@example.org"]


def test_names_that_try_to_break_out(cast: Cast) -> None:
    page = make_page(cast, name=EVIL, title=EVIL, text=EVIL, place=EVIL)
    for name in ("Buy at https://evil.example", "www.evil.example", "x" * 101):
        assert book(page, name=name).status_code == 422
    sent = book(page, name=EVIL)
    assert sent.status_code == 303
    for address in (path_of(page), f"{path_of(page)}?at=2027-03-02T09:30:00%2B00:00", sent["Location"]):
        answer = Client().get(address)
        assert EVIL not in answer.content.decode()
        assert "default-src 'none'" in answer["Content-Security-Policy"]
        assert "unsafe" not in answer["Content-Security-Policy"]
        assert not re.search(r"<script(?! src=)| style=| on\w+=", answer.content.decode().replace("&quot;", ""))
    assert all(EVIL not in mail.html for mail in mails())


@pytest.mark.usefixtures("limits")
def test_programs_are_kept_out(cast: Cast) -> None:
    page = make_page(cast)
    assert book(page, page="forged").status_code == 422
    for _ in range(5):
        assert book(page, website_address="https://spam.example").status_code == 422
    refused = book(page)
    assert refused.status_code == 429
    assert 50 <= int(refused["Retry-After"]) <= 60
    with cast.scope():
        assert not Booking.objects.exists()


@pytest.mark.usefixtures("limits", "quick")
def test_who_mistypes_can_still_book(cast: Cast) -> None:
    page = make_page(cast)
    for _ in range(6):
        assert book(page, email="x").status_code == 422
    assert book(page).status_code == 303
    api = f"/api/public{path_of(page)}"
    body = {"startsAt": "2027-03-02T09:30:00Z", "answers": {"name": "Bo", "email": "x"}}
    for _ in range(6):
        assert Client().post(api, body, content_type="application/json").status_code == 400
    answers = {"name": "Bo", "email": "bo@example.org", "phone": "+49 151 12345679"}
    made = Client().post(api, {**body, "answers": answers}, content_type="application/json")
    assert made.status_code == 201, made.content
    taken = [Client().post(api, {**body, "answers": answers}, content_type="application/json") for _ in range(6)]
    assert {one.status_code for one in taken} == {409}
    for _ in range(30 - 6 - 1 - 6 - 1 - 6):
        assert book(page, email="x").status_code == 422
    assert book(page, "2027-03-02T10:00:00+00:00").status_code == 429


def test_addresses_that_are_none(cast: Cast, outsiders: Cast) -> None:
    page = make_page(cast)
    for gone in ("/book/" + "x" * 32, "/book/..%2f", path_of(page) + "0", "/booking/" + "x" * 32):
        assert Client().get(gone).status_code == 404, gone
    assert Client().delete(path_of(page)).status_code == 405
    for at in ("soon", "2027-03-02T09:00:00", "2027-03-02T09:10:00+00:00", "9999-12-31T23:59:59+00:00", "\x00"):
        shown = Client().get(path_of(page), {"at": at, "tz": "Mars/Base", "from": "never"})
        assert (shown.status_code, 'name="email"' in shown.content.decode()) == (200, False), at
    cast.key.put(f"/booking-page/{page['_id']}", {"isActive": False})
    assert Client().get(path_of(page)).status_code == 404


def test_programs_book_by_the_api(cast: Cast) -> None:
    page = make_page(cast)
    place = f"/api/public/book/{path_of(page)[6:]}"
    client = Client()
    shown = client.get(place, {"from": "2027-03-02T00:00:00Z", "to": "2027-03-03T00:00:00Z"}).json()["data"]
    assert [one["startsAt"][11:16] for one in shown["slots"]] == ["09:00", "09:30", "10:00", "10:30"]
    body: dict[str, Any] = {"startsAt": shown["slots"][0]["startsAt"], "answers": VISITOR, "page": shown["page"]}

    def send(**changes: Any) -> Any:
        return client.post(place, {**body, **changes}, content_type="application/json")

    assert send(answers={**VISITOR, "team": "x"}).status_code == 400
    assert send(timezone="Mars/Base").status_code == 400
    made = send()
    assert (made.status_code, send().json()["data"]) == (201, made.json()["data"])
    taken = send(page="")
    assert (taken.status_code, taken.json()["message"]) == (409, "This time is no longer free. Choose another time.")
    assert client.get(f"/api/public/book/{'x' * 32}").status_code == 404


def test_a_page_in_another_zone_shows_both_hours_of_a_night(cast: Cast, monday: time_machine.Coordinates) -> None:
    monday.move_to("2027-10-28T06:00:00Z")
    page = make_page(cast, timezone="Europe/Berlin", days=[{"day": 7, "from": "02:00", "to": "03:00"}])
    shown = Client().get(path_of(page), {"tz": "Europe/Berlin", "from": "2027-10-31"}).content.decode()
    assert re.findall(r"(0\d:\d\d C\w+)</a>", shown) == ["02:00 CEST", "02:30 CEST", "02:00 CET", "02:30 CET"]
    assert "Saturday, 30 Oct 2027" in Client().get(path_of(page), {"tz": "America/New_York"}).content.decode()
