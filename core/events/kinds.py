"""The kinds of events: `<resource>.<past participle>`, the resource in kebab-case as in the permission modules.

A new kind is one more word here. `emit` refuses others, so that each kind has one spelling.
"""

from __future__ import annotations

EVENTS: dict[str, tuple[str, ...]] = {
    "calllog": ("created", "updated", "deleted"),
    "campaign": ("created", "updated", "started", "paused", "resumed", "completed", "cancelled", "failed", "deleted"),
    "contact": (
        *("created", "updated", "deleted", "restored", "merged", "unmerged", "unsubscribed", "resubscribed"),
        "erased",
    ),
    "contact-category": ("deleted",),
    "dashboard": ("created", "updated", "deleted"),
    "enrich": ("accepted", "rejected"),
    "follow-up": ("created", "updated", "completed", "deleted"),
    "genie": ("created", "recurred", "deleted"),
    "invoice": ("issued",),
    "lead": ("created", "updated", "deleted", "restored", "merged", "unmerged"),
    "mail": ("sent", "opened", "clicked", "replied", "bounced", "complained"),
    "meeting": ("created", "updated", "cancelled"),
    "member": ("invited", "accepted", "updated", "blocked", "unblocked", "removed"),
    "note": ("created",),
    "payment": ("paid", "credited", "refunded"),
    "product-service": ("created", "updated", "deleted", "restored"),
    "tag": ("deleted",),
    "workflow": ("created", "updated", "published", "unpublished", "deleted"),
}
"""Resource -> what happens to it."""

KINDS: set[str] = {f"{resource}.{done}" for resource, words in EVENTS.items() for done in words}
"""All kinds."""
