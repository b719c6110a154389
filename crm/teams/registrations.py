"""The registrations of teams."""

from __future__ import annotations

from core.access import count_usage
from core.api.routes import protected
from core.tenancy.provisioning import company_created
from crm.teams.models import Team
from crm.teams.services import seed_default_team
from crm.teams.views import TeamViewSet

protected.register("team", TeamViewSet)
company_created.connect(seed_default_team)
count_usage("team", Team.objects.all)
