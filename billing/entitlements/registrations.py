"""The registrations of entitlements."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from billing.entitlements.banner import state_banner
from billing.entitlements.notices import NOTICES
from billing.entitlements.selectors import SOURCE
from core.access import set_entitlements
from core.web.banners import set_banner

for notice in NOTICES:
    register_notice(notice)
set_entitlements(SOURCE)
set_banner(state_banner)
