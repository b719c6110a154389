"""Addresses of booking."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.site.booking.views import BookingPageViewSet, BookingViewSet, HoursViewSet, PublicBookingViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("booking-page", BookingPageViewSet)
    router.register("booking", BookingViewSet)
    router.register("my-calendar/hours", HoursViewSet)


def register_public(router: ResourceRouter) -> None:
    router.register("book/<str:token>", PublicBookingViewSet)
