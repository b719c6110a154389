"""The wait: for a span, until a date, or for the next opening of a window."""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone
from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from core.spans import add_span, read_moment
from outreach.messaging.delivery.limits.windows import Window, next_opening
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType, Outcome, Span

# Firings and runs are kept for about as long; a wait for years is a mistake in a date.
MAX_WAIT = dt.timedelta(days=400)


class WindowConfig(NodeConfig):
    """Days (Monday is 1) and local hours."""

    days: list[int] = Field(default=[1, 2, 3, 4, 5], min_length=1, max_length=7)
    start: dt.time = dt.time(9)
    end: dt.time = dt.time(17)
    timezone: str = Field(default="", max_length=64, description="IANA name; empty: the company's.")

    @field_validator("days")
    @classmethod
    def _weekdays(cls, days: list[int]) -> list[int]:
        if not set(days) <= set(range(1, 8)):
            raise PydanticCustomError("badDays", "days are numbers from 1 (Monday) to 7 (Sunday)")
        return sorted(set(days))

    @field_validator("start", "end")
    @classmethod
    def _local(cls, value: dt.time) -> dt.time:
        if value.tzinfo is not None:
            raise PydanticCustomError("badTime", "hours are local, without an offset")
        return value

    @field_validator("timezone")
    @classmethod
    def _check_zone(cls, name: str) -> str:
        if name:
            known_zone(name)
        return name

    def opening(self, moment: dt.datetime, zone: str) -> dt.datetime:
        """Return the first time at or after `moment` at which the window is open."""
        window = Window(frozenset(day - 1 for day in self.days), self.start, self.end)
        return next_opening(window, ZoneInfo(self.timezone or zone), moment)


def known_zone(name: str) -> ZoneInfo:
    """Return the time zone. Raises ValueError for an unknown name."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise PydanticCustomError(
            "badZone", "enter a time zone, such as Europe/Berlin, not {name}", {"name": repr(name[:60])}
        ) from None


class WaitConfig(NodeConfig):
    duration: Span | None = Field(
        default=None, alias="for", description="How long.", json_schema_extra={"x-widget": "duration"}
    )
    until: Any = Field(
        default=None,
        description="A time, or an expression that gives one. Without offset it is in the company's time zone.",
        json_schema_extra={"x-widget": "expression"},
    )
    offset: int = Field(default=0, ge=-36_500, le=36_500, description="Days after (or before) `until`.")
    window: WindowConfig | None = Field(default=None, description="And then until the window is open.")

    @model_validator(mode="after")
    def _check_end(self) -> WaitConfig:
        if self.duration is not None and self.until is not None:
            raise PydanticCustomError("twoWaits", "enter a duration or an end, not both")
        if self.duration is None and self.until is None and self.window is None:
            raise PydanticCustomError("noWait", "enter a duration, an end or hours")
        return self


def _too_long(config: WaitConfig) -> list[tuple[str, str, str]]:
    now = timezone.now()
    if config.duration is None or add_span(now, config.duration.as_json(), dt.UTC) <= now + MAX_WAIT:
        return []
    return [("tooLong", "for", f"a wait ends within {MAX_WAIT.days} days")]


def _wait(batch: NodeBatch) -> None:
    config: WaitConfig = batch.config
    zone = ZoneInfo(batch.zone)
    for item in batch.items:
        end = batch.now
        if config.duration is not None:
            end = add_span(batch.now, config.duration.as_json(), zone)
        elif config.until is not None:
            moment = read_moment(batch.render("until", item), zone)
            if moment is None:
                item.fail("badValue", "the expression gives no time", field="until")
                continue
            try:
                end = add_span(moment, {"amount": config.offset, "unit": "days"}, zone)
            except (OverflowError, ValueError):
                item.fail("badValue", "lies beyond the calendar", field="until")
                continue
        if end > batch.now + MAX_WAIT:
            item.fail("tooLong", f"a wait ends within {MAX_WAIT.days} days")
            continue
        if config.window is not None:
            # A time that has passed does not open a window of yesterday.
            end = config.window.opening(max(end, batch.now), batch.zone)
        item.outcome = Outcome(output={"until": end.isoformat()})
        # Without a wait the run goes on within the same slice.
        if end > batch.now:
            item.outcome.status = "waiting"
            item.outcome.until = end


WAIT = NodeType(
    "wait",
    "logic",
    "Wait",
    "Waits for a span, until a date, or until a window is open.",
    WaitConfig,
    _wait,
    icon="hourglass_top",
    templates=("until",),
    check=_too_long,
    outputs={"until": "date"},
)
