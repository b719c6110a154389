"""Outcomes of sent messages, as conditions of SQL: what came back, and what the recipients did."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import BooleanField, Case, CharField, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.db.models.expressions import Combinable

from core.lists import ListField
from crm.models import Lead
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.stopping.stop_rules import REFUSED
from outreach.messaging.suppression.models import Suppression

REPLY = "reply"
BOUNCE = "bounce"
COMPLAINT = "complaint"
CALENDAR = "calendar"
REPLIES = (REPLY, CALENDAR)
"""Kinds of received mails, as outreach.messaging.inbox.models has them, which stands above this module."""
SOFT_SEVERITY = "soft"
CONVERSION_TIME = timedelta(days=30)
"""Maximum time between the first message of a campaign and a lead that it is credited with."""
HARD_BOUNCE, SOFT_BOUNCE = "hard", "soft"


def has_received(*kinds: str, severity: str = "") -> Exists:
    """Return whether a mail of one of the kinds has come back to the message in the row."""
    # No company is active when the module is loaded: the message's own company stands in for the manager's.
    mails: QuerySet[Any] = QuerySet(SendJob._meta.get_field("answers").related_model).filter(kind__in=kinds)
    mails = mails.filter(company_id=OuterRef("company_id"), send_job_id=OuterRef("pk"))
    return Exists(mails.filter(severity=severity) if severity else mails)


def _mails_of_contact() -> QuerySet[Any]:
    """Return the replies of the recipient of the message in the row."""
    mails: QuerySet[Any] = QuerySet(SendJob._meta.get_field("answers").related_model).filter(kind__in=REPLIES)
    return mails.filter(company_id=OuterRef("company_id"), contact_id=OuterRef("contact_id"))


def _replied_to_run() -> Exists:
    """Return whether a reply of the recipient names a message of the run of the message in the row."""
    return Exists(_mails_of_contact().filter(run_id=OuterRef("run_id")))


def _named_later() -> Exists:
    """Return whether a reply that names its message has come since the message in the row was sent."""
    return Exists(_mails_of_contact().filter(send_job__isnull=False, received_at__gt=OuterRef("sent_at")))


def _sent_later() -> Exists:
    """Return whether the recipient got another message between the one in the row and the latest reply."""
    jobs: QuerySet[SendJob] = QuerySet(SendJob).filter(status=SendJob.Status.SENT, sent_at__gt=OuterRef("sent_at"))
    jobs = jobs.filter(company_id=OuterRef("company_id"), contact_id=OuterRef("contact_id"))
    return Exists(jobs.filter(sent_at__lt=OuterRef("contact__replied_at")))


def has_unsubscribed() -> Exists:
    """Return whether the recipient has unsubscribed by the message in the row."""
    rows: QuerySet[Suppression] = QuerySet(Suppression).filter(company_id=OuterRef("company_id"), source=OuterRef("pk"))
    return Exists(rows.filter(reason=Suppression.Reason.UNSUBSCRIBED))


def _lead_followed() -> Exists:
    """Return whether a lead of the recipient was created soon after the message in the row."""
    leads: QuerySet[Lead] = QuerySet(Lead).filter(company_id=OuterRef("company_id"), contact_id=OuterRef("contact_id"))
    until = OuterRef("sent_at") + Value(CONVERSION_TIME)
    return Exists(leads.filter(is_deleted=False, created_at__gt=OuterRef("sent_at"), created_at__lte=until))


def _sent_earlier() -> Exists:
    """Return whether the run sent the recipient a first message in an earlier occurrence than that in the row."""
    jobs: QuerySet[SendJob] = QuerySet(SendJob).filter(status=SendJob.Status.SENT, step=1)
    jobs = jobs.filter(company_id=OuterRef("company_id"), run_id=OuterRef("run_id"), contact_id=OuterRef("contact_id"))
    return Exists(jobs.filter(occurrence__lt=OuterRef("occurrence")))


HARD = Q(status=SendJob.Status.FAILED, reason__in=REFUSED) | Q(bounced_at__isnull=False)
"""Matches messages that were permanently refused, at once or later."""
SOFT = ~HARD & (Q(delivery_status="bounced") | Q(has_received(BOUNCE, severity=SOFT_SEVERITY)))
"""Matches messages that came back and may reach the recipient another time."""
COMPLAINED = Q(delivery_status="complained") | Q(has_received(COMPLAINT))
CAME_BACK = Q(reason__in=REFUSED) | Q(bounced_at__isnull=False) | Q(delivery__has_key="bounced")
"""Matches messages that were refused or came back, as campaigns and outreach count them."""
SENT = Q(status=SendJob.Status.SENT)
DELIVERED = Q(delivery__has_key="delivered")
OPENED = Q(open_count__gt=0)
CLICKED = Q(click_count__gt=0)
LAST_BEFORE_REPLY = Q(contact__replied_at__gt=F("sent_at")) & ~Q(_sent_later()) & ~Q(_named_later())
"""Matches messages that were the recipient's last one before a reply that names none, such as one by chat."""
REPLIED = SENT & (Q(has_received(*REPLIES)) | LAST_BEFORE_REPLY)
"""Matches messages that were replied to: the reply names them, or they were the last ones before it."""
REPLIED_IN_RUN = SENT & (Q(_replied_to_run()) | LAST_BEFORE_REPLY)
"""Matches messages to recipients who have replied to one of its run. It reads columns of an index alone."""
UNSUBSCRIBED_SINCE = SENT & Q(contact__unsubscribed_at__gt=F("sent_at"))

CONVERTED = SENT & Q(step=1, run__isnull=False) & Q(_lead_followed()) & (Q(occurrence=1) | ~Q(_sent_earlier()))
"""Matches the first messages of runs to people who have a lead of the 30 days after it. Each person counts once."""


def _flag(name: str, where: Q | Exists) -> ListField:
    """Return a field that is true for the messages that match."""
    expression: Combinable = Case(When(where, then=Value(True)), default=Value(False), output_field=BooleanField())
    return ListField(name, "boolean", expression, sortable=False, nullable=False)


OUTCOME_FIELDS = (
    _flag("delivered", DELIVERED),
    _flag("opened", OPENED),
    _flag("clicked", CLICKED),
    _flag("replied", REPLIED),
    _flag("bounced", CAME_BACK),
    _flag("complained", COMPLAINED),
    _flag("unsubscribed", has_unsubscribed()),
    _flag("repliedSince", REPLIED),
    _flag("unsubscribedSince", UNSUBSCRIBED_SINCE),
    _flag("converted", CONVERTED),
    ListField(
        "bounce",
        "text",
        Case(
            When(HARD, then=Value(HARD_BOUNCE)),
            When(SOFT, then=Value(SOFT_BOUNCE)),
            default=Value(""),
            output_field=CharField(),
        ),
        sortable=False,
        nullable=False,
    ),
)
"""Fields by which lists of messages find what reports, campaigns and outreach count."""
