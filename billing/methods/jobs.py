"""The work of methods that are saved without a payment."""

from __future__ import annotations

from billing.methods.models import MethodSetup
from billing.methods.services import WORK, work
from core.jobs import QueueWork, register

register(QueueWork(WORK, work, queue="send", task="billing.check_method_setups", model=MethodSetup))
