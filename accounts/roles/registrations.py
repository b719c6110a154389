"""The registrations of roles."""

from __future__ import annotations

from accounts.roles.models import Role
from accounts.roles.services import seed_roles
from accounts.roles.views import RoleViewSet
from core.access import count_usage
from core.api.routes import protected
from core.tenancy.provisioning import company_created

protected.register("role", RoleViewSet)
company_created.connect(seed_roles)
count_usage("role", Role.objects.all)
