"""The settings of a workflow (config and schedule) and the error policy of its nodes."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from workflows.graphs.cron import read_cron
from workflows.nodes.base import NodeConfig, Span
from workflows.nodes.wait import WindowConfig, known_zone


class Retry(NodeConfig):
    attempts: int = Field(default=0, ge=0, le=10, description="Further tries.")
    delay: Span = Span(amount=1, unit="minutes")
    backoff: Literal["exponential", "fixed"] = "exponential"
    max: Span = Span(amount=1, unit="hours")


class ErrorPolicy(NodeConfig):
    """What happens when a node fails: tries again, then the run fails, goes on, or goes the way of the handle error."""

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


class End(NodeConfig):
    """What ends a run early: events about its record, or conditions that its record comes to fulfil."""

    events: list[str] = Field(default=[], max_length=20, description="Kinds of events; one is enough.")
    filter: dict[str, Any] | None = Field(
        default=None, description="Conditions on the record, asked whenever it changes and the run moves."
    )

    @model_validator(mode="after")
    def _something(self) -> End:
        if not self.events and self.filter is None:
            raise ValueError("needs events, or a filter")
        return self


class WorkflowConfig(NodeConfig):
    filter: dict[str, Any] | None = Field(default=None, description="Conditions for a start.")
    changedFields: list[str] | None = Field(
        default=None, max_length=50, description="Of an update: one of these has to be among the changes."
    )
    enrolment: Enrolment = Enrolment()
    goal: End | None = Field(default=None, description="What the workflow is for: runs that reach it are completed.")
    exit: End | None = Field(default=None, description="Runs that come to it are cancelled.")
    window: WindowConfig | None = Field(default=None, description="Runs begin when it is open.")
    whilePaused: Literal["skip", "queue"] = Field(default="skip", description="What becomes of starts while paused.")
    priority: int = Field(default=5, ge=1, le=9, description="1 goes first.")
    allowSelfTrigger: bool = Field(default=False, description="Its own changes may start it.")


class Audience(NodeConfig):
    """Whom a firing starts a run for; without one it starts a single run."""

    panel: Literal["contact", "lead"] = "contact"
    filter: dict[str, Any] = Field(
        description="Conditions on the panel's fields.", json_schema_extra={"x-widget": "tree"}
    )


class Schedule(NodeConfig):
    type: Literal["cron", "interval", "dates"]
    cron: str | None = Field(default=None, max_length=200, description="minute hour day month weekday")
    every: Span | None = None
    at: list[dt.datetime] | None = Field(default=None, min_length=1, max_length=500)
    timezone: str = Field(default="", max_length=64, description="IANA name; empty: the company's.")
    starts: dt.datetime | None = Field(default=None, alias="from")
    until: dt.datetime | None = None
    misfire: Literal["once", "skip", "all"] = Field(
        default="once", description="Of times that were missed: one run, none, or each (at most 100)."
    )
    audience: Audience | None = None

    @field_validator("timezone")
    @classmethod
    def _known(cls, name: str) -> str:
        if name:
            known_zone(name)
        return name

    @field_validator("at", "starts", "until")
    @classmethod
    def _aware(cls, value: Any) -> Any:
        for one in value if isinstance(value, list) else [value]:
            if one is not None and one.tzinfo is None:
                raise ValueError("times need an offset, such as 2026-01-31T09:00:00Z")
        return value

    @model_validator(mode="after")
    def _whole(self) -> Schedule:
        needed = {"cron": self.cron, "interval": self.every, "dates": self.at}[self.type]
        if needed is None:
            name = {"cron": "cron", "interval": "every", "dates": "at"}[self.type]
            raise ValueError(f"{name}: is needed by a schedule of type {self.type}")
        if self.cron is not None:
            read_cron(self.cron)
        if self.every is not None and self.every.unit == "seconds" and self.every.amount < 60:
            raise ValueError("every: at least a minute")
        return self
