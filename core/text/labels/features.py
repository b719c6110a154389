"""Features by which plans are compared: modules under the names that buyers know."""

from __future__ import annotations

from collections.abc import Collection

from core.text.labels.modules import name_of
from core.text.translation import gettext_lazy

FEATURES = {
    "contact": gettext_lazy("Contacts"),
    "lead": gettext_lazy("Leads and pipeline board"),
    "segment": gettext_lazy("Segments"),
    "meeting": gettext_lazy("Meetings and booking pages"),
    "genie": gettext_lazy("Outreach by email"),
    "campaign": gettext_lazy("Campaigns"),
    "report": gettext_lazy("Reports"),
    "workflow": gettext_lazy("Workflows"),
    "domain-tracking": gettext_lazy("Website visits"),
    "chat-widget": gettext_lazy("Website chat"),
    "manual-chatbot": gettext_lazy("Chatbots"),
    "chatapp": gettext_lazy("Chat apps"),
    "videocall": gettext_lazy("Video calls"),
    "enrich": gettext_lazy("Data enrichment"),
    "lead-gen-ai": gettext_lazy("Find new people"),
    "ai-crm-chat": gettext_lazy("Assistant over your records"),
    "white-label-options": gettext_lazy("Branding"),
    "api": gettext_lazy("API keys and webhooks"),
}
"""Permission module -> its description for a buyer of a plan. The others come with these."""


def features_of(modules: Collection[str] | None) -> list[str]:
    """Return the features of a plan; None has all of them."""
    return [label for module, label in FEATURES.items() if modules is None or module in modules]


def feature_of(module: str) -> str:
    """Return the description of a module for a buyer of a plan."""
    return FEATURES.get(module) or name_of(module)
