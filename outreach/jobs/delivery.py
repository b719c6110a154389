"""The work of sending messages."""

from __future__ import annotations

from core.jobs import QueueWork, register
from outreach.models import SendJob
from outreach.services.claims import has_due
from outreach.services.sending import drain

register(QueueWork("send", drain, has_due=has_due, queue="send", model=SendJob))
