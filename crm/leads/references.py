"""The references of leads: products, teams, members, tags, and the categories of their contacts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Model

from accounts.models import Member
from core.tenancy import own_records
from crm.leads.schema import LeadRow
from crm.organizations.selectors import missing_organizations
from crm.pipelines.models import LostReason, Pipeline, Stage
from crm.products.models import ProductService
from crm.records.problems import ValueProblem
from crm.tags.services import missing_categories, missing_tags
from crm.teams.locks import lock_teams_shared
from crm.teams.models import Team
from crm.teams.owners import GIVEN_AWAY
from crm.teams.services import ACTIVE

PLACES: dict[str, tuple[type[Model], str, str, str]] = {
    "pipeline_id": (Pipeline, "pipeline", "pipeline", "PipelineNotFound_404"),
    "stage_id": (Stage, "stage", "stage", "StageNotFound_404"),
    "lost_reason_id": (LostReason, "lostReason", "reason", "LostReasonNotFound_404"),
}
"""Column -> the records that it refers to, its name in the API, their noun and error."""


def missing_references(rows: Sequence[LeadRow]) -> dict[int, list[ValueProblem]]:
    """Find references to records that the company does not have, with at most one query per kind.

    Returns position in `rows` -> problems. Their names are TagNotFound_400, ContactCategoryNotFound_400,
    ProductServiceNotFound_400 and OrganizationNotFound_400. Of teams and members they are TeamNotFound_400,
    MemberNotFound_404 and MemberNotAccepted_400. Those of a place are PipelineNotFound_404, StageNotFound_404 and
    LostReasonNotFound_404.
    """
    tags = set(missing_tags(tag for row in rows for tag in row.tag_ids or ()))
    categories = set(missing_categories(row.category_id for row in rows))
    products = _missing(
        ProductService.objects.filter(is_deleted=False), (id for row in rows for id in row.product_ids or ())
    )
    teams = missing_teams(row.system.get("team_id") for row in rows)
    organizations = missing_organizations(row.system.get("organization_id") for row in rows)
    own = own_records("lead")
    members = _members(row.system.get("team_member_id") for row in rows)
    places = {
        column: _missing(model._default_manager.all(), (row.system.get(column) for row in rows))
        for column, (model, *_names) in PLACES.items()
    }
    problems: dict[int, list[ValueProblem]] = {}
    for position, row in enumerate(rows):
        row_problems = [_absent("tags", "tag", "TagNotFound_400", tag) for tag in row.tag_ids or () if tag in tags]
        if row.category_id in categories:
            row_problems.append(_absent("category", "category", "ContactCategoryNotFound_400", row.category_id))
        row_problems += [
            _absent("productServices", "product or service", "ProductServiceNotFound_400", id)
            for id in row.product_ids or ()
            if id in products
        ]
        organization = row.system.get("organization_id")
        if organization in organizations:
            row_problems.append(_absent("organization", "organization", "OrganizationNotFound_400", organization))
        if row.system.get("team_id") in teams:
            row_problems.append(no_team(row.system["team_id"]))
        member = row.system.get("team_member_id")
        if member and own and member != own:
            row_problems.append(GIVEN_AWAY)
        elif member and member not in members:
            row_problems.append(_absent("teamMember", "member", "MemberNotFound_404", member))
        elif member and members[member] not in ACTIVE:
            row_problems.append(
                ValueProblem(
                    "teamMember", "MemberNotAccepted_400", f"choose an active member; this one is {members[member]}"
                )
            )
        row_problems += _missing_places(row, places)
        if row_problems:
            problems[position] = row_problems
    return problems


def _missing_places(row: LeadRow, missing: Mapping[str, set[str]]) -> list[ValueProblem]:
    """Return the problems of a row's pipeline, stage and reason that the company lacks."""
    return [
        _absent(key, noun, error, row.system[column])
        for column, (_model, key, noun, error) in PLACES.items()
        if row.system.get(column) in missing[column]
    ]


def missing_teams(ids: Iterable[str | None]) -> set[str]:
    """Return the teams that the company lacks. The others are not deleted until the caller's transaction ends.

    Otherwise a deletion would move their leads to the default team and miss the leads that are being written.
    """
    team_ids = {id for id in ids if id}
    if team_ids:
        lock_teams_shared()
    return _missing(Team.objects.all(), team_ids)


def no_team(id: str) -> ValueProblem:
    """Return the problem of a team that the company lacks."""
    return _absent("team", "team", "TeamNotFound_400", id)


def _absent(key: str, what: str, name: str, id: str | None) -> ValueProblem:
    return ValueProblem(key, name, f"there is no {what} {id} in this company")


def _missing(rows: object, ids: Iterable[str | None]) -> set[str]:
    record_ids = {id for id in ids if id}
    return record_ids - set(rows.filter(pk__in=record_ids).values_list("pk", flat=True)) if record_ids else set()  # type: ignore[attr-defined]


def _members(ids: Iterable[str | None]) -> dict[str, str]:
    member_ids = {id for id in ids if id}
    return dict(Member.objects.filter(pk__in=member_ids).values_list("pk", "status")) if member_ids else {}
