"""Checks of the records that settings of nodes refer to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic_core import PydanticCustomError

from accounts.models import Member
from core.ids import is_id
from crm.pipelines.models import Stage
from crm.tags.services import missing_tags
from crm.teams.models import Team
from crm.teams.services import ACTIVE


def checked_ids(ids: Iterable[str]) -> list[str]:
    """Return the ids. Raises ValueError for an invalid one."""
    all_ids = list(ids)
    wrong = next((id for id in all_ids if not is_id(id)), None)
    if wrong is not None:
        raise PydanticCustomError("badId", "{wrong} is no id of 24 hex characters", {"wrong": repr(wrong[:40])})
    return all_ids


def no_tags(config: Any) -> list[tuple[str, str, str]]:
    tag_ids = missing_tags(config.tags, lock=False)  # it is asked by who only reads, too
    return [("tagMissing", "tags", f"there is no tag {id} in this company") for id in tag_ids]


def missing_assignees(config: Any) -> list[tuple[str, str, str]]:
    """Return the problems of a team, or of a member, whom leads cannot have."""
    problems = []
    if config.team and not Team.objects.filter(pk=config.team).exists():
        problems.append(("teamMissing", "team", f"there is no team {config.team} in this company"))
    if config.teamMember and not Member.objects.filter(pk=config.teamMember, status__in=ACTIVE).exists():
        text = f"there is no active member {config.teamMember} in this company"
        problems.append(("memberMissing", "teamMember", text))
    return problems


def missing_stage(config: Any) -> list[tuple[str, str, str]]:
    if config.stage is None or Stage.objects.filter(pk=config.stage).exists():
        return []
    return [("stageMissing", "stage", f"there is no stage {config.stage} in this company")]
