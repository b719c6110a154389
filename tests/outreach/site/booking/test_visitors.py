"""What visitors of booking pages rely on: nobody locks them out, a second try is taken, no tap moves a meeting."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from core.events import deliver, event_cause
from core.events.models import Event
from core.ids import new_id
from crm.activities.follow_ups import create_follow_up
from crm.activities.models import FollowUp
from crm.models import Contact, CustomField, Lead
from outreach.models import Booking
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.outreach.site.booking.helpers import VISITOR, book, make_page, open_at, path_of

pytestmark = pytest.mark.usefixtures("monday")
AT = "2027-03-0{day}T{hour}:00+00:00"


def at(number: int) -> str:
    """The number-th time that a page offers."""
    return AT.format(day=2 + number // 4, hour=("09:00", "09:30", "10:00", "10:30")[number % 4])


def from_network(page: dict[str, Any], network: str, when: str, **given: str) -> int:
    hidden = open_at(page, when)
    sent = Client(REMOTE_ADDR=network).post(path_of(page), {**hidden, **VISITOR, **given})
    return sent.status_code


@pytest.mark.usefixtures("limits", "quick")
def test_no_stranger_uses_up_what_an_address_may_book(cast: Cast, outsiders: Cast) -> None:
    page, elsewhere = make_page(cast), make_page(outsiders)
    for number in range(5):
        assert from_network(page, "203.0.113.1", at(number)) == 303
        assert from_network(elsewhere, "203.0.113.2", at(number)) == 303
    assert from_network(page, "203.0.113.1", at(5)) == 429  # five a minute
    assert from_network(page, "198.51.100.7", at(5)) == 303  # whose address it is, after ten bookings with it
    second, third = make_page(cast, name="Second"), make_page(cast, name="Third")
    for number in range(6, 11):
        assert from_network(second, "203.0.113.1", at(number)) == 303
    for _ in range(2):  # ten of one network with the address: mails to it are bounded; what is refused is not counted
        assert from_network(third, "203.0.113.1", at(11)) == 429
    assert from_network(third, "203.0.113.1", at(11), email="bo@example.org") == 303


@pytest.mark.usefixtures("limits", "quick")
def test_a_booking_is_moved_five_times_a_day_at_most(cast: Cast) -> None:
    address = book(make_page(cast), at(0))["Location"].partition("?")[0]
    moved = [Client().post(address, {"do": "move", "at": at(number)}) for number in range(1, 7)]
    assert [one.status_code for one in moved] == [303] * 5 + [429]
    assert "five times today" in moved[5].content.decode()
    assert Client().post(address, {"do": "cancel"}).status_code == 303


@pytest.mark.parametrize(
    ("name", "status"), [("Click bit.ly/abc", 422), ("Visit EVIL.COM now", 422), ("J.R.R. St.John", 303)]
)
@pytest.mark.usefixtures("quick")
def test_a_name_is_no_address(cast: Cast, name: str, status: int) -> None:
    assert from_network(make_page(cast), "203.0.113.1", at(0), name=name) == status


@pytest.mark.usefixtures("quick")
def test_who_has_the_number_of_a_contact_without_address_is_linked_to_it(cast: Cast) -> None:
    with cast.scope():
        CustomField.objects.filter(panel="contact", unique_field_id="email").update(required=False)
    body = {"formData": {"name": "Ann", "countryCode": "+49", "number": "15112345678"}}
    known = cast.key.post("/contact", body).data["_id"]
    assert book(make_page(cast, makesLead=True)).status_code == 303
    [told] = cast.key.get("/booking").data
    assert told["contact"]["_id"] == known
    with cast.scope():
        assert (told["lead"]["_id"], told["lead"]["contact"]["name"]) == (Lead.objects.get(contact_id=known).pk, "Ann")
        assert Contact.objects.count() == 1
    attendees = cast.key.get(f"/meeting/{told['meeting']['_id']}").data["attendees"]
    assert [one["email"] for one in attendees] == ["ann@example.org"]


@pytest.mark.usefixtures("quick")
def test_who_has_the_number_of_somebody_else_is_a_contact_without_it(cast: Cast) -> None:
    body = {"formData": {"name": "Rita", "email": "rita@example.org", "countryCode": "+49", "number": "15112345678"}}
    rita = cast.key.post("/contact", body).data["_id"]
    sent = book(make_page(cast, makesLead=True))
    assert (sent.status_code, "ita" in sent.content.decode()) == (303, False)
    [told] = cast.key.get("/booking").data
    assert told["phone"] == "+4915112345678"
    with cast.scope():
        lead = Lead.objects.select_related("contact").get(pk=told["lead"]["_id"])
        assert (lead.contact.name, lead.contact.email, lead.contact.contact_number) == (
            "Ann Ash",
            "ann@example.org",
            None,
        )
        assert Contact.objects.get(pk=rita).name == "Rita"


def test_a_quick_second_try_is_taken(cast: Cast, monday: time_machine.Coordinates) -> None:
    page = make_page(cast)
    hidden = open_at(page, at(0))
    fast = Client().post(path_of(page), {**hidden, **VISITOR})
    assert (fast.status_code, "Check your answers" in fast.content.decode()) == (422, True)
    monday.shift(timedelta(seconds=3))
    wrong = Client().post(path_of(page), {**hidden, **VISITOR, "email": "x"})
    assert wrong.status_code == 422
    shown = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', wrong.content.decode()))
    for _ in range(2):  # sent twice, it counts once
        assert Client().post(path_of(page), {**shown, **VISITOR}).status_code == 303
    with cast.scope():
        assert Booking.objects.count() == 1
    forged = Client().post(path_of(page), {**hidden, **VISITOR, "at": at(1), "page": "forged"})
    shown = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', forged.content.decode()))
    assert shown["page"] != "forged"


@pytest.mark.usefixtures("quick")
def test_no_tap_alone_moves_a_meeting(cast: Cast) -> None:
    page = make_page(cast)
    place = book(page)["Location"].partition("?")[0]
    choice = Client().get(f"{place}?move=1").content.decode()
    assert ('name="do" value="move"' in choice, choice.count('<form method="post"')) == (False, 0)
    [leads_to] = set(re.findall(r'href="([^"]+at=2027-03-02T09%3A30[^"]*)"', choice))
    asked = Client().get(leads_to.replace("&amp;", "&")).content.decode()
    assert ("Move the meeting?" in asked, "09:00" in asked, "09:30" in asked, 'value="move"' in asked) == (True,) * 4
    with cast.scope():
        assert Booking.objects.get().meeting.starts_at.isoformat()[11:16] == "09:00"
    moved = Client().post(place, {"do": "move", "at": at(1)})
    done = html_of(Client().get(moved["Location"]))
    assert ("Meeting moved" in done, "Meeting booked" in done) == (True, False)
    gone = Client().get(f"{place}?move=1&at=2027-03-02T09:10:00%2B00:00").content.decode()
    assert ("just taken" in gone, 'value="move"' in gone) == (True, False)
    for at_no_time in ({"at": "soon"}, {"at": ""}, {}):
        asked = Client().post(place, {"do": "move", **at_no_time})
        shown = asked.content.decode()
        assert (asked.status_code, "Choose a time." in shown, "just taken" in shown) == (422, True, False)
    cancelled = Client().post(place, {"do": "cancel"})
    assert "booked" not in Client().get(cancelled["Location"]).content.decode()


@pytest.mark.usefixtures("quick")
def test_what_was_to_be_done_for_a_cancelled_booking_ends(cast: Cast, monday: time_machine.Coordinates) -> None:
    page = make_page(cast, makesLead=True)
    people = [{"email": f"v{number}@example.org", "phone": f"+49 151 1234567{number}"} for number in (0, 1)]
    first, second = (book(page, at(number), **one)["Location"] for number, one in enumerate(people))
    titles: dict[str, str] = {}
    with cast.scope():
        leads = [one.lead_id for one in Booking.objects.order_by("meeting__starts_at")]
        monday.shift(timedelta(minutes=1))
        for title, lead, due in (
            ("Prepare", leads[0], "2027-03-02T08:00:00Z"),
            ("Send an offer", leads[0], "2027-04-01T08:00:00Z"),
            ("Other", leads[1], "2027-03-02T08:00:00Z"),
        ):
            titles[title] = make_follow_up(cast, lead, title, due)
        with event_cause({"workflow": new_id(), "name": "Meetings", "depth": 1}):
            titles["Thank"] = make_follow_up(cast, leads[0], "Thank", "2027-04-02T08:00:00Z")
    deliver()
    assert Client().post(first.partition("?")[0], {"do": "cancel"}).status_code == 303
    deliver()
    assert statuses(cast) == {"Prepare": "cancelled", "Send an offer": "open", "Other": "open", "Thank": "cancelled"}
    with cast.scope():
        told = Event.objects.get(kind="follow-up.updated", object_id=titles["Prepare"])
        assert (told.payload["to"], told.actor_id) == ("cancelled", None)
    third = book(page, at(2), **people[1])
    assert third.status_code == 303
    assert Client().post(second.partition("?")[0], {"do": "cancel"}).status_code == 303
    deliver()
    assert statuses(cast)["Other"] == "open"  # there is another meeting with the lead


def make_follow_up(cast: Cast, lead: str, title: str, due: str) -> str:
    made = create_follow_up(actor_id=cast.owner.pk, values={"lead": lead, "title": title, "due_at": due})
    return str(made.pk)


def statuses(cast: Cast) -> dict[str, str]:
    with cast.scope():
        return dict(FollowUp.objects.values_list("title", "status"))


@pytest.mark.usefixtures("quick")
def test_time_zones_stand_by_region_without_old_names(cast: Cast) -> None:
    page = make_page(cast, timezone="Europe/Berlin")
    shown = html_of(Client().get(path_of(page), {"tz": "Asia/Calcutta"}))
    select = re.search(r'<select id="tz".*?</select>', shown, re.DOTALL)
    assert select is not None
    groups = re.findall(r'<optgroup label="(\w+)">', select[0])
    assert {"Africa", "America", "Asia", "Europe", "UTC"} <= {*groups}
    names = re.findall(r'<option value="([^"]+)"( selected)?>', select[0])
    assert [name for name, _ in names[:3]] == [cast.company.timezone, "Europe/Berlin", "Asia/Calcutta"]
    assert [name for name, chosen in names if chosen] == ["Asia/Calcutta"]
    listed = [name for name, _ in names[3:]]
    assert len(listed) == len({*listed})
    assert ("Asia/Kolkata" in listed, "Europe/Amsterdam" in listed) == (True, True)
    assert not {"Asia/Calcutta", "US/Eastern", "GB", "Etc/GMT+5", "Europe/Kiev"} & {*listed}


def test_a_booking_without_a_time_asks_for_one(cast: Cast) -> None:
    page = make_page(cast)
    for sent in ({}, {"at": ""}, {"at": "soon"}):
        refused = Client().post(path_of(page), sent)
        shown = refused.content.decode()
        assert (refused.status_code, "Choose a time." in shown, "just taken" in shown) == (422, True, False)
