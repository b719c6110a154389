"""The registrations of plans."""

from __future__ import annotations

from billing.plans.views import CurrencyViewSet
from core.api.routes import private

private.register("currencies", CurrencyViewSet)
