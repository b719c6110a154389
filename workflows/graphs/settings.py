"""The settings of a workflow (config and schedule) and the error policy of its nodes."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from core.types import JsonObject
from workflows.graphs.cron import read_cron
from workflows.nodes.base import NodeConfig, Span
from workflows.nodes.wait import WindowConfig, known_zone

SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400, "weeks": 604_800, "months": 2_592_000}


class Retry(NodeConfig):
    attempts: int = Field(default=0, ge=0, le=10, description="Further tries.")
    delay: Span = Span(amount=1, unit="minutes")
    backoff: Literal["exponential", "fixed"] = "exponential"
    max: Span = Span(amount=1, unit="hours")


class ErrorPolicy(NodeConfig):
    """Handling of a node's failure: retries, then the run fails, continues, or leaves by the handle error."""

    retry: Retry = Retry()
    then: Literal["fail", "continue", "branch"] = "fail"
    unknown: Literal["fail", "continue", "branch", "retry"] = Field(
        default="fail", description="When nobody knows whether a call was made. retry makes it again, perhaps twice."
    )


class Enrolment(NodeConfig):
    mode: Literal["once", "whenIdle", "always", "replace"] = Field(
        default="whenIdle",
        description="once: a record starts one run, ever; whenIdle: none while it has one; always: one per event;"
        " replace: a new run cancels the one before.",
    )
    cooldown: Span | None = Field(default=None, description="None within this time after the last start.")


class Rate(NodeConfig):
    """So many starts in a span, at an even pace."""

    starts: int = Field(ge=1, le=1_000_000)
    per: Span

    @property
    def interval(self) -> dt.timedelta:
        """The time between two starts. A month has thirty days here."""
        return dt.timedelta(seconds=SECONDS[self.per.unit] * self.per.amount / self.starts)


class End(NodeConfig):
    """Conditions for an early end of a run: events about its record, or conditions that its record meets."""

    events: list[str] = Field(default=[], max_length=20, description="Kinds of events; one is enough.")
    filter: JsonObject | None = Field(
        default=None, description="Conditions on the record, asked whenever it changes and the run moves."
    )

    @model_validator(mode="after")
    def _check_ends(self) -> End:
        if not self.events and self.filter is None:
            raise PydanticCustomError("noEnd", "needs events, or a filter")
        return self


class WorkflowConfig(NodeConfig):
    filter: JsonObject | None = Field(default=None, description="Conditions for a start.")
    changedFields: list[str] | None = Field(
        default=None, max_length=50, description="Of an update: one of these has to be among the changes."
    )
    segment: str | None = Field(
        default=None,
        max_length=24,
        description="Of segment.entered and segment.left: the segment.",
        json_schema_extra={"x-source": "/segment"},
    )
    enrolment: Enrolment = Enrolment()
    goal: End | None = Field(default=None, description="What the workflow is for: runs that reach it are completed.")
    exit: End | None = Field(default=None, description="Runs that come to it are cancelled.")
    window: WindowConfig | None = Field(default=None, description="Runs begin when it is open.")
    whilePaused: Literal["skip", "queue"] = Field(default="skip", description="What becomes of starts while paused.")
    concurrency: int | None = Field(
        default=None, ge=1, le=100_000, description="The most runs under way at once; the others wait."
    )
    rate: Rate | None = Field(default=None, description="How many runs begin in a span; the others wait.")
    retention: int | None = Field(
        default=None, ge=1, le=3650, description="Days for which runs that have ended are kept; empty: the company's."
    )
    priority: int = Field(default=5, ge=1, le=9, description="1 goes first.")
    allowSelfTrigger: bool = Field(default=False, description="Its own changes may start it.")


class Audience(NodeConfig):
    """Records that a firing starts a run for; without an audience it starts a single run."""

    panel: Literal["contact", "lead"] = "contact"
    filter: JsonObject = Field(
        description="Conditions on the panel's fields.",
        json_schema_extra={"x-widget": "tree", "x-panel": "panel"},
    )


class FieldDate(NodeConfig):
    """A date of a record, and when a run starts by it. A time of day that the value has does not matter."""

    panel: Literal["contact", "lead"] = "contact"
    name: str = Field(
        min_length=1,
        max_length=200,
        description="A date of the panel, a custom one by its key.",
        json_schema_extra={"x-widget": "dateField"},
    )
    offset: int = Field(default=0, ge=-3650, le=3650, description="Days after the date, or before it.")
    at: dt.time = Field(default=dt.time(9), description="Local time of day.")
    yearly: bool = Field(default=False, description="Each year on the day: birthdays.")

    @field_validator("at")
    @classmethod
    def _local(cls, value: dt.time) -> dt.time:
        if value.tzinfo is not None:
            raise PydanticCustomError("badTime", "enter a time without an offset, such as 09:00")
        return value.replace(second=0, microsecond=0)


MAX_MONTHS = 1200


class Schedule(NodeConfig):
    type: Literal["cron", "interval", "dates", "field"]
    cron: str | None = Field(default=None, max_length=200, description="minute hour day month weekday")
    every: Span | None = None
    at: list[dt.datetime] | None = Field(default=None, min_length=1, max_length=500)
    field: FieldDate | None = Field(default=None, description="A date of each record.")
    timezone: str = Field(default="", max_length=64, description="IANA name; empty: the company's.")
    starts: dt.datetime | None = Field(default=None, alias="from")
    until: dt.datetime | None = None
    misfire: Literal["once", "skip", "all"] = Field(
        default="once", description="Of times that were missed: one run, none, or each (at most 100)."
    )
    audience: Audience | None = None

    @property
    def panel(self) -> str | None:
        """The panel of the records that its times start runs for; None: they start single runs without a record."""
        if self.type == "field" and self.field is not None:
            return self.field.panel
        return self.audience.panel if self.audience is not None else None

    @field_validator("timezone")
    @classmethod
    def _check_zone(cls, name: str) -> str:
        if name:
            known_zone(name)
        return name

    @field_validator("at", "starts", "until")
    @classmethod
    def _aware(cls, value: Any) -> Any:
        for moment in value if isinstance(value, list) else [value]:
            if moment is not None and moment.tzinfo is None:
                raise PydanticCustomError("badTime", "times need an offset, such as 2026-01-31T09:00:00Z")
            if moment is not None and not 1970 <= moment.year <= 2200:
                raise PydanticCustomError("badTime", "times are of the years 1970 to 2200")
        return value

    @model_validator(mode="after")
    def _check_times(self) -> Schedule:
        needed = {"cron": self.cron, "interval": self.every, "dates": self.at, "field": self.field}[self.type]
        if needed is None:
            name = {"cron": "cron", "interval": "every", "dates": "at", "field": "field"}[self.type]
            raise PydanticCustomError(
                "noTimes", "{name}: is needed by a schedule of type {type}", {"name": name, "type": self.type}
            )
        if self.cron is not None:
            read_cron(self.cron)
        if self.field is not None and self.audience is not None and self.field.panel != self.audience.panel:
            raise PydanticCustomError("otherRecords", "audience.panel: is another one than field.panel")
        if self.every is not None and self.every.unit == "seconds" and self.every.amount < 60:
            raise PydanticCustomError("tooOften", "every: enter at least a minute")
        if self.every is not None and self.every.unit == "months" and self.every.amount > MAX_MONTHS:
            raise PydanticCustomError("tooRare", "every: enter at most a hundred years")
        return self
