from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from crm.records.models import NamedModel


class Team(NamedModel):
    """Members who work on leads together. Every company has a default team, which takes leads of no other team."""

    is_default = models.BooleanField(default=False, editable=False)

    class Meta(NamedModel.Meta):
        constraints = [
            models.UniqueConstraint("company", Lower("name"), name="team_name_unique"),
            models.UniqueConstraint(fields=("company",), condition=Q(is_default=True), name="team_one_default"),
        ]


class TeamMember(CompanyModel):
    """The membership of a member in a team. `last_assigned_at` decides who is assigned next."""

    team = CompanyForeignKey(Team, on_delete=models.CASCADE, related_name="links", db_index=False)
    member = CompanyForeignKey("accounts.Member", on_delete=models.CASCADE, related_name="team_links")
    last_assigned_at = models.DateTimeField(null=True, db_column="dealt_at")
    is_available = models.BooleanField(default=True, help_text="Off: is assigned no leads, stays in the team.")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("team", "member"), name="teammember_once")]
