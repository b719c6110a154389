"""Approvals that are no longer valid: the contact or the sender has changed (outdated), or they have expired.

The present rows decide it; a periodic task, and each claim, turns such messages into drafts.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Case, CharField, F, Q, QuerySet, TextField, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Concat, Least, Now, NullIf
from django.utils import timezone

from core.tenancy import company_scope
from core.types import JsonObject
from outreach.connections.chat_apps.models import DIRECT
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.settings.models import APPROVAL_DAYS, GenieSettings

Status = SendJob.Status
BATCH = 1000
MAX_DELAY = timedelta(minutes=10)
"""The longest time for which an approval can hold its messages."""
LAPSED = (Reason.APPROVAL_OUTDATED, Reason.APPROVAL_EXPIRED)
_TEXT = TextField()


def envelope() -> Combinable:
    """Return envelope_of in SQL, from the joined contact and sender."""
    name = Coalesce("smtp__from_name", "mail_app__from_name", "chat_app__name")
    number = Coalesce(NullIf("chat_app__display_number", Value("")), "chat_app__phone_number_id")
    email = Coalesce("smtp__from_email", "mail_app__from_email", number, output_field=_TEXT)
    sender = Concat(name, Value(" <"), email, Value(">"), output_field=_TEXT)
    sent_by = Case(When(smtp=None, mail_app=None, chat_app=None, then=Value("")), default=sender, output_field=_TEXT)
    return Concat("contact__name", Value(" <"), address(), Value(">\n"), sent_by, output_field=_TEXT)


def address() -> Combinable:
    """Return where the message would go now, from the joined contact."""
    email = Coalesce("contact__email", Value(""), output_field=_TEXT)
    number = Coalesce("contact__contact_number", Value(""), output_field=_TEXT)
    direct = When(channel__in=DIRECT, then="recipient")
    return Case(direct, When(chat_app__isnull=False, then=number), default=email, output_field=_TEXT)


def is_outdated() -> Q:
    """Return the condition of messages that would go to others, or come from others, than they were approved for."""
    # A version before kept the address alone.
    before = Q(approved_envelope="") & ~Q(recipient="") & ~Q(recipient=address())
    # Compared in SQL, so that any change of a contact or sender counts at once.
    return before | (~Q(approved_envelope="") & ~Q(approved_envelope=envelope()))


def reason_now() -> Case:
    """Return a message's reason as it is shown: of an approved one, also why its approval holds no longer."""
    approved = Q(status=Status.APPROVED)
    return Case(
        When(approved & is_outdated(), then=Value(str(Reason.APPROVAL_OUTDATED))),
        When(approved & Q(approval_ends_at__lte=Now()), then=Value(str(Reason.APPROVAL_EXPIRED))),
        default=F("reason"),
        output_field=CharField(),
    )


def lapsed_counts(run_id: str) -> dict[str, int]:
    """Return reason -> number of the run's approved messages whose approval holds no longer."""
    rows = SendJob.objects.filter(run_id=run_id, status=Status.APPROVED)
    ended = rows.filter(approval_ends_at__lte=timezone.now())
    # Each message counts once, for the reason that hold() would give it.
    late = ended.exclude(is_outdated()).count()
    counts = {str(Reason.APPROVAL_OUTDATED): rows.filter(is_outdated()).count(), str(Reason.APPROVAL_EXPIRED): late}
    return {reason: number for reason, number in counts.items() if number}


def ends_at(now: datetime) -> datetime:
    """Return when an approval of the active company ends that is given now."""
    days = GenieSettings.objects.values_list("approval_days", flat=True).first()
    return now + timedelta(days=APPROVAL_DAYS if days is None else days)


def turn_into_drafts(rows: QuerySet[SendJob], member_id: str | None, reason: str = Reason.AWAITING_APPROVAL) -> int:
    """Turn the approved messages, and those that a person has cancelled, into drafts. Return their number.

    One with an outdated approval keeps that reason while it is a draft, whoever turned it into one.
    """
    stopped = rows.filter(Q(status=Status.APPROVED) | Q(status=Status.CANCELLED, reason="declined"))
    if reason == Reason.APPROVAL_OUTDATED:
        return _withdraw(stopped, member_id, reason)
    # First, since the second statement would take these rows too, and give them the other reason.
    changed = _withdraw(rows.filter(is_outdated(), status=Status.APPROVED), member_id, Reason.APPROVAL_OUTDATED)
    return changed + _withdraw(stopped, member_id, reason)


def _withdraw(rows: QuerySet[SendJob], member_id: str | None, reason: str) -> int:
    values: JsonObject = {"approved_at": None, "approved_by_id": None, "approval_ends_at": None}
    # The delay of the former approval must not hold the next one.
    was_delayed = When(due_at__lte=F("approved_at") + MAX_DELAY, then=Least("due_at", Now()))
    values["due_at"] = Case(was_delayed, default=F("due_at"))
    if member_id is not None:
        values["updated_by_id"] = member_id
    # An empty envelope is no approval; the next one stores what is true then.
    return ledger.transition_all(
        rows, to=Status.DRAFT, reason=reason, actor_id=member_id, approved_envelope="", **values
    )


def hold_lapsed() -> bool:
    """Turn approved messages with an invalid approval into drafts (a periodic task). Return whether more may wait.

    Claims do this too, for due messages; this is for those that would be shown as waiting to go and are not.
    """
    approved = SendJob.objects.filter(status=Status.APPROVED)
    # A periodic task without a company: rows are found over all companies and changed in the scope of each.
    ended = list(approved.filter(approval_ends_at__lte=timezone.now()).values_list("company_id", "pk")[:BATCH])
    changed = list(approved.filter(is_outdated()).values_list("company_id", "pk")[:BATCH])
    for pairs, reason in ((changed, Reason.APPROVAL_OUTDATED), (ended, Reason.APPROVAL_EXPIRED)):
        for company in {company_pk for company_pk, _ in pairs}:
            with company_scope(company):
                turn_into_drafts(
                    SendJob.objects.filter(pk__in=[pk for company_pk, pk in pairs if company_pk == company]),
                    None,
                    reason,
                )
    return len(ended) == BATCH or len(changed) == BATCH
