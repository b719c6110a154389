"""Two booking pages, of a member and of a team, the links of video calls, and what a visitor has booked."""

from __future__ import annotations

from datetime import timedelta

from accounts.models import Member
from core.access import Actor, AuthPath
from core.ids import new_id
from crm.meetings.video.settings import change_settings
from crm.models import Team
from outreach.booking.services import create_page
from outreach.booking.slots import free_slots, window
from outreach.booking.taking import Visitor, book

TOPIC = {"key": "topic", "label": "What is it about?", "type": "textarea", "required": False, "options": [], "help": ""}
VISITORS = (
    Visitor(
        "Ines Duarte",
        "ines@duarte-catering.example",
        "+351912345001",
        {"topic": "Coffee for a fair in May."},
        "Europe/Lisbon",
    ),
    Visitor("Tom Lindqvist", "tom@lindqvist.example", "+46701740001", {}, "Europe/Stockholm"),
)


def create_booking(member: Member) -> None:
    """Create them by the API's services."""
    actor = Actor(AuthPath.SESSION, member.user_id, member.company_id, member.pk, is_owner=True, is_accepted=True)
    template = "https://meet.example.org/{random}"
    change_settings(member_id=member.pk, link_template=template, provider="link-template")
    intro = create_page(
        actor=actor,
        values={
            "name": "Coffee chat",
            "title": "A coffee chat with us",
            "text": "Half an hour about beans, machines and what your office drinks.",
            "duration_minutes": 30,
            "buffer_after": 15,
            "questions": [TOPIC],
            "makes_lead": True,
            "lead_source": "website",
        },
    )
    team = Team.objects.filter(name="Field sales").first()
    if team is not None:
        tasting = {"name": "Tasting", "title": "A tasting at your office", "kind": "offline", "team": team.pk}
        create_page(actor=actor, values={**tasting, "place": "At your address", "duration_minutes": 60})
    first, last = window(intro)
    for visitor, later in zip(VISITORS, (timedelta(days=1), timedelta(days=6)), strict=True):
        free = free_slots(intro, min(first + later, last), last)
        if free:
            book(intro, at=next(iter(free)), visitor=visitor, sent_id=new_id())
