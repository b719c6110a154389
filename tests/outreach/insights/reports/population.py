"""Rows at the ends of a time, which reports count."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from billing.models import Invoice, Payment, Subscription, Transaction
from crm.models import (
    ContactCategory,
    ContactTag,
    File,
    Import,
    Lead,
    LeadActivity,
    Organization,
    Stage,
    StageChange,
    Tag,
    Team,
)
from outreach.models import (
    AiApp,
    AiUsage,
    Campaign,
    EmailTemplate,
    Form,
    FormLead,
    GenieScheduler,
    InboundMessage,
    MailApp,
    Quote,
    SendJob,
    Suppression,
)
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory, SmtpFactory
from workflows.models import Workflow, WorkflowRun, WorkflowVersion

BERLIN = ZoneInfo("Europe/Berlin")
INSIDE = (
    datetime(2026, 9, 30, 22, 0, tzinfo=UTC),  # midnight of the first day
    datetime(2026, 10, 24, 21, 59, 59, 999_999, tzinfo=UTC),  # the last moment of the day before the clock goes back
    datetime(2026, 10, 25, 0, 30, tzinfo=UTC),  # 2:30, for the first time
    datetime(2026, 10, 25, 1, 30, tzinfo=UTC),  # 2:30, for the second time
    datetime(2026, 10, 31, 22, 59, 59, 999_999, tzinfo=UTC),  # the last moment of the last day
)
OUTSIDE = (datetime(2026, 9, 30, 21, 59, 59, 999_999, tzinfo=UTC), datetime(2026, 10, 31, 23, 0, tzinfo=UTC))
TIMES = (*INSIDE, *OUTSIDE)


def make_organizations(cast: Cast) -> list[Organization | None]:
    """Make an organization at each of the times. Return three that records belong to, of which one is none."""
    made = []
    for place, at in enumerate(TIMES):
        odd = place % 2
        organization = OrganizationFactory(
            name=f"Firm {place}", owner=cast.owner if odd else None, created_by=None if odd else cast.owner
        )
        Organization.objects.filter(pk=organization.pk).update(created_at=at)
        made.append(organization)
    return [*made[:2], None]


def make_people(cast: Cast) -> None:
    """Make contacts, leads, activities and imports at each of the times, with and without references."""
    file = File.objects.create(name="=people.csv", size=1, mime="text/csv", path="x")
    tags = [Tag.objects.create(name=name) for name in ("One", "Two")]
    category, team = ContactCategory.objects.create(name="Press"), Team.objects.create(name="North")
    stages = {stage.status: stage for stage in Stage.objects.exclude(status=None)}
    organizations = make_organizations(cast)
    for place, at in enumerate(TIMES):
        odd = place % 2
        kind = ("contact", "lead")[odd]
        job = Import.objects.create(
            file=file, import_type=kind, status="completed", created=place, failed=1, created_by=cast.owner
        )
        Import.objects.filter(pk=job.pk).update(created_at=at)
        contact = ContactFactory(
            import_job=job if odd else None,
            category=None if odd else category,
            created_by=cast.owner if odd else None,
            unsubscribed_at=at if odd else None,
            replied_at=at if place > 3 else None,
        )
        type(contact).objects.filter(pk=contact.pk).update(created_at=at, organization=organizations[place % 3])
        ContactTag.objects.bulk_create(ContactTag(contact=contact, tag=tag) for tag in tags[: place % 3])
        status = ("new", "won", "lost")[place % 3]
        lead = LeadFactory(contact=contact, status=status, source="website" if odd else "", value=place or None)
        quote = Quote.objects.create(
            lead=lead,
            contact=contact,
            owner=None if odd else cast.owner,
            number=f"Q-{place}",
            title="Offer",
            status=("draft", "accepted")[odd],
            currency="USD",
            total=100 + place,
            valid_until=at + timedelta(days=30),
        )
        Quote.objects.filter(pk=quote.pk).update(created_at=at)
        Lead.objects.filter(pk=lead.pk).update(
            created_at=at,
            status_changed_at=at if odd else None,
            organization=organizations[place % 3],
            team=team if odd else None,
            team_member=None if odd else cast.owner,
        )
        for days, (before, after) in enumerate((("new", "contacted"), ("contacted", status))):
            StageChange.objects.create(
                lead=lead,
                changed_at=at + timedelta(milliseconds=days),
                entered_at=at - timedelta(days=1),
                from_stage=stages[before],
                to_stage=stages[after],
                member=cast.owner if odd else None,
            )
        for hours, change in enumerate((("new", "contacted"), ("contacted", status))):
            LeadActivity.objects.create(
                kind="status",
                lead=lead,
                contact=contact,
                member=cast.owner if odd else None,
                details={"status": dict(zip(("from", "to"), change, strict=True))},
                happened_at=at + timedelta(milliseconds=-hours),
            )
        LeadActivity.objects.create(kind="note", lead=lead, notes="Hello", member=cast.owner, happened_at=at)


def make_messages(cast: Cast) -> None:
    """Make messages at each of the times in each status, and what has come back to some of them."""
    template, other = (EmailTemplate.objects.create(name=name, subject="x", body="x") for name in ("Reminder", "News"))
    campaign = Campaign.objects.create(
        name="Spring", template=template, variants=[{"name": "A"}, {"name": "B", "templateId": other.pk}]
    )
    runs = [
        GenieScheduler.objects.create(name="Spring", ai_type="x", of_campaign=campaign),
        GenieScheduler.objects.create(
            prompt="Invite them", ai_type="x", outreach_cadence={"steps": [{"template": template.pk}]}
        ),
    ]
    smtp, app = SmtpFactory(), MailApp.objects.create(vendor="brevo", letter="a", name="", from_email="a@b.example")
    ai = AiApp.objects.create(provider="x", name="Writer")
    statuses = ["sent", "failed", "unknown", "draft", "suppressed", "sent", "cancelled", "sending"]
    for place, at in enumerate(TIMES * 3):
        status, by_vendor = statuses[place % len(statuses)], place % 3 == 0
        tried = status in ("sent", "failed", "unknown", "sending")
        job = SendJob.objects.create(
            status=status,
            contact=ContactFactory(),
            run=[*runs, None][place % 3],
            variant=place // 6 % 2 if place % 3 == 0 else None,
            step=1 + place % 2,
            smtp=None if by_vendor or place % 5 == 0 else smtp,
            mail_app=app if by_vendor else None,
            channel="mailvendor-a" if by_vendor else "smtp",
            recipient=["ann@One.example", "bob@two.example", ""][place % 3] if tried else "",
            created_by=cast.owner if place % 2 else None,
            sending_at=at if tried and status != "failed" else None,
            refused_at=at if status == "failed" else None,
            reason="rejected" if status == "failed" and place % 2 else "",
            delivery_status=["", "delivered", "bounced", "complained"][place % 4] if by_vendor and tried else "",
            bounced_at=at if place % 8 == 6 else None,
        )
        SendJob.objects.filter(pk=job.pk).update(created_at=at)
        if status == "sent":
            for number, (kind, severity) in enumerate((("reply", ""), ("bounce", "soft"), ("complaint", ""))):
                if place % 2 or kind == "reply":
                    InboundMessage.objects.create(
                        kind=kind,
                        severity=severity,
                        uid_validity=1,
                        uid=place * 10 + number,
                        digest=f"{place}-{number}",
                        send_job=job,
                        received_at=at,
                    )
            reason = Suppression.objects.create(
                email=f"person{place}@example.org", reason=("unsubscribed", "bounced")[place % 2], source=job.pk
            )
            Suppression.objects.filter(pk=reason.pk).update(created_at=at)
        use = AiUsage.objects.create(
            status="settled",
            app=ai if place % 2 else None,
            run=runs[0] if place % 3 else None,
            purpose="compose",
            model="m" if place % 2 else "",
            tokens_in=place,
            tokens_out=1,
            cost="0.000001",
        )
        AiUsage.objects.filter(pk=use.pk).update(created_at=at)


def make_payments() -> None:
    """Make movements of money at each of the times, in all kinds and two currencies."""
    subscription, sums = Subscription.objects.get(), {"subtotal_minor": 0, "total_minor": 0}
    invoice = Invoice.objects.create(subscription=subscription, currency="USD", decimals=2, **sums)
    shared = {"currency": "USD", "amount_minor": 0, "invoice": invoice}
    payment = Payment.objects.create(
        number="X", subscription=subscription, status="paid", expires_at=TIMES[0], **shared
    )
    for place, at in enumerate(TIMES * 2):
        row = Transaction.objects.create(
            kind=Transaction.Kind.values[place % 3],
            amount_minor=1000 + place,
            currency=("USD", "JPY")[place % 2],
            by=("gateway-a", "bank")[place % 2],
            payment=payment,
            invoice=invoice,
        )
        Transaction.objects.filter(pk=row.pk).update(created_at=at)


def make_runs() -> None:
    """Make runs of two workflows that began at each of the times, in all statuses."""
    workflows = [Workflow.objects.create(name=name) for name in ("Welcome", "Remind")]
    versions = [WorkflowVersion.objects.create(workflow=one, number=1, graph={}) for one in workflows]
    for place, at in enumerate(TIMES * 2):
        version, status = versions[place % 2], WorkflowRun.Status.values[place % 7]
        run = WorkflowRun.objects.create(
            workflow=version.workflow, version=version, entry_key=str(place), status=status
        )
        WorkflowRun.objects.filter(pk=run.pk).update(created_at=at)


def make_submissions() -> None:
    """Make what two forms were sent at each of the times, in all states."""
    forms = [Form.objects.create(name=name, token=name.ljust(32, "x")) for name in ("Fair", "Site")]
    for place, at in enumerate(TIMES * 2):
        state = FormLead.State.values[place % 3]
        FormLead.objects.create(form=forms[place % 2], leadgen_id=str(place), submitted_at=at, state=state)
