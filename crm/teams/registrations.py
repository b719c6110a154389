"""The registrations of teams."""

from __future__ import annotations

from core.access import count_usage
from core.api.routes import protected
from core.global_search import Kind, register_kind
from core.tenancy.provisioning import company_created
from crm.tags.filters import NAMED_MODEL_FIELDS
from crm.teams.models import Team
from crm.teams.services import seed_default_team
from crm.teams.views import TeamViewSet

protected.register("team", TeamViewSet)
company_created.connect(seed_default_team)
count_usage("team", Team.objects.all)
register_kind(
    Kind("team", "team", lambda actor: Team.objects.all(), NAMED_MODEL_FIELDS.pick("name"), "name", "description", 63)
)
