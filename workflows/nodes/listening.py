"""The node that waits for an event about the run's record."""

from __future__ import annotations

from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from core.spans import add_span
from core.types import JsonObject
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType, Outcome, Span
from workflows.nodes.requests import Listen

EVENT, TIMEOUT = "event", "timeout"


class WaitForConfig(NodeConfig):
    main = ("event", "filter", "timeout")

    event: str = Field(
        min_length=1, max_length=64, description="A kind of events.", json_schema_extra={"x-widget": "event"}
    )
    filter: JsonObject | None = Field(
        default=None, description="Conditions on event.… and the record.", json_schema_extra={"x-widget": "tree"}
    )
    timeout: Span = Field(description="How long it waits at most.")
    since: Literal["run", "node"] = Field(
        default="run",
        description="run: what has happened since the event that started the run counts, too; without one, since the"
        " run was created.",
    )

    @field_validator("timeout")
    @classmethod
    def _check_timeout(cls, timeout: Span) -> Span:
        days = {"seconds": 86_400, "minutes": 1440, "hours": 24, "days": 1, "weeks": 1 / 7, "months": 1 / 31}
        # As long as runs are kept (workflows.engine.retention).
        if timeout.amount / days[timeout.unit] > 400:
            raise PydanticCustomError("tooLong", "a wait ends within 400 days")
        return timeout


def _wait_for(batch: NodeBatch) -> None:
    config: WaitForConfig = batch.config
    until = add_span(batch.now, config.timeout.as_json(), ZoneInfo(batch.zone))
    for item in batch.items:
        # The run may reach the node after what it waits for has happened, within the same second.
        event = Listen(config.event, None if config.since == "run" else batch.now)
        item.outcome = Outcome("waiting", until=until, waits_for="event", request=event)


def _resume(batch: NodeBatch) -> None:
    for item in batch.items:
        if item.arrived is not None and item.arrived.kind == "event":
            item.outcome = Outcome(handle=EVENT, output=item.arrived.payload)
        else:
            item.outcome = Outcome(handle=TIMEOUT)


WAIT_FOR = NodeType(
    "waitFor",
    "logic",
    "Wait for an event",
    "Waits until something happens to the run's record, or until a time is over.",
    WaitForConfig,
    _wait_for,
    resume=_resume,
    handles=lambda config: (EVENT, TIMEOUT),
    icon="notifications_active",
    conditions=lambda config: {} if config.filter is None else {"filter": config.filter},
    events=lambda config: (config.event,),
    outputs={"kind": "text", "objectId": "id", "happenedAt": "date", "payload": "object"},
)
