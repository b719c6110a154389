"""The work of the suppression list: imports of addresses."""

from __future__ import annotations

from core.jobs import JobWork, register
from outreach.messaging.suppression.imports import run
from outreach.messaging.suppression.models import SuppressionImport

register(
    JobWork(
        "suppression-import",
        run,
        model=SuppressionImport,
        queue="import",
        task="outreach.import_suppressions",
        while_held=True,
    )
)
