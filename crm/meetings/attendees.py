"""Attendees of a meeting: members, contacts, and people with only an address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accounts.models import Member
from core.errors import InvalidFormat, NamedError
from core.text.addresses import BadAddress, read_email
from core.types import JsonObject
from crm.activities.participants import check_member
from crm.activities.text import one_line
from crm.contacts.models import Contact
from crm.contacts.selectors import live_contacts
from crm.meetings.models import Meeting, MeetingAttendee

MAX_ATTENDEES = 200
Given = Mapping[str, str]
"""An attendee as a caller names it: {member}, {contact}, or {email} and optionally {name}."""


@dataclass(frozen=True, slots=True)
class Attendance:
    """The result of a change of attendees; `present` are the present ones."""

    present: list[MeetingAttendee]
    added: list[MeetingAttendee]
    removed: list[MeetingAttendee]


def attendees_of(meeting: Meeting) -> list[MeetingAttendee]:
    """Return the meeting's attendees in the order in which they were named."""
    return list(MeetingAttendee.objects.filter(meeting=meeting).order_by("pk"))


def replace_attendees(meeting: Meeting, people: Sequence[Given]) -> Attendance:
    """Replace the attendees of the stored meeting. Each address counts once; the organizer is no attendee.

    Present attendees may stay, even if their records changed or are gone. Raises MemberNotFound_404,
    MemberNotAccepted_400, ContactNotFound_400, InvalidFormat and InvalidInput_400. Raises ContactDataRequired_400 for a
    contact without an address.
    """
    before = attendees_of(meeting)
    after_by_email: dict[str, MeetingAttendee] = {}
    for attendee in _read(meeting, people, before):
        if attendee.email != meeting.organizer.email.lower():
            after_by_email.setdefault(attendee.email, attendee)
    before_by_email = {attendee.email: attendee for attendee in before}
    removed = [attendee for email, attendee in before_by_email.items() if email not in after_by_email]
    added = [attendee for email, attendee in after_by_email.items() if email not in before_by_email]
    MeetingAttendee.objects.filter(pk__in=[attendee.pk for attendee in removed]).delete()
    for email in after_by_email.keys() & before_by_email.keys():
        _take_over(before_by_email[email], after_by_email[email])
    MeetingAttendee.objects.bulk_create(added)
    return Attendance(
        [before_by_email.get(email, attendee) for email, attendee in after_by_email.items()], added, removed
    )


def _take_over(stored: MeetingAttendee, attendee: MeetingAttendee) -> None:
    names = ("name", "member_id", "contact_id")
    if any(getattr(stored, name) != getattr(attendee, name) for name in names):
        for name in names:
            setattr(stored, name, getattr(attendee, name))
        stored.save(update_fields=("name", "member", "contact", "updated_at"))


def _read(meeting: Meeting, people: Sequence[Given], before: Sequence[MeetingAttendee]) -> list[MeetingAttendee]:
    members = Member.objects.in_bulk([person["member"] for person in people if "member" in person])
    contacts = live_contacts().in_bulk([person["contact"] for person in people if "contact" in person])
    there = {id: attendee for attendee in before for id in (attendee.member_id, attendee.contact_id) if id}
    attendees = []
    for place, person in enumerate(people):
        where = f"attendees.{place}"
        if len(person.keys() & {"member", "contact", "email"}) != 1 or ("name" in person and "email" not in person):
            raise NamedError("InvalidInput_400", "choose a member or a contact, or enter an email address", field=where)
        values = _values(where, person, members, contacts, there)
        values |= {"email": values["email"].lower(), "name": one_line(values["name"])[:300]}
        attendees.append(MeetingAttendee(meeting=meeting, **values))
    return attendees


def _values(
    where: str,
    person: Given,
    members: Mapping[str, Member],
    contacts: Mapping[str, Contact],
    there: Mapping[str, MeetingAttendee],
) -> JsonObject:
    if "email" in person:
        try:
            return {"email": read_email(person["email"]), "name": person.get("name", "")}
        except BadAddress as error:
            raise InvalidFormat(f"{where}.email", person["email"], str(error), field=f"{where}.email") from None
    id = person.get("member") or person["contact"]
    stays = there.get(id)
    if "member" in person:
        if stays is not None and stays.member_id == id:
            return {"email": stays.email, "name": stays.name, "member_id": id}
        member = check_member(f"{where}.member", id, members.get(id))
        return {"email": member.email, "name": member.name, "member_id": id}
    contact = contacts.get(id)
    if contact is None or not contact.email:
        if stays is not None and stays.contact_id == id:
            return {"email": stays.email, "name": stays.name, "contact_id": id}
        if contact is None:
            raise NamedError(
                "ContactNotFound_400", f"there is no contact {id} in this company", field=f"{where}.contact"
            )
        raise NamedError("ContactDataRequired_400", "choose a contact with an email address", field=f"{where}.contact")
    return {"email": contact.email, "name": contact.name, "contact_id": id}
