"""The registrations of roles."""

from __future__ import annotations

from accounts.roles.models import Role
from accounts.roles.services import seed_roles
from core.access import count_usage
from core.tenancy.provisioning import company_created

company_created.connect(seed_roles)
count_usage("role", Role.objects.all)
