"""The lists of outreach that can be exported: a new one is a line here."""

from __future__ import annotations

from crm.exports.sources import register_source
from outreach.delivery import views as messages
from outreach.genie import views as genie


def register_lists() -> None:
    """Called when the app is ready."""
    register_source("genie", genie.Runs)
    register_source("genie/send-jobs", messages.Messages)
    register_source("logs/smtp", messages.SmtpLog)
    register_source("suppression", messages.Suppressions)
