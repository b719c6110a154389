"""What tests of leads need again and again."""

from __future__ import annotations

from typing import Any

from accounts.models import CompanySettings, Member
from crm.models import CustomField, ProductService, Team, TeamMember
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Cast
from tests.kit.factories import MemberFactory, RoleFactory


def lead_field(key: str, field_type: str = "text", value_type: str = "string", **values: Any) -> CustomField:
    """Create a custom field of leads."""
    return add_field(key, field_type, value_type, panel=CustomField.Panel.LEAD, **values)


def product(name: str) -> ProductService:
    return ProductService.objects.create(name=name)


def member(status: str = Member.Status.ACCEPTED, **values: Any) -> Member:
    return MemberFactory(status=status, role=RoleFactory(), **values)


def team_of(name: str, *members: Member) -> Team:
    """Create a team of these members."""
    team = Team.objects.create(name=name)
    for one in members:
        TeamMember.objects.create(team=team, member=one)
    return team


def default_team() -> Team:
    """Return the company's default team, with nobody in it."""
    team = Team.objects.filter(is_default=True).first() or Team.objects.create(name="Everybody", is_default=True)
    TeamMember.objects.filter(team=team).delete()
    return team


def set_rule(distribution: str, **values: Any) -> None:
    """Set how the active company's leads are assigned."""
    CompanySettings.objects.update_or_create(defaults={"team_settings": {"distribution": distribution, **values}})


def set_duplicates(rule: str) -> None:
    """Set what happens to the active company's open leads that repeat others."""
    CompanySettings.objects.update_or_create(defaults={"duplicate_leads": rule})


def make(cast: Cast, n: int = 1, **body: Any) -> dict[str, Any]:
    """Create a lead of the nth contact through the API; formData may have more values."""
    values = {**form(n, name=f"Person {n}"), **body.pop("formData", {})}
    answer = cast.key.post("/lead", {"formData": values, **body})
    assert answer.status == 201, answer.body
    return dict(answer.data)
