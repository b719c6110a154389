"""Ninety days of history: when the demo's people came, and what was sent to them and done for them since.

Without it every chart would show one day. Times follow working days, and more people come towards the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from django.db.models import F, OuterRef, Subquery
from django.utils import timezone

from accounts.models import Member
from config.local.demo.calendar import NEWEST, arrivals, next_working_day, working_time
from config.local.demo.outreach import add_sent, sent_message
from config.local.demo.pipelines import date_moves
from config.local.demo.routine import add_routine
from core.events.models import Event
from crm.activities.calls import create_call
from crm.models import Contact, Lead, LeadActivity, Organization
from outreach.messaging.suppression.models import Suppression
from outreach.messaging.suppression.services import suppress
from outreach.models import Campaign, GenieScheduler, InboundMessage, SendJob, Smtp, TrackingEvent
from outreach.runs.campaigns.words import content_of
from outreach.runs.genie.audience import Audience

KNOWN_FOR = timedelta(days=4)
"""A campaign goes to people who have been there for so long, and have got their welcome."""
OUTCOMES = (("connected", 300), ("no_answer", 0), ("voicemail", 40), ("connected", 540))
"""Outcome and duration in seconds of calls, in turn."""
NOTES = (
    "Unhappy with the current machine, which is six years old.",
    "Wants to taste the dark roast first.",
    "Needs approval from the head of finance.",
    "Asked for a quote for two floors.",
)
TEXT = "Hello {name},\n\n{text}\n\nAll our coffees: https://menu.example/coffees\n\nDana Moreau"
WELCOME = (
    "Hello {name},\n\nthank you for your interest. Would you like a free coffee tasting at your office?\n\nDana Moreau"
)
PRIVATE_TAGS = ("Key account", "Moved office", "Trade fair")
"""Tags of people whom other parts of the demo are about to write to: the history sends them nothing."""
REPLIES = (
    "Thanks, that sounds good. Could you call me next week?",
    "Please send us a price list for 40 people.",
    "Not right now. Please ask again in spring.",
)


@dataclass(frozen=True)
class Mailing:
    """A finished campaign, and how many of its recipients reacted."""

    name: str
    subject: str
    text: str
    days_ago: int
    recipients: int
    opened: int
    clicked: int
    replied: int
    bounced: int
    unsubscribed: int


MAILINGS = (
    Mailing(
        name="Summer blend",
        subject="Our summer blend is here",
        text="try it as cold brew: https://menu.example/summer",
        days_ago=64,
        recipients=24,
        opened=10,
        clicked=4,
        replied=2,
        bounced=1,
        unsubscribed=1,
    ),
    Mailing(
        name="Machine care week",
        subject="Free check-up for your coffee machine",
        text="book a day for your free check-up: https://menu.example/check",
        days_ago=47,
        recipients=44,
        opened=19,
        clicked=7,
        replied=3,
        bounced=1,
        unsubscribed=1,
    ),
    Mailing(
        name="Autumn roast",
        subject="Three new roasts for autumn",
        text="here are our three new roasts: https://menu.example/roasts",
        days_ago=34,
        recipients=70,
        opened=31,
        clicked=12,
        replied=5,
        bounced=2,
        unsubscribed=2,
    ),
    Mailing(
        name="Winter tasting",
        subject="Taste our winter roast at your office",
        text="choose a day for your tasting: https://menu.example/winter",
        days_ago=20,
        recipients=88,
        opened=41,
        clicked=17,
        replied=6,
        bounced=2,
        unsubscribed=1,
    ),
    Mailing(
        name="Beans for December",
        subject="Order your beans for December",
        text="here is our list for December: https://menu.example/december",
        days_ago=8,
        recipients=104,
        opened=52,
        clicked=23,
        replied=8,
        bounced=3,
        unsubscribed=2,
    ),
)


def add_history(member: Member) -> None:
    """Date the demo's records back over the last ninety days, and add what happened to them since."""
    now = timezone.now()
    contacts = list(Contact.objects.filter(is_deleted=False).order_by("pk"))
    for contact, moment in zip(contacts, arrivals(len(contacts), now), strict=True):
        contact.created_at = moment
    Contact.objects.bulk_update(contacts, ["created_at"])
    first = Contact.objects.filter(organization=OuterRef("pk")).order_by("created_at").values("created_at")[:1]
    Organization.objects.filter(contacts__isnull=False).update(created_at=Subquery(first))
    leads = _date_leads(now)
    _add_work(member, leads, now)
    private = set(Contact.objects.filter(tag_links__tag__name__in=PRIVATE_TAGS).values_list("pk", flat=True))
    public = [contact for contact in contacts if contact.email and contact.pk not in private]
    _add_welcomes(member, public, now)
    unsubscribed_ids: set[str] = set()
    for number, mailing in enumerate(MAILINGS):
        began = working_time(now - timedelta(days=mailing.days_ago), 5)
        known_contacts = [
            contact
            for contact in public
            if contact.created_at < began - KNOWN_FOR and contact.pk not in unsubscribed_ids
        ]
        unsubscribed_ids |= _add_mailing(member, mailing, known_contacts[-mailing.recipients :], began, number)
    add_routine(member, contacts, now)
    quiet = Suppression.objects.filter(created_at__gte=now - timedelta(days=1)).order_by("pk")
    for place, row in enumerate(quiet):
        Suppression.objects.filter(pk=row.pk).update(created_at=now - timedelta(days=1 + 9 * (place % 9)))


def _date_leads(now: datetime) -> list[Lead]:
    """Date leads and their changes of status back, each after its contact came. Returns the dated ones."""
    leads = list(Lead.objects.filter(contact__created_at__lt=now - timedelta(days=NEWEST)).order_by("pk"))
    times = arrivals(len(leads), now)
    for place, lead in enumerate(leads):
        lead.created_at = max(times[place], lead.contact.created_at)
        if lead.status != "new":
            decided = lead.created_at + timedelta(days=3 + 5 * place % 17, hours=1)
            lead.status_changed_at = min(decided, now - timedelta(hours=3))
    Lead.objects.bulk_update(leads, ["created_at", "status_changed_at"])
    date_moves(leads)
    dates = {lead.pk: lead for lead in leads}
    events = list(Event.objects.filter(object_id__in=dates, kind__in=("lead.created", "lead.updated")))
    for event in events:  # the worker makes the timeline of them
        lead = dates[event.object_id]
        changed = event.kind == "lead.updated" and lead.status_changed_at
        event.created_at = changed or lead.created_at
    Event.objects.bulk_update(events, ["created_at"])
    return leads


def _add_work(member: Member, leads: Sequence[Lead], now: datetime) -> None:
    """Add calls and notes to leads, a few days after each came."""
    notes = []
    for place, lead in enumerate(leads):
        called = working_time(lead.created_at + timedelta(days=2), place)
        outcome, seconds = OUTCOMES[place % len(OUTCOMES)]
        if called < now - timedelta(days=1):
            call = {"lead": lead.pk, "outcome": outcome, "duration_seconds": seconds, "started_at": called.isoformat()}
            create_call(actor_id=member.pk, values=call, automation=False)
        notes.append(
            LeadActivity(
                company_id=lead.company_id,
                kind=LeadActivity.Kind.NOTE,
                lead=lead,
                contact_id=lead.contact_id,
                member=member,
                notes=NOTES[place % len(NOTES)],
                happened_at=min(lead.created_at + timedelta(days=1 + place % 5), now),
            )
        )
    LeadActivity.objects.bulk_create(notes)


def _add_welcomes(member: Member, people: Iterable[Contact], now: datetime) -> None:
    """Add an outreach that wrote to each of the people on the working day after they came."""
    end = now - timedelta(days=1)
    welcomed = [contact for contact in people if next_working_day(contact.created_at) < end]
    run = _run(member, "Welcome", "Thank new contacts and offer a tasting", welcomed, end)
    jobs = [
        sent_message(run, contact, 1, "Coffee for your team", WELCOME, next_working_day(contact.created_at))
        for contact in welcomed
    ]
    _add(jobs)
    _visit(jobs[::3], TrackingEvent.Kind.OPENED)
    _reply(jobs[::11], uid=9000)


def _add_mailing(member: Member, mailing: Mailing, people: Sequence[Contact], began: datetime, number: int) -> set[str]:
    """Add a finished campaign with its messages and what their recipients did.

    Returns the ids of those who get nothing more.
    """
    campaign = Campaign.objects.create(
        name=mailing.name,
        status=Campaign.Status.COMPLETED,
        smtp=Smtp.objects.first(),
        subject=mailing.subject,
        body=TEXT.format(name="{{contact.firstName}}", text=mailing.text),
        audience=Audience(contact_ids=tuple(contact.pk for contact in people)).as_json(),
        started_at=began,
        finished_at=began + timedelta(hours=2),
        created_by=member,
        updated_by=member,
    )
    Campaign.objects.filter(pk=campaign.pk).update(created_at=began - timedelta(days=1))
    run = _run(member, mailing.name, "", people, began, campaign)
    GenieScheduler.objects.filter(pk=run.pk).update(content=content_of(campaign))
    mail_text = TEXT.format(name="{name}", text=mailing.text)
    jobs = [
        sent_message(run, contact, 1, mailing.subject, mail_text, began + timedelta(minutes=place))
        for place, contact in enumerate(people)
    ]
    for job in jobs:
        job.variant = 0
    returned = jobs[: mailing.bounced]
    for job in returned:
        job.bounced_at = job.sent_at
    _add(jobs)
    reached = jobs[mailing.bounced :]
    _visit(reached[: mailing.opened], TrackingEvent.Kind.OPENED)
    _visit(reached[: mailing.clicked], TrackingEvent.Kind.CLICKED)
    _reply(reached[: mailing.replied], uid=9100 + 100 * number)
    for job in returned:
        suppress([job.recipient], reason=Suppression.Reason.BOUNCED, source=job.pk)
    unsubscribed = reached[-mailing.unsubscribed :]
    for job in unsubscribed:
        suppress([job.recipient], reason=Suppression.Reason.UNSUBSCRIBED, source=job.pk)
    left_at = began + timedelta(hours=5)
    Contact.objects.filter(pk__in=[job.contact_id for job in unsubscribed]).update(unsubscribed_at=left_at)
    ids = [job.pk for job in jobs]
    Suppression.objects.filter(source__in=ids).update(created_at=left_at)
    return {job.contact_id for job in (*returned, *unsubscribed)}


def _run(
    member: Member,
    name: str,
    prompt: str,
    people: Sequence[Contact],
    ended_at: datetime,
    campaign: Campaign | None = None,
) -> GenieScheduler:
    """Create the completed run of a campaign, or of an outreach."""
    run: GenieScheduler = GenieScheduler.objects.create(
        name=name,
        prompt=prompt,
        ai_type="ai-offline",
        audience=Audience(contact_ids=tuple(contact.pk for contact in people)).as_json(),
        of_campaign=campaign,
        campaign=campaign is not None,
        smtp=Smtp.objects.first(),
        status=GenieScheduler.Status.COMPLETED,
        automation=False,
        total=len(people),
        processed=len(people),
        planned_at=ended_at,
        finished_at=ended_at,
        planned_until=max((contact.pk for contact in people), default=""),
        created_by=member,
        updated_by=member,
    )
    GenieScheduler.objects.filter(pk=run.pk).update(created_at=ended_at)
    return run


def _add(jobs: list[SendJob]) -> None:
    add_sent(jobs)
    SendJob.objects.filter(pk__in=[job.pk for job in jobs]).update(
        created_at=F("sent_at"), opens_tracked=True, clicks_tracked=True
    )


def _hours_after(job: SendJob, hours: int) -> datetime:
    return (job.sent_at or timezone.now()) + timedelta(hours=hours)


def _visit(jobs: Sequence[SendJob], kind: str) -> None:
    """Record an open of each message, or a click on a link, some hours after it was sent."""
    field = "open_count" if kind == TrackingEvent.Kind.OPENED else "click_count"
    SendJob.objects.filter(pk__in=[job.pk for job in jobs]).update(**{field: 1})
    events = []
    for place, job in enumerate(jobs):
        at = _hours_after(job, hours=1 + 7 * place % 30)
        job.delivery[kind] = at.isoformat()
        clicked = 1 if place % 4 else 2
        link = 0 if kind == TrackingEvent.Kind.OPENED else clicked
        events.append(
            TrackingEvent(
                company_id=job.company_id,
                send_job=job,
                kind=kind,
                link=link,
                of_links=2,
                visitor=f"demo{link}",
                happened_at=at,
                applied_at=at,
            )
        )
    TrackingEvent.objects.bulk_create(events)
    SendJob.objects.bulk_update(jobs, ["delivery"])


def _reply(jobs: Sequence[SendJob], uid: int) -> None:
    """Add a reply to each message to the inbox, half a day after it was sent."""
    mails = []
    for place, job in enumerate(jobs):
        at = _hours_after(job, hours=4 + 5 * place % 20)
        mails.append(
            InboundMessage(
                company_id=job.company_id,
                kind=InboundMessage.Kind.REPLY,
                uid_validity=1,
                uid=uid + place,
                digest=sha256(job.pk.encode()).hexdigest(),
                from_email=job.recipient,
                subject=f"Re: {job.subject}",
                text=REPLIES[place % len(REPLIES)],
                quoted=f"> {job.subject}",
                send_job=job,
                run_id=job.run_id,
                contact_id=job.contact_id,
                matched_by="in_reply_to",
                received_at=at,
                read_at=at,
            )
        )
        Contact.objects.filter(pk=job.contact_id).update(replied_at=at)
    InboundMessage.objects.bulk_create(mails)
