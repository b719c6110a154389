"""Nodes that wait for a time of a meeting, and for its result. They follow a meeting that is moved or cancelled."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from django.utils import timezone
from pydantic import Field, field_validator

from core.ids import is_id
from core.spans import add_span
from core.text.json import format_iso
from core.types import JsonObject
from crm.meetings.models import Meeting
from workflows.expressions.filters import text_value
from workflows.nodes.base import Item, NodeBatch, NodeConfig, NodeType, Outcome, Span
from workflows.nodes.requests import Listen
from workflows.nodes.wait import MAX_WAIT

MOVED = "meeting.updated"
"""The event of a meeting that gets another time or a result."""
CANCELLED, LATE = "cancelled", "late"
OUTPUTS = {
    "id": "id",
    "title": "text",
    "startsAt": "date",
    "endsAt": "date",
    "place": "text",
    "link": "text",
    "result": "text",
}


class MeetingConfig(NodeConfig):
    meeting: str = Field(
        default="{{ trigger.objectId }}",
        min_length=1,
        max_length=500,
        description="The id of a meeting, or an expression that gives one.",
        json_schema_extra={"x-widget": "expression"},
    )


class MeetingTimeConfig(MeetingConfig):
    main = ("when", "for", "meeting")

    when: Literal["before", "after"] = Field(default="before", description="Before its start, or after its end.")
    span: Span = Field(
        default=Span(amount=1, unit="days"),
        alias="for",
        description="How long before or after.",
        json_schema_extra={"x-widget": "duration"},
    )


class MeetingResultConfig(MeetingConfig):
    main = ("timeout", "meeting")

    timeout: Span = Field(
        default=Span(amount=2, unit="days"), description="How long after its end it waits for a result."
    )

    @field_validator("timeout")
    @classmethod
    def _check_timeout(cls, timeout: Span) -> Span:
        add_span(timezone.now(), timeout.as_json(), ZoneInfo("UTC"))
        return timeout


def _decide_each(batch: NodeBatch, decide: Callable[[NodeBatch, Item, Meeting], None]) -> None:
    """Decide about each item by its meeting as it is now."""
    item_ids = [(item, text_value(batch.render("meeting", item)).strip()) for item in batch.items]
    meetings = Meeting.objects.in_bulk({id for _, id in item_ids if is_id(id)})
    for item, id in item_ids:
        meeting = meetings.get(id)
        if meeting is None:
            item.fail("missing", f"there is no meeting {id[:60]!r} in this company", field="meeting")
        elif meeting.status == Meeting.Status.CANCELLED:
            item.outcome = Outcome(handle=CANCELLED, output=_output(meeting))
        else:
            decide(batch, item, meeting)


def _output(meeting: Meeting) -> JsonObject:
    return {
        "id": meeting.pk,
        "title": meeting.title,
        "startsAt": format_iso(meeting.starts_at),
        "endsAt": format_iso(meeting.ends_at),
        "place": meeting.place,
        "link": meeting.link,
        "result": meeting.result,
    }


def _wait_until(batch: NodeBatch, item: Item, moment: datetime, waits_for: str) -> None:
    if moment > batch.now + MAX_WAIT:
        item.fail("tooLong", f"a wait ends within {MAX_WAIT.days} days")
        return
    # A change after this look at the meeting brings the run back here, and it waits for the new time. The change that
    # has brought it here is known.
    since = batch.now if item.arrived is None else batch.now + timedelta(microseconds=1)
    item.outcome = Outcome("waiting", until=moment, waits_for=waits_for, request=Listen(MOVED, since))


def _at_time(batch: NodeBatch, item: Item, meeting: Meeting) -> None:
    config: MeetingTimeConfig = batch.config
    zone = ZoneInfo(batch.zone)
    before = config.when == "before"
    span = config.span.as_json()
    if before:
        moment = add_span(meeting.starts_at, {**span, "amount": -config.span.amount}, zone)
    else:
        moment = add_span(meeting.ends_at, span, zone)
    if moment > batch.now:
        _wait_until(batch, item, moment, "timer")
        return
    is_late = before and (item.arrived is None or meeting.starts_at <= batch.now)
    item.outcome = Outcome(handle=LATE if is_late else "out", output=_output(meeting))


def _by_result(batch: NodeBatch, item: Item, meeting: Meeting) -> None:
    if meeting.result:
        item.outcome = Outcome(handle=meeting.result, output=_output(meeting))
        return
    until = add_span(meeting.ends_at, batch.config.timeout.as_json(), ZoneInfo(batch.zone))
    if until > batch.now:
        _wait_until(batch, item, until, "event")
    else:
        item.outcome = Outcome(handle="timeout", output=_output(meeting))


def _wait_for_time(batch: NodeBatch) -> None:
    _decide_each(batch, _at_time)


def _wait_for_result(batch: NodeBatch) -> None:
    _decide_each(batch, _by_result)


def _too_long(config: MeetingTimeConfig) -> list[tuple[str, str, str]]:
    now = timezone.now()
    if add_span(now, config.span.as_json(), ZoneInfo("UTC")) <= now + MAX_WAIT:
        return []
    return [("tooLong", "for", f"a wait ends within {MAX_WAIT.days} days")]


MEETING_TIME = NodeType(
    "meetingTime",
    "logic",
    "Wait for a meeting",
    "Waits until a time before or after a meeting. It follows a meeting that is moved.",
    MeetingTimeConfig,
    _wait_for_time,
    resume=_wait_for_time,
    handles=lambda config: ("out", LATE, CANCELLED) if config.when == "before" else ("out", CANCELLED),
    needs=lambda config: ("meeting.GET",),
    icon="event_upcoming",
    templates=("meeting",),
    check=_too_long,
    events=lambda config: (MOVED,),
    outputs=OUTPUTS,
)
MEETING_RESULT = NodeType(
    "meetingResult",
    "logic",
    "Result of a meeting",
    "Waits until somebody marks a meeting as held or as a no-show.",
    MeetingResultConfig,
    _wait_for_result,
    resume=_wait_for_result,
    handles=lambda config: (*Meeting.Result.values, "timeout", CANCELLED),
    needs=lambda config: ("meeting.GET",),
    icon="event_available",
    templates=("meeting",),
    events=lambda config: (MOVED,),
    outputs=OUTPUTS,
)
TYPES = (MEETING_TIME, MEETING_RESULT)
