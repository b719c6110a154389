"""Names of the API's lists."""

from __future__ import annotations

from core.text.translation import gettext_lazy

NAMES = {
    "contact": gettext_lazy("Contacts"),
    "lead": gettext_lazy("Leads"),
    "organization": gettext_lazy("Organizations"),
    "product-service": gettext_lazy("Products"),
    "quote": gettext_lazy("Quotes"),
    "tag": gettext_lazy("Tags"),
    "team": gettext_lazy("Teams"),
    "segment": gettext_lazy("Segments"),
    "custom-field": gettext_lazy("Fields"),
    "custom-section": gettext_lazy("Sections of fields"),
    "meeting": gettext_lazy("Meetings"),
    "calllog": gettext_lazy("Calls"),
    "lead-activity": gettext_lazy("Activities"),
    "lead-activity/follow-up": gettext_lazy("Tasks of leads"),
    "task": gettext_lazy("Tasks"),
    "comment": gettext_lazy("Comments"),
    "contact-category": gettext_lazy("Categories"),
    "contact/import": gettext_lazy("Imports of contacts"),
    "lead/import": gettext_lazy("Imports of leads"),
    "organization/import": gettext_lazy("Imports of organizations"),
    "ai-usage": gettext_lazy("AI usage log"),
    "campaign": gettext_lazy("Campaigns"),
    "chat-widget": gettext_lazy("Website chats"),
    "domain-tracking": gettext_lazy("Tracking domains"),
    "form": gettext_lazy("Forms"),
    "genie": gettext_lazy("Outreach"),
    "genie/send-jobs": gettext_lazy("Messages"),
    "suppression": gettext_lazy("Suppression list"),
    "suppression/import": gettext_lazy("Imports of the suppression list"),
}
"""List -> its name. All others are logs of senders."""
LOG = gettext_lazy("Log of sent emails")


def list_name(resource: str) -> str:
    """Return the name of a list that can be exported."""
    return NAMES.get(resource, LOG)
