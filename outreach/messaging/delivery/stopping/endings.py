"""Messages that would never be sent if approved: those for which decide() ends in a Stop, in SQL for any number."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, CharField, F, Func, Q, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Lower
from django.db.models.lookups import In, IsNull

from outreach.connections.chat_apps.models import ChatOptOut
from outreach.connections.chat_apps.selectors import PHONE
from outreach.messaging.delivery.deciding.reasons import MAX_ATTEMPTS, Reason
from outreach.messaging.delivery.stopping.stop_rules import reason_sql
from outreach.messaging.suppression.addresses import ADDRESS
from outreach.messaging.suppression.models import Suppression


class FollowUpStop(Func):
    """The reason that stops a follow-up (stop_rules), in a query of messages; null: none, or no follow-up."""

    def __init__(self) -> None:
        super().__init__(F("pk"), output_field=CharField(null=True))

    def as_sql(self, compiler: Any, *args: Any, **named: Any) -> tuple[str, tuple[str | int, ...]]:
        key, _ = compiler.compile(self.source_expressions[0])
        return f"({reason_sql(key.rpartition('.')[0])})", ()


def never_goes() -> Combinable:
    """Return the reason why a message never goes, in the order of decide(), from the joined contact and run; null: it
    may go."""
    by_chat = Q(chat_app__isnull=False)
    suppressed = ~by_chat & Q(In(Lower("contact__email"), Suppression.objects.values("email")))
    opted_out = by_chat & Q(In(F("contact__contact_number"), ChatOptOut.objects.values("phone")))
    no_number = by_chat & (Q(contact__contact_number=None) | ~Q(contact__contact_number__regex=PHONE))
    began = Case(When(run__isnull=False, occurrence=1, then=F("run__created_at")), default=F("created_at"))
    stop = FollowUpStop()
    conditions = (
        (Q(run__cancelled_at__isnull=False) | Q(run__is_deleted=True), Reason.RUN_CANCELLED),
        (Q(contact__is_deleted=True), Reason.CONTACT_DELETED),
        (suppressed | opted_out, Reason.ADDRESS_SUPPRESSED),
        (Q(contact__unsubscribed_at__isnull=False), Reason.UNSUBSCRIBED),
        (Q(step=1, contact__replied_at__gt=began), Reason.REPLY_RECEIVED),
        (IsNull(stop, False), stop),
        ((~by_chat & ~Q(contact__email__regex=ADDRESS)) | no_number, Reason.NO_VALID_ADDRESS),
        (Q(attempts__gte=MAX_ATTEMPTS), Reason.ATTEMPTS_EXHAUSTED),
    )
    cases = [
        When(condition, then=Value(str(reason)) if isinstance(reason, Reason) else reason)
        for condition, reason in conditions
    ]
    return Case(*cases, default=None, output_field=CharField(null=True))
