"""The registrations of dunning."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from billing.dunning.notices import NOTICES
from billing.dunning.services import wake
from billing.payments.settlement import payment_method_changed

for notice in NOTICES:
    register_notice(notice)
payment_method_changed.connect(wake)
