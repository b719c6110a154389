"""The work of imports."""

from __future__ import annotations

from core.jobs import JobWork, register
from crm.imports.models import Import
from crm.imports.notices import notify_ended
from crm.imports.worker import run

register(
    JobWork("import", run, model=Import, queue="import", task="crm.run_import", ended=notify_ended, while_held=True)
)
