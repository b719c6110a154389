"""teamSettings: how new leads are assigned."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rest_framework import serializers

from accounts.settings.groups.base import Shape, read_stored_setting
from core.api.input import BooleanInput, IntegerInput


class Distribution(StrEnum):
    """Choice of the team member who gets the next lead."""

    ROUND_ROBIN = "roundRobin"
    LEAST_LOADED = "leastLoaded"
    MANUAL = "manual"


class TeamSettingsShape(Shape):
    """Settings for the distribution of leads."""

    distribution = serializers.ChoiceField(
        choices=[kind.value for kind in Distribution],
        default=Distribution.MANUAL.value,
        help_text="roundRobin: in turn; leastLoaded: who has the fewest open leads; manual: nobody, until a person"
        " decides.",
    )
    onlyAvailable = BooleanInput(
        default=True, help_text="Pass over members whom their team has marked as not available."
    )
    maxOpenLeads = IntegerInput(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=100_000,
        help_text="Who has so many open leads gets no more.",
    )


@dataclass(frozen=True)
class LeadRule:
    """A company's teamSettings; `max_open_leads` None is no limit."""

    distribution: Distribution = Distribution.MANUAL
    only_available: bool = True
    max_open_leads: int | None = None


def lead_rule(company_id: str) -> LeadRule:
    """Return how the company's new leads are assigned. Only the assignment of leads reads it."""
    team_settings = TeamSettingsShape.fill(read_stored_setting(company_id, "team_settings"))
    return LeadRule(
        Distribution(team_settings["distribution"]), team_settings["onlyAvailable"], team_settings["maxOpenLeads"]
    )
