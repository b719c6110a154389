"""The kinds of events: `<resource>.<past participle>`, the resource in kebab-case as in the permission modules.

A new kind is one more word here. `emit` refuses others, so that each kind has one spelling.
"""

from __future__ import annotations

from collections.abc import Iterable

EVENTS: dict[str, tuple[str, ...]] = {
    "apps": ("failed",),
    "calllog": ("created", "updated", "deleted"),
    "campaign": ("created", "updated", "started", "paused", "resumed", "completed", "cancelled", "failed", "deleted"),
    "comment": ("created", "updated", "deleted", "restored"),
    "contact": (
        *("created", "updated", "deleted", "restored", "merged", "unmerged", "unsubscribed", "resubscribed"),
        "erased",
    ),
    "contact-category": ("deleted",),
    "conversation": (
        "created",
        "received",
        "identified",
        "queued",
        "assigned",
        "claimed",
        "released",
        "answered",
        "closed",
        "reopened",
        "woken",
        "delayed",
    ),
    "dashboard": ("created", "updated", "deleted"),
    "enrich": ("accepted", "rejected"),
    "follow-up": ("created", "updated", "completed", "deleted", "restored"),
    "form": ("submitted",),
    "genie": ("created", "recurred", "deleted"),
    "invoice": ("issued",),
    "lead": ("created", "updated", "deleted", "restored", "merged", "unmerged"),
    "mail": ("sent", "opened", "clicked", "replied", "bounced", "complained"),
    "meeting": ("created", "updated", "cancelled", "booked", "rescheduled"),
    "member": ("invited", "accepted", "updated", "blocked", "unblocked", "removed"),
    "note": ("created",),
    "organization": ("created", "updated", "deleted", "restored", "merged", "unmerged"),
    "payment": ("paid", "credited", "refunded", "disputed", "undisputed"),
    "product-service": ("created", "updated", "deleted", "restored"),
    "quote": (*("created", "updated", "sent", "viewed", "accepted", "declined", "expired", "deleted", "restored"),),
    "segment": ("entered", "left"),
    "tag": ("deleted",),
    "task": ("created", "updated", "completed", "deleted", "restored"),
    "white-label-options": ("updated",),
    "workflow": ("created", "updated", "published", "unpublished", "deleted"),
}
"""Resource -> the names of its events."""

EVENT_KINDS: set[str] = {f"{resource}.{done}" for resource, words in EVENTS.items() for done in words}
"""All kinds."""

OF_LEADS_TASKS = tuple(f"follow-up.{word}" for word in EVENTS["follow-up"])
"""Kinds that tell of a lead's task again, after the event of the resource task."""
FIRST: set[str] = {kind for kind in EVENT_KINDS if kind.endswith(".created")} - {"follow-up.created"} | {"mail.sent"}
"""The kinds that are the first event of their object."""
FOLLOWING = ("mail.opened", "mail.clicked", "segment.entered", "segment.left", *OF_LEADS_TASKS)
"""Kinds that never come first: an event of FIRST of a message, contact, lead or task came before."""


def number_from(kind: str) -> int:
    """Return the number that an event of the kind has if it is the first one that was numbered for its object.

    Those of FIRST are number 1 and leave no row that counts: most objects have no other event.
    """
    created = f"{kind.partition('.')[0]}.created"
    return 2 if created in FIRST or kind in FOLLOWING else 1


def kinds_matching(patterns: Iterable[str]) -> set[str]:
    """Return the kinds that the patterns name: `*`, `contact.*` or a kind. Raises ValueError, with an unknown one."""
    kinds: set[str] = set()
    for pattern in patterns:
        resource, _, done = pattern.partition(".")
        if pattern == "*":
            kinds |= EVENT_KINDS
        elif done == "*" and resource in EVENTS:
            kinds |= {f"{resource}.{word}" for word in EVENTS[resource]}
        elif pattern in EVENT_KINDS:
            kinds.add(pattern)
        else:
            raise ValueError(pattern)
    return kinds


MODULES = {
    "calllog": "lead-activity",
    "comment": "lead-activity",
    "conversation": "chatapp",
    "dashboard": "report",
    "follow-up": "lead-activity",
    "form": "lead",
    "mail": "genie",
    "note": "lead-activity",
    "organization": "contact",
    "quote": "lead",
    "task": "lead-activity",
}
"""Resource -> the permission module that shows it, where that has another name."""


def module_of(kind: str) -> str:
    """Return the permission module whose GET shows the data of an event of this kind."""
    resource = kind.partition(".")[0]
    return MODULES.get(resource, resource)
