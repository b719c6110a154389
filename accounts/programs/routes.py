"""Addresses of the partner and referral programs."""

from __future__ import annotations

from accounts.programs.partner_views import PartnerProgramViewSet
from accounts.programs.refer_views import ReferProgramViewSet
from core.api.routers import ResourceRouter


def register_private(router: ResourceRouter) -> None:
    router.register("partner-program", PartnerProgramViewSet)
    router.register("refer-program", ReferProgramViewSet)
