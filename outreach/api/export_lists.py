"""The lists of outreach that can be exported: a new one is a line here."""

from __future__ import annotations

from crm.services.export_sources import register_source
from outreach.api.views import genie, messages


def register_lists() -> None:
    """Called when the app is ready."""
    register_source("genie", genie.Runs)
    register_source("genie/send-jobs", messages.Messages)
    register_source("logs/smtp", messages.SmtpLog)
    register_source("suppression", messages.Suppressions)
