"""Nodes that create meetings and call logs, with the values of their endpoints."""

from __future__ import annotations

from typing import Any, Literal

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import transaction
from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from core.errors import ApiError, NamedError
from core.types import JsonObject
from crm.activities.calls import create_calls
from crm.activities.models import CallLog
from crm.meetings.services import create_meeting
from workflows.expressions.filters import number, text_value
from workflows.nodes import effects
from workflows.nodes.base import Item, NodeBatch, NodeConfig, NodeType, Outcome
from workflows.nodes.records import fail_by, fail_refused
from workflows.nodes.references import checked_ids
from workflows.nodes.team import no_member
from workflows.nodes.wait import known_zone

TEXT: JsonObject = {"x-widget": "expression"}
MEMBER: JsonObject = {"x-widget": "member"}
IS_WEB = URLValidator(schemes=["http", "https"])
MAX_ADDRESS, MAX_NOTES = 1000, 20_000


class MeetingConfig(NodeConfig):
    main = ("title", "startsAt", "durationMinutes", "description", "place", "link", "members", "invite")

    title: str = Field(min_length=1, max_length=300, json_schema_extra=TEXT)
    startsAt: Any = Field(description="A time, or an expression that gives one.", json_schema_extra=TEXT)
    durationMinutes: int = Field(default=30, ge=1, le=7 * 24 * 60)
    description: str = Field(default="", max_length=MAX_NOTES, json_schema_extra=TEXT)
    place: str = Field(default="", max_length=500, json_schema_extra=TEXT)
    link: str = Field(default="", max_length=MAX_ADDRESS, description="Of a video call.", json_schema_extra=TEXT)
    timezone: str = Field(default="", max_length=64, description="IANA name; empty: the company's.")
    remindMinutes: int | None = Field(default=None, ge=0, le=40_320)
    organizer: str | None = Field(
        default=None, description="Empty: the member who published it.", json_schema_extra=MEMBER
    )
    members: list[str] = Field(default=[], max_length=50, json_schema_extra={"x-widget": "members"})
    invite: bool = Field(default=True, description="The run's contact is asked to it.")

    @field_validator("timezone")
    @classmethod
    def _zone(cls, name: str) -> str:
        if name:
            known_zone(name)
        return name

    @model_validator(mode="after")
    def _ids(self) -> MeetingConfig:
        checked_ids([*self.members, *filter(None, (self.organizer,))])
        return self


class CallConfig(NodeConfig):
    direction: Literal["inbound", "outbound"] = "outbound"
    outcome: str = Field(
        default="connected",
        description=f"One of {', '.join(CallLog.Outcome.values)}.",
        json_schema_extra={"enum": list(CallLog.Outcome.values)},
    )
    startedAt: Any = Field(default=None, description="A time; empty: now.", json_schema_extra=TEXT)
    duration: Any = Field(default=0, description="Seconds.", json_schema_extra=TEXT)
    notes: str = Field(default="", max_length=MAX_NOTES, json_schema_extra=TEXT)
    number: str = Field(default="", max_length=200, description="Empty: the contact's.", json_schema_extra=TEXT)
    recording: str = Field(default="", max_length=MAX_ADDRESS, json_schema_extra=TEXT)
    member: str | None = Field(
        default=None, description="Empty: the member who published it.", json_schema_extra=MEMBER
    )

    @model_validator(mode="after")
    def _check_outcome(self) -> CallConfig:
        if self.outcome not in CallLog.Outcome.values:
            raise PydanticCustomError(
                "badOption", "outcome: choose one of {known}", {"known": ", ".join(CallLog.Outcome.values)}
            )
        checked_ids(filter(None, (self.member,)))
        return self


def _web_address(name: str, value: str) -> str:
    if value:
        try:
            IS_WEB(value)
        except ValidationError:
            raise NamedError("InvalidInput_400", "enter an address that begins with http", field=name) from None
        if len(value) > MAX_ADDRESS:
            raise NamedError("InvalidInput_400", f"has more than {MAX_ADDRESS} characters", field=name)
    return value


def _create_meetings(batch: NodeBatch) -> None:
    """Make the meetings one by one: each has its own invitations, and counts for the plan."""
    config: MeetingConfig = batch.config
    for item in batch.items:
        attendees = [{"member": id} for id in config.members]
        if config.invite and item.run.contact_id:
            attendees.append({"contact": item.run.contact_id})
        try:
            with transaction.atomic():
                created = create_meeting(
                    actor_id=batch.actor_id,  # an owner organizes it if they have left
                    values=_meeting_values(batch, item),
                    attendees=attendees,
                )
        except ApiError as error:
            fail_by(item, error)
        else:
            item.outcome = Outcome(output={"id": created.meeting.pk, "warning": created.warning})


def _meeting_values(batch: NodeBatch, item: Item) -> JsonObject:
    config: MeetingConfig = batch.config
    texts = {name: text_value(batch.render(name, item)).strip() for name in ("title", "description", "place", "link")}
    if not texts["title"]:
        raise NamedError("InvalidInput_400", "the expression gives no text", field="title")
    return {
        "title": texts["title"][:300],
        "description": texts["description"],
        "place": texts["place"][:500],
        "link": _web_address("link", texts["link"]),
        "starts_at": text_value(batch.render("startsAt", item)),
        "duration_minutes": config.durationMinutes,
        "remind_minutes": config.remindMinutes,
        "lead": item.run.lead_id,
        "contact": item.run.contact_id,
        **({"timezone": config.timezone} if config.timezone else {}),
        **({"organizer": config.organizer} if config.organizer else {}),
    }


def _call(batch: NodeBatch) -> None:
    items = [item for item in batch.items if _has_party(item)]
    if not items:
        return
    result = create_calls(
        actor_id=batch.actor_id,  # type: ignore[arg-type]
        items=items,
        read=lambda item: _call_values(batch, item),
    )
    fail_refused(items, result)
    refused_indexes = {failure.index for failure in result.failed}
    created_items = [item for place, item in enumerate(items) if place not in refused_indexes]
    for item, id in zip(created_items, result.created, strict=True):
        item.outcome = Outcome(output={"id": id})


def _has_party(item: Item) -> bool:
    if item.run.lead_id or item.run.contact_id:
        return True
    item.fail("missing", "the run has no contact")
    return False


def _call_values(batch: NodeBatch, item: Item) -> JsonObject:
    config: CallConfig = batch.config
    seconds = number(batch.render("duration", item))
    if not isinstance(seconds, int) or not 0 <= seconds < 2**31:
        raise NamedError("InvalidInput_400", "needs a number of seconds", field="duration")
    values: JsonObject = {
        "direction": config.direction,
        "outcome": config.outcome,
        "duration_seconds": seconds,
        "notes": text_value(batch.render("notes", item)),
        "recording": _web_address("recording", text_value(batch.render("recording", item)).strip()),
        **({"lead": item.run.lead_id} if item.run.lead_id else {"contact": item.run.contact_id}),
    }
    texts = {name: text_value(batch.render(name, item)).strip() for name in ("number", "startedAt")}
    if texts["number"]:
        values["number"] = texts["number"][:40]
    if config.startedAt is not None:
        values["started_at"] = texts["startedAt"]
    if config.member is not None:
        values["member"] = config.member
    return values


MEETING = NodeType(
    "meeting",
    "team",
    "Meeting",
    "Makes a meeting about the contact or lead of the run, and invites them.",
    MeetingConfig,
    _create_meetings,
    needs=lambda config: ("meeting.POST",),
    icon="event",
    templates=("title", "startsAt", "description", "place", "link"),
    check=no_member("organizer", "members"),
    outputs={"id": "id", "warning": "text"},
    effect=effects.of_meeting,
)
CALL = NodeType(
    "call",
    "team",
    "Call log",
    "Notes a call with the contact or lead of the run.",
    CallConfig,
    _call,
    needs=lambda config: ("lead-activity.POST",),
    icon="call",
    templates=("startedAt", "duration", "notes", "number", "recording"),
    check=no_member("member"),
    outputs={"id": "id"},
    effect=effects.of_call,
)
TYPES = (MEETING, CALL)
