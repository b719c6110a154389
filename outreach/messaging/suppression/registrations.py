"""The registrations of the suppression list."""

from __future__ import annotations

from accounts.mails.recipients import recipient_check
from core.api.routes import protected
from core.jobs import JobWork, register
from crm.bulk_jobs.under_way import Work, register_work
from crm.exports.lists import register_source
from outreach.connections.senders.sample_people import sample_addresses
from outreach.messaging.suppression.imports import run
from outreach.messaging.suppression.models import SuppressionImport
from outreach.messaging.suppression.privacy import register_tables
from outreach.messaging.suppression.selectors import suppressed_addresses
from outreach.messaging.suppression.views import SuppressionImportViewSet, SuppressionViewSet

protected.register("suppression", SuppressionViewSet)
protected.register("suppression/import", SuppressionImportViewSet)
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
recipient_check.connect(suppressed_addresses)
recipient_check.connect(sample_addresses)
register_source("suppression", SuppressionViewSet)
register_source("suppression/import", SuppressionImportViewSet)
register_work(Work("suppression/import", "genie", lambda actor: SuppressionImport.objects.all(), "file__name"))
register_tables()
