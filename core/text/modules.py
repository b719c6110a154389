"""The names of limits in plans, for people."""

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
    "lead-activity": "Notes, calls and follow-ups",
    "calllog": "Calls",
    "calendar": "Calendar of everybody",
    "my-calendar": "Own calendar",
    "videocall": "Video calls of everybody",
    "my-videocall": "Own video calls",
    "offline-meeting": "Meetings in person",
    "logs": "Log",
    "settings": "Formats, rules and notices",
    "apps": "Senders and connected apps",
    "company": "Company profile",
    "white-label-options": "Own brand",
    "ai-crm-chat": "Assistant",
    "enrich": "Finding out about contacts",
    "lead-gen-ai": "Finding new leads",
    "domain-tracking": "Tracking domains",
    "chatapp": "Chat messages",
    "chat-widget": "Chat on the website",
    "manual-chatbot": "Chatbots",
    "ai-tokens": "AI tokens this month (words that models read and write)",
    "messages": "Messages sent",
    "ai_credits": "AI credits (answers of AI models)",
    "queue": "Messages waiting",
    "workflow-runs": "Workflow runs this month",
    "workflow-starts": "Workflow starts a second",
    "api-requests": "API requests a minute",
    "api-requests-each": "API requests a minute of a key or member",
}
"""Permission module -> the name of its records."""


def name_of(module: str) -> str:
    """Return the name of a module's records."""
    return NAMES.get(module) or module.replace("-", " ").capitalize()
