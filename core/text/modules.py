"""The names of what plans limit, as people call it."""

from __future__ import annotations

NAMES = {
    "member": "Members",
    "contact": "Contacts",
    "lead": "Leads",
    "segment": "Segments",
    "team": "Teams",
    "tag": "Tags",
    "role": "Roles",
    "api": "API keys",
    "product-service": "Products and services",
    "custom-field": "Fields",
    "custom-section": "Sections of fields",
    "contact-category": "Contact categories",
    "template": "Templates",
    "workflow": "Workflows",
    "file": "Files",
    "genie": "Outreach",
    "campaign": "Campaigns",
    "meeting": "Meetings",
    "ai-tokens": "AI tokens this month",
    "messages": "Messages sent",
    "ai_credits": "AI credits",
    "queue": "Messages waiting",
    "workflow-runs": "Workflow runs this month",
    "workflow-starts": "Workflow starts a second",
    "api-requests": "API requests a minute",
    "api-requests-each": "API requests a minute of a key or member",
}
"""Permission module -> what its records are called."""


def name_of(module: str) -> str:
    """Return what the records of a module are called."""
    return NAMES.get(module) or module.replace("-", " ").capitalize()
