"""The work of dunning."""

from __future__ import annotations

from billing.dunning.models import Dunning
from billing.dunning.services import WORK, work
from core.jobs import QueueWork, register

register(QueueWork(WORK, work, queue="send", task="billing.run_dunning", model=Dunning))
