"""The registrations of the suppression list."""

from __future__ import annotations

from accounts.mails.recipients import recipient_check
from crm.bulk_jobs.under_way import Work, register_work
from crm.exports.sources import register_source
from outreach.connections.senders.sample_people import sample_addresses
from outreach.messaging.suppression.models import SuppressionImport
from outreach.messaging.suppression.selectors import suppressed_addresses
from outreach.messaging.suppression.views import SuppressionImportViewSet, SuppressionViewSet

recipient_check.connect(suppressed_addresses)
recipient_check.connect(sample_addresses)
register_source("suppression", SuppressionViewSet)
register_source("suppression/import", SuppressionImportViewSet)
register_work(Work("suppression/import", "genie", lambda actor: SuppressionImport.objects.all(), "file__name"))
