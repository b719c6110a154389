"""The registrations of dunning."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from billing.dunning.models import Dunning
from billing.dunning.notices import NOTICES
from billing.dunning.services import WORK, wake, work
from billing.payments.settlement import payment_method_changed
from core.jobs import QueueWork, register

register(QueueWork(WORK, work, queue="send", task="billing.run_dunning", model=Dunning))
for notice in NOTICES:
    register_notice(notice)
payment_method_changed.connect(wake)
