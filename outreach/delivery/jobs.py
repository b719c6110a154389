"""The work of sending messages."""

from __future__ import annotations

from core.jobs import QueueWork, register
from outreach.delivery.claims import has_due
from outreach.delivery.models import SendJob
from outreach.delivery.worker import drain

register(QueueWork("send", drain, has_due=has_due, queue="send", model=SendJob))
