"""The registrations of entitlements."""

from __future__ import annotations

from datetime import timedelta

from accounts.settings.notices import Notice, register_notice
from billing.entitlements.banner import state_banner
from billing.entitlements.selectors import SOURCE
from billing.entitlements.use import notify_of_usage
from billing.entitlements.views import PlanViewSet
from core.access import set_entitlements
from core.api.routes import protected
from core.jobs import PeriodicTask, register
from core.text.translation import gettext_lazy
from core.web.banners import set_banner

protected.register("plans", PlanViewSet)
register(PeriodicTask("use of limits", notify_of_usage, every=timedelta(minutes=1)))
register_notice(
    Notice("limit.nearly_used", gettext_lazy("Plan limit reached or nearly reached"), "notice_limit_nearly_used")
)
set_entitlements(SOURCE)
set_banner(state_banner)
