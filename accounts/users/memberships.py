"""Statuses of memberships, for the domains below `members`, which know the relation User.memberships only."""

from __future__ import annotations

from django.db import models


class MembershipStatus(models.TextChoices):
    """The status of a Member."""

    OWNER = "owner"
    INVITED = "invited"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    EXPIRED = "expired"
    BLOCKED = "blocked"
    REMOVED = "removed"


SEATED = (MembershipStatus.OWNER, MembershipStatus.ACCEPTED, MembershipStatus.BLOCKED)
"""Statuses that take a seat. Their companies see the user's logins."""
