"""Features by which plans are compared: modules under the names that buyers know."""

from __future__ import annotations

from collections.abc import Collection

from core.text.modules import name_of

FEATURES = {
    "contact": "Contacts",
    "lead": "Leads and their board",
    "segment": "Segments",
    "meeting": "Meetings and booking pages",
    "genie": "Outreach by email",
    "campaign": "Campaigns",
    "report": "Reports",
    "workflow": "Workflows",
    "domain-tracking": "Visits of your website",
    "chat-widget": "Chat on your website",
    "manual-chatbot": "Chatbots",
    "chatapp": "Chat apps",
    "videocall": "Video calls",
    "enrich": "Missing data looked up",
    "lead-gen-ai": "Finding people",
    "ai-crm-chat": "An assistant that answers from your records",
    "white-label-options": "Your own brand",
    "api": "API keys and webhooks",
}
"""Permission module -> its description for a buyer of a plan. The others come with these."""


def features_of(modules: Collection[str] | None) -> list[str]:
    """Return the features of a plan; None has all of them."""
    return [label for module, label in FEATURES.items() if modules is None or module in modules]


def feature_of(module: str) -> str:
    """Return the description of a module for a buyer of a plan."""
    return FEATURES.get(module) or name_of(module)
