"""A second sender that its guardrail has stopped, its returned mails, their opens and clicks, and suppressed
addresses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from django.utils import timezone

from accounts.models import Member
from config.local.demo.outreach import add_sent
from crm.models import Contact
from outreach.connections.senders.models import BOUNCES
from outreach.messaging.suppression.models import Suppression
from outreach.messaging.suppression.services import suppress
from outreach.models import GenieSettings, InboundMessage, MailApp, SendJob, TrackingEvent

SENT = 60
BOUNCED = 4
OPENED = 18
CLICKED = 5
WORDS = (
    "Hello,\n\nour autumn beans are here: https://menu.example/autumn. Which ones would you like to try?\n\nBest"
    " regards\nDana Moreau"
)


def create_deliveries(member: Member) -> None:
    """Create the sender with its messages, of which some were returned, and the suppression list."""
    now = timezone.now()
    sender = MailApp.objects.create(
        name="Newsletter",
        api_key="demo",
        from_email="news@leadwright.example",
        from_name="Dana Moreau",
        webhook_ready=True,
        stopped_at=now - timedelta(hours=20),
        stopped_by={"what": BOUNCES, "count": BOUNCED, "of": SENT},
        created_by=member,
    )
    people = Contact.objects.exclude(email=None).order_by("-pk").values_list("pk", "email")[:SENT]
    jobs = []
    for number, (contact, email) in enumerate(people):
        at = now - timedelta(hours=22) + timedelta(minutes=number)
        outcome = "bounced" if number < BOUNCED else "delivered"
        jobs.append(
            SendJob(
                company_id=sender.company_id,
                contact_id=contact,
                mail_app=sender,
                channel=sender.app_key,
                status=SendJob.Status.SENT,
                recipient=email or "",
                subject="Our autumn menu",
                text=WORDS,
                sending_at=at,
                sent_at=at,
                delivery_status=outcome,
                delivery={outcome: at.isoformat()},
                bounced_at=at if number < BOUNCED else None,
                created_by=member,
            )
        )
    add_sent(jobs)
    _answers(jobs, now)
    _track(jobs[BOUNCED:])
    for job in jobs[:BOUNCED]:
        suppress([job.recipient], reason=Suppression.Reason.BOUNCED, source=job.pk)
    suppress(["ask-not@quiet.example"], source="Call on Monday", member_id=member.pk)
    suppress(["enough@quiet.example"], reason=Suppression.Reason.COMPLAINED)


def _answers(jobs: list[SendJob], now: datetime) -> None:
    """Add the replies of some recipients, and of the server of another, to the inbox."""
    kind = InboundMessage.Kind
    hours = (20, 9, 3, 21)
    answers = (
        (kind.REPLY, "We'd like to try the dark roast. Could you come by on Thursday?"),
        (kind.REPLY, "Thanks, but we've just signed a contract for a year. Please ask again next spring."),
        (kind.AUTO, "I'm out of office until Monday and will read your email then."),
        (kind.BOUNCE, "550 5.1.1 The mailbox does not exist."),
    )
    rows = []
    for number, ((what, text), job, ago) in enumerate(zip(answers, [*jobs[-3:], jobs[0]], hours, strict=True), 1):
        bounced = what == kind.BOUNCE
        rows.append(
            InboundMessage(
                company_id=job.company_id,
                kind=what,
                uid_validity=1,
                uid=number,
                digest=sha256(job.pk.encode()).hexdigest(),
                from_email="mailer-daemon@mail.example" if bounced else job.recipient,
                from_name="Mail Delivery System" if bounced else "",
                subject="Undelivered mail" if bounced else f"Re: {job.subject}",
                text="" if bounced else text,
                quoted=f"> {job.subject}",
                send_job=job,
                contact_id=job.contact_id,
                matched_by="report" if bounced else "in_reply_to",
                severity=InboundMessage.Severity.HARD if bounced else "",
                recipient=job.recipient if bounced else "",
                status_code="5.1.1" if bounced else "",
                diagnostic=text if bounced else "",
                received_at=now - timedelta(hours=ago),
            )
        )
        if what == kind.REPLY:
            Contact.objects.filter(pk=job.contact_id).update(replied_at=now - timedelta(hours=ago))
    InboundMessage.objects.bulk_create(rows)


def _track(jobs: Sequence[SendJob]) -> None:
    """Record opens of the first messages, and clicks on the link in some of them."""
    now = timezone.now()
    GenieSettings.objects.update_or_create(defaults={"track_opens": True, "track_clicks": True, "utm_tags": True})
    for job in jobs:
        job.opens_tracked = True
        job.clicks_tracked = True
    for job in jobs[:OPENED]:
        job.open_count = 1
    for job in jobs[:CLICKED]:
        job.click_count = 1
    SendJob.objects.bulk_update(jobs, ["open_count", "click_count", "opens_tracked", "clicks_tracked"])
    TrackingEvent.objects.bulk_create(
        TrackingEvent(
            company_id=job.company_id,
            send_job=job,
            kind=kind,
            link=number,
            of_links=number,
            visitor=f"demo{number}",
            happened_at=now - timedelta(hours=18 - number),
            applied_at=now,
        )
        for kind, number, count in (("opened", 0, OPENED), ("clicked", 1, CLICKED))
        for job in jobs[:count]
    )
