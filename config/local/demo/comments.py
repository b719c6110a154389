"""The demo's comments: what colleagues say about records, with mentions."""

from __future__ import annotations

from accounts.models import Member
from core.access import Actor, AuthPath
from crm.comments.services import create_comment
from crm.models import FollowUp, Lead, Organization

COMMENTS = (
    (
        "lead",
        0,
        "Robin Vance",
        "They want the offer before Friday. @Kim Adler, can you add the cups? @Dana Moreau should see it first.",
    ),
    ("lead", 0, "Kim Adler", "Done. The cups are on page two, @Robin Vance."),
    ("lead", 1, "Robin Vance", "The trial week went well. Their facility manager decides, not the office manager."),
    ("lead", 2, "Kim Adler", "@Robin Vance the floor plan is missing. Shall I call again?"),
    ("contact", 0, "Robin Vance", "Prefers email to calls."),
    ("contact", 1, "Kim Adler", "Met at the trade fair. @Dana Moreau knows the team there."),
    ("organization", 0, "Robin Vance", "The yearly order is renewed in spring. @Kim Adler, please keep the price."),
    ("organization", 0, "Kim Adler", "Noted. I'll write to them in February."),
    ("task", 0, "Robin Vance", "@Kim Adler the price list of last year is in the files."),
    ("task", 1, "Kim Adler", "Reached their voicemail twice. I'll try again tomorrow."),
)
"""Kind of record, its place among those of the kind, author, text."""


def create_comments() -> None:
    """Create the comments, each by its author."""
    contacts = list(Lead.objects.order_by("pk").values_list("contact_id", flat=True)[:2])
    records = {
        "lead": list(Lead.objects.order_by("pk").values_list("pk", flat=True)[:3]),
        "contact": contacts,
        "organization": list(Organization.objects.order_by("pk").values_list("pk", flat=True)[:1]),
        "task": list(FollowUp.objects.filter(status="open").order_by("pk").values_list("pk", flat=True)[:2]),
    }
    authors = {member.name: _actor(member) for member in Member.objects.select_related("role")}
    for kind, place, author, text in COMMENTS:
        if place < len(records[kind]) and author in authors:
            create_comment(
                actor=authors[author], text=text, kind=kind, record_id=records[kind][place], automation=False
            )


def _actor(member: Member) -> Actor:
    return Actor(
        AuthPath.SESSION,
        str(member.user_id),
        member.company_id,
        member.pk,
        is_owner=member.status == Member.Status.OWNER,
        is_accepted=True,
        permissions=member.permissions(),
    )
