"""The registrations of the partner and referral programs."""

from __future__ import annotations

from datetime import timedelta

from accounts.programs.partner_views import PartnerProgramViewSet
from accounts.programs.refer_views import ReferProgramViewSet
from accounts.programs.rewards import earn_matured
from core.api.routes import private
from core.jobs import PeriodicTask, register

private.register("partner-program", PartnerProgramViewSet)
private.register("refer-program", ReferProgramViewSet)
register(PeriodicTask("rewards", earn_matured, every=timedelta(hours=1)))
