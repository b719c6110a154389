"""Nodes that give records tags, teams and members, by the bulk changes of the API."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from core.types import JsonObject
from workflows.nodes import effects
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType
from workflows.nodes.records import change_by_values
from workflows.nodes.references import checked_ids, missing_assignees, no_tags


class TagsConfig(NodeConfig):
    panel: Literal["contact", "lead"] = "contact"
    action: Literal["add", "remove", "set"] = "add"
    tags: list[str] = Field(min_length=1, max_length=100, json_schema_extra={"x-widget": "tags"})

    @field_validator("tags")
    @classmethod
    def _ids(cls, ids: list[str]) -> list[str]:
        return checked_ids(ids)


class AssignConfig(NodeConfig):
    team: str | None = Field(default=None, json_schema_extra={"x-widget": "team"})
    teamMember: str | None = Field(default=None, json_schema_extra={"x-widget": "member"})

    @model_validator(mode="after")
    def _check_assignee(self) -> AssignConfig:
        if self.team is None and self.teamMember is None:
            raise PydanticCustomError("noAssignee", "needs team or teamMember")
        checked_ids(filter(None, (self.team, self.teamMember)))
        return self


TAG_CHANGES = {"add": "append", "remove": "remove", "set": "set"}


def _tags(batch: NodeBatch) -> None:
    config: TagsConfig = batch.config
    how = TAG_CHANGES[config.action]

    def tag_change(values: Any) -> JsonObject:
        change: JsonObject = {"formData": {}, "updateType": how}
        return (
            {**change, "tags": config.tags}
            if config.panel == "contact"
            else {**change, "relations": {"tags": config.tags}}
        )

    change_by_values(batch, config.panel, tag_change)


def _assign(batch: NodeBatch) -> None:
    config: AssignConfig = batch.config
    assignees = (("team", config.team), ("team_member", config.teamMember))
    relations = {name: value for name, value in assignees if value is not None}
    change_by_values(batch, "lead", lambda values: {"formData": {}, "updateType": "set", "relations": relations})


TAGS = NodeType(
    "tags",
    "records",
    "Tags",
    "Adds tags to the contact or lead of the run, removes them, or replaces all.",
    TagsConfig,
    _tags,
    icon="sell",
    check=no_tags,
    needs=lambda config: (f"{config.panel}.PUT",),
    writes=True,
    outputs={"id": "id", "changed": "boolean"},
    effect=effects.of_tags,
)
ASSIGN = NodeType(
    "assign",
    "team",
    "Assign",
    "Gives the lead of the run to a team, a member, or both.",
    AssignConfig,
    _assign,
    icon="assignment_ind",
    writes=True,
    check=missing_assignees,
    needs=lambda config: ("lead.PUT",),
    needs_lead=True,
    outputs={"id": "id", "changed": "boolean"},
    effect=effects.of_assignment,
)
TYPES = (TAGS, ASSIGN)
