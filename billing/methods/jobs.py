"""The work of methods that are saved without a payment."""

from __future__ import annotations

from billing.methods.models import MethodSetup
from billing.methods.services import WORK, has_work, work
from core.jobs import QueueWork, register

register(QueueWork(WORK, work, has_due=has_work, queue="send", task="billing.check_method_setups", model=MethodSetup))
