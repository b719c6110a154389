"""The work of imports."""

from __future__ import annotations

from core.jobs import JobWork, register
from crm.imports.notices import notify_ended
from crm.imports.worker import run
from crm.models import Import

register(JobWork("import", run, model=Import, queue="import", ended=notify_ended))
