"""The demo's products, team, leads and activities."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from accounts.models import Member
from config.local.demo.pipelines import add_pipeline
from core.types import JsonObject
from crm.activities.calls import create_call
from crm.activities.follow_ups import create_follow_up, update_follow_up
from crm.activities.tasks import create_task
from crm.leads.relations import Relations
from crm.leads.services import create_leads, update_lead
from crm.meetings.services import create_meeting
from crm.models import Contact, Organization
from crm.products.services import create_product
from crm.segments.services import IdChanges, create_segment
from crm.teams.services import MemberChanges, create_team

PRODUCTS: tuple[JsonObject, ...] = (
    {
        "name": "Espresso machine rental",
        "type": "service",
        "price": 189,
        "unit": "month",
        "description": "Espresso machine on a monthly plan.",
    },
    {
        "name": "Filter coffee corner",
        "type": "service",
        "price": 79,
        "unit": "month",
        "description": "Filter machine and cups for one office floor.",
    },
    {
        "name": "House blend beans",
        "type": "product",
        "price": 24.5,
        "unit": "kg",
        "description": "Our medium roast for espresso and filter.",
    },
)
STATUSES = ("new", "new", "contacted", "contacted", "qualified", "won", "lost")
SOURCES = ("website", "referral", "event")
LEADS = 36
TO_DO = (
    ("Send the offer", -2),
    ("Call about the trial week", 1),
    ("Ask for the floor plan", 3),
    ("Renewal call", 10),
)
"""Title, and days until it is due."""
CALLS = (("connected", 420), ("no_answer", 0), ("voicemail", 35), ("connected", 180), ("busy", 0), ("connected", 660))
"""Outcome and duration in seconds."""


def create_sales(member: Member) -> None:
    """Create products, a team, leads of every status, calls, follow-ups and meetings by the API's services."""
    products = [create_product(actor_id=member.pk, form_data=product, automation=False).id for product in PRODUCTS]
    colleague = Member.objects.exclude(pk=member.pk).order_by("pk").first() or member
    team = create_team(
        actor_id=member.pk, values={"name": "Field sales"}, members=MemberChanges(members=[member.pk, colleague.pk])
    )
    leads = _leads(member, products, team.pk)
    add_pipeline(member, leads)
    _segments(member)
    _work_on(member, colleague, leads)


def _leads(member: Member, products: list[str], team: str) -> list[str]:
    contacts = list(Contact.objects.filter(is_deleted=False).order_by("pk").values_list("pk", flat=True)[:LEADS])
    items = [
        {
            "contact": contact,
            "productServices": [products[n % 3]],
            "source": SOURCES[n % 3],
            "value": 400 + 137 * (n % 11),
        }
        for n, contact in enumerate(contacts)
    ]
    outcome = create_leads(actor_id=member.pk, items=items, relations=Relations(team=team), automation=False)
    if outcome.errors:
        raise RuntimeError(f"the demo's own leads were refused: {outcome.errors[:3]}")
    for n, lead in enumerate(outcome.created):
        status = STATUSES[n % len(STATUSES)]
        if status != "new":
            update_lead(
                id=lead, actor_id=member.pk, form_data={"status": status}, relations=Relations(), automation=False
            )
    return outcome.created


def _segments(member: Member) -> None:
    for name, panel, tree in (
        ("Office managers", "contact", {"jobTitle": "Office manager"}),
        ("Over 1,000", "lead", None),
    ):
        advanced = None if tree else {"field": "value", "operator": "greaterThan", "value": 1000}
        create_segment(
            actor_id=member.pk, values={"name": name, "panel": panel}, filters=tree, advanced=advanced, ids=IdChanges()
        )


def _further_tasks(member: Member, now: datetime) -> None:
    """Create tasks about contacts, an organization and nothing, one of them every week."""
    contact = Contact.objects.filter(is_deleted=False).order_by("pk").values_list("pk", flat=True)[LEADS + 1]
    organization = Organization.objects.filter(is_deleted=False).order_by("pk").values_list("pk", flat=True).first()
    tasks: list[JsonObject] = [
        {"title": "Plan the week", "recurrence": "weekly", "due_at": (now + timedelta(days=2)).isoformat()},
        {
            "title": "Ask for the invoice address",
            "type": "email",
            "record": {"kind": "contact", "id": contact},
            "due_at": (now + timedelta(hours=3)).isoformat(),
        },
    ]
    if organization:
        tasks.append(
            {
                "title": "Agree on the yearly order",
                "type": "call",
                "priority": "high",
                "record": {"kind": "organization", "id": organization},
                "due_at": (now + timedelta(days=4)).isoformat(),
            }
        )
    for values in tasks:
        create_task(actor_id=member.pk, values={**values, "assignee": member.pk}, automation=False)


def _work_on(member: Member, colleague: Member, leads: list[str]) -> None:
    now = timezone.now().replace(minute=0, second=0, microsecond=0)
    for n, (title, days) in enumerate(TO_DO):
        values = {
            "lead": leads[n],
            "title": title,
            "due_at": (now + timedelta(days=days)).isoformat(),
            "assignee": member.pk,
        }
        create_follow_up(actor_id=member.pk, values=values, automation=False)
    _further_tasks(member, now)
    done = create_follow_up(
        actor_id=member.pk,
        values={"lead": leads[5], "title": "Send the price list", "due_at": now.isoformat()},
        automation=False,
    )
    update_follow_up(id=done.pk, actor_id=member.pk, values={"status": "done"}, automation=False)
    for n, (outcome, seconds) in enumerate(CALLS):
        started = (now - timedelta(days=n, hours=2)).isoformat()
        call: JsonObject = {
            "lead": leads[n],
            "outcome": outcome,
            "duration_seconds": seconds,
            "started_at": started,
        }
        create_call(actor_id=colleague.pk, values=call, automation=False)
    for n, (title, place) in enumerate(
        (("Tasting at your office", "Customer's office"), ("Contract review", "Video call"))
    ):
        meeting: JsonObject = {
            "title": title,
            "place": place,
            "lead": leads[n + 4],
            "starts_at": (now + timedelta(days=n + 2)).isoformat(),
            "duration_minutes": 45,
            "organizer": member.pk,
        }
        create_meeting(actor_id=member.pk, values=meeting, automation=False)
