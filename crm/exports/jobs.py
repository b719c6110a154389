"""The work of exports."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import JobWork, PeriodicTask, register
from crm.exports.models import Export
from crm.exports.services import notify_ended, purge_exports
from crm.exports.worker import run

register(JobWork("export", run, model=Export, queue="bulk", task="crm.run_export", ended=notify_ended, while_held=True))
register(PeriodicTask("exports", purge_exports, every=timedelta(hours=1)))
