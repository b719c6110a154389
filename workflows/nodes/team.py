"""Nodes for the team: notes, follow-ups, notices, and static segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal
from zoneinfo import ZoneInfo

from django.db import transaction
from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from accounts.models import Member
from accounts.notifications.services import remember
from core.errors import ApiError
from core.spans import add_span
from core.text.json import format_iso
from core.types import JsonObject
from crm.activities.follow_ups import create_follow_up
from crm.activities.services import add_note
from crm.leads.models import Lead
from crm.segments.models import Segment
from crm.segments.services import IdChanges, update_segment
from crm.teams.services import ACTIVE
from workflows.expressions.filters import text_value
from workflows.nodes import effects
from workflows.nodes.base import Item, NodeBatch, NodeConfig, NodeType, Outcome, Span
from workflows.nodes.records import fail_by, with_record
from workflows.nodes.references import checked_ids

TEXT: JsonObject = {"x-widget": "expression"}


class NoteConfig(NodeConfig):
    notes: str = Field(min_length=1, max_length=10_000, json_schema_extra=TEXT)
    panel: Literal["contact", "lead"] = "contact"


class FollowUpConfig(NodeConfig):
    title: str = Field(min_length=1, max_length=200, json_schema_extra=TEXT)
    notes: str = Field(default="", max_length=5000, json_schema_extra=TEXT)
    due: Span = Field(default=Span(amount=1, unit="days"), description="When it is due, from then.")
    assignee: str | None = Field(
        default=None, description="Empty: the lead's member.", json_schema_extra={"x-widget": "member"}
    )


class NotifyConfig(NodeConfig):
    main = ("members", "owner", "text")

    members: list[str] = Field(default=[], max_length=50, json_schema_extra={"x-widget": "members"})
    owner: bool = Field(default=False, description="The lead's member; the members only where there is none.")
    text: str = Field(min_length=1, max_length=300, json_schema_extra=TEXT)

    @field_validator("members")
    @classmethod
    def _ids(cls, ids: list[str]) -> list[str]:
        return checked_ids(ids)

    @model_validator(mode="after")
    def _check_members(self) -> NotifyConfig:
        if not self.members and not self.owner:
            raise PydanticCustomError("nobodyTold", "members: choose members, or the owner")
        return self


class SegmentConfig(NodeConfig):
    segment: str = Field(description="A static segment.", json_schema_extra={"x-widget": "segment"})
    action: Literal["add", "remove"] = "add"

    @field_validator("segment")
    @classmethod
    def _id(cls, id: str) -> str:
        return checked_ids([id])[0]


def _write_each(items: Sequence[tuple[str, Item]], write: Callable[[str, Item], Any]) -> None:
    """Write each item separately: a refusal of one does not affect the others."""
    for id, item in items:
        try:
            # The savepoint undoes half an assignment before the item fails.
            with transaction.atomic():
                result = write(id, item)
        except ApiError as error:
            fail_by(item, error)
        else:
            item.outcome = Outcome(output={"id": result})


def _note(batch: NodeBatch) -> None:
    panel = batch.config.panel

    def write(id: str, item: Item) -> str:
        where: JsonObject = {f"{panel}_id": id}
        return add_note(actor_id=batch.actor_id, notes=text_value(batch.render("notes", item)), **where)  # type: ignore[arg-type]

    _write_each(with_record(batch, panel), write)


def _follow_up(batch: NodeBatch) -> None:
    config: FollowUpConfig = batch.config
    due_at = format_iso(add_span(batch.now, config.due.as_json(), ZoneInfo(batch.zone)))
    assigned = {"assignee": config.assignee} if config.assignee else {}

    def write(id: str, item: Item) -> str:
        texts = {name: text_value(batch.render(name, item)) for name in ("title", "notes")}
        values = {"lead": id, "due_at": due_at, **{name: value for name, value in texts.items() if value}, **assigned}
        return str(create_follow_up(actor_id=batch.actor_id, values=values).pk)  # type: ignore[arg-type]

    _write_each(with_record(batch, "lead"), write)


def _owners(batch: NodeBatch) -> dict[str, Member]:
    """Return lead -> the active member who has it, of the leads of the runs."""
    leads = Lead.objects.filter(pk__in=[item.run.lead_id for item in batch.items if item.run.lead_id])
    rows = leads.filter(team_member__status__in=ACTIVE).select_related("team_member")
    return {lead.pk: lead.team_member for lead in rows}


def _notify(batch: NodeBatch) -> None:
    chosen_members = list(Member.objects.filter(status__in=ACTIVE, pk__in=batch.config.members))
    owners = _owners(batch) if batch.config.owner else {}
    for item in batch.items:
        owner = owners.get(item.run.lead_id or "")
        members = chosen_members if owner is None else [owner]
        about = ("contact", item.run.contact_id) if item.run.contact_id else None
        if item.run.lead_id:
            about = ("lead", item.run.lead_id)
        remember("workflow.notice", text_value(batch.render("text", item)), members=members, about=about)
        item.outcome = Outcome(output={"members": [member.pk for member in members]})


def _segment(batch: NodeBatch) -> None:
    segment = Segment.objects.filter(pk=batch.config.segment).first()
    if segment is None:
        for item in batch.items:
            item.fail("SegmentNotFound_400", "there is no such segment in this company", field="segment")
        return
    pairs = with_record(batch, segment.panel)
    ids = [id for id, _ in pairs]
    changes = IdChanges(add=ids) if batch.config.action == "add" else IdChanges(remove=ids)
    if ids:
        update_segment(id=segment.pk, actor_id=batch.actor_id, values={}, ids=changes)  # type: ignore[arg-type]
    for id, item in pairs:
        item.outcome = Outcome(output={"id": id})


def no_member(*paths: str) -> Callable[[Any], list[tuple[str, str, str]]]:
    """Return a check for members, in settings of these names, that the company lacks."""

    def check(config: Any) -> list[tuple[str, str, str]]:
        problems = []
        for path in paths:
            value = getattr(config, path)
            if isinstance(value, list):
                member_ids = value
            else:
                member_ids = [value] if value else []
            active_ids = set(Member.objects.filter(status__in=ACTIVE, pk__in=member_ids).values_list("pk", flat=True))
            problems += [
                ("memberMissing", path, f"there is no active member {id} in this company")
                for id in member_ids
                if id not in active_ids
            ]
        return problems

    return check


def _no_segment(config: SegmentConfig) -> list[tuple[str, str, str]]:
    exists = Segment.objects.filter(pk=config.segment, kind=Segment.Kind.STATIC).exists()
    return [] if exists else [("segmentMissing", "segment", "there is no such static segment in this company")]


NOTE = NodeType(
    "note",
    "team",
    "Note",
    "Writes a note on the contact or lead of the run.",
    NoteConfig,
    _note,
    needs=lambda config: ("lead-activity.POST",),
    icon="sticky_note_2",
    templates=("notes",),
    outputs={"id": "id"},
    effect=effects.of_note,
)
FOLLOW_UP = NodeType(
    "followUp",
    "team",
    "Task",
    "Makes a follow-up of the run's lead.",
    FollowUpConfig,
    _follow_up,
    needs=lambda config: ("lead-activity.POST",),
    icon="task_alt",
    templates=("title", "notes"),
    check=no_member("assignee"),
    needs_lead=True,
    outputs={"id": "id"},
    effect=effects.of_task,
)
NOTIFY = NodeType(
    "notify",
    "team",
    "Notify",
    "Tells members of the company.",
    NotifyConfig,
    _notify,
    icon="notifications",
    templates=("text",),
    check=no_member("members"),
    outputs={"members": "list"},
    effect=effects.of_notice,
)
SEGMENT = NodeType(
    "segment",
    "records",
    "Segment",
    "Adds the contact or lead of the run to a static segment, or removes it.",
    SegmentConfig,
    _segment,
    needs=lambda config: ("segment.PUT",),
    icon="pie_chart",
    check=_no_segment,
    writes=True,
    outputs={"id": "id"},
    effect=effects.of_segment,
)
TYPES = (NOTE, FOLLOW_UP, NOTIFY, SEGMENT)
