"""The node that asks members whether the run continues."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from accounts.models import Member
from core.spans import add_span
from crm.teams.services import ACTIVE
from workflows.expressions.filters import text_value
from workflows.nodes import effects
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType, Outcome, Span
from workflows.nodes.references import checked_ids
from workflows.nodes.requests import Question

HANDLES = ("approved", "rejected", "timeout")


class ApprovalConfig(NodeConfig):
    main = ("text", "members", "roles", "timeout")

    members: list[str] = Field(default=[], max_length=50, json_schema_extra={"x-widget": "members"})
    roles: list[str] = Field(default=[], max_length=20, json_schema_extra={"x-widget": "roles"})
    text: str = Field(min_length=1, max_length=2000, json_schema_extra={"x-widget": "expression"})
    timeout: Span = Field(default=Span(amount=7, unit="days"), description="How long it waits at most.")

    @model_validator(mode="after")
    def _check_members(self) -> ApprovalConfig:
        checked_ids([*self.members, *self.roles])
        if not self.members and not self.roles:
            raise PydanticCustomError("nobodyAsked", "members: choose members or roles")
        return self


def asked_members(config: ApprovalConfig) -> list[str]:
    """Return the active members who may answer."""
    active = Member.objects.filter(status__in=ACTIVE)
    member_ids = set(active.filter(pk__in=config.members).values_list("pk", flat=True))
    # Roles are resolved when the question is asked: a new member of the role can answer, a former one cannot.
    return sorted(member_ids | set(active.filter(role__in=config.roles).values_list("pk", flat=True)))


def _ask(batch: NodeBatch) -> None:
    members = asked_members(batch.config)
    until = add_span(batch.now, batch.config.timeout.as_json(), ZoneInfo(batch.zone))
    for item in batch.items:
        if not members:
            item.fail("memberMissing", "none of them is active any more", field="members")
            continue
        question = Question(members, text_value(batch.render("text", item)), until)
        item.outcome = Outcome("waiting", until=until, waits_for="approval", request=question)


def _resume(batch: NodeBatch) -> None:
    for item in batch.items:
        if item.arrived is not None and item.arrived.kind == "approval":
            item.outcome = Outcome(handle=item.arrived.payload["answer"], output=item.arrived.payload)
        else:
            item.outcome = Outcome(handle="timeout", output={"answer": "timeout"})


def _check(config: Any) -> list[tuple[str, str, str]]:
    if asked_members(config):
        return []
    return [("memberMissing", "members", "there is no active member among them in this company")]


APPROVAL = NodeType(
    "approval",
    "team",
    "Approval",
    "Asks members, and goes on as the first of them answers.",
    ApprovalConfig,
    _ask,
    resume=_resume,
    handles=lambda config: HANDLES,
    icon="how_to_reg",
    templates=("text",),
    check=_check,
    outputs={"answer": "text", "comment": "text", "member": "id"},
    effect=effects.of_approval,
)
