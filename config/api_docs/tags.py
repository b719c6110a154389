"""The schema's tags: the first words of addresses, with what they stand for."""

from __future__ import annotations

from typing import Any

from config.api_docs.titles import TITLES
from core.types import JsonObject

OTHERS = {
    "accept-invite": "Accepting an invitation to a company",
    "apps": "Connected apps: senders, AI models, lead sources, enrichment, storage",
    "book": "Booking pages as visitors see them",
    "change-password": "Changing one's password",
    "country-state-city": "Countries, states and cities",
    "currencies": "Currencies",
    "decline-invite": "Declining an invitation to a company",
    "forgot-password": "Asking for a new password",
    **{f"gateway-{letter}": f"Payments by gateway {letter.upper()}" for letter in "abcde"},
    "invite": "An invitation, read by its link",
    "invites": "Invitations to companies",
    "login": "Beginning a session",
    "logout": "Ending a session",
    "memberships": "The companies that one works in",
    "notification": "Notifications",
    "partner-program": "Partner program",
    "profile": "One's own account",
    "refer-program": "Referral program",
    "refresh": "Renewing the tokens of a session",
    "register": "Registration",
    "resend-verification": "Asking for another verification mail",
    "reset-password": "Setting a new password by the mailed link",
    "sessions": "One's open sessions",
    "timezones": "Time zones",
    "unsubscribe": "Unsubscribing by the link of a mail",
    "verify-email": "Verifying an email address",
    "widget": "Chats on websites as visitors see them",
    "workflow-hooks": "Webhooks that start workflows",
}
"""Tags without a page of their own in the documentation."""


def add_tags(result: JsonObject, generator: Any, request: Any, public: bool) -> JsonObject:
    """Describe the tags that operations have (drf-spectacular's hook)."""
    used_tags = {
        tag for item in result["paths"].values() for operation in item.values() for tag in operation.get("tags", ())
    }
    result["tags"] = [{"name": tag, "description": TITLES.get(tag) or OTHERS[tag]} for tag in sorted(used_tags)]
    return result


__all__ = ["add_tags"]
