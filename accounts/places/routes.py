"""Addresses of places and time zones."""

from __future__ import annotations

from accounts.places.views import PlaceViewSet, TimezoneViewSet
from core.api.routers import ResourceRouter


def register_private(router: ResourceRouter) -> None:
    router.register("country-state-city", PlaceViewSet)
    router.register("timezones", TimezoneViewSet)
