"""The registrations of usage."""

from __future__ import annotations

from billing.usage.views import UsageViewSet
from core.api.routes import protected

protected.register("subscription/usage", UsageViewSet)
