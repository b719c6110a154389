"""Two booking pages, of a member and of a team, the links of video calls, and the bookings of visitors."""

from __future__ import annotations

from datetime import timedelta

from accounts.models import Member
from core.access import Actor, AuthPath
from core.ids import new_id
from crm.meetings.video.settings import change_settings
from crm.models import Contact, Team
from outreach.site.booking.reservations import Visitor, book
from outreach.site.booking.services import create_page
from outreach.site.booking.slots import booking_window, free_slots

TOPIC = {
    "key": "topic",
    "label": "What would you like to talk about?",
    "type": "textarea",
    "required": False,
    "options": [],
    "help": "",
}
ANSWERS: tuple[dict[str, str], ...] = ({"topic": "Coffee for our trade fair stand in May."}, {})
"""Answers of people who have booked: contacts of the demo."""
SKIPPED = 40
"""Contacts that other parts of the demo use."""


def create_booking(member: Member) -> None:
    """Create them by the API's services."""
    actor = Actor(AuthPath.SESSION, member.user_id, member.company_id, member.pk, is_owner=True, is_accepted=True)
    template = "https://meet.example.org/{random}"
    change_settings(member_id=member.pk, link_template=template, provider="link-template")
    intro = create_page(
        actor=actor,
        values={
            "name": "Coffee chat",
            "title": "Talk to us about coffee",
            "slug": "coffee-chat",
            "text": "Half an hour about beans, machines and the right coffee for your office.",
            "duration_minutes": 30,
            "buffer_after": 15,
            "questions": [TOPIC],
            "makes_lead": True,
            "lead_source": "website",
        },
    )
    team = Team.objects.filter(name="Field sales").first()
    if team is not None:
        tasting = {"name": "Tasting", "title": "Coffee tasting at your office", "kind": "offline", "team": team.pk}
        create_page(actor=actor, values={**tasting, "place": "At your address", "duration_minutes": 60})
    first, last = booking_window(intro)
    people = Contact.objects.filter(is_deleted=False).order_by("pk")[SKIPPED : SKIPPED + len(ANSWERS)]
    for days, (contact, answers) in enumerate(zip(people, ANSWERS, strict=True), 1):
        free = free_slots(intro, min(first + timedelta(days=days), last), last)
        if free:
            visitor = Visitor(contact.name, contact.email or "", contact.contact_number or "", answers, "Europe/Lisbon")
            book(intro, at=next(iter(free)), visitor=visitor, sent_id=new_id())
