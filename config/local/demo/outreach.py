"""An outreach with scheduled follow-ups, one that finds its people itself, and the usage of a model."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

from django.utils import timezone

from accounts.models import Member
from core.ids import min_id_at, new_id
from crm.models import Contact
from outreach.connections.ai.budgets import month_of
from outreach.connections.ai.providers.model import VALIDATION, WASTED
from outreach.models import AiApp, AiBudget, AiUsage, GenieScheduler, SendJob, SendJobTransition, Smtp
from outreach.runs.genie.audience import Audience
from outreach.runs.genie.cadence.steps import read_cadence
from outreach.runs.genie.generated.runs import start_generated_run

PEOPLE = 24
ANSWERED = 4
SKIPPED = 100
FIRST = (
    "Hello {name},\n\nyour coffee contract ends this winter. Shall we go through the renewal together?\n\nDana Moreau"
)
SECOND = "Hello {name},\n\na short call is enough. Which day suits you?\n\nDana Moreau"
STEPS = {
    "steps": [
        {"delay": {"amount": 3, "unit": "days"}, "prompt": "Suggest a short call"},
        {"delay": {"amount": 1, "unit": "weeks"}, "prompt": "Mention that the offer ends this month"},
    ]
}
CALLS = (("compose", 74), ("sample", 9), ("judge", 4), ("test", 2))
"""Purpose of a model's calls, and how many there were in the last three months."""


def create_outreach(member: Member) -> None:
    """Create the runs. Workers continue started ones and send to the catcher; drafts wait for a person."""
    run = _create_follow_up(member)
    _create_model_app(member, run)
    if not AiApp.objects.filter(is_default=True, is_active=True).exists():
        return
    start_generated_run(
        member_id=member.pk,
        new_contacts=False,
        prompt="Office managers in Berlin who might like a free tasting",
        count=10,
        industry="",
        additional_filters={},
        whitelisted_custom=False,
        custom_whitelisted_domains=[],
        ai_type="ai-offline",
        custom_channel_selection=False,
        custom_channels={},
        enrichment_enabled=False,
        name="Tastings in Berlin",
        draft=True,
        recurring=False,
        interval_ms=None,
        automation=False,
    )


def _create_follow_up(member: Member) -> GenieScheduler:
    """Create an outreach whose first messages went five days ago: those who have answered get no second one."""
    now = timezone.now()
    sender = Smtp.objects.first()
    people = list(Contact.objects.exclude(email=None).filter(replied_at=None).order_by("-pk")[SKIPPED:][:PEOPLE])
    run: GenieScheduler = GenieScheduler.objects.create(
        name="Contracts ending this winter",
        prompt="Ask about renewing the contract",
        ai_type="ai-offline",
        audience=Audience(contact_ids=tuple(contact.pk for contact in people)).as_json(),
        outreach_cadence=read_cadence(STEPS),
        smtp=sender,
        status=GenieScheduler.Status.COMPLETED,
        draft=True,
        automation=False,
        total=len(people),
        processed=len(people),
        planned_at=now - timedelta(days=5),
        finished_at=now - timedelta(days=5),
        planned_until=max((contact.pk for contact in people), default=""),
        created_by=member,
        updated_by=member,
    )
    jobs = []
    for number, contact in enumerate(people):
        answered = number < ANSWERED
        first = now - timedelta(days=5) + timedelta(minutes=number)
        jobs.append(sent_message(run, contact, 1, "Your coffee next year", FIRST, first))
        if not answered:
            later = first + timedelta(days=3)
            second = sent_message(run, contact, 2, "Re: Your coffee next year", SECOND, later)
            second.next_step_at = later + timedelta(weeks=1)
            jobs.append(second)
    add_sent(jobs)
    Contact.objects.filter(pk__in=[contact.pk for contact in people[:ANSWERED]]).update(
        replied_at=now - timedelta(days=4)
    )
    GenieScheduler.objects.filter(pk=run.pk).update(created_at=now - timedelta(days=5))
    return run


def add_sent(jobs: list[SendJob]) -> None:
    """Add sent messages, each with its transition, whose id counts it on its day."""
    SendJob.objects.bulk_create(jobs)
    SendJobTransition.objects.bulk_create(
        SendJobTransition(
            id=min_id_at(job.sent_at)[:8] + new_id()[8:],
            company_id=job.company_id,
            send_job=job,
            from_status=SendJob.Status.SENDING,
            to_status=SendJob.Status.SENT,
        )
        for job in jobs
        if job.sent_at is not None
    )


def sent_message(run: GenieScheduler, contact: Contact, step: int, subject: str, text: str, at: datetime) -> SendJob:
    """Return a message that was sent; `{name}` in the text is the first name."""
    return SendJob(
        company_id=run.company_id,
        run=run,
        contact=contact,
        smtp=run.smtp,
        step=step,
        status=SendJob.Status.SENT,
        recipient=contact.email or "",
        subject=subject,
        text=text.format(name=contact.name.partition(" ")[0]),
        evidence=[],
        sending_at=at,
        sent_at=at,
        created_by_id=run.created_by_id,
    )


def _create_model_app(member: Member, run: GenieScheduler) -> None:
    """Create a model's app, which is switched off, with its calls: one of them could not be used."""
    app = AiApp.objects.create(
        provider="ai-b",
        name="Model on our own server",
        base_url="https://llm.leadwright.example/v1",
        selected_model="qwen2.5-14b-instruct",
        is_active=False,
        monthly_token_cap=2_000_000,
        price_per_million_in=Decimal("0.4"),
        price_per_million_out=Decimal("1.2"),
        created_by=member,
        updated_by=member,
    )
    purposes = [purpose for purpose, count in CALLS for _ in range(count)]
    rows = [
        AiUsage(
            app=app,
            run=run if purpose == "compose" else None,
            purpose=purpose,
            status=AiUsage.Status.SETTLED,
            model=app.selected_model,
            tokens_in=900 + 37 * (place % 11),
            tokens_out=260 + 13 * (place % 7),
            cost=Decimal("0.0008"),
            error=WASTED[VALIDATION] if place == 3 else "",
        )
        for place, purpose in enumerate(purposes)
    ]
    AiUsage.objects.bulk_create(rows)
    now = timezone.now()
    for place, row in enumerate(rows):
        row.created_at = now - timedelta(hours=24 * place)
    AiUsage.objects.bulk_update(rows, ["created_at"])
    recent = [row for row in rows if month_of(row.created_at) == month_of(now)]
    for key in (f"company:{month_of(now)}", f"app:{app.pk}:{month_of(now)}"):
        AiBudget.objects.create(
            key=key,
            tokens_used=sum(row.tokens_in + row.tokens_out for row in recent),
            cost_used=sum((row.cost for row in recent), Decimal(0)),
        )
