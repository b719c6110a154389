"""The registrations of places and time zones."""

from __future__ import annotations

from accounts.places.views import PlaceViewSet, TimezoneViewSet
from core.api.routes import private

private.register("country-state-city", PlaceViewSet)
private.register("timezones", TimezoneViewSet)
