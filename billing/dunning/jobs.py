"""The work of dunning, and its triggers."""

from __future__ import annotations

from billing.dunning.models import Dunning
from billing.dunning.services import WORK, has_work, wake, work
from billing.payments.settlement import payment_method_changed
from core.jobs import QueueWork, register

register(QueueWork(WORK, work, has_due=has_work, queue="send", task="billing.run_dunning", model=Dunning))
payment_method_changed.connect(wake)
