"""The registrations of companies."""

from __future__ import annotations

from accounts.companies.views import CompanyViewSet, FirstStepsViewSet, OverviewViewSet
from core.api.routes import protected

protected.register("company", CompanyViewSet)
protected.register("company/first-steps", FirstStepsViewSet)
protected.register("company/overview", OverviewViewSet)
