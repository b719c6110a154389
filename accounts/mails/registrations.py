"""The registrations of the service's own mails."""

from __future__ import annotations

from datetime import timedelta

from accounts.mails.models import Mail
from accounts.mails.worker import drain, due_mails, purge_mails
from core.jobs import PeriodicTask, QueueWork, register

register(QueueWork("mails", drain, due_rows=due_mails, queue="send", task="accounts.send_mails", model=Mail))
register(PeriodicTask("mails", purge_mails, every=timedelta(days=1)))
