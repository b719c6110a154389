"""The names of limits in plans, for people."""

from __future__ import annotations

from core.text.translation import gettext_lazy

NAMES = {
    "member": gettext_lazy("Members"),
    "contact": gettext_lazy("Contacts"),
    "lead": gettext_lazy("Leads"),
    "segment": gettext_lazy("Segments"),
    "team": gettext_lazy("Teams"),
    "tag": gettext_lazy("Tags"),
    "role": gettext_lazy("Roles"),
    "api": gettext_lazy("API keys"),
    "product-service": gettext_lazy("Products and services"),
    "custom-field": gettext_lazy("Fields"),
    "custom-section": gettext_lazy("Sections of fields"),
    "contact-category": gettext_lazy("Contact categories"),
    "template": gettext_lazy("Templates"),
    "workflow": gettext_lazy("Workflows"),
    "file": gettext_lazy("Files"),
    "genie": gettext_lazy("Outreach"),
    "campaign": gettext_lazy("Campaigns"),
    "meeting": gettext_lazy("Meetings"),
    "lead-activity": gettext_lazy("Notes, calls and tasks"),
    "calllog": gettext_lazy("Calls"),
    "calendar": gettext_lazy("All calendars"),
    "my-calendar": gettext_lazy("Own calendar"),
    "videocall": gettext_lazy("All video calls"),
    "my-videocall": gettext_lazy("Own video calls"),
    "offline-meeting": gettext_lazy("Meetings in person"),
    "logs": gettext_lazy("Log"),
    "settings": gettext_lazy("Formats, rules and notices"),
    "apps": gettext_lazy("Senders and connected apps"),
    "company": gettext_lazy("Company profile"),
    "white-label-options": gettext_lazy("Branding"),
    "ai-crm-chat": gettext_lazy("Assistant"),
    "enrich": gettext_lazy("Data enrichment"),
    "lead-gen-ai": gettext_lazy("Find new people"),
    "domain-tracking": gettext_lazy("Tracking domains"),
    "chatapp": gettext_lazy("Chat messages"),
    "chat-widget": gettext_lazy("Website chat"),
    "manual-chatbot": gettext_lazy("Chatbots"),
    "ai-tokens": gettext_lazy("AI tokens this month (about ¾ of a word each)"),
    "messages": gettext_lazy("Messages sent"),
    "ai_credits": gettext_lazy("AI credits (one for each answer)"),
    "queue": gettext_lazy("Messages waiting"),
    "workflow-runs": gettext_lazy("Workflow runs this month"),
    "workflow-starts": gettext_lazy("Workflow starts a second"),
    "api-requests": gettext_lazy("API requests a minute"),
    "api-requests-each": gettext_lazy("API requests a minute of a key or member"),
}
"""Permission module -> the name of its records."""


def name_of(module: str) -> str:
    """Return the name of a module's records."""
    return NAMES.get(module) or module.replace("-", " ").capitalize()
