"""The work of dunning, and its triggers."""

from __future__ import annotations

from billing.dunning.models import Dunning
from billing.dunning.services import WORK, wake, work
from billing.payments.settlement import on_payment_method_change
from core.jobs import QueueWork, register

register(QueueWork(WORK, work, queue="send", task="billing.run_dunning", model=Dunning))
on_payment_method_change(wake)
