"""Messages of a run over time, on the company's clock.

They are sent, and opened, clicked and replied to for the first time. Recipients unsubscribe, and convert.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Count,
    DateTimeField,
    F,
    IntegerField,
    Min,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, TruncDay, TruncHour
from django.utils import timezone

from core.text.timezones import zone_of
from core.types import JsonObject
from crm.models import Lead
from crm.records.datetimes import company_timezone
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.outcomes import (
    CLICKED,
    CONVERTED,
    OPENED,
    REPLIED,
    REPLIES,
    SENT,
    UNSUBSCRIBED_SINCE,
)
from outreach.messaging.inbox.models import InboundMessage

MAX_DAYS = 90
"""Days of an answer, the last ones of a run that has more."""
MIN_DAYS = 7
"""Days of an answer about a run that began so long ago."""
MAX_HOURS = 48
NUMBERS = ("sent", "opened", "clicked", "replied", "unsubscribed", "converted")
FIRST_SENT = {"firstSentAt": Min("sent_at", filter=SENT)}
_EACH = (
    "sent, the messages opened, clicked (null where they are not tracked) and replied to for the first time, recipients"
    " who unsubscribed, and who converted (their lead was created within 30 days after the first message)."
)
BY_DAY = f"Each day from the first sent message on, at most the last {MAX_DAYS}, by the company's clock: date, {_EACH}"
BY_HOUR = f"Each of the first {MAX_HOURS} hours, as far as they have begun: at, {_EACH}"
Numbers = dict[str, int]


@dataclass(frozen=True, slots=True)
class OverTime:
    """The numbers of a run by day and by hour, by day of each variant, and the conversions of each variant."""

    days: list[JsonObject] = field(default_factory=list)
    hours: list[JsonObject] = field(default_factory=list)
    variant_days: Mapping[int | None, list[JsonObject]] = field(default_factory=dict)
    converted: Mapping[int | None, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Group:
    """Events of a variant's messages in an hour, or after the first hours in a day."""

    is_hour: bool
    at: dt.datetime
    """Its begin on the company's clock, without a zone."""
    variant: int | None
    name: str
    number: int


def over_time(run_id: str, unmeasured: Container[str], first_sent: dt.datetime | None) -> OverTime:
    """Return the numbers of a run over time; None for those in `unmeasured`."""
    if first_sent is None:
        return OverTime()
    zone = zone_of(company_timezone())
    first_hour = first_sent.astimezone(zone).replace(minute=0, second=0, microsecond=0).astimezone(dt.UTC)
    groups = _groups(run_id, zone, first_hour + dt.timedelta(hours=MAX_HOURS))
    days: dict[dt.date, Numbers] = {}
    hours: dict[dt.datetime, Numbers] = {}
    of_variants: dict[int | None, dict[dt.date, Numbers]] = {}
    converted: dict[int | None, int] = {}
    for group in groups:
        day = group.at.date()
        _add(days.setdefault(day, {}), group)
        _add(of_variants.setdefault(group.variant, {}).setdefault(day, {}), group)
        if group.is_hour:
            _add(hours.setdefault(group.at.replace(tzinfo=zone).astimezone(dt.UTC), {}), group)
        if group.name == "converted":
            converted[group.variant] = converted.get(group.variant, 0) + group.number
    shown = _days(days, zone)
    return OverTime(
        [{"date": day.isoformat(), **_numbers(days.get(day, {}), unmeasured)} for day in shown],
        [{"at": hour, **_numbers(hours.get(hour, {}), unmeasured)} for hour in _hours(first_hour)],
        {
            variant: [{"date": day.isoformat(), **_numbers(counts.get(day, {}), unmeasured)} for day in shown]
            for variant, counts in of_variants.items()
            if variant is not None
        },
        converted,
    )


def _add(numbers: Numbers, group: _Group) -> None:
    numbers[group.name] = numbers.get(group.name, 0) + group.number


def _numbers(counts: Numbers, unmeasured: Container[str]) -> JsonObject:
    return {name: None if name in unmeasured else counts.get(name, 0) for name in NUMBERS}


def _days(counts: Mapping[dt.date, Numbers], zone: ZoneInfo) -> list[dt.date]:
    """Return the days of an answer."""
    first = min(counts)
    today = timezone.now().astimezone(zone).date()
    last = max(*counts, min(first + dt.timedelta(days=MIN_DAYS - 1), today))
    first = max(first, last - dt.timedelta(days=MAX_DAYS - 1))
    return [first + dt.timedelta(days=place) for place in range((last - first).days + 1)]


def _hours(first: dt.datetime) -> list[dt.datetime]:
    """Return the first hours that have begun, by their starts."""
    now = timezone.now()
    hours = (first + dt.timedelta(hours=place) for place in range(MAX_HOURS))
    return [hour for hour in hours if hour <= now]


def _groups(run_id: str, zone: ZoneInfo, until: dt.datetime) -> list[_Group]:
    """Return the events of a run's messages, by hour until then and by day later, by one statement."""
    messages = SendJob.objects.filter(SENT, run_id=run_id, sent_at__isnull=False).order_by()
    replies = InboundMessage.objects.filter(send_job=OuterRef("pk"), kind__in=REPLIES).order_by()
    replied_at = replies.values("send_job").annotate(first=Min("received_at")).values("first")
    leads = Lead.objects.filter(contact=OuterRef("contact"), is_deleted=False, created_at__gt=OuterRef("sent_at"))
    converted_at = leads.order_by().values("contact").annotate(first=Min("created_at")).values("first")
    first_messages = messages.filter(step=1)
    moments: tuple[tuple[QuerySet[SendJob], str, Combinable], ...] = (
        (messages, "sent", F("sent_at")),
        (messages.filter(OPENED), "opened", Coalesce(_moment("opened"), _moment("read"), "sent_at")),
        (messages.filter(CLICKED), "clicked", Coalesce(_moment("clicked"), "sent_at")),
        (messages.filter(REPLIED), "replied", Coalesce(Subquery(replied_at), "contact__replied_at")),
        (first_messages.filter(UNSUBSCRIBED_SINCE), "unsubscribed", F("contact__unsubscribed_at")),
        (messages.filter(CONVERTED), "converted", Subquery(converted_at)),
    )
    parts = [_part(rows, name, at, zone, until) for rows, name, at in moments]
    return [_Group(*row) for row in parts[0].union(*parts[1:], all=True)]


def _part(
    messages: QuerySet[SendJob], name: str, at: Combinable, zone: ZoneInfo, until: dt.datetime
) -> QuerySet[SendJob, tuple[bool, dt.datetime, int | None, str, int]]:
    rows = messages.annotate(
        at=Cast(at, DateTimeField()),
        is_hour=Case(When(at__lt=until, then=Value(True)), default=Value(False), output_field=BooleanField()),
        on=Case(
            When(at__lt=until, then=TruncHour("at", tzinfo=zone)),
            default=TruncDay("at", tzinfo=zone),
            output_field=DateTimeField(),
        ),
        # Follow-ups are the same for all variants.
        of_variant=Case(When(step=1, then=F("variant")), output_field=IntegerField(null=True)),
        name=Value(name, output_field=CharField()),
    )
    groups = rows.values("is_hour", "on", "of_variant", "name")
    number = Count("contact", distinct=True) if name == "unsubscribed" else Count("pk")
    return groups.annotate(number=number).values_list("is_hour", "on", "of_variant", "name", "number")


def _moment(event: str) -> Cast:
    """Return when the event of the message in the row was reported first."""
    return Cast(KeyTextTransform(event, "delivery"), DateTimeField())
