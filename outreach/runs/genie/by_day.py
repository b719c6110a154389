"""Messages of a run by day, on the company's clock: sent, and opened, clicked and replied to for the first time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Container
from zoneinfo import ZoneInfo

from django.db.models import CharField, Count, DateTimeField, F, Min, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, TruncDate
from django.utils import timezone

from core.text.timezones import zone_of
from core.types import JsonObject
from crm.records.datetimes import company_timezone
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.outcomes import CLICKED, OPENED, REPLIED, REPLIES, SENT
from outreach.messaging.inbox.models import InboundMessage

MAX_DAYS = 90
"""Days of an answer, the last ones of a run that has more."""
MIN_DAYS = 7
"""Days of an answer about a run that began so long ago."""
NUMBERS = ("sent", "opened", "clicked", "replied")
BY_DAY = (
    f"Each day from the first sent message on, at most the last {MAX_DAYS}, by the company's clock: date, sent, and the"
    " messages opened, clicked (null where they are not tracked) and replied to for the first time."
)


def days_of(run_id: str, unmeasured: Container[str]) -> list[JsonObject]:
    """Return the numbers of each day since the first message was sent; None for those in `unmeasured`."""
    zone = zone_of(company_timezone())
    counts: dict[dt.date, dict[str, int]] = {}
    for on, name, number in _events(run_id, zone):
        counts.setdefault(on, {})[name] = number
    if not counts:
        return []
    first = min(counts)
    today = timezone.now().astimezone(zone).date()
    last = max(*counts, min(first + dt.timedelta(days=MIN_DAYS - 1), today))
    first = max(first, last - dt.timedelta(days=MAX_DAYS - 1))
    days = [first + dt.timedelta(days=place) for place in range((last - first).days + 1)]
    return [
        {
            "date": day.isoformat(),
            **{name: None if name in unmeasured else counts.get(day, {}).get(name, 0) for name in NUMBERS},
        }
        for day in days
    ]


def _events(run_id: str, zone: ZoneInfo) -> list[tuple[dt.date, str, int]]:
    """Return (day, name, number of messages), by one statement."""
    messages = SendJob.objects.filter(SENT, run_id=run_id, sent_at__isnull=False).order_by()
    replies = InboundMessage.objects.filter(send_job=OuterRef("pk"), kind__in=REPLIES).order_by()
    replied_at = replies.values("send_job").annotate(first=Min("received_at")).values("first")
    parts = [
        _by_day(messages, "sent", F("sent_at"), zone),
        _by_day(messages.filter(OPENED), "opened", Coalesce(_moment("opened"), _moment("read"), "sent_at"), zone),
        _by_day(messages.filter(CLICKED), "clicked", Coalesce(_moment("clicked"), "sent_at"), zone),
        _by_day(messages.filter(REPLIED), "replied", Coalesce(Subquery(replied_at), "contact__replied_at"), zone),
    ]
    return list(parts[0].union(*parts[1:], all=True))


def _by_day(
    messages: QuerySet[SendJob], name: str, at: Combinable, zone: ZoneInfo
) -> QuerySet[SendJob, tuple[dt.date, str, int]]:
    rows = messages.annotate(on=TruncDate(at, tzinfo=zone), name=Value(name, output_field=CharField()))
    return rows.values("on", "name").annotate(number=Count("pk")).values_list("on", "name", "number")


def _moment(event: str) -> Cast:
    """Return when the event of the message in the row was reported first."""
    return Cast(KeyTextTransform(event, "delivery"), DateTimeField())
